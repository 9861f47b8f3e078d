"""The guest itself: what the other tests here stand on."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ssdlab.virtual.options import VirtualSsdOptions
from ssdlab.virtual.process import identify_process
from tests.paths import ROOT
from tests.vm.conftest import Boot, Disk, Serve
from tests.vm.devices import (
    MIB,
    Namespace,
    ata,
    image_sha256,
    make_image,
    nvme,
    nvme_of_namespaces,
    on_image,
    on_nbd,
    scsi,
    usb,
    with_bad_sectors,
    with_throttle,
)
from tests.vm.guest import Guest
from tests.vm.image import GuestImage
from tests.vm.link import GuestLostError

BAD_SECTOR = 1024
FIO = "fio --name=j --filename={} --direct=1 --ioengine=libaio --eta=never {}"


@pytest.fixture(scope="module")
def guest(boot: Boot, disk: Disk) -> Guest:
    spaces = (
        Namespace(backend=on_image(disk("small"))),
        Namespace(backend=on_image(disk("large")), sector_bytes=4096),
    )
    bad = with_bad_sectors(on_image(disk("alone")), [BAD_SECTOR])
    return boot(
        nvme("alone", with_throttle(bad, "lane"), serial="ALONE1"),
        nvme_of_namespaces("pair", spaces, serial="PAIR,2"),
        ata("plate", on_image(disk("plate"))),
        scsi("rack", on_image(disk("rack"))),
        usb("stick", on_image(disk("stick"), access="ro")),
    )


def test_command_tells_exit_code_and_both_streams_when_it_ends(guest: Guest) -> None:
    print(f"the guest answered {guest.boot_s:.1f} s after its start")
    answer = guest.run("echo out; echo err >&2; exit 3")
    assert (answer.exit_code, answer.stdout, answer.stderr) == (3, "out\n", "err\n")
    assert guest.run(["printf", "%s", "a b"]).output == "a b"
    assert guest.run(["no-such-program"]).exit_code == 127
    assert guest.run("kill -9 $$").exit_code == -9
    with pytest.raises(AssertionError, match=r"exit code 1 of(?s:.*)no such thing"):
        guest.check("echo no such thing; false")


def test_commands_run_side_by_side_when_started(guest: Guest) -> None:
    guest.check("mkfifo /tmp/gate")
    slow = guest.start("echo begun; read line </tmp/gate; echo got $line")
    slow.wait_for_output("begun")
    assert slow.is_running
    guest.check("echo it >/tmp/gate")
    assert slow.wait().output == "begun\ngot it\n"


def test_command_is_killed_when_it_takes_too_long(guest: Guest) -> None:
    job = guest.start("echo $$; sleep 1000")
    job.wait_for_output("\n")
    with pytest.raises(TimeoutError, match="no end within"):
        job.wait(timeout_s=0.1)
    assert job.wait().exit_code == -signal.SIGKILL
    assert guest.run(["ps", "-p", job.output.strip()]).exit_code == 1


def test_every_drive_is_seen_with_its_sector_size(guest: Guest) -> None:
    (alone,), pair = guest.nodes("ALONE1"), guest.nodes("PAIR,2")
    (plate,), (rack,), (stick,) = map(guest.nodes, ("plate", "rack", "stick"))
    columns = "PATH,SIZE,LOG-SEC,TRAN,MODEL,RO,RM"
    listed = guest.check(["lsblk", "-J", "-b", "-d", "-o", columns]).json()
    seen = {item.pop("path"): item for item in listed["blockdevices"]}
    assert seen.keys() == {alone, *pair, plate, rack, stick}
    assert {item["size"] for item in seen.values()} == {64 * MIB}
    assert [seen[path]["log-sec"] for path in (alone, *pair)] == [512, 512, 4096]
    assert seen[plate]["tran"] == "sata"
    assert seen[plate]["model"] == "LABATA"
    assert seen[rack]["model"] == "LABSCSI"
    assert (seen[stick]["ro"], seen[stick]["rm"]) == (True, True)
    drives = guest.check("nvme list -o json").json()["Devices"]
    assert {drive["DevicePath"] for drive in drives} == {alone, *pair}
    assert (guest.check("ls /dev/disk/by-id").output).count("ata-LABATA_plate") == 1


def test_format_erases_what_was_written(guest: Guest, disk: Disk) -> None:
    (small, large), image = guest.nodes("PAIR,2"), disk("small")
    blank = image_sha256(image)
    guest.check(f"dd if=/dev/urandom of={small} bs=1M count=4 oflag=direct")
    guest.check(f"echo kept | dd of={large} conv=sync,fsync bs=4096")
    assert image_sha256(image) != blank
    guest.check(f"nvme format {small} -s 1 --force")
    assert image_sha256(image) == guest.sha256(small) == blank
    assert disk("large").read_bytes().startswith(b"kept\n")


def test_write_is_refused_when_drive_is_read_only(guest: Guest, disk: Disk) -> None:
    (stick,) = guest.nodes("stick")
    before = image_sha256(disk("stick"))
    assert guest.run(f"dd if=/dev/urandom of={stick} bs=4096 count=1").exit_code
    assert image_sha256(disk("stick")) == before


def test_bad_sector_fails_and_others_do_not(guest: Guest) -> None:
    (alone,) = guest.nodes("ALONE1")
    assert guest.run(read_one(alone, BAD_SECTOR // 8 - 1)).exit_code == 0
    failed = guest.run(read_one(alone, BAD_SECTOR // 8))
    assert failed.exit_code == 1
    assert "No data available" in failed.output  # how NVMe tells a medium error
    assert guest.run(read_one(alone, BAD_SECTOR // 8 + 1)).exit_code == 0


def test_warning_shows_in_the_log_when_it_is_set(guest: Guest) -> None:
    (alone,) = guest.nodes("ALONE1")
    ask = f"nvme smart-log {alone} -o json"
    assert guest.check(ask).json()["critical_warning"] == 0
    guest.set_property("alone", "smart_critical_warning", 5)
    assert guest.check(ask).json()["critical_warning"] == 5
    guest.set_property("alone", "smart_critical_warning", 0)
    assert guest.check(ask).json()["critical_warning"] == 0


def test_drive_is_slow_while_it_is_throttled(guest: Guest) -> None:
    (alone,) = guest.nodes("ALONE1")
    free = measured_iops(guest, alone)
    guest.throttle("lane", iops_total=20)
    slow = measured_iops(guest, alone)
    guest.throttle("lane", iops_total=0)
    assert slow < 50 < free  # a second begins with a burst of a tenth


def test_drive_goes_and_comes_back_when_unplugged(guest: Guest) -> None:
    (alone,) = guest.nodes("ALONE1")
    guest.check(f"echo mine | dd of={alone} conv=sync,fsync bs=4096")
    began = time.monotonic()
    guest.unplug("alone")
    print(f"unplugged in {time.monotonic() - began:.1f} s")
    assert guest.nodes("ALONE1") == []
    assert guest.run(["test", "-e", alone]).exit_code == 1
    guest.plug("alone")
    began = time.monotonic()
    (back,) = guest.await_nodes("ALONE1")
    print(f"back as {back} in {time.monotonic() - began:.1f} s")
    assert guest.check(f"head -c 4 {back}").stdout == "mine"
    guest.unplug("alone")
    guest.plug("alone", serial="OTHER")  # the same slot, another drive
    (other,) = guest.await_nodes("OTHER")
    assert guest.nodes("ALONE1") == []
    assert guest.check(f"head -c 4 {other}").stdout == "mine"  # on the same image


def test_code_runs_with_the_package_of_this_checkout(guest: Guest) -> None:
    code = "import json, ssdlab; print(json.dumps(ssdlab.__file__))"
    began = time.monotonic()
    guest.warm("ssdlab.drive", "ssdlab.model.errors")
    warmed = time.monotonic()
    found = guest.check_python(code).json()
    print(f"warmed in {warmed - began:.1f} s, then {time.monotonic() - warmed:.1f} s")
    assert found == str(ROOT / "ssdlab" / "__init__.py")
    assert guest.python("raise SystemExit(4)").exit_code == 4
    assert guest.python("import sys; sys.exit('no')").output == "no\n"
    failed = guest.python("1 / 0")
    assert failed.exit_code == 1
    assert "ZeroDivisionError" in failed.stderr
    with pytest.raises(AssertionError, match="no_such_module"):
        guest.warm("no_such_module")


def test_drive_stands_on_the_virtual_ssd_when_told(
    boot_once: Boot, virtual_ssd: Serve
) -> None:
    ssd = virtual_ssd(VirtualSsdOptions(size_bytes=32 * MIB))
    guest = boot_once(nvme("model", on_nbd(ssd.socket_path)))
    (node,) = guest.nodes("model")
    guest.check(f"dd if=/dev/urandom of={node} bs=1M oflag=direct count=8")
    assert ssd.counters().host_written_bytes == 8 * MIB
    assert ssd.counters().mapped_bytes == 8 * MIB
    guest.check(f"nvme format {node} -s 1 --force")
    assert ssd.counters().mapped_bytes == 0


def test_synced_files_and_drives_survive_when_the_power_goes(
    guest_image: GuestImage, tmp_path: Path
) -> None:
    image, shared = make_image(tmp_path / "a.img"), tmp_path / "job"
    drive = ata("worn", on_image(image))
    fill = "--rw=write --bs=64k --size=64m --time_based --runtime=600"
    with Guest(guest_image, devices=[drive], shared=shared) as guest:
        (node,) = guest.nodes("worn")
        job = guest.start(FIO.format(node, fill))
        wrote = guest.check("echo safe >/job/kept; sync /job/kept; echo done")
        wait_until(lambda: image.stat().st_blocks > 0)
        assert job.is_running
        assert wrote.output == "done\n"
        guest.power_off_hard()
        with pytest.raises(GuestLostError):
            job.wait()
        with pytest.raises(GuestLostError):
            guest.run("true")
    assert (shared / "kept").read_text() == "safe\n"
    survived = image_sha256(image)
    with Guest(guest_image, devices=[drive], shared=shared) as again:
        (node,) = again.nodes("worn")
        assert again.sha256(node) == survived
        assert again.check("cat /job/kept").output == "safe\n"


def test_machine_ends_when_the_tests_are_killed(
    guest_image: GuestImage, tmp_path: Path
) -> None:
    code = """
import sys
from pathlib import Path
from tests.vm.guest import Guest
from tests.vm.image import GuestImage
guest = Guest(GuestImage(folder=Path(sys.argv[1])), shared=Path(sys.argv[2]))
guest._launch()
print(guest._process.pid, guest._folder, flush=True)
sys.stdin.read()
"""
    tests = subprocess.Popen(
        [sys.executable, "-c", code, str(guest_image.folder), str(tmp_path / "job")],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert tests.stdout
    pid, folder = tests.stdout.readline().split()
    try:
        name = Path("/proc") / pid / "comm"
        wait_until(lambda: name.read_text().startswith("qemu"))
        tests.kill()
        tests.communicate()
        wait_until(lambda: identify_process(int(pid)) is None)
    finally:
        shutil.rmtree(folder)


def read_one(node: str, page: int) -> str:
    return f"dd if={node} of=/dev/null iflag=direct bs=4096 count=1 skip={page}"


def measured_iops(guest: Guest, node: str) -> float:
    options = "--rw=randread --bs=4k --size=256k --time_based --runtime=1"
    said = guest.check(FIO.format(node, f"{options} --output-format=json"))
    iops: float = json.loads(said.stdout)["jobs"][0]["read"]["iops"]
    return iops


def wait_until(condition: Callable[[], bool], patience_s: float = 60) -> None:
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)

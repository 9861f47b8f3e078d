"""What uses a drive, on made machines: each way, its words, and its remedy."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ssdlab.drive.in_use.loops import number_of
from ssdlab.drive.in_use.openers import Sought, find_openers
from ssdlab.drive.in_use.uses import (
    explain_claim,
    find_live_uses,
    find_uses,
    find_uses_of_known,
)
from ssdlab.drive.inventory import read_drive
from ssdlab.drive.tools import Answer
from ssdlab.model.drive import Use
from tests.drive.in_use.test_mounts import add_process, live_in
from tests.drive.purge.made import sanitize_log
from tests.drive.recorded import saying
from tests.drive.users import as_nobody, only_root
from tests.made_machine import MadeMachine

NOTHING = '{"signatures": []}'
EXT4 = '{"signatures": [{"type": "ext4", "offset": "0x438", "label": null}]}'


@pytest.fixture
def made(tmp_path: Path) -> MadeMachine:
    made = MadeMachine(tmp_path)
    live_in(made, "mnt:[1]")
    return made


def uses_of(made: MadeMachine, name: str) -> tuple[Use, ...]:
    return find_live_uses(read_drive(name, made.root), root=made.root)


def only(uses: tuple[Use, ...]) -> Use:
    assert len(uses) == 1, uses
    return uses[0]


def silent(command: object, *, timeout_s: float) -> object:
    is_blkid = "blkid" in str(command)
    said = saying("", exit_code=2) if is_blkid else saying(NOTHING)
    return said(command, timeout_s=timeout_s)  # type: ignore[arg-type]


def test_drive_that_nothing_uses_has_no_use(made: MadeMachine) -> None:
    disk = made.add_nvme()
    made.mount(made.add_nvme("nvme1n1", serial="S2"), "/home")
    drive = read_drive(disk, made.root)
    assert find_uses(drive, root=made.root, ask=silent) == ()  # type: ignore[arg-type]


# --- Mounted ------------------------------------------------------------------


@pytest.mark.parametrize("place", ["/", "/boot", "/boot/efi", "/home", "/usr", "/var"])
def test_disk_that_the_machine_runs_from_is_told_however_it_is_stacked(
    place: str, made: MadeMachine
) -> None:
    disk = made.add_nvme()
    part = made.add_partition(disk, 2)
    array = made.add_volume("md0", below=[part])
    made.write("/sys/block/md0/md/array_state", "clean")
    safe = made.add_volume("dm-0", below=[array], title="safe", uuid="CRYPT-LUKS2-x")
    volume = made.add_volume("dm-1", below=[safe], title="vg-root", uuid="LVM-x")
    made.mount(volume, place, source="/dev/mapper/vg-root")
    made.mount(part, "/mnt")
    use = only(uses_of(made, disk))
    assert use == Use(
        kind="root",
        device="/dev/mapper/vg-root",
        reason=f"system disk: /dev/mapper/vg-root is mounted at {place}",
        remedy="Choose another drive.",
    )


def test_root_of_the_first_process_counts_in_another_namespace(
    made: MadeMachine,
) -> None:
    disk = made.add_nvme()
    number = made.at(f"/sys/block/{disk}/dev").read_text().strip()
    line = f"1 1 {number} / / rw - ext4 /dev/{disk} rw\n".encode()
    add_process(made, 9, space="mnt:[2]", lines=line)
    assert only(uses_of(made, disk)).kind == "mounted"  # the root of a container
    made.at("/proc/1/mountinfo").unlink()
    add_process(made, 1, space="mnt:[3]", lines=line)
    assert only(uses_of(made, disk)).kind == "root"


def test_many_mounts_of_a_device_are_one_use(made: MadeMachine) -> None:
    disk = made.add_nvme()
    for place in ("/a", "/b c", "/d", "/e", "/f"):
        made.mount(disk, place)
    use = only(uses_of(made, disk))
    assert use.reason == "/dev/nvme0n1 is mounted at /a, /b c, /d and 2 more"
    assert use.remedy == "Unmount it: umount /f /e /d '/b c' /a."


def test_name_of_a_mount_can_neither_command_nor_colour(made: MadeMachine) -> None:
    disk = made.add_nvme()
    made.mount(disk, "/mnt/$(reboot)\x1b[31m")
    use = only(uses_of(made, disk))
    assert use.remedy == r"Unmount it: umount '/mnt/$(reboot)\x1b[31m'."
    assert "\x1b" not in use.reason


def test_own_mount_hides_the_same_one_elsewhere(made: MadeMachine) -> None:
    disk = made.add_nvme()
    made.mount(disk, "/data")
    number = made.at(f"/sys/block/{disk}/dev").read_text().strip()
    line = f"1 1 {number} / /inside rw - ext4 /dev/{disk} rw\n".encode()
    add_process(made, 9, space="mnt:[2]", lines=line)
    assert "at /data" in only(uses_of(made, disk)).reason


def test_file_system_of_several_devices_counts_for_each(made: MadeMachine) -> None:
    first, second = made.add_scsi("sda"), made.add_scsi("sdb", serial="S2")
    made.mount_line("30 1 0:40 / /pool rw - btrfs /dev/sda rw,space_cache=v2")
    for name in (first, second):
        made.link(f"/sys/fs/btrfs/1-2/devices/{name}", f"/sys/block/{name}")
    made.mount_line("31 1 8:99 / /fast rw - xfs /dev/sdz rw,logdev=/dev/sdb")
    kinds = [(use.kind, use.reason) for use in uses_of(made, second)]
    assert kinds == [
        ("mounted", "/dev/sdb is mounted at /fast"),
        ("mounted", "/dev/sdb is part of a btrfs file system that is mounted at /pool"),
    ]
    assert any("mounted at /pool" in use.reason for use in uses_of(made, first))


# --- Swap, holders, targets ---------------------------------------------------


def test_swap_is_told_on_a_partition_a_volume_and_in_a_file(made: MadeMachine) -> None:
    disk = made.add_nvme()
    part = made.add_partition(disk)
    volume = made.add_volume("dm-0", below=[part], title="vg-s", uuid="LVM-x")
    made.add_swap(part)
    made.add_swap(volume)
    found = {
        use.device: use.remedy for use in uses_of(made, disk) if use.kind == "swap"
    }
    assert found == {
        "/dev/nvme0n1p1": "Disable it: swapoff /dev/nvme0n1p1.",
        "/dev/mapper/vg-s": "Disable it: swapoff /dev/dm-0.",
    }


def test_swap_file_is_that_of_the_uppermost_file_system(made: MadeMachine) -> None:
    below, above = made.add_scsi("sda"), made.add_scsi("sdb", serial="S2")
    made.mount(below, "/srv")
    made.mount(above, "/srv")
    made.write("/proc/swaps", "Filename Type\n/srv/a\\040b file 1 0 -1")
    assert [use.kind for use in uses_of(made, below)] == ["mounted"]
    swap = next(use for use in uses_of(made, above) if use.kind == "swap")
    assert swap.reason == "the swap file /srv/a b is on /dev/sdb"
    assert swap.remedy.endswith("swapoff '/srv/a b'.")


HOLDERS = {
    "LVM-x": ("a volume of LVM", "lvchange --activate n '/dev/mapper/odd name'"),
    "CRYPT-LUKS2-x": ("an open encrypted volume", "cryptsetup close 'odd name'"),
    "mpath-x": ("a multipath map", "multipath -f 'odd name'"),
    "": ("a device of the device mapper", "dmsetup remove 'odd name'"),
}


@pytest.mark.parametrize("uuid", HOLDERS, ids=lambda uuid: uuid or "other")
def test_volume_is_told_by_its_kind(uuid: str, made: MadeMachine) -> None:
    disk = made.add_nvme()
    made.add_volume("dm-3", below=[disk], title="odd name", uuid=uuid)
    words, remedy = HOLDERS[uuid]
    assert only(uses_of(made, disk)) == Use(
        kind="holder",
        device="/dev/nvme0n1",
        reason=f"/dev/mapper/odd name ({words}) uses /dev/nvme0n1",
        remedy=f"If it is not needed, remove it: {remedy}.",
    )


def test_stack_is_told_from_above_so_that_it_can_be_taken_down(
    made: MadeMachine,
) -> None:
    disk = made.add_nvme()
    array = made.add_volume("md0", below=[disk])
    made.write("/sys/block/md0/md/array_state", "clean")
    made.add_volume("dm-0", below=[array], title="safe", uuid="CRYPT-x")
    remedies = [use.remedy.partition(": ")[2] for use in uses_of(made, disk)]
    assert remedies == ["cryptsetup close safe.", "mdadm --stop /dev/md0."]


def test_bcache_is_told_of_both_its_devices(made: MadeMachine) -> None:
    backing, cache = made.add_scsi("sda"), made.add_nvme()
    volume = made.add_volume("bcache0", below=[backing])
    made.write(f"/sys/block/{volume}/bcache/state", "clean")
    made.write(f"/sys/block/{backing}/bcache/stop", "")
    made.write(f"/sys/block/{cache}/bcache/set/stop", "")
    of_cache = only(uses_of(made, cache))
    assert of_cache.reason == "/dev/nvme0n1 is a cache device of bcache"
    assert of_cache.remedy.endswith("/sys/class/block/nvme0n1/bcache/set/stop.")
    reasons = [use.reason for use in uses_of(made, backing)]
    assert "/dev/sda is a backing device of bcache" in reasons
    assert "/dev/bcache0 (a cached device (bcache)) uses /dev/sda" in reasons


def test_loop_device_on_a_partition_is_told(made: MadeMachine) -> None:
    disk = made.add_nvme()
    part = made.add_partition(disk)
    made.add_loop("loop3", backing=f"/dev/{part}")
    use = only(uses_of(made, disk))
    assert (use.kind, use.device) == ("loop-backing", "/dev/nvme0n1p1")
    assert use.remedy.endswith("losetup --detach /dev/loop3.")


@pytest.mark.parametrize(("enable", "count"), [("1", 1), ("0", 0)])
def test_drive_that_is_served_is_told_while_it_is(
    enable: str, count: int, made: MadeMachine
) -> None:
    disk = made.add_nvme()
    nvme = "/sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1"
    scsi = "/sys/kernel/config/target/core/iblock_0/lun"
    made.write(f"{nvme}/device_path", f"/dev/{disk}")
    made.write(f"{nvme}/enable", enable)
    made.write(f"{scsi}/udev_path", f"/dev/{disk}")
    made.write(f"{scsi}/enable", enable)
    uses = uses_of(made, disk)
    assert [use.kind for use in uses] == ["holder"] * 2 * count
    assert all("is served to other hosts" in use.reason for use in uses)


def test_compressed_swap_that_writes_back_is_told(made: MadeMachine) -> None:
    disk = made.add_nvme()
    made.add_volume("zram0", below=[])
    made.write("/sys/block/zram0/backing_dev", f"/dev/{disk}")
    made.add_volume("zram1", below=[])
    made.write("/sys/block/zram1/backing_dev", "none")
    assert only(uses_of(made, disk)).kind == "swap"


# --- The drive itself, and its relatives --------------------------------------


def test_drive_without_a_medium_is_told_and_nothing_else(made: MadeMachine) -> None:
    disk = made.add_scsi("sda", size_bytes=0)
    use = only(uses_of(made, disk))
    assert (use.kind, "has a capacity of 0 bytes" in use.reason) == ("too-small", True)


def test_read_only_drive_is_told(made: MadeMachine) -> None:
    disk = made.add_nvme()
    made.write(f"/sys/block/{disk}/ro", "1")
    use = only(uses_of(made, disk))
    assert use.kind == "read-only"
    assert "blockdev --setrw /dev/nvme0n1" in use.remedy


def test_use_of_another_namespace_is_one_of_this(made: MadeMachine) -> None:
    disk, other = made.add_nvme("nvme0n1"), made.add_nvme("nvme0n2")
    part = made.add_partition(other)
    made.mount(part, "/srv")
    use = only(uses_of(made, disk))
    assert (use.kind, use.device) == ("other-namespace", "/dev/nvme0n2p1")
    assert use.reason == (
        "/dev/nvme0n2 is another namespace of the same NVMe controller, and a format "
        "can erase it too: /dev/nvme0n2p1 is mounted at /srv"
    )
    assert use.remedy == "Unmount it: umount /srv."


def test_data_on_another_namespace_of_a_subsystem_is_refused(
    made: MadeMachine,
) -> None:
    for name in ("nvme0n1", "nvme0n2"):
        made.add_shared_nvme(name)
    drive = read_drive("nvme0n1", made.root)

    def ask(command: tuple[str, ...], *, timeout_s: float) -> object:
        if command[-1] == "/dev/nvme0n2" and command[0] == "wipefs":
            return saying(EXT4)(command, timeout_s=timeout_s)
        return silent(command, timeout_s=timeout_s)

    use = only(find_uses(drive, root=made.root, ask=ask))  # type: ignore[arg-type]
    assert (use.kind, use.device) == ("other-namespace", "/dev/nvme0n2")
    assert "wipefs --all /dev/nvme0n2 (copies of its superblock" in use.remedy


def test_other_path_to_the_same_drive_in_use_is_refused(made: MadeMachine) -> None:
    disk = made.add_scsi("sda", serial="S1")
    made.mount(made.add_scsi("sdb", serial="S1"), "/srv")
    made.add_scsi("sdc", serial="S1", model="ANOTHER")
    use = only(uses_of(made, disk))
    assert use.kind == "mounted"
    assert "/dev/sdb may be another path to the same drive" in use.reason
    assert uses_of(made, "sdc") == ()


def test_drives_that_say_nothing_of_themselves_are_not_taken_for_one(
    made: MadeMachine,
) -> None:
    disk = made.add_virtio("vda", serial="")
    made.mount(made.add_virtio("vdb", serial=""), "/srv")
    assert uses_of(made, disk) == ()


def test_what_is_on_a_drive_in_use_is_not_told(made: MadeMachine) -> None:
    disk = made.add_nvme()
    made.mount(disk, "/srv")
    ask = saying(EXT4)
    uses = find_uses(read_drive(disk, made.root), root=made.root, ask=ask)
    assert [use.kind for use in uses] == ["mounted"]
    assert ask.asked == []  # a disk in use is not even read


def test_each_partition_is_looked_at(made: MadeMachine) -> None:
    disk = made.add_nvme()
    part = made.add_partition(disk)
    uses = find_uses(read_drive(disk, made.root), root=made.root, ask=saying(EXT4))
    assert [use.device for use in uses] == [
        f"/dev/{part}",
        f"/dev/{disk}",
        f"/dev/{disk}",
    ]
    assert uses[-1].reason == (
        "the system still has partitions of /dev/nvme0n1 (/dev/nvme0n1p1), though it "
        "has no partition table"
    )


def test_sanitize_of_a_killed_run_is_told_where_the_drive_cannot_be_read(
    made: MadeMachine,
) -> None:
    disk = made.add_nvme()
    drive = read_drive(disk, made.root)

    def ask(command: Sequence[str], *, timeout_s: float) -> Answer:
        text = sanitize_log(2, progress=16384) if command[0] == "nvme" else ""
        failed = saying(text, exit_code=command[0] != "nvme", stderr="IO error")
        return failed(command, timeout_s=timeout_s)

    use = only(find_uses(drive, root=made.root, ask=ask))
    assert (use.kind, use.device) == ("unknown", "/dev/nvme0n1")
    assert "an earlier sanitize is still in progress" in use.reason
    assert "25 % done" in use.reason


def test_known_drive_is_not_read_but_what_is_new_beside_it_is(
    made: MadeMachine,
) -> None:
    for name in ("nvme0n1", "nvme0n2"):
        made.add_shared_nvme(name)
    drive, other = (read_drive(f"nvme0n{n}", made.root) for n in (1, 2))
    ask = saying(EXT4)
    assert find_uses_of_known(drive, (), root=made.root, ask=ask) == ()
    assert ask.asked == []
    use = only(find_uses_of_known(drive, (other,), root=made.root, ask=ask))
    assert (use.kind, use.device) == ("other-namespace", "/dev/nvme0n2")
    made.add_partition("nvme0n1")
    use = only(find_uses_of_known(drive, (), root=made.root, ask=ask))
    assert use.reason == (
        "the system still has partitions of /dev/nvme0n1 (/dev/nvme0n1p1)"
    )
    made.mount("nvme0n1", "/srv")
    use = only(find_uses_of_known(drive, (other,), root=made.root, ask=ask))
    assert use.kind == "mounted"


def test_loop_device_on_a_block_device_is_no_target(made: MadeMachine) -> None:
    made.add_loop("loop0", backing=f"/dev/{made.add_nvme()}")
    use = only(uses_of(made, "loop0"))
    assert use.kind == "loop-backing"
    assert "is backed by the block device /dev/nvme0n1" in use.reason


def test_backing_file_that_is_used_twice_is_told(made: MadeMachine) -> None:
    made.write("/images/a.img", b"x")
    for name in ("loop0", "loop1"):
        made.add_loop(name, backing="/images/a.img")
    made.write("/proc/swaps", "Filename Type\n/images/a.img file 1 0 -1")
    reasons = [use.reason for use in uses_of(made, "loop0")]
    same = "is backed by the same file as /dev/loop0: /images/a.img"
    assert any(reason == f"/dev/loop1 {same}" for reason in reasons)
    assert "the backing file /images/a.img of /dev/loop0 is used as swap" in reasons


def test_number_of_a_device_is_found_by_any_of_its_names(made: MadeMachine) -> None:
    volume = made.add_volume("dm-0", below=[made.add_nvme()], title="vg-a")
    number = made.at(f"/sys/block/{volume}/dev").read_text().strip()
    for path in ("/dev/dm-0", "/dev/mapper/vg-a"):
        assert number_of(path, made.root) == number
    for path in ("", "/", "none", "/dev", "/dev/none", "/srv/dm-0"):
        assert number_of(path, made.root) == ""


# --- Open files ---------------------------------------------------------------


def hold(path: Path, mode: str) -> subprocess.Popen[str]:
    code = (
        "import sys; f = open(sys.argv[1], sys.argv[2]); print(1, flush=True); input()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path), mode],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline()
    return process


@pytest.mark.parametrize(("mode", "way"), [("rb", "reads"), ("r+b", "writes")])
def test_process_that_has_a_file_open_is_named_with_how(
    mode: str, way: str, tmp_path: Path
) -> None:
    path = tmp_path / "backing"
    path.touch()
    status = path.stat()
    host = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    sought = Sought(blocks={}, files={(host, status.st_ino): str(path)})
    process = hold(path, mode)
    try:
        with path.open("r+b"):  # of this process itself
            (opener,) = find_openers(sought).found
    finally:
        process.communicate("")
    assert (opener.way, opener.device) == (way, str(path))
    assert re.fullmatch(rf"python\S* \(process {process.pid}\)", opener.process)
    assert find_openers(sought).found == ()


@only_root
def test_processes_that_hide_their_files_are_counted(tmp_path: Path) -> None:
    with as_nobody(tmp_path):
        assert find_openers(Sought(blocks={})).unread > 0


@only_root
def test_claim_by_who_hides_it_is_told_as_such(made: MadeMachine) -> None:
    disk = made.add_nvme()
    drive = read_drive(disk, made.root)
    assert explain_claim(drive, made.root) == ()
    folder = made.at("/proc/77/fd")
    folder.mkdir(parents=True)
    folder.chmod(0)
    with as_nobody(made.root):
        use = only(explain_claim(drive, made.root))
    assert (use.kind, "files of 1 processes" in use.reason) == ("unknown", True)
    assert use.remedy == "Let root check: sudo fuser --verbose /dev/nvme0n1."

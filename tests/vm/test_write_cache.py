"""The write cache of drives that answer like real ones: set, restored, fallen back."""

import signal
from pathlib import Path

import pytest

from tests.vm.conftest import Boot, Disk
from tests.vm.devices import ata, nvme, on_image, scsi
from tests.vm.guest import Guest

NVME, ATA, SCSI = (
    "/dev/nvme0n1",
    "/dev/disk/by-id/ata-LABATA_A0",
    "/dev/disk/by-id/scsi-0SSDLAB_LABSCSI_C0",
)
# What the drive itself says, by another tool than the one that is tested.
WITNESSES = {
    NVME: ("nvme get-feature /dev/nvme0 -f 6", "value:0x00000001"),
    ATA: ("hdparm -W {path}", "=  1 (on)"),
    SCSI: ("smartctl -g wcache {path}", "Enabled"),
}
START = """
import json
from pathlib import Path
from ssdlab.drive.inventory import find_drive
from ssdlab.drive.write_cache import *
folder = Path("/job")
drive = find_drive({path!r})
"""


@pytest.fixture(scope="module")
def guest(boot: Boot, disk: Disk) -> Guest:
    guest = boot(
        nvme("nv0", on_image(disk("n")), serial="S0"),
        ata("at0", on_image(disk("a")), serial="A0"),
        scsi("sc0", on_image(disk("s")), serial="C0"),
    )
    guest.check("udevadm settle")
    guest.warm("ssdlab.drive.inventory", "ssdlab.drive.write_cache")
    return guest


def do(guest: Guest, path: str, code: str) -> str:
    return guest.check_python(START.format(path=path) + code).stdout.strip()


def is_on(guest: Guest, path: str) -> bool:
    command, words = WITNESSES[path]
    return words in guest.check(command.format(path=path)).stdout


def kernel_view(guest: Guest, path: str) -> str:
    name = f"$(basename $(readlink -f {path}))"
    return guest.check(f"cat /sys/block/{name}/queue/write_cache").stdout.strip()


def journal(guest: Guest) -> Path:
    return guest.shared / "write_cache.json"


@pytest.mark.parametrize("path", [NVME, ATA, SCSI], ids=["nvme", "ata", "scsi"])
def test_the_cache_is_off_while_it_is_kept_so_and_then_on_again(
    guest: Guest, path: str
) -> None:
    assert is_on(guest, path)
    assert do(guest, path, "print(read_write_cache(drive))") == "enabled"
    assert do(guest, path, "print(keep_write_cache(drive, 'disabled', folder))") == ""
    assert not is_on(guest, path)
    assert journal(guest).exists()
    assert do(guest, path, "print(read_write_cache(drive))") == "disabled"
    assert do(guest, path, "print(restore_write_cache(drive, folder))") == "None"
    assert is_on(guest, path)
    assert not journal(guest).exists()


@pytest.mark.parametrize("path", [ATA, SCSI], ids=["ata", "scsi"])
def test_the_kernel_learns_how_the_cache_of_a_held_drive_stands(
    guest: Guest, path: str
) -> None:
    held = "import os; held = os.open(drive.path, os.O_RDWR | os.O_EXCL)\n"
    do(guest, path, f"{held}set_write_cache(drive, 'disabled')")
    assert kernel_view(guest, path) == "write through"
    do(guest, path, f"{held}set_write_cache(drive, 'enabled')")
    assert kernel_view(guest, path) == "write back"


@pytest.mark.parametrize("path", [NVME, ATA, SCSI], ids=["nvme", "ata", "scsi"])
def test_what_a_killed_run_left_is_restored_by_the_next_opening(
    guest: Guest, path: str
) -> None:
    code = "keep_write_cache(drive, 'disabled', folder); print('set', flush=True)\n"
    code += "import time; time.sleep(100)"
    job = guest.start_python(START.format(path=path) + code)
    job.wait_for_output("set")
    job.stop(signal.SIGKILL)
    assert job.wait().exit_code != 0
    assert not is_on(guest, path)
    do(guest, path, "restore_write_cache(drive, folder)")
    assert is_on(guest, path)
    assert not journal(guest).exists()


def test_a_second_run_after_a_crash_knows_how_it_stood_before_the_first(
    guest: Guest,
) -> None:
    do(guest, NVME, "keep_write_cache(drive, 'disabled', folder)")
    do(guest, NVME, "keep_write_cache(drive, 'disabled', folder)")
    do(guest, NVME, "restore_write_cache(drive, folder)")
    assert is_on(guest, NVME)


def test_what_fell_back_is_set_again_before_the_next_test(guest: Guest) -> None:
    do(guest, NVME, "keep_write_cache(drive, 'disabled', folder)")
    guest.check("nvme reset /dev/nvme0")
    guest.check("nvme set-feature /dev/nvme0 -f 6 -v 1")  # QEMU's drives keep it off
    assert is_on(guest, NVME)
    assert do(guest, NVME, "print(require_write_cache(drive, 'disabled'))") == ""
    assert not is_on(guest, NVME)
    do(guest, NVME, "restore_write_cache(drive, folder)")
    assert is_on(guest, NVME)


AS_DISK = """
import grp, os
os.setgroups([grp.getgrnam("disk").gr_gid])
os.setgid(65534)
os.setuid(65534)
from ssdlab.model.errors import PrivilegeError
try:
    set_write_cache(drive, "disabled")
except PrivilegeError as error:
    print(error)
"""


@pytest.mark.parametrize("path", [ATA, SCSI], ids=["ata", "scsi"])
def test_the_group_disk_is_enough_for_ata_and_scsi(guest: Guest, path: str) -> None:
    assert do(guest, path, AS_DISK) == ""
    assert not is_on(guest, path)
    do(guest, path, "set_write_cache(drive, 'enabled')")
    assert is_on(guest, path)


def test_nvme_wants_a_right_and_says_which(guest: Guest) -> None:
    said = do(guest, NVME, AS_DISK)
    assert "may not run nvme as root" in said
    assert "nobody ALL=(root) NOPASSWD: " in said
    assert is_on(guest, NVME)


def test_a_drive_that_is_gone_is_one_clear_line(guest: Guest) -> None:
    code = """
print("found", flush=True)
import time
while not (folder / "unplugged").exists():
    time.sleep(0.1)
from ssdlab.model.errors import TargetRefusedError
try:
    set_write_cache(drive, "disabled")
except TargetRefusedError as error:
    print(error)
"""
    job = guest.start_python(START.format(path=NVME) + code)
    job.wait_for_output("found")
    guest.unplug("nv0")
    guest.check("while test -e /dev/nvme0n1; do sleep 0.1; done")
    (guest.shared / "unplugged").touch()
    said = job.wait().stdout
    guest.plug("nv0")
    guest.await_nodes("S0")
    assert "/dev/nvme0n1: it does not report its write cache" in said

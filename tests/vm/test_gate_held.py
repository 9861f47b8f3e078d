"""What the gate holds, whom it lets in, and what comes between gate and step."""

import json
from typing import Any

import pytest

from tests.vm.conftest import Boot, Disk
from tests.vm.devices import (
    Namespace,
    image_sha256,
    nvme,
    nvme_of_namespaces,
    on_image,
    scsi,
    usb,
)
from tests.vm.gate import ask_gate, find_device, run_steps
from tests.vm.guest import Guest

WWN = 0x5000C50015EA71AD
FORMAT = "mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "
OUTSIDE = """
import subprocess
def outside(command):
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    return [done.returncode, done.stderr]
"""


@pytest.fixture(scope="module")
def guest(boot: Boot, disk: Disk) -> Guest:
    spaces = [Namespace(backend=on_image(disk(name))) for name in ("first", "second")]
    both = on_image(disk("both"))
    paths: dict[str, Any] = {"serial": "BOTH", "wwn": WWN, "share-rw": True}
    guest = boot(
        nvme("main", on_image(disk("main")), serial="MAIN-1"),
        nvme_of_namespaces("pair", spaces, serial="PAIR"),
        usb("stick", on_image(disk("stick")), serial="STICK"),
        scsi("path1", both, **paths),
        scsi("path2", both, **paths),
    )
    guest.warm("ssdlab.drive.safety", "subprocess")
    guest.check("modprobe loop; mkdir -p /mnt /run/two; udevadm settle")
    return guest


def test_namespace_is_refused_while_the_other_one_is_used_or_holds_data(
    guest: Guest, disk: Disk
) -> None:
    device = find_device(guest, "PAIR")
    other = f"{device[:-1]}2"
    guest.check(f"{FORMAT} {other}; mount {other} /mnt; sync; udevadm settle")
    before = [image_sha256(disk(name)) for name in ("first", "second")]
    for words in (f"{other} is mounted at /mnt", f"{other} holds a file system"):
        answer = ask_gate(guest, device)
        (use,) = answer["uses"]
        assert (use["kind"], use["device"]) == ("other-namespace", other)
        assert words in use["reason"]
        assert "a format can erase it too" in use["reason"]
        if "mounted" in words:
            guest.check("sync")
            found = [image_sha256(disk(name)) for name in ("first", "second")]
            assert found == before
            guest.check("umount /mnt")
    guest.check(f"wipefs -aq {other}; blkdiscard -z {other}; udevadm settle")
    assert ask_gate(guest, device)["error"] == ""


def test_nothing_can_begin_to_use_the_drive_or_its_namespaces_while_it_is_held(
    guest: Guest,
) -> None:
    device = find_device(guest, "PAIR")
    other = f"{device[:-1]}2"
    guest.check(f"{FORMAT} /run/fs.img 8M")
    steps = f"""
{OUTSIDE}
held = enter({device!r})
tell(
    put=outside("dd if=/run/fs.img of={device} conv=notrunc,fsync"),
    put_other=outside("dd if=/run/fs.img of={other} conv=notrunc,fsync"),
    mount=outside("mount {device} /mnt"),
    mount_other=outside("mount {other} /mnt"),
    swap=outside("mkswap {device} && swapon {device}"),
    volume=outside("pvcreate -y {device}"),
    discard=outside("blkdiscard {device}"),
    format=outside("mkfs.ext4 -F {device}"),
)
held.close()
tell(mount=outside("mount {device} /mnt"))
"""
    lines = run_steps(guest, steps).wait(240).stdout.splitlines()
    during, after = (json.loads(line) for line in lines)
    assert [during.pop(name)[0] for name in ("put", "put_other")] == [0, 0]
    assert [name for name, (code, _) in during.items() if code == 0] == []
    for name in ("mount", "mount_other"):
        assert "already mounted or mount point busy" in during[name][1]
    assert after["mount"][0] == 0
    guest.check(
        f"umount /mnt; for d in {device} {other}; do wipefs -aq $d; blkdiscard -z $d; "
        "done; udevadm settle"
    )


def test_loop_device_that_comes_after_the_gate_is_caught_before_the_step(
    guest: Guest,
) -> None:
    device = find_device(guest, "MAIN-1")
    steps = f"""
{OUTSIDE}
held = enter({device!r})
require_still_disposable(held)
tell(attached=outside("losetup /dev/loop6 {device}"))
require_still_disposable(held)
tell(never=True)
"""
    lines = run_steps(guest, steps).wait().stdout.splitlines()
    attached, caught = (json.loads(line) for line in lines)
    assert attached["attached"] == [0, ""]
    assert caught["error"] == "DriveInUseError"
    assert f"/dev/loop6 (a loop device on {device}) uses {device}" in caught["text"]
    guest.check("losetup -d /dev/loop6")
    assert ask_gate(guest, device)["error"] == ""


def test_removable_drive_passes_by_a_name_that_stays_only(guest: Guest) -> None:
    device = find_device(guest, "STICK")
    answer = ask_gate(guest, device, named=device)
    (use,) = answer["uses"]
    assert use["kind"] == "removable"
    name = use["remedy"].partition(": ")[2].removesuffix(".")
    assert name.startswith("/dev/disk/by-id/usb-")
    assert ask_gate(guest, name, named=name)["error"] == ""


def test_drive_is_refused_while_its_other_path_is_used(
    guest: Guest, disk: Disk
) -> None:
    found = guest.check("lsblk --noheadings --nodeps --paths --output NAME,SERIAL")
    lines = [line.split() for line in found.stdout.splitlines()]
    first, second = (line[0] for line in lines if line[1:] == ["BOTH"])
    guest.check(f"{FORMAT} {second}; mount {second} /mnt; sync; udevadm settle")
    before = image_sha256(disk("both"))
    answer = ask_gate(guest, first)
    guest.check("sync")
    assert image_sha256(disk("both")) == before
    (use,) = answer["uses"]
    assert use["kind"] == "mounted"
    assert f"{second} may be another path to the same drive" in use["reason"]
    guest.check(
        f"umount /mnt; wipefs -aq {second}; blkdiscard -z {second}; udevadm settle"
    )


RIGHTS = """
import os
os.setgroups({groups}); os.setgid(65534); os.setuid(65534)
held = enter({device!r})
tell(error="", unseen=held.unseen)
"""


def test_user_is_told_the_one_command_that_lets_him_in(guest: Guest) -> None:
    device = find_device(guest, "MAIN-1")
    answer = run_steps(guest, RIGHTS.format(groups=[], device=device)).wait().json()
    assert answer["error"] == "PrivilegeError"
    assert answer["text"] == (
        f"{device}: the user nobody is not in the group disk, which owns it. Join it "
        "and then log in again: sudo usermod --append --groups disk nobody"
    )
    group = int(guest.check("getent group disk | cut -d: -f3").stdout)
    answer = run_steps(guest, RIGHTS.format(groups=[group], device=device)).wait()
    assert answer.json()["error"] == ""
    assert answer.json()["unseen"] > 0


def test_other_drive_than_the_run_began_with_is_refused(guest: Guest) -> None:
    device = find_device(guest, "MAIN-1")
    steps = f"""
import dataclasses
from ssdlab.drive.safety import KnownDrive, require_disposable_again
drive = find_drive({device!r})
meant = dataclasses.replace(drive, serial="MAIN-2", firmware="0")
require_disposable_again(drive, KnownDrive(drive=meant, consent=find_consent(drive)))
"""
    answer = run_steps(guest, steps).wait().json()
    (use,) = answer["uses"]
    assert use["kind"] == "identity"
    assert "the serial number was 'MAIN-2' and is 'MAIN-1'" in use["reason"]
    assert "the firmware was '0' and is" in use["reason"]


def test_drive_that_vanishes_and_comes_back_is_not_the_one_that_passed(
    guest: Guest,
) -> None:
    device = find_device(guest, "MAIN-1")
    steps = f"""
import sys, time
held = enter({device!r})
tell(before=held.is_alive())
for _ in range(600):
    if held.is_alive():
        break
    time.sleep(0.1)
tell(gone=held.is_alive())
require_still_disposable(held)
"""
    job = run_steps(guest, steps)
    job.wait_for_output('"before": ""', 60)
    guest.unplug("main")
    lines = job.wait().stdout.splitlines()
    _, gone, refused = (json.loads(line) for line in lines)
    assert gone["gone"] == f"{device} is gone"
    assert refused["error"] == "TargetRefusedError"
    steps = f"""
import dataclasses
drive = dataclasses.replace(find_drive({device!r}), diskseq=1)
require_disposable(drive, confirmed="MAIN-1")
"""
    guest.plug("main")
    assert guest.await_nodes("MAIN-1") == [device]
    answer = run_steps(guest, steps).wait().json()
    assert answer["error"] == "TargetRefusedError"
    assert "is gone, and another disk has its name" in answer["text"]
    assert ask_gate(guest, device)["error"] == ""

"""`ssdlab devices` on drives that answer like real ones."""

import json
from typing import Any

import pytest

from tests.vm.conftest import Boot, Disk
from tests.vm.devices import (
    MIB,
    Backend,
    Device,
    Namespace,
    ata,
    nvme,
    nvme_of_namespaces,
    on_image,
    scsi,
    usb,
)
from tests.vm.guest import Guest

HOSTILE = '<i>\x1b[31m,é" x'  # 20 bytes is the most that an NVMe drive has
MODEL = "A MODEL NAME THAT IS LONG, 40 SIGNS LONG"
LIST_PATHS = """
import json
from ssdlab.drive.inventory import find_drive
from ssdlab.model.errors import TargetRefusedError
found = {}
for path in %r:
    try:
        found[path] = find_drive(path).path
    except TargetRefusedError as error:
        found[path] = str(error)
print(json.dumps(found))
"""
AS_NOBODY = """
import os
import concurrent.futures.thread, encodings.unicode_escape, grp, pwd  # root's to read
import ssdlab.cli.device_lines, ssdlab.drive.survey
from ssdlab.cli import main
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
main(["devices", *%r])
"""
LISTED = "import sys; from ssdlab.cli import main; main(['devices', *%r])"


def virtio_blk(device_id: str, backend: Backend, *, serial: str) -> Device:
    disk = {
        "driver": "virtio-blk-pci",
        "id": device_id,
        "bus": "pcie.0",
        "drive": backend.node,
        "serial": serial,
    }
    return Device(
        device_id=device_id,
        backends=(backend,),
        modules=("virtio_blk",),
        needs=(),
        parts=(disk,),
    )


@pytest.fixture(scope="module")
def guest(boot: Boot, disk: Disk) -> Guest:
    guest = boot(
        nvme_of_namespaces(
            "nv0",
            [
                Namespace(backend=on_image(disk("a"))),
                Namespace(backend=on_image(disk("b", size_mib=32)), sector_bytes=4096),
            ],
            serial="SUBSYS1",
            subsystem="ss0",
        ),
        nvme("nv1", on_image(disk("c")), serial=HOSTILE),
        nvme("nv2", on_image(disk("d")), serial="--confirm"),
        ata(
            "at0", on_image(disk("e")), serial="TWIN", model=MODEL, firmware="FIRM1234"
        ),
        scsi("sc0", on_image(disk("f")), serial="S" * 36),
        usb("us0", on_image(disk("g")), serial="TWIN"),
        virtio_blk("vb0", on_image(disk("h")), serial="VIRT <b>"),
    )
    guest.check("udevadm settle")
    guest.warm("ssdlab.cli", "ssdlab.cli.device_lines", "ssdlab.drive.survey")
    return guest


@pytest.fixture(scope="module")
def listed(guest: Guest) -> dict[str, dict[str, Any]]:
    """Return what is said of each drive, by its serial number and namespace."""
    drives = json.loads(guest.check_python(LISTED % (["--json"],)).stdout)
    return {drive["path"]: drive for drive in drives}


def of_bus(listed: dict[str, dict[str, Any]], bus: str) -> dict[str, Any]:
    (drive,) = [drive for drive in listed.values() if drive["bus"] == bus]
    return drive


def of_serial(listed: dict[str, dict[str, Any]], serial: str) -> dict[str, Any]:
    (drive,) = [drive for drive in listed.values() if drive["serial"] == serial]
    return drive


def test_every_drive_is_listed_once_and_can_be_tested(
    listed: dict[str, dict[str, Any]],
) -> None:
    buses = sorted(drive["bus"] for drive in listed.values())
    assert buses == ["ata", *["nvme"] * 4, "scsi", "usb", "virtio"]
    assert {drive["trouble"] for drive in listed.values()} == {""}
    for drive in listed.values():
        assert (drive["can_be_tested"], drive["uses"]) == (True, []), drive["path"]


def test_namespaces_of_a_subsystem_have_each_their_own_size_and_sectors(
    listed: dict[str, dict[str, Any]],
) -> None:
    both = [drive for drive in listed.values() if drive["serial"] == "SUBSYS1"]
    first, second = sorted(both, key=lambda drive: int(drive["namespace_id"]))
    assert (first["capacity_bytes"], first["logical_sector_bytes"]) == (64 * MIB, 512)
    assert (second["capacity_bytes"], second["logical_sector_bytes"]) == (
        32 * MIB,
        4096,
    )
    for number, drive in enumerate((first, second), start=1):
        assert drive["model"] == "QEMU NVMe Ctrl"
        assert drive["namespace_id"] == number
        assert drive["controller"].startswith("nvme")
        assert "subsys" not in drive["controller"]  # it has one controller only
        assert drive["same_serial"] == []
        assert drive["pcie"]["width"] == 1
        assert drive["pcie"]["speed_gt_s"] == 2.5
        stable = f"/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_SUBSYS1_{number}"
        assert drive["stable_paths"][0] == stable
        assert (
            "/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_SUBSYS1" not in drive["stable_paths"]
        )


def test_health_of_nvme_drives_is_read(listed: dict[str, dict[str, Any]]) -> None:
    drive = of_serial(listed, "--confirm")
    assert drive["health_trouble"] == ""
    assert drive["health"]["temperature_celsius"] == 50  # QEMU's: 323 K
    assert drive["health"]["wear_percent"] == 0
    assert drive["write_cache"] == "enabled"


def test_ata_scsi_usb_and_virtio_are_told_apart(
    listed: dict[str, dict[str, Any]],
) -> None:
    of_ata = of_bus(listed, "ata")
    assert (of_ata["model"], of_ata["firmware"]) == (MODEL, "FIRM1234")
    assert of_ata["write_cache"] == "enabled"
    of_scsi = of_bus(listed, "scsi")
    assert (of_scsi["model"], of_scsi["serial"]) == ("SSDLAB LABSCSI", "S" * 36)
    of_usb = of_bus(listed, "usb")
    assert of_usb["is_removable"]
    assert of_usb["stable_paths"][0].startswith("/dev/disk/by-id/usb-QEMU")
    of_virtio = of_bus(listed, "virtio")
    assert (of_virtio["model"], of_virtio["serial"]) == ("virtio disk", "VIRT <b>")
    for drive in (of_ata, of_scsi, of_usb, of_virtio):
        assert drive["capacity_bytes"] == 64 * MIB
        assert drive["logical_sector_bytes"] == 512


def test_drives_of_one_serial_are_told_of_each_other(
    listed: dict[str, dict[str, Any]],
) -> None:
    of_ata, of_usb = of_bus(listed, "ata"), of_bus(listed, "usb")
    assert of_ata["serial"] == of_usb["serial"] == "TWIN"
    assert of_ata["same_serial"] == [of_usb["path"]]
    assert of_usb["same_serial"] == [of_ata["path"]]


def test_text_is_printable_narrow_and_tells_how_to_consent(
    guest: Guest, listed: dict[str, dict[str, Any]]
) -> None:
    of_serial(listed, HOSTILE)  # JSON has it exactly
    said = guest.check_python(LISTED % ([],)).stdout
    assert "\x1b" not in said
    lines = said.splitlines()
    for line in lines:
        assert len(line) <= 100 or line.split()[0].startswith((
            "/dev/disk/",
            "--target",
        ))
    assert sum("can be tested" in line for line in lines) == len(listed)
    assert "--confirm=--confirm" in said
    assert "50 °C, 0 % worn" in said
    assert f"{MODEL}, 67.11 MB, 512 B sectors" in said


def test_user_without_rights_is_told_what_is_unknown(guest: Guest) -> None:
    drives = json.loads(guest.check_python(AS_NOBODY % (["--json"],)).stdout)
    assert len(drives) == 8
    for drive in drives:
        assert drive["serial"]
        assert not drive["can_be_tested"]
        assert drive["can_be_tested"] is None or drive["serial"] == "SUBSYS1"
        assert all("is unknown" in use["reason"] for use in drive["uses"])
        if drive["bus"] in {"nvme", "ata"}:
            assert drive["health"]["wear_percent"] is None
            assert drive["health_trouble"]
            assert drive["write_cache"] is None
    said = guest.check_python(AS_NOBODY % ([],)).stdout
    assert said.count("unknown whether it can be tested") >= 6
    assert "can be tested, which" not in said


def test_partition_volume_and_character_devices_are_refused(
    guest: Guest, listed: dict[str, dict[str, Any]]
) -> None:
    path, scsi_path = of_bus(listed, "virtio")["path"], of_bus(listed, "scsi")["path"]
    guest.check(f"parted -s {path} mklabel gpt mkpart one 1MiB 32MiB; udevadm settle")
    guest.check(f"dmsetup create vol --table '0 2048 linear {path}1 0'")
    odd = of_serial(listed, "--confirm")
    controller = odd["controller"]
    stable = odd["stable_paths"][0]
    generic = f"/dev/ng{controller[4:]}n1"
    asked = [
        f"{path}1", "/dev/mapper/vol", f"/dev/{controller}", generic,
        "/dev/sg0", "/dev/zero", "/dev/loop0", stable,
    ]  # fmt: skip
    guest.check("modprobe sg; modprobe loop")
    found = guest.check_python(LIST_PATHS % (asked,)).json()
    assert f"a partition of {path}" in found[f"{path}1"]
    assert f"the drive below it, {path}" in found["/dev/mapper/vol"]
    assert odd["path"] in found[f"/dev/{controller}"]
    assert odd["path"] in found[generic]
    assert scsi_path[:7] in found["/dev/sg0"]
    assert "character device" in found["/dev/zero"]
    assert "has no backing file" in found["/dev/loop0"]
    assert found[stable] == odd["path"]
    now = json.loads(guest.check_python(LISTED % (["--json"],)).stdout)
    (of_virtio,) = [drive for drive in now if drive["path"] == path]
    assert of_virtio["can_be_tested"] is False
    assert any("vol" in use["reason"] for use in of_virtio["uses"])
    guest.check(
        f"dmsetup remove vol; wipefs -qa {path}1 {path}; blkdiscard -z {path}; "
        f"partprobe {path}"
    )

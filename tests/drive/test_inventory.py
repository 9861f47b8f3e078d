"""What is known of drives without asking them, on made machines."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from ssdlab.drive.inventory import list_drive_names, list_drives, read_drive
from ssdlab.model.drive import PcieLink
from ssdlab.model.errors import TargetRefusedError
from tests.made_machine import MadeMachine
from tests.made_tree import MIB
from tests.paths import ROOT

PAGES = ROOT / "tests/data/vpd"  # what the kernel of a guest keeps of QEMU's drives


@pytest.fixture
def made(tmp_path: Path) -> MadeMachine:
    return MadeMachine(tmp_path)


# --- Which drives there are ---------------------------------------------------


def test_list_has_whole_drives_only_in_the_order_people_count(
    made: MadeMachine,
) -> None:
    disk = made.add_nvme("nvme10n1")
    made.add_nvme("nvme2n1")
    made.add_nvme("nvme2n2")
    made.add_shared_nvme("nvme20n1", controllers=("nvme20", "nvme21"))
    part = made.add_partition(disk)
    made.add_partition(made.add_scsi("sdb"))
    made.add_scsi("sda")
    made.add_volume("dm-0", below=[part], title="vg-home")
    made.add_volume("md0", below=["sda"])
    made.add_volume("zram0", below=[])
    made.add_volume("ram0", below=[])
    made.add_virtio("vda")
    made.add_loop("loop0", backing="/tmp/x.img")
    made.add_loop("loop1")
    for name in ("sr0", "fd0", "mmcblk0boot0"):
        made.add_disk(name, f"/sys/devices/platform/{name}/block/{name}", 8 * MIB)
    names = ("loop0", "nvme2n1", "nvme2n2", "nvme10n1", "nvme20n1", "sda", "sdb", "vda")
    assert list_drive_names(made.root) == names
    assert tuple(drive.name for drive in list_drives(made.root)) == names


def test_list_is_empty_on_a_machine_without_drives(made: MadeMachine) -> None:
    assert list_drives(made.root) == ()


def test_list_is_empty_where_there_is_no_sysfs(tmp_path: Path) -> None:
    assert list_drives(tmp_path) == ()


def test_drive_whose_size_is_not_told_is_named_but_not_made_up(
    made: MadeMachine,
) -> None:
    made.add_nvme("nvme0n1")
    made.write("/sys/block/nvme0n1/size", "")
    made.add_scsi("sda")
    assert list_drive_names(made.root) == ("nvme0n1", "sda")
    assert [drive.name for drive in list_drives(made.root)] == ["sda"]
    with pytest.raises(TargetRefusedError, match=r"its size"):
        read_drive("nvme0n1", made.root)


def test_capacity_without_a_medium_is_zero(made: MadeMachine) -> None:
    made.add_scsi("sda", bus="usb1/1-1", size_bytes=0, removable="1")
    drive = read_drive("sda", made.root)
    assert (drive.capacity_bytes, drive.is_removable) == (0, True)


# --- What each kind tells -----------------------------------------------------


def test_nvme_drive_has_what_its_controller_and_link_tell(made: MadeMachine) -> None:
    made.add_nvme("nvme0n1", serial="S5H9 NS0N", model="LAB X", sector_bytes=4096)
    made.add_nvme("nvme0n2", size_bytes=32 * MIB)
    drive = read_drive("nvme0n1", made.root)
    assert (drive.path, drive.bus) == ("/dev/nvme0n1", "nvme")
    assert (drive.model, drive.serial, drive.firmware) == ("LAB X", "S5H9 NS0N", "1.0")
    assert (drive.capacity_bytes, drive.logical_sector_bytes) == (64 * MIB, 4096)
    assert (drive.controller, drive.namespace_id) == ("nvme0", 1)
    assert drive.wwn == "eui.0000000000000001"
    assert drive.device_number == "259:1"
    assert (drive.write_cache_is_on, drive.is_rotational) == (True, False)
    assert (drive.discard_max_bytes, drive.write_zeroes_max_bytes) == (2 << 30, 131072)
    assert drive.numa_node is None
    assert drive.pcie == PcieLink(
        address="0000:01:00.0",
        width=4,
        width_max=4,
        speed_gt_s=8.0,
        speed_gt_s_max=16.0,
    )
    second = read_drive("nvme0n2", made.root)
    assert (second.serial, second.namespace_id) == ("S5H9 NS0N", 2)
    assert second.capacity_bytes == 32 * MIB


def test_namespace_of_several_controllers_is_one_drive_of_the_subsystem(
    made: MadeMachine,
) -> None:
    made.add_shared_nvme("nvme3n1", controllers=("nvme3", "nvme4"), serial="DUAL")
    (drive,) = list_drives(made.root)
    assert (drive.name, drive.serial, drive.bus) == ("nvme3n1", "DUAL", "nvme")
    assert (drive.controller, drive.namespace_id) == ("nvme-subsys3", 1)
    assert drive.pcie is not None
    assert drive.pcie.address == "0000:04:00.0"
    with pytest.raises(TargetRefusedError, match="not a drive"):
        read_drive("nvme3c0n1", made.root)


def test_namespace_of_a_subsystem_with_one_controller_is_that_controllers(
    made: MadeMachine,
) -> None:
    made.add_shared_nvme("nvme3n1", controllers=("nvme5",))
    assert read_drive("nvme3n1", made.root).controller == "nvme5"


def test_ata_drive_has_the_whole_model_and_firmware(made: MadeMachine) -> None:
    model = "INTEL SSDSC2KB480G8 WITH A LONG NAME"
    made.add_ata("sda", model=model, serial="PHYF8125", firmware="XCV10132")
    drive = read_drive("sda", made.root)
    assert (drive.bus, drive.model) == ("ata", model)
    assert (drive.serial, drive.firmware) == ("PHYF8125", "XCV10132")


def test_ata_drive_of_the_guest_is_read_from_its_real_pages(made: MadeMachine) -> None:
    made.add_ata("sda")
    device = "/sys/block/sda/device"
    made.write(f"{device}/vpd_pg89", (PAGES / "qemu-7.2-ata-pg89.bin").read_bytes())
    drive = read_drive("sda", made.root)
    assert drive.model == "A MODEL NAME THAT IS LONG, 40 SIGNS LONG"
    assert (drive.serial, drive.firmware) == ("ATA-SERIAL 0123456", "FIRM1234")


@pytest.mark.parametrize("page", [b"", b"\0\x89\x02\x38short", b"\0\x80\0\1x"])
def test_ata_drive_without_a_whole_page_has_what_else_the_kernel_tells(
    page: bytes, made: MadeMachine
) -> None:
    made.add_ata("sda", model="INTEL SSDSC2KB480G8", serial="PHYF8125")
    device = "/sys/block/sda/device"
    made.write(f"{device}/vpd_pg89", page)
    made.write(f"{device}/vpd_pg80", (PAGES / "qemu-7.2-ata-pg80.bin").read_bytes())
    drive = read_drive("sda", made.root)
    assert drive.model == "INTEL SSDSC2KB48"
    assert (drive.serial, drive.firmware) == ("ATA-SERIAL 0123456", "1.0")


def test_ata_drive_behind_a_sas_adapter_is_ata(made: MadeMachine) -> None:
    made.add_scsi("sda", vendor="ATA", model="SAMSUNG MZ7LH480")
    drive = read_drive("sda", made.root)
    assert (drive.bus, drive.model) == ("ata", "SAMSUNG MZ7LH480")


def test_scsi_drive_has_vendor_and_model_and_the_serial_of_its_page(
    made: MadeMachine,
) -> None:
    made.add_scsi("sda")
    page = (PAGES / "qemu-7.2-scsi-pg80.bin").read_bytes()
    made.write("/sys/block/sda/device/vpd_pg80", page)
    drive = read_drive("sda", made.root)
    assert (drive.bus, drive.model) == ("scsi", "SSDLAB LABSCSI")
    assert drive.serial == "SCSI" + 30 * "x"
    assert drive.pcie is None


def test_usb_drive_has_the_serial_of_the_usb_device_not_of_the_hub(
    made: MadeMachine,
) -> None:
    made.add_scsi("sda", bus="usb2/2-1/2-1:1.0", serial="", removable="1")
    hub = made.at(made.system_path("/sys/block/sda")).parents[5]
    assert hub.name == "2-1"
    for folder, serial in ((hub.parent, "0000:00:0a.0"), (hub, "USBSER")):
        (folder / "idVendor").write_text("46f4\n")
        (folder / "serial").write_text(f"{serial}\n")
    drive = read_drive("sda", made.root)
    assert (drive.bus, drive.serial, drive.is_removable) == ("usb", "USBSER", True)
    (hub / "serial").unlink()
    assert read_drive("sda", made.root).serial == ""


def test_virtio_drive_has_its_serial(made: MadeMachine) -> None:
    made.add_virtio("vda", serial="VIRT <b>")
    drive = read_drive("vda", made.root)
    assert (drive.bus, drive.model) == ("virtio", "virtio disk")
    assert drive.serial == "VIRT <b>"


def test_loop_device_has_its_file_as_serial_with_all_its_blanks(
    made: MadeMachine,
) -> None:
    made.add_loop("loop0", backing="/tmp/ a file ")
    drive = read_drive("loop0", made.root)
    assert (drive.bus, drive.model) == ("loop", "loop device")
    assert drive.serial == "/tmp/ a file "


def test_drive_on_another_bus_is_read_as_far_as_it_goes(made: MadeMachine) -> None:
    device = "/sys/devices/platform/mmc0/mmc0:0001"
    made.add_disk("mmcblk0", f"{device}/block/mmcblk0", 8 * MIB)
    made.link(f"{device}/block/mmcblk0/device", device)
    for file, text in (("name", "EB1QT"), ("serial", "0x1234"), ("fwrev", "0x30")):
        made.write(f"{device}/{file}", text)
    drive = read_drive("mmcblk0", made.root)
    assert (drive.bus, drive.model) == ("other", "EB1QT")
    assert (drive.serial, drive.firmware) == ("0x1234", "0x30")


@pytest.mark.parametrize(
    ("text", "is_on"), [("write back", True), ("write through", False), ("", None)]
)
def test_write_cache_is_unknown_where_the_kernel_does_not_tell(
    text: str, made: MadeMachine, *, is_on: bool | None
) -> None:
    made.add_nvme()
    made.write("/sys/block/nvme0n1/queue/write_cache", text)
    assert read_drive("nvme0n1", made.root).write_cache_is_on is is_on


def test_link_that_the_system_does_not_know_is_none(made: MadeMachine) -> None:
    made.add_nvme()
    slot = "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0"
    made.write(f"{slot}/current_link_speed", "Unknown")
    made.write(f"{slot}/current_link_width", "0")
    made.write(f"{slot}/numa_node", "1")
    drive = read_drive("nvme0n1", made.root)
    assert drive.numa_node == 1
    assert drive.pcie == PcieLink(
        address="0000:01:00.0", width_max=4, speed_gt_s_max=16.0
    )
    made.write(f"{slot}/max_link_speed", "Unknown")
    made.write(f"{slot}/max_link_width", "255")
    assert read_drive("nvme0n1", made.root).pcie is None


# --- Odd identity -------------------------------------------------------------

ODD = [
    (b"", ""),
    (b"   ", ""),
    (b"  S 1   N  ", "S 1   N"),
    (b"--confirm", "--confirm"),
    (b"<script>alert(1)</script>", "<script>alert(1)</script>"),
    (b"\x1b[31mred\x07", "\x1b[31mred\x07"),
    (b"caf\xc3\xa9", "caf\u00e9"),
    (b"a\xff\xfeb", r"a\xff\xfeb"),
    (b"S1\0\0\0", "S1"),
    (200 * b"x", 200 * "x"),
]


@pytest.mark.parametrize(("said", "serial"), ODD, ids=[repr(odd[1]) for odd in ODD])
def test_serial_is_as_the_drive_gives_it_but_its_padding(
    said: bytes, serial: str, made: MadeMachine
) -> None:
    made.add_scsi("sda", serial=said)
    made.add_nvme("nvme0n1", serial=said)
    for drive in list_drives(made.root):
        assert drive.serial == serial
        assert json.loads(json.dumps(asdict(drive)))["serial"] == serial
        drive.serial.encode("utf-8")  # it can be stored


def test_drives_of_one_serial_are_all_listed(made: MadeMachine) -> None:
    made.add_scsi("sda", serial="SAME")
    made.add_scsi("sdb", serial="SAME")
    assert [drive.serial for drive in list_drives(made.root)] == ["SAME", "SAME"]

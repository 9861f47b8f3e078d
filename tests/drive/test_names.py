"""By which name a drive is found, and what is refused with what to name instead."""

from pathlib import Path

import pytest

from ssdlab.drive.inventory import find_drive, list_drives, read_drive
from ssdlab.model.errors import TargetRefusedError
from ssdlab.system.files import look_at
from tests.made_loop import attached_loop
from tests.made_machine import MadeMachine
from tests.made_tree import MIB


@pytest.fixture
def made(tmp_path: Path) -> MadeMachine:
    return MadeMachine(tmp_path)


def test_every_name_of_a_drive_finds_it(made: MadeMachine) -> None:
    made.add_nvme("nvme0n1")
    alias = made.add_alias("/dev/disk/by-id/nvme-LAB_S1", "nvme0n1")
    for path in ("/dev/nvme0n1", "nvme0n1", alias, "/dev/disk/by-id/../../nvme0n1"):
        drive = find_drive(path, made.root, look=made.look)
        assert drive == read_drive("nvme0n1", made.root)
    assert drive.stable_paths == (alias,)


def test_stable_paths_are_those_of_this_namespace_the_plainest_first(
    made: MadeMachine,
) -> None:
    for name in ("nvme0n1", "nvme0n2"):
        made.add_nvme(name)
    folder = "/dev/disk/by-id"
    made.add_alias(f"{folder}/nvme-eui.0001", "nvme0n1")
    made.add_alias(f"{folder}/nvme-LAB_S1_1", "nvme0n1")
    made.add_alias(f"{folder}/nvme-LAB_S1_2", "nvme0n2")
    made.add_alias(f"{folder}/nvme-LAB_S1", "nvme0n2")  # of whichever came last
    assert read_drive("nvme0n1", made.root).stable_paths == (
        f"{folder}/nvme-LAB_S1_1",
        f"{folder}/nvme-eui.0001",
    )
    assert read_drive("nvme0n2", made.root).stable_paths == (f"{folder}/nvme-LAB_S1_2",)


def refusal(made: MadeMachine, path: str) -> str:
    with pytest.raises(TargetRefusedError) as caught:
        find_drive(path, made.root, look=made.look)
    assert caught.value.exit_code == 2
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return text


def test_partition_is_refused_and_the_whole_disk_named(made: MadeMachine) -> None:
    made.add_partition(made.add_nvme("nvme0n1"), 2)
    made.add_partition(made.add_scsi("sda"), 1)
    text = refusal(made, "/dev/nvme0n1p2")
    assert "a partition of /dev/nvme0n1" in text
    assert "Name /dev/nvme0n1 if everything on it may be erased." in text
    assert "Name /dev/sda if" in refusal(made, "/dev/sda1")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dm-0", "a volume of the device mapper"),
        ("md127", "an array (md)"),
        ("bcache0", "a bcache device"),
    ],
)
def test_volume_is_refused_and_the_drives_below_it_named(
    name: str, words: str, made: MadeMachine
) -> None:
    part = made.add_partition(made.add_nvme("nvme0n1"))
    made.add_scsi("sda")
    made.add_volume("dm-7", below=[part], title="inner")
    made.add_volume(name, below=["dm-7", "sda"], title="outer")
    text = refusal(made, f"/dev/{name}")
    assert words in text
    assert "/dev/nvme0n1" in text
    assert "/dev/sda" in text
    assert "inner" not in text


@pytest.mark.parametrize("name", ["zram0", "ram0"])
def test_memory_is_refused(name: str, made: MadeMachine) -> None:
    made.add_volume(name, below=[])
    text = refusal(made, f"/dev/{name}")
    assert "memory" in text
    assert "ssdlab devices" in text


def test_loop_device_on_nothing_is_refused(made: MadeMachine) -> None:
    made.add_loop("loop3")
    text = refusal(made, "/dev/loop3")
    assert "has no backing file" in text
    assert "losetup --find --show" in text


def test_controller_and_generic_nodes_are_refused_with_their_block_devices(
    made: MadeMachine,
) -> None:
    made.add_nvme("nvme0n1")
    made.add_nvme("nvme0n2")
    made.add_controller("nvme1")
    made.add_shared_nvme("nvme3n1", controllers=("nvme3", "nvme4"))
    made.add_scsi("sdc")
    of_controller = refusal(made, "/dev/nvme0")
    assert "this is an NVMe controller" in of_controller
    assert "/dev/nvme0n1 or /dev/nvme0n2" in of_controller
    assert "/dev/nvme3n1" in refusal(made, "/dev/nvme4")
    assert "Name the block device: /dev/nvme0n2." in refusal(made, "/dev/ng0n2")
    assert "Name the block device: /dev/nvme3n1." in refusal(made, "/dev/ng3n1")
    assert "Name the block device: /dev/sdc." in refusal(made, "/dev/sg2")
    assert "no namespace" in refusal(made, "/dev/nvme1")


def test_what_is_no_device_is_refused_each_in_its_words(made: MadeMachine) -> None:
    made.write("/dev/sdz", "dd wrote this")
    made.link("/dev/disk/by-id/ata-GONE", "/dev/sdq")
    assert "file:PATH" in refusal(made, "/dev/sdz")
    assert "there is no such device" in refusal(made, "/dev/sdq")
    assert "this link is broken" in refusal(made, "/dev/disk/by-id/ata-GONE")
    assert "not a block device" in refusal(made, "/dev/disk")


def test_node_of_a_device_that_went_away_is_refused(made: MadeMachine) -> None:
    made.add_nvme("nvme0n1")
    for link in ("/sys/class/block/nvme0n1", "/sys/dev/block/259:1"):
        made.at(link).unlink()
    assert "the kernel has no data of" in refusal(made, "/dev/nvme0n1")


# --- This machine -------------------------------------------------------------


def test_real_loop_device_is_found_by_path_and_by_link(tmp_path: Path) -> None:
    image, link = tmp_path / "an image.img", tmp_path / "stable"
    with attached_loop(image, size_bytes=8 * MIB) as device:
        link.symlink_to(device)
        drive = find_drive(str(link))
        assert drive == find_drive(device)
        assert drive in list_drives()
        assert drive.device_number == look_at(Path(device)).number
    assert (drive.path, drive.bus, drive.serial) == (device, "loop", str(image))
    assert (drive.capacity_bytes, drive.logical_sector_bytes) == (8 * MIB, 512)


def test_real_machine_lists_what_can_be_found_by_its_path() -> None:
    for drive in list_drives():
        if look_at(Path(drive.path)).kind == "block":
            assert find_drive(drive.path).device_number == drive.device_number


@pytest.mark.parametrize(
    "path", ["/dev/null", "/etc/passwd", "/", "/dev/nvme99n99", "/dev/a\0b"]
)
def test_what_is_no_drive_of_this_machine_is_refused(path: str) -> None:
    with pytest.raises(TargetRefusedError, match=path):
        find_drive(path)

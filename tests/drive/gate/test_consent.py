"""What confirms that a drive is meant, and whether it is still the same."""

import dataclasses
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.drive.gate.consent import (
    find_consent,
    find_differences,
    is_meant_by,
    is_stable_name,
    require_consent,
    require_still_meant,
)
from ssdlab.drive.inventory import read_drive
from ssdlab.drive.safe_text import shown, written_out
from ssdlab.model.drive import Consent, Drive
from ssdlab.model.errors import ConsentError
from tests.drive.recorded import a_drive
from tests.made_machine import MadeMachine


@pytest.fixture
def made(tmp_path: Path) -> MadeMachine:
    return MadeMachine(tmp_path)


def refusal(made: MadeMachine, name: str, confirmed: str) -> str:
    with pytest.raises(ConsentError) as caught:
        require_consent(read_drive(name, made.root), confirmed, root=made.root)
    return str(caught.value)


def test_serial_number_confirms_and_nothing_else_does(made: MadeMachine) -> None:
    disk = made.add_nvme(serial="S5H9NS0N")
    require_consent(read_drive(disk, made.root), "S5H9NS0N", root=made.root)
    assert refusal(made, disk, "") == (
        "/dev/nvme0n1: all data on it will be destroyed (LAB NVMe, serial S5H9NS0N, "
        "67.11 MB; none of 64 sampled places hold data), and that was not confirmed. "
        "If you want that, confirm it by its serial number: --confirm S5H9NS0N"
    )
    for wrong in ("s5h9ns0n", "S5H9NS0N ", "S5H9NS0", "yes", "/dev/nvme0n1", "*"):
        text = refusal(made, disk, wrong)
        assert f"'{wrong}' is not its serial number" in text


@pytest.mark.parametrize(
    ("serial", "typed"),
    [
        ("A'; rm -rf /", "A'; rm -rf /"),
        ("\x1b[2JGOOD", r"\x1b[2JGOOD"),
        ("A\u202eB", r"A\u202eB"),
        ("--force", "--force"),
        ("Größe 7", "Größe 7"),
    ],
)
def test_hostile_serial_is_confirmed_by_what_the_message_shows(
    serial: str, typed: str, made: MadeMachine
) -> None:
    disk = made.add_nvme(serial=serial)
    text = refusal(made, disk, "")
    assert text.endswith(f"--confirm {shlex.quote(typed)}")
    assert text.isprintable()
    require_consent(read_drive(disk, made.root), typed, root=made.root)


@pytest.mark.parametrize("serial", ["", "   "])
def test_empty_serial_is_never_confirmed_by_nothing(
    serial: str, made: MadeMachine
) -> None:
    disk = made.add_nvme(serial=serial)
    wwn = read_drive(disk, made.root).wwn
    for confirmed in ("", serial):
        text = refusal(made, disk, confirmed)
        assert text.endswith(f"by its WWN (it has no serial number): --confirm {wwn}")
    require_consent(read_drive(disk, made.root), wwn, root=made.root)


def test_namespace_is_confirmed_by_its_own_name_not_by_the_drives(
    made: MadeMachine,
) -> None:
    made.add_nvme("nvme0n1", serial="S1")
    made.add_nvme("nvme0n2", serial="S1")
    first, second = (read_drive(f"nvme0n{n}", made.root) for n in (1, 2))
    text = refusal(made, "nvme0n1", "S1")
    assert "another device has the same serial number" in text
    require_consent(first, first.wwn, root=made.root)
    assert second.wwn not in text
    assert refusal(made, "nvme0n1", second.wwn)


def test_drive_without_any_name_is_confirmed_by_the_path_that_udev_keeps(
    made: MadeMachine,
) -> None:
    for name in ("vda", "vdb"):
        made.add_virtio(name, serial="")
    assert "so nothing can confirm it" in refusal(made, "vda", "")
    made.add_alias("/dev/disk/by-path/pci-0000:00:04.0", "vda")
    path = "/dev/disk/by-path/pci-0000:00:04.0"
    assert refusal(made, "vda", "").endswith(f"--confirm {path}")
    require_consent(read_drive("vda", made.root), path, root=made.root)
    assert refusal(made, "vdb", path)


def test_serial_that_another_only_seems_to_have_does_not_confirm(
    made: MadeMachine,
) -> None:
    made.add_nvme("nvme0n1", serial="A\x1bB")
    made.add_nvme("nvme1n1", serial=r"A\x1bB")
    assert refusal(made, "nvme0n1", r"A\x1bB")
    assert refusal(made, "nvme1n1", r"A\x1bB")


@given(st.text(max_size=400))
def test_every_text_can_be_shown_and_typed(text: str) -> None:
    assert written_out(text).isprintable()
    assert len(shown(text)) <= 301
    if text.isprintable():
        assert written_out(text) == text


# --- What was typed when the run began ----------------------------------------


def still_meant(made: MadeMachine, name: str, typed: Consent) -> bool:
    drive = read_drive(name, made.root)
    if is_meant_by(typed, drive, made.root):
        assert require_still_meant(drive, typed, root=made.root) == typed
        return True
    with pytest.raises(
        ConsentError, match="no longer distinguishes it from the other drives"
    ):
        require_still_meant(drive, typed, root=made.root)
    return False


def test_serial_number_means_the_drive_until_another_has_it_too(
    made: MadeMachine,
) -> None:
    made.add_nvme("nvme0n1", serial="S1")
    typed = Consent(text="S1", what="serial number")
    assert find_consent(read_drive("nvme0n1", made.root), made.root) == typed
    assert still_meant(made, "nvme0n1", typed)
    made.add_nvme("nvme1n1", serial="S1")
    assert not still_meant(made, "nvme0n1", typed)
    assert not still_meant(made, "nvme0n1", Consent(text="S2", what="serial number"))
    assert not still_meant(made, "nvme0n1", Consent(text="", what="WWN"))


def test_path_means_what_is_attached_there_and_no_twin(made: MadeMachine) -> None:
    for name in ("vda", "vdb"):
        made.add_virtio(name, serial="S1")
    place = made.add_alias("/dev/disk/by-path/pci-0000:00:04.0", "vda")
    typed = find_consent(read_drive("vda", made.root), made.root)
    assert typed is not None
    assert (typed.text, typed.what) == (place, "path")
    assert still_meant(made, "vda", typed)
    assert not still_meant(made, "vdb", typed)
    shared = made.add_alias("/dev/disk/by-id/virtio-S1", "vda")
    assert not still_meant(made, "vda", Consent(text=shared, what="path"))


# --- Names that stay ----------------------------------------------------------


def test_name_is_stable_only_if_it_is_kept_by_udev_for_this_drive(
    made: MadeMachine,
) -> None:
    disk, other = made.add_scsi("sda"), made.add_scsi("sdb", serial="S2")
    mine = made.add_alias("/dev/disk/by-id/usb-X", disk)
    place = made.add_alias("/dev/disk/by-path/pci-1", disk)
    theirs = made.add_alias("/dev/disk/by-id/usb-Y", other)
    label = made.add_alias("/dev/disk/by-label/my", disk)
    drive = read_drive(disk, made.root)
    names = {
        mine: True,
        place: True,
        "/dev/disk/by-label/../by-id/usb-X": True,
        theirs: False,
        label: False,
        "/dev/sda": False,
        "sda": False,
        "": False,
        "/dev/disk/by-id/none": False,
        "/dev/disk/by-id": False,
    }
    found = {name: is_stable_name(name, drive, made.root) for name in names}
    assert found == names


# --- Identity -----------------------------------------------------------------

CHANGES: dict[str, tuple[object, str]] = {
    "model": ("B", "the model was 'MADE SSD' and is 'B'"),
    "serial": ("S2", "the serial number was 'S1' and is 'S2'"),
    "firmware": ("2.0", "the firmware was '1.0' and is '2.0'"),
    "wwn": ("eui.1", "the WWN was '' and is 'eui.1'"),
    "capacity_bytes": (5, "the capacity in bytes was 1000000000 and is 5"),
    "logical_sector_bytes": (4096, "the sector size in bytes was 512 and is 4096"),
    "namespace_id": (2, "the namespace ID was None and is 2"),
}


@pytest.mark.parametrize("attribute", CHANGES)
def test_each_change_of_identity_is_told(attribute: str) -> None:
    was = a_drive("nvme")
    value, words = CHANGES[attribute]
    now = dataclasses.replace(was, **{attribute: value})  # type: ignore[arg-type]
    assert find_differences(was, now) == (words,)


def test_drive_is_the_same_under_another_name() -> None:
    was = a_drive("nvme", name="nvme0n1", device_number="259:0")
    now = a_drive("nvme", name="nvme3n1", device_number="259:7")
    assert isinstance(now, Drive)
    assert find_differences(was, now) == ()

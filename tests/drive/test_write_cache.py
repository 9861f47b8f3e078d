"""The write cache: what is believed, what is refused, what is restored."""

import errno
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.drive.nvme_admin import AdminAnswer, AdminCommand
from ssdlab.drive.tools import Answer
from ssdlab.drive.write_cache import (
    JOURNAL_NAME,
    keep_write_cache,
    read_write_cache,
    require_write_cache,
    restore_write_cache,
    set_write_cache,
)
from ssdlab.model.drive import Bus, WriteCacheState
from ssdlab.model.errors import MissingToolError, PrivilegeError, TargetRefusedError
from tests.drive.recorded import DRIVES, Controller, a_drive, changed, node, saying
from tests.drive.users import only_root

NVME = a_drive("nvme", "nvme0n1")
SCSI = a_drive("scsi")
WITHOUT_CACHE = changed(
    (DRIVES / "nvme-id-ctrl-qemu-7.2.bin").read_bytes(), {525: ("B", 6)}
)


class CachingDrive:
    """A SCSI drive as sdparm shows it; its exit codes are those of QEMU's drives."""

    def __init__(self, *, value: int = 1, changeable: str = "y") -> None:
        self.value, self.changeable, self.is_obstinate = value, changeable, False

    def __call__(self, command: Sequence[str], *, timeout_s: float) -> Answer:
        del timeout_s
        request = command[2]
        if request.startswith("--set=WCE=") and not self.is_obstinate:
            self.value = int(request[-1])
        said = f"WCE           {self.value}  [cha: {self.changeable}, def:  1]\n"
        is_question = request == "--get=WCE"
        return Answer(
            command=tuple(command),
            exit_code=5 if is_question else 0,
            stdout=said if is_question else "",
            stderr="",
            took_s=0.01,
        )


def refuse(path: str, command: AdminCommand) -> AdminAnswer:
    del path, command
    raise PermissionError(errno.EACCES, "Permission denied")


def vanish(path: str, command: AdminCommand) -> AdminAnswer:
    del command
    raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)


# --- Read ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("WCE           1  [cha: y, def:  1]\n", "enabled"),
        ("WCE           0  [cha: y, def:  1]\n", "disabled"),
        ("    /dev/sdb: QEMU      QEMU HARDDISK     2.5+\nWCE  1\n", "enabled"),
        ("WCE           1  [cha: n, def:  1, sav:  1]\n", "enabled"),
        ("WCE           7  [cha: y]\n", None),
        ("", None),
        ("caching: mode page not supported\n", None),
    ],
)
@pytest.mark.parametrize("bus", ["ata", "scsi", "usb"])
def test_what_sdparm_says_is_read(bus: Bus, said: str, state: str | None) -> None:
    assert read_write_cache(a_drive(bus), ask=saying(said, exit_code=5)) == state


@pytest.mark.parametrize(("value", "state"), [(1, "enabled"), (0, "disabled")])
def test_the_feature_of_an_nvme_drive_is_read(value: int, state: str) -> None:
    controller = Controller()
    controller.features[6] = value
    assert read_write_cache(NVME, send=controller) == state


def test_an_nvme_drive_without_a_volatile_cache_reads_as_disabled() -> None:
    controller = Controller(identify=WITHOUT_CACHE)
    assert read_write_cache(NVME, send=controller) == "disabled"
    assert require_write_cache(NVME, "disabled", send=controller) == ""
    reason = require_write_cache(NVME, "enabled", send=controller)
    assert reason == "it has no volatile write cache"


@pytest.mark.parametrize("bus", ["virtio", "loop", "other"])
def test_what_the_kernel_believes_of_other_drives_is_not_a_feature(bus: Bus) -> None:
    ask = saying("WCE 1\n")
    assert read_write_cache(a_drive(bus), ask=ask) is None
    reason = require_write_cache(a_drive(bus), "disabled", ask=ask)
    assert reason == "it does not report a write cache that can be set"
    assert ask.asked == []


def test_without_rights_or_tool_nothing_is_told(tmp_path: Path) -> None:
    def missing(command: Sequence[str], *, timeout_s: float) -> Answer:
        del command, timeout_s
        raise MissingToolError(tool="sdparm", needed_for="this", remedy="Install it.")

    denied = saying(
        "", exit_code=63, stderr="open error: /dev/sdb [read only]: Permission denied"
    )
    assert read_write_cache(NVME, send=refuse) is None
    assert read_write_cache(SCSI, ask=missing) is None
    assert read_write_cache(SCSI, ask=denied) is None
    with pytest.raises(MissingToolError, match="sdparm"):
        set_write_cache(SCSI, "disabled", ask=missing)
    with pytest.raises(PrivilegeError, match="/dev/sdz"):
        set_write_cache(SCSI, "disabled", ask=denied, root=tmp_path)


@only_root
def test_the_capability_for_nvme_that_roots_container_lacks_is_named(
    tmp_path: Path,
) -> None:
    root = node(tmp_path, NVME)
    with pytest.raises(PrivilegeError, match="CAP_SYS_ADMIN"):
        keep_write_cache(NVME, "disabled", tmp_path, send=refuse, root=root)
    assert not (tmp_path / JOURNAL_NAME).exists()


def test_a_drive_that_is_gone_is_told_in_one_line() -> None:
    gone = saying("", exit_code=52, stderr="open error: /dev/sdz: No such device")
    with pytest.raises(TargetRefusedError, match="does not report its write"):
        read_write_cache(SCSI, ask=gone)
    with pytest.raises(TargetRefusedError, match="No such file"):
        read_write_cache(NVME, send=vanish)


# --- Set ----------------------------------------------------------------------


def test_a_cache_that_stands_so_already_is_left_alone() -> None:
    controller = Controller()
    set_write_cache(NVME, "enabled", send=controller)
    set_write_cache(NVME, "as found", send=controller)
    assert 0x09 not in {command.opcode for command in controller.asked}


def test_a_set_is_of_the_controller_and_for_now_only() -> None:
    controller = Controller()
    set_write_cache(NVME, "disabled", send=controller)
    (command,) = (c for c in controller.asked if c.opcode == 0x09)
    assert command == AdminCommand(opcode=0x09, namespace_id=0, dword10=6, dword11=0)
    assert controller.features[6] == 0


@pytest.mark.parametrize("kind", ["nvme", "scsi"])
def test_a_drive_that_says_yes_and_does_nothing_is_not_believed(kind: str) -> None:
    controller, disk = Controller(), CachingDrive()
    controller.is_obstinate = disk.is_obstinate = True
    drive = NVME if kind == "nvme" else SCSI
    with pytest.raises(TargetRefusedError, match="it is still enabled"):
        set_write_cache(drive, "disabled", ask=disk, send=controller)


def test_a_cache_that_nobody_may_change_is_not_asked_to() -> None:
    disk = CachingDrive(changeable="n")
    reason = require_write_cache(SCSI, "disabled", ask=disk)
    assert reason == "the drive does not allow changing it"
    assert disk.value == 1


def test_the_kernel_is_told_to_look_again_if_it_believes_otherwise(
    tmp_path: Path,
) -> None:
    block = tmp_path / "sys/class/block/sdz"
    (block / "queue").mkdir(parents=True)
    (block / "device").mkdir()
    (block / "queue/write_cache").write_text("write back\n")
    set_write_cache(SCSI, "disabled", ask=CachingDrive(), root=tmp_path)
    assert (block / "device/rescan").read_text() == "1"


def test_a_kernel_that_followed_by_itself_is_left_alone(tmp_path: Path) -> None:
    block = tmp_path / "sys/class/block/sdz"
    (block / "queue").mkdir(parents=True)
    (block / "device").mkdir()
    (block / "queue/write_cache").write_text("write through\n")
    set_write_cache(SCSI, "disabled", ask=CachingDrive(), root=tmp_path)
    assert not (block / "device/rescan").exists()


# --- Keep and restore ---------------------------------------------------------


def test_how_it_stood_is_noted_before_it_is_changed(tmp_path: Path) -> None:
    journal = tmp_path / JOURNAL_NAME
    noted: list[bool] = []

    class Watched(Controller):
        def __call__(self, path: str, command: AdminCommand) -> AdminAnswer:
            if command.opcode == 0x09:
                noted.append(journal.exists())
            return super().__call__(path, command)

    controller = Watched()
    assert keep_write_cache(NVME, "disabled", tmp_path, send=controller) == ""
    assert noted == [True]
    assert json.loads(journal.read_text()) == {
        "serial": "S1",
        "model": "MADE SSD",
        "before": "enabled",
        "asked": "disabled",
    }
    restore_write_cache(NVME, tmp_path, send=controller)
    assert controller.features[6] == 1
    assert not journal.exists()


_STATES = st.sampled_from(("enabled", "disabled", "as found"))


@given(
    first=st.integers(0, 1), asked=st.lists(_STATES, max_size=4), falls=st.booleans()
)
def test_after_any_number_of_crashed_runs_it_stands_as_before_the_first(
    tmp_path_factory: pytest.TempPathFactory,
    first: int,
    asked: list[WriteCacheState],
    *,
    falls: bool,
) -> None:
    folder = tmp_path_factory.mktemp("run")
    disk = CachingDrive(value=first)
    for state in asked:  # none of them is restored
        assert keep_write_cache(SCSI, state, folder, ask=disk) == ""
        assert state == "as found" or disk.value == (state == "enabled")
        if falls and (folder / JOURNAL_NAME).exists():
            disk.value = 1 - disk.value
            require_write_cache(SCSI, state, ask=disk)
    restore_write_cache(SCSI, folder, ask=disk)
    assert disk.value == first
    assert not (folder / JOURNAL_NAME).exists()


def test_a_drive_that_cannot_leaves_no_note(tmp_path: Path) -> None:
    controller = Controller(identify=WITHOUT_CACHE)
    reason = keep_write_cache(NVME, "enabled", tmp_path, send=controller)
    assert reason == "it has no volatile write cache"
    assert list(tmp_path.iterdir()) == []


def test_the_note_of_another_drive_is_not_followed(tmp_path: Path) -> None:
    keep_write_cache(SCSI, "disabled", tmp_path, ask=CachingDrive())
    other, disk = a_drive("scsi", serial="S2"), CachingDrive(value=0)
    with pytest.raises(TargetRefusedError, match=r"another drive .* 'S1'"):
        restore_write_cache(other, tmp_path, ask=disk)
    assert disk.value == 0
    assert (tmp_path / JOURNAL_NAME).exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"serial": "S1"}', "\0"])
def test_a_damaged_note_is_told_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / JOURNAL_NAME).write_text(text)
    with pytest.raises(TargetRefusedError, match="is damaged"):
        restore_write_cache(SCSI, tmp_path, ask=CachingDrive())


def test_a_drive_that_cannot_be_restored_keeps_its_note(tmp_path: Path) -> None:
    disk = CachingDrive()
    keep_write_cache(SCSI, "disabled", tmp_path, ask=disk)
    disk.is_obstinate = True
    with pytest.raises(TargetRefusedError, match="cannot be enabled"):
        restore_write_cache(SCSI, tmp_path, ask=disk)
    assert (tmp_path / JOURNAL_NAME).exists()

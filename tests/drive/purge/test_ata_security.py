"""ATA security erase: whatever happens, no drive is left with a password unrecorded."""

import contextlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.drive.purge import clean_after_crash
from ssdlab.drive.purge.ata import PASSWORD
from ssdlab.drive.purge.ata_password import journal_path
from ssdlab.drive.purge.ata_security import security_erase
from ssdlab.drive.purge.work import Done
from tests.drive.purge.made import MadeWork, made_drive
from tests.drive.purge.made_ata import AtaDrive

DRIVE = made_drive("ata")
STEPS = ("--security-set-pass", "--security-erase", "--security-disable", "-I")
Fault = Callable[[AtaDrive, str], None]


class CrashError(Exception):
    """The machine lost its power, or ssdlab was killed."""


def erase(drive: AtaDrive, folder: Path) -> Done:
    return security_erase(MadeWork(folder).on(DRIVE, "ata-security-erase", drive))


def journal(folder: Path) -> Path:
    return journal_path(DRIVE, folder)


def test_erase_sets_a_password_and_leaves_none(tmp_path: Path) -> None:
    drive = AtaDrive()
    done = erase(drive, tmp_path)
    assert not done.fault
    assert drive.was_erased
    assert not drive.password
    assert not journal(tmp_path).exists()
    ordered = [step for step in drive.asked if step != "-I"]
    assert ordered == ["--security-set-pass", "--security-erase"]
    assert any(
        "--security-erase" in line and "exit code 0" in line for line in done.said
    )


def test_enhanced_erase_is_its_own_command(tmp_path: Path) -> None:
    drive, made = AtaDrive(), MadeWork(tmp_path)
    work = made.on(DRIVE, "ata-security-erase-enhanced", drive)
    assert not security_erase(work).fault
    assert "--security-erase-enhanced" in drive.asked
    assert made.told == [
        "The drive is erasing itself and reports no progress. Its estimate: 8 min."
    ]


def test_journal_stands_before_the_password_does(tmp_path: Path) -> None:
    seen: list[dict[str, str]] = []

    def look(drive: AtaDrive, step: str) -> None:
        if step == "--security-set-pass":
            assert not drive.password
            seen.append(json.loads(journal(tmp_path).read_text()))

    erase(AtaDrive(breaks=look), tmp_path)
    assert [(entry["serial"], entry["password"]) for entry in seen] == [
        (DRIVE.serial, PASSWORD)
    ]


@pytest.mark.parametrize(
    ("drive", "words"),
    [
        (AtaDrive(is_frozen=True), "frozen"),
        (AtaDrive(password="of another"), "does not guess"),
        (AtaDrive(password="of another", is_locked=True), "is locked by a"),
        (AtaDrive(is_expired=True), "until its power is cycled"),
        (AtaDrive(is_supported=False), "no ATA security"),
        (AtaDrive(serial="OTHER"), "now reports the serial number 'OTHER'"),
        (AtaDrive(is_silent=True), "does not report its state"),
    ],
    ids=["frozen", "password", "locked", "expired", "none", "another", "silent"],
)
def test_drive_that_cannot_is_told_nothing(
    drive: AtaDrive, words: str, tmp_path: Path
) -> None:
    before = drive.password
    done = erase(drive, tmp_path)
    assert words in done.fault
    assert set(drive.asked) == {"-I"}
    assert drive.password == before
    assert not journal(tmp_path).exists()


def test_drive_that_takes_no_password_fails_though_hdparm_said_nothing(
    tmp_path: Path,
) -> None:
    drive = AtaDrive(takes_passwords=False)
    done = erase(drive, tmp_path)
    assert "refused the password" in done.fault
    assert "--security-erase" not in drive.asked
    assert not journal(tmp_path).exists()


def test_drive_that_does_not_erase_loses_the_password_all_the_same(
    tmp_path: Path,
) -> None:
    drive = AtaDrive(erases=False)
    done = erase(drive, tmp_path)
    assert "erase failed" in done.fault
    assert "--security-disable" in drive.asked
    assert not drive.password
    assert not journal(tmp_path).exists()


def test_drive_that_freezes_with_the_password_on_keeps_its_journal(
    tmp_path: Path,
) -> None:
    def freeze(drive: AtaDrive, step: str) -> None:
        drive.is_frozen = step == "--security-erase" or drive.is_frozen

    drive = AtaDrive(breaks=freeze)
    done = erase(drive, tmp_path)
    assert "still has the ATA password" in done.fault
    assert f"--security-disable {PASSWORD} /dev/sda" in done.fault
    assert drive.password == PASSWORD
    assert journal(tmp_path).exists()


@pytest.mark.parametrize("kind", [CrashError, KeyboardInterrupt])
@pytest.mark.parametrize("step", STEPS)
def test_each_way_out_leaves_no_password_or_a_journal(
    kind: type[BaseException], step: str, tmp_path: Path
) -> None:
    """Each command breaks in turn, before and after the drive obeyed it."""
    for when in range(1, 8):
        for cleans in (True, False):
            folder = tmp_path / f"{when}-{cleans}"
            drive = AtaDrive(breaks=_break_at(kind, step, when, cleans=cleans))
            drive.erases = when % 2 == 0
            with contextlib.suppress(CrashError, KeyboardInterrupt):
                erase(drive, folder)
            assert not drive.password or journal(folder).exists()
            drive.breaks = lambda *_: None
            drive.power_cycle()
            said = clean_after_crash(DRIVE, folder, ask=drive)
            assert not drive.password
            assert not drive.is_locked
            assert not journal(folder).exists()
            assert not said or "removed" in said


def _break_at(
    kind: type[BaseException], step: str, when: int, *, cleans: bool
) -> Fault:
    """Break at the n-th such step; without ``cleans`` at each one after it as well."""
    count = 0

    def act(_: AtaDrive, now: str) -> None:
        nonlocal count
        count += now == step
        if now == step and count == when:
            raise kind
        if count >= when and not cleans:
            raise kind

    return act


def test_password_of_a_locked_drive_is_taken_off_after_a_crash(tmp_path: Path) -> None:
    def die(_: AtaDrive, step: str) -> None:
        if step.startswith("--security-erase") or step == "--security-disable":
            raise CrashError

    drive = AtaDrive(breaks=die)
    with pytest.raises(CrashError):
        erase(drive, tmp_path)
    drive.breaks = lambda *_: None
    drive.power_cycle()
    assert drive.is_locked
    said = clean_after_crash(DRIVE, tmp_path, ask=drive)
    assert said == (
        "An ATA password that an interrupted purge had left on /dev/sda was removed"
    )
    assert drive.asked[-4:] == ["-I", "--security-unlock", "--security-disable", "-I"]


def test_nothing_is_cleaned_without_a_journal_or_on_another_drive(
    tmp_path: Path,
) -> None:
    drive = AtaDrive(password=PASSWORD)
    assert not clean_after_crash(DRIVE, tmp_path, ask=drive)
    crashed = AtaDrive(
        breaks=_break_at(CrashError, "--security-erase", 1, cleans=False)
    )
    with pytest.raises(CrashError):
        erase(crashed, tmp_path)
    other = made_drive("ata", serial="ANOTHER")
    assert not clean_after_crash(other, tmp_path, ask=drive)
    assert drive.password == PASSWORD
    assert drive.asked == []


def test_frozen_drive_is_said_to_be_still_locked_after_a_crash(tmp_path: Path) -> None:
    drive = AtaDrive(breaks=_break_at(CrashError, "--security-erase", 1, cleans=False))
    with pytest.raises(CrashError):
        erase(drive, tmp_path)
    drive.breaks = lambda *_: None
    drive.is_frozen = True
    assert "its security is frozen" in clean_after_crash(DRIVE, tmp_path, ask=drive)
    assert journal(tmp_path).exists()


def test_notes_of_two_drives_stand_beside_each_other(tmp_path: Path) -> None:
    crashed = AtaDrive(
        breaks=_break_at(CrashError, "--security-erase", 1, cleans=False)
    )
    with pytest.raises(CrashError):
        erase(crashed, tmp_path)
    other = made_drive("ata", serial="OTHER")
    drive = AtaDrive(serial="OTHER")
    done = security_erase(MadeWork(tmp_path).on(other, "ata-security-erase", drive))
    assert not done.fault
    assert journal(tmp_path).exists()
    assert not journal_path(other, tmp_path).exists()


def test_note_of_a_drive_is_found_by_whatever_name_it_has_now(tmp_path: Path) -> None:
    crashed = AtaDrive(
        breaks=_break_at(CrashError, "--security-erase", 1, cleans=False)
    )
    with pytest.raises(CrashError):
        erase(crashed, tmp_path)
    crashed.breaks = lambda *_: None
    now = replace(DRIVE, path="/dev/sdz", name="sdz", device_number="65:144")
    assert "removed" in clean_after_crash(now, tmp_path, ask=crashed)
    assert not crashed.password


@pytest.mark.parametrize("serial", ["a/../../b", "", "x" * 300, "\x1b[31m\n", "é"])
def test_note_lies_in_its_folder_whatever_the_serial_is(
    serial: str, tmp_path: Path
) -> None:
    drive = made_drive("ata", serial=serial)
    path = journal_path(drive, tmp_path)
    assert path.parent == tmp_path
    assert path.name.isprintable()
    assert path.name.isascii()
    assert len(path.name) < 80
    assert path != journal_path(made_drive("ata", serial=f"{serial}2"), tmp_path)


@pytest.mark.parametrize(
    ("is_locked", "command"),
    [
        (False, f"hdparm --user-master u --security-disable {PASSWORD} /dev/sda"),
        (
            True,
            " && ".join(
                f"hdparm --user-master u --security-{step} {PASSWORD} /dev/sda"
                for step in ("unlock", "disable")
            ),
        ),
    ],
)
def test_command_is_told_where_the_note_is_lost(
    command: str, tmp_path: Path, *, is_locked: bool
) -> None:
    drive = AtaDrive(password=PASSWORD, is_locked=is_locked)
    done = erase(drive, tmp_path)
    assert done.fault.endswith(f": {command}")
    assert drive.password == PASSWORD


def test_damaged_note_still_says_that_there_is_a_password(tmp_path: Path) -> None:
    journal(tmp_path).write_text("{")
    drive = AtaDrive(password=PASSWORD)
    assert "removed" in clean_after_crash(DRIVE, tmp_path, ask=drive)
    assert not journal(tmp_path).exists()


def test_no_password_is_set_where_no_journal_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    drive = AtaDrive()
    done = erase(drive, tmp_path / "file")
    assert "cannot be written" in done.fault
    assert drive.asked == ["-I"]


def test_damaged_journal_is_written_anew(tmp_path: Path) -> None:
    journal(tmp_path).write_text("{")
    assert not erase(AtaDrive(), tmp_path).fault

"""The password of a security erase: recorded before it is set, and always removed.

A drive that is left with a password locks itself when its power is cycled. So a record
is on disk before the password is set, and stays there until the drive itself reports
that it has none. The password is always the same word: even if the record is lost, the
drive is not.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ssdlab.drive.purge.ata import (
    PASSWORD,
    AtaTalents,
    disable_command,
    read_talents,
    unlock_command,
)
from ssdlab.drive.purge.work import ASK_S, line_of, words_of
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import Drive
from ssdlab.system.durable import remove_whole, replace_whole

_SLUG_LENGTH: Final = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class PasswordState:
    """Result of removing the password; ``fault`` is why it is still set."""

    said: tuple[str, ...]
    fault: str = ""


def journal_path(drive: Drive, folder: Path) -> Path:
    """Return the path of the note about a drive: one file per drive, by its identity.

    The name of the device is not in it: it may change at the next boot.
    """
    name = re.sub(r"[^A-Za-z0-9.-]", "_", " ".join(drive.serial.split()))
    mark = hashlib.sha256(f"{drive.model}\0{drive.serial}".encode()).hexdigest()
    return folder / f"ata-password-{name[:_SLUG_LENGTH]}-{mark[:8]}.json"


def has_journal(drive: Drive, folder: Path) -> bool:
    """Return whether a purge may have left its password on a drive."""
    return journal_path(drive, folder).exists()


def write_journal(drive: Drive, folder: Path) -> str:
    """Record durably that the password is about to be set."""
    path = journal_path(drive, folder)
    entry = {
        "serial": drive.serial,
        "model": drive.model,
        "path": drive.path,
        "password": PASSWORD,
        "remedy": f"{unlock_command(drive.path)}; {disable_command(drive.path)}",
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_whole(path, json.dumps(entry, indent=1).encode())
    except OSError as error:
        return f"{path} cannot be written ({error.strerror})"
    return ""


def drop_journal(drive: Drive, folder: Path) -> None:
    """Remove the record; the drive has reported that it has no password."""
    remove_whole(journal_path(drive, folder))


def clean_after_crash(drive: Drive, folder: Path, *, ask: Ask = ask_tool) -> str:
    """Remove the password that an earlier purge may have left on a drive."""
    if not has_journal(drive, folder):
        return ""
    state = take_password_off(drive, folder, ask)
    return state.fault or (
        f"An ATA password that an interrupted purge had left on {drive.path} was "
        "removed"
    )


def take_password_off(drive: Drive, folder: Path, ask: Ask) -> PasswordState:
    """Remove the password, and its record once the drive reports that it has none."""
    said: list[str] = []
    for _ in range(2):  # hdparm's exit code proves nothing, so the drive is queried
        asked, talents = read_talents(drive, ask)
        if talents is None or not is_same(talents, drive):
            raw = asked if isinstance(asked, str) else words_of(asked)
            return _left(drive, said, f"the drive does not report its state ({raw})")
        security = talents.security
        if not (security.is_enabled or security.is_locked):
            drop_journal(drive, folder)
            said.append("the drive reports that it has no password")
            return PasswordState(said=tuple(said))
        if said:
            break
        steps = ("--security-unlock",) if security.is_locked else ()
        for step in (*steps, "--security-disable"):
            words = ("hdparm", "--user-master", "u", step, PASSWORD, drive.path)
            said.append(line_of(ask(words, timeout_s=ASK_S)))
    why = "its security is frozen" if security.is_frozen else "the drive kept it"
    return _left(drive, said, why)


def _left(drive: Drive, said: list[str], why: str) -> PasswordState:
    fault = (
        f"{drive.path} still has the ATA password that the purge set: {why}. Do "
        "not cut its power, because then it locks itself; when it answers again and is "
        f"not frozen: {disable_command(drive.path)}"
    )
    return PasswordState(said=tuple(said), fault=fault)


def is_same(talents: AtaTalents, drive: Drive) -> bool:
    """Return whether the drive that answered is the expected one."""
    return talents.serial.split() == drive.serial.split()

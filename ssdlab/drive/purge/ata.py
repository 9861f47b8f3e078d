"""Purge methods of an ATA drive, from the output of ``hdparm -I``."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ssdlab.drive.grants import find_missing_right
from ssdlab.drive.purge.methods import methods_of
from ssdlab.drive.purge.work import ask_quietly, words_of
from ssdlab.drive.tools import Answer, Ask
from ssdlab.model.drive import Drive, PurgeMethod, PurgeOption
from ssdlab.system.files import ROOT

PASSWORD: Final = "ssdlab-purge"  # noqa: S105 - meant to be known: see ata_password
FROZEN_WORDS: Final = (
    "its security is frozen: at boot the firmware (BIOS) of this machine told the "
    "drive to accept no security command until its next reset. Suspend the machine and "
    "wake it (systemctl suspend), or pull the drive out and plug it in again while the "
    "machine runs; then it is not frozen"
)
SANITIZE_FROZEN_WORDS: Final = (
    "its sanitize is frozen until its power is cycled: pull the drive out and plug it "
    "in again while the machine runs, or suspend the machine and wake it"
)
_FEATURE: Final = r"^\t   [* ]\t(\w+) (?:command|feature)"
_SANITIZE_COMMANDS: Final[dict[PurgeMethod, str]] = {
    "ata-sanitize-block": "BLOCK_ERASE_EXT",
    "ata-sanitize-crypto": "CRYPTO_SCRAMBLE_EXT",
    "ata-sanitize-overwrite": "OVERWRITE_EXT",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class AtaSecurity:
    """The security feature set as it stands; minutes as the drive estimates them."""

    is_supported: bool = False
    is_enabled: bool = False
    is_locked: bool = False
    is_frozen: bool = False
    is_expired: bool = False
    has_enhanced: bool = False
    erase_minutes: float | None = None
    enhanced_minutes: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AtaTalents:
    """The fields of an ATA drive's identity that matter for a purge."""

    serial: str
    security: AtaSecurity
    sanitizes: tuple[PurgeMethod, ...]


def parse_identity(text: str) -> AtaTalents | None:
    """Parse the output of ``hdparm -I``; ``None`` if it is not an identity."""
    serial = re.search(r"^\s*Serial Number:[ \t]*(.*?)[ \t]*$", text, re.MULTILINE)
    if serial is None:
        return None
    features = {match.group(1) for match in re.finditer(_FEATURE, text, re.MULTILINE)}
    sanitizes = tuple(
        method
        for method, command in _SANITIZE_COMMANDS.items()
        if "SANITIZE" in features and command in features
    )
    return AtaTalents(
        serial=serial.group(1),
        security=_parse_security(text),
        sanitizes=sanitizes,
    )


def read_talents(drive: Drive, ask: Ask) -> tuple[Answer | str, AtaTalents | None]:
    """Return the answer of hdparm about the drive, and its parsed identity."""
    answer = ask_quietly(ask, "hdparm", "-I", drive.path)
    if isinstance(answer, str):
        return answer, None
    return answer, parse_identity(answer.stdout)


def list_ata_options(
    drive: Drive, ask: Ask, root: Path = ROOT
) -> tuple[PurgeOption, ...]:
    """Return the ATA purge methods, and whether the drive supports each."""
    answer, talents = read_talents(drive, ask)
    missing = find_missing_right("CAP_SYS_RAWIO", ("hdparm",), ask=ask, root=root)
    if talents is None:
        words = answer if isinstance(answer, str) else words_of(answer)
        reason = f"the drive did not report its features (hdparm -I: {words})"
        why = missing or (answer if isinstance(answer, str) else reason)
        return tuple(
            PurgeOption(method=method, is_possible=False, reason=why)
            for method in methods_of("ata")
            if method.startswith("ata-")
        )
    options = (
        *_security_options(talents.security, drive.path),
        *_sanitize_options(drive, talents, ask),
    )
    return tuple(
        PurgeOption(method=option.method, is_possible=False, reason=missing)
        if option.is_possible and missing
        else option
        for option in options
    )


def find_security_obstacle(security: AtaSecurity, path: str) -> str:
    """Return why a security erase cannot be started, or an empty text."""
    if not security.is_supported:
        return "the drive reports no ATA security"
    if security.is_frozen:
        return FROZEN_WORDS
    if security.is_expired:
        return (
            "wrong passwords were tried too often: it accepts none until its power is "
            "cycled"
        )
    if security.is_enabled or security.is_locked:
        state = "is locked by a password" if security.is_locked else "has a password"
        first = (unlock_command(path),) if security.is_locked else ()
        steps = (*first, disable_command(path))
        return (
            f"it {state} that is unknown here, and ssdlab does not guess. Whoever set "
            f"it can remove it. A purge by ssdlab sets the password {PASSWORD}; if one "
            "was interrupted on another machine or by another user: "
            f"{' && '.join(steps)}"
        )
    return ""


def unlock_command(path: str) -> str:
    """Return the command that unlocks a drive that a purge has left locked."""
    return f"hdparm --user-master u --security-unlock {PASSWORD} {path}"


def disable_command(path: str) -> str:
    """Return the command that removes the password of a purge."""
    return f"hdparm --user-master u --security-disable {PASSWORD} {path}"


def _parse_security(text: str) -> AtaSecurity:
    section = re.search(r"^Security: *\n((?:[ \t].*\n?)*)", text, re.MULTILINE)
    if section is None:
        return AtaSecurity()
    body = section.group(1)
    words = set(re.findall(r"^\t\t([a-z].*?) *$", body, re.MULTILINE))
    return AtaSecurity(
        is_supported="supported" in words,
        is_enabled="enabled" in words,
        is_locked="locked" in words,
        is_frozen="frozen" in words,
        is_expired="expired: security count" in words,
        has_enhanced="supported: enhanced erase" in words,
        erase_minutes=_parse_minutes(body, "SECURITY"),
        enhanced_minutes=_parse_minutes(body, "ENHANCED SECURITY"),
    )


def _parse_minutes(body: str, kind: str) -> float | None:
    match = re.search(rf"(\d+)min for {kind} ERASE UNIT", body)
    return float(match.group(1)) if match else None


def _security_options(security: AtaSecurity, path: str) -> Iterator[PurgeOption]:
    obstacle = find_security_obstacle(security, path)
    minutes = security.erase_minutes
    yield PurgeOption(
        method="ata-security-erase",
        is_possible=not obstacle,
        reason=obstacle
        or "the drive has ATA security, not frozen and without password",
        expected_s=None if obstacle or minutes is None else 60 * minutes,
    )
    if not obstacle and not security.has_enhanced:
        obstacle = "the drive reports no enhanced security erase"
    minutes = security.enhanced_minutes
    yield PurgeOption(
        method="ata-security-erase-enhanced",
        is_possible=not obstacle,
        reason=obstacle or "the drive has an enhanced erase, not frozen",
        expected_s=None if obstacle or minutes is None else 60 * minutes,
    )


def _sanitize_options(
    drive: Drive, talents: AtaTalents, ask: Ask
) -> Iterator[PurgeOption]:
    is_frozen = bool(talents.sanitizes) and _is_sanitize_frozen(drive, ask)
    for method, command in _SANITIZE_COMMANDS.items():
        if method not in talents.sanitizes:
            reason = f"the drive reports no {command} of ATA sanitize"
        elif is_frozen:
            reason = SANITIZE_FROZEN_WORDS
        else:
            reason = f"the drive reports {command}"
        yield PurgeOption(
            method=method,
            is_possible=method in talents.sanitizes and not is_frozen,
            reason=reason,
        )


def _is_sanitize_frozen(drive: Drive, ask: Ask) -> bool:
    answer = ask_quietly(ask, "hdparm", "--sanitize-status", drive.path)
    return not isinstance(answer, str) and "SD1 " in answer.stdout

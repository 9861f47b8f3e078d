"""The consent to erase a drive: what must be typed, and whether it still applies."""

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from ssdlab.drive.gate.samples import PLACES, count_data_places
from ssdlab.drive.in_use.relatives import shares_controller
from ssdlab.drive.inventory import list_drives
from ssdlab.drive.safe_text import describe, shown, written_out
from ssdlab.model.drive import Consent, ConsentKind, Drive
from ssdlab.model.errors import ConsentError
from ssdlab.system.files import ROOT, list_names, within

NOT_TOLD_APART = (
    "neither a serial number nor a WWN nor a path in /dev/disk distinguishes it from "
    "the other drives, so nothing can confirm it"
)
TELL_IT_APART = "Remove drives like it from this machine, or let udev run."
_PLACES = "/dev/disk/by-path"
STABLE_FOLDERS = ("/dev/disk/by-id", _PLACES)
_NAMES: dict[ConsentKind, str] = {"serial number": "serial", "WWN": "wwn"}
_KEPT = {
    "model": "model",
    "serial": "serial number",
    "firmware": "firmware",
    "wwn": "WWN",
    "capacity_bytes": "capacity in bytes",
    "logical_sector_bytes": "sector size in bytes",
    "namespace_id": "namespace ID",
}


def find_consent(drive: Drive, root: Path = ROOT) -> Consent | None:
    """Return what confirms this drive and no other of this machine.

    It is the serial number, as far as it can be printed. If that is empty or another
    drive has it too, it is the WWN, and then a persistent udev path of the drive.
    ``None`` if nothing identifies the drive.
    """
    why = ""
    others = list_drives(root)
    for what, attribute in _NAMES.items():
        text = _typed(drive, attribute)
        if _is_its_own(drive, attribute, others):
            return Consent(text=text, what=what, why=why)
        why = why or _why_not(text)
    path = next(iter(find_stable_names(drive, root)), "")
    return Consent(text=path, what="path", why=why) if path else None


def consent_by_name(drive: Drive) -> Consent | None:
    """Return what must have confirmed a drive if that was not recorded.

    It is its serial number or its WWN; ``None`` if it has neither.
    """
    typed = {what: _typed(drive, name) for what, name in _NAMES.items()}
    return next(
        (Consent(text=text, what=what) for what, text in typed.items() if text.strip()),
        None,
    )


def is_meant_by(consent: Consent, drive: Drive, root: Path = ROOT) -> bool:
    """Return whether a consent still applies to this drive and no other here.

    A udev link made of a name that two drives share leads to either of them, so of the
    paths only that of a slot counts.
    """
    if consent.what == "path":
        return is_place(consent.text) and leads_to(consent.text, drive, root)
    attribute = _NAMES[consent.what]
    is_so = _typed(drive, attribute) == consent.text
    return is_so and _is_its_own(drive, attribute, list_drives(root))


def require_consent(drive: Drive, confirmed: str, *, root: Path = ROOT) -> Consent:
    """Require that the user typed what `find_consent` returns, and return that."""
    consent = find_consent(drive, root)
    if consent is not None and confirmed == consent.text:
        return consent
    lost = describe_loss(drive, root)
    if consent is None:
        raise ConsentError(
            target=drive.path,
            reason=f"{lost}, and {NOT_TOLD_APART}",
            remedy=TELL_IT_APART,
        )
    given = f"'{shown(confirmed)}' is not its {consent.what}"
    raise ConsentError(
        target=drive.path,
        reason=f"{lost}, and {given if confirmed else 'that was not confirmed'}",
        remedy=f"If you want that, confirm it by its {consent.what}{consent.why}: "
        f"--confirm {shlex.quote(consent.text)}",
    )


def describe_loss(drive: Drive, root: Path = ROOT) -> str:
    """Describe what is lost with a drive, and how much of it holds data."""
    return (
        f"all data on it will be destroyed ({describe(drive)}; {_fill(drive, root)})"
        f"{_with_it(drive, root)}"
    )


def _fill(drive: Drive, root: Path) -> str:
    """Describe how much of a drive holds data: a raw image has no signature."""
    count = count_data_places(within(root, drive.path), drive.capacity_bytes)
    if count is None:
        return "its content could not be read"
    return f"{count or 'none'} of {PLACES} sampled places hold data"


def _with_it(drive: Drive, root: Path) -> str:
    """Name the other namespaces that a purge may erase with the drive."""
    others = [
        other.path
        for other in list_drives(root)
        if other.name != drive.name and shares_controller(drive, other)
    ]
    return f", and a purge may destroy {', '.join(others)} with it" if others else ""


def require_still_meant(drive: Drive, typed: Consent, *, root: Path = ROOT) -> Consent:
    """Require that the consent for a run still applies to this drive, and return it."""
    if is_meant_by(typed, drive, root):
        return typed
    raise ConsentError(
        target=drive.path,
        reason=f"what confirmed the drive of this run, its {typed.what} "
        f"{shown(typed.text)}, no longer distinguishes it from the other drives",
        remedy="Attach only the drive of this run, where it was when the run began, or "
        "begin a new run.",
    )


def find_stable_names(drive: Drive, root: Path = ROOT) -> tuple[str, ...]:
    """Return the persistent udev paths of a drive: by slot first, then by identity."""
    folder = within(root, "/dev/disk/by-path")
    places = (f"/dev/disk/by-path/{name}" for name in list_names(folder))
    mine = tuple(place for place in places if leads_to(place, drive, root))
    return (*mine, *drive.stable_paths)


def is_stable_name(named: str, drive: Drive, root: Path = ROOT) -> bool:
    """Return whether a user named a drive by a persistent udev path."""
    path = os.path.normpath(named)
    is_kept = str(PurePosixPath(path).parent) in STABLE_FOLDERS
    return is_kept and leads_to(path, drive, root)


def leads_to(path: str, drive: Drive, root: Path = ROOT) -> bool:
    """Return whether a link leads to the node of a drive."""
    node = os.path.realpath(within(root, drive.path))
    return os.path.realpath(within(root, path)) == node


def find_differences(expected: Drive, now: Drive) -> tuple[str, ...]:
    """Describe the differences of a drive from when the run was planned."""
    return tuple(_differences(expected, now))


def _differences(expected: Drive, now: Drive) -> Iterator[str]:
    for attribute, words in _KEPT.items():
        was, is_now = getattr(expected, attribute), getattr(now, attribute)
        if was != is_now:
            yield f"the {words} was {_quoted(was)} and is {_quoted(is_now)}"


def _quoted(value: object) -> str:
    return f"'{shown(value)}'" if isinstance(value, str) else str(value)


def is_place(path: str) -> bool:
    """Return whether a path is that of a slot."""
    return str(PurePosixPath(os.path.normpath(path)).parent) == _PLACES


def _is_its_own(drive: Drive, attribute: str, drives: Sequence[Drive]) -> bool:
    """Return whether a drive has an attribute that no other drive shares."""
    text = _typed(drive, attribute)
    return bool(text.strip()) and all(
        _typed(other, attribute) != text for other in drives if other.name != drive.name
    )


def _why_not(serial: str) -> str:
    if serial.strip():
        return " (another device has the same serial number)"
    return " (it has no serial number)"


def _typed(drive: Drive, attribute: str) -> str:
    return written_out(str(getattr(drive, attribute)))

"""Survey of the drives: identity, health, and whether each can be tested.

Each drive is surveyed separately: trouble with one is reported for that one.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ssdlab.drive.gate.consent import (
    NOT_TOLD_APART,
    TELL_IT_APART,
    find_consent,
    find_stable_names,
)
from ssdlab.drive.gate.preflight import find_obstacles
from ssdlab.drive.health import read_health, require_health_access
from ssdlab.drive.in_use.uses import find_openers_of
from ssdlab.drive.inventory import list_drive_names, read_drive
from ssdlab.drive.names import device_path
from ssdlab.drive.queues import DriveQueues, read_queues
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.drive.write_cache import read_write_cache
from ssdlab.model.drive import Consent, Drive, DriveHealth, Use, WriteCacheState
from ssdlab.model.errors import SsdlabError
from ssdlab.system.files import ROOT

_AT_ONCE = 8
_NOTHING = DriveHealth()
_NO_USES: tuple[Use, ...] = ()
_Read = TypeVar("_Read")


@dataclass(frozen=True, kw_only=True, slots=True)
class DriveSurvey:
    """One drive.

    Attributes
    ----------
    path : str
        Its device.
    drive : Drive or None
        Its identity; ``None`` if unknown, and ``trouble`` says why.
    uses : tuple of Use
        Why it must not be destroyed, or why that is unknown.
    health : DriveHealth
        Its health; ``health_trouble`` says why nothing, or not all, is known.
    write_cache : {"enabled", "disabled"} or None
        The state of its volatile write cache; ``None`` if unknown.
    queues : DriveQueues or None
        How many IOs it can hold at once; ``None`` if unknown.
    twins : tuple of str
        Other drives with the same serial number.
    named : str
        The path by which to name it: for a removable drive a persistent one.
    consent : Consent or None
        What to type to consent to its erasure.
    unseen : int
        The number of processes whose open files are hidden from this user.
    """

    path: str
    drive: Drive | None
    trouble: str = ""
    uses: tuple[Use, ...] = ()
    health: DriveHealth = _NOTHING
    health_trouble: str = ""
    write_cache: WriteCacheState | None = None
    queues: DriveQueues | None = None
    twins: tuple[str, ...] = ()
    named: str = ""
    consent: Consent | None = None
    unseen: int = 0

    @property
    def can_be_tested(self) -> bool | None:
        """Whether a run may use it; ``None`` if this user cannot know."""
        if self.drive is None or any(use.kind != "unknown" for use in self.uses):
            return False
        return None if self.uses else True


def survey_drives(root: Path = ROOT, *, ask: Ask = ask_tool) -> tuple[DriveSurvey, ...]:
    """Survey every drive of this machine, changing nothing."""
    names = list_drive_names(root)
    read = [_read(name, root) for name in names]
    drives = [drive for drive in read if isinstance(drive, Drive)]

    def survey(drive: Drive | DriveSurvey) -> DriveSurvey:
        if isinstance(drive, DriveSurvey):
            return drive
        return _survey(drive, _twins(drive, drives), root=root, ask=ask)

    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        return tuple(pool.map(survey, read))


def _read(name: str, root: Path) -> Drive | DriveSurvey:
    try:
        return read_drive(name, root)
    except SsdlabError as error:
        return DriveSurvey(path=device_path(name), drive=None, trouble=str(error))


def _survey(
    drive: Drive, twins: tuple[str, ...], *, root: Path, ask: Ask
) -> DriveSurvey:
    uses, uses_trouble = _try(
        lambda: find_obstacles(drive, root=root, ask=ask), _NO_USES
    )
    if uses_trouble:
        uses = (_unknown(drive, uses_trouble),)
    consent = find_consent(drive, root)
    named = next(iter(_names(drive, root)), "")
    health, trouble = _try(lambda: read_health(drive, ask=ask, root=root), _NOTHING)
    if health.wear_percent is None and not trouble:
        trouble = _try(lambda: require_health_access(drive, ask=ask, root=root), None)[
            1
        ]
    cache, _ = _try(lambda: read_write_cache(drive, ask=ask), None)
    return DriveSurvey(
        path=drive.path,
        drive=drive,
        uses=(
            *uses,
            *_unnamed(drive, named, consent),
        ),
        health=health,
        health_trouble=trouble,
        write_cache=cache,
        queues=read_queues(drive, root),
        twins=twins,
        named=named,
        consent=consent,
        unseen=find_openers_of(drive, root).unread,
    )


def _try(read: Callable[[], _Read], otherwise: _Read) -> tuple[_Read, str]:
    """Return what can be read, or a default and why it cannot be read."""
    try:
        return read(), ""
    except (SsdlabError, OSError) as error:
        return otherwise, str(error)


def _names(drive: Drive, root: Path) -> tuple[str, ...]:
    """Return the paths by which the gate accepts a drive."""
    if not drive.is_removable:
        return (drive.path,)
    return (*drive.stable_paths, *find_stable_names(drive, root))


def _unnamed(drive: Drive, named: str, consent: Consent | None) -> Iterator[Use]:
    """Yield what prevents naming or confirming it unambiguously."""
    if not named:
        yield Use(
            kind="removable",
            device=drive.path,
            reason=f"{drive.path} is removable and has no persistent path in /dev/disk",
            remedy="Let udev run, so that it gets one.",
        )
    if consent is None:
        yield Use(
            kind="identity",
            device=drive.path,
            reason=NOT_TOLD_APART,
            remedy=TELL_IT_APART,
        )


def _unknown(drive: Drive, trouble: str) -> Use:
    return Use(
        kind="unknown",
        device=drive.path,
        reason=f"whether anything uses it is unknown: {trouble}",
        remedy="",
    )


def _twins(drive: Drive, drives: Sequence[Drive]) -> tuple[str, ...]:
    """Return other drives of the same serial number, except its own namespaces."""
    return tuple(
        other.path
        for other in drives
        if drive.serial
        and other.serial == drive.serial
        and other.name != drive.name
        and (not drive.controller or other.controller != drive.controller)
    )

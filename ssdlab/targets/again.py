"""Find the drive of an interrupted run again, whatever the kernel calls it now."""

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from ssdlab.drive.gate.consent import consent_by_name, is_place, leads_to
from ssdlab.drive.shown import shown
from ssdlab.model.drive import Consent, Drive
from ssdlab.model.errors import TargetRefusedError
from ssdlab.system.files import ROOT

_ATTACH_IT = "Attach only the drive of this run, where it was, or begin a new run."


def find_again(
    recorded: Drive,
    drives: Sequence[Drive],
    consent: Consent,
    *,
    root: Path = ROOT,
) -> Drive:
    """Return the drive that was recorded, from those that are there now.

    A drive is known by what it calls itself. One that was confirmed by the path of the
    place where it is attached, as another was called alike, is known by that place. The
    name that the kernel gave it tells nothing: it may be another drive's now.

    Raises
    ------
    TargetRefusedError
        If it is not there, or if it cannot be told which one it is.
    """
    if consent.what == "path":
        return _find_at_place(recorded, drives, consent.text, root=root)
    name = shown(" ".join(filter(None, (recorded.model, recorded.serial))))
    same = [drive for drive in drives if _is_called_alike(drive, recorded)]
    if not same:
        raise TargetRefusedError(
            target=recorded.path,
            reason=f"the drive of this run ({name or recorded.bus}) is not attached",
            remedy="Attach it again and resume the run: it is found by its name, "
            "wherever it is.",
        )
    if len(same) > 1:
        paths = ", ".join(drive.path for drive in same)
        _refuse(recorded, f"{paths} are called alike ({name or 'no name'})")
    return same[0]


def require_name(recorded: Drive) -> Consent:
    """Return what must have confirmed the drive of a record that does not tell it.

    Raises
    ------
    TargetRefusedError
        If the drive has no name of its own.
    """
    consent = consent_by_name(recorded)
    if consent is None:
        _refuse(recorded, "it tells neither a serial number nor a WWN")
    return consent


def _find_at_place(
    recorded: Drive, drives: Sequence[Drive], path: str, *, root: Path
) -> Drive:
    """Return what is attached where the drive was; whether it is the same is tested.

    Raises
    ------
    TargetRefusedError
        If nothing is attached there, or the path is no place.
    """
    if not is_place(path):
        _refuse(
            recorded,
            f"it was confirmed by {shown(path)}, which is made of names that another "
            "drive had as well",
        )
    for drive in drives:
        if leads_to(path, drive, root):
            return drive
    raise TargetRefusedError(
        target=recorded.path,
        reason=f"no drive is attached at {shown(path)}, by which the drive of this run "
        "was confirmed",
        remedy="Attach it there again and resume the run.",
    )


def _refuse(recorded: Drive, why: str) -> NoReturn:
    raise TargetRefusedError(
        target=recorded.path,
        reason=f"which drive this run measured cannot be told: {why}",
        remedy=_ATTACH_IT,
    )


def _is_called_alike(drive: Drive, recorded: Drive) -> bool:
    names = ("bus", "model", "serial", "wwn", "namespace_id")
    return all(getattr(drive, name) == getattr(recorded, name) for name in names)

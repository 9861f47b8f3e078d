"""Is it the drive that was meant? Told before anything else, lest another be wiped."""

from pathlib import Path

from ssdlab.drive.gate.consent import (
    find_consent,
    find_differences,
    is_stable_name,
    require_consent,
)
from ssdlab.drive.in_use.uses import find_live_uses
from ssdlab.drive.inventory import read_drive
from ssdlab.model.drive import Drive, Use
from ssdlab.model.errors import DriveInUseError
from ssdlab.system.files import ROOT


def require_meant(drive: Drive, confirmed: str, *, root: Path = ROOT) -> None:
    """Refuse another drive than was meant, if anything was typed.

    Where nothing can confirm a drive, it may be that what makes it so can be ended: two
    loop devices on one file are alike.

    Raises
    ------
    ConsentError
        If something else was typed than what confirms this drive.
    DriveInUseError
        If nothing can confirm it, and something uses it.
    """
    live = () if find_consent(drive, root) else find_live_uses(drive, root=root)
    if live:
        raise DriveInUseError(target=drive.path, uses=live)
    if confirmed:
        require_consent(drive, confirmed, root=root)


def require_same(expected: Drive, drive: Drive, *, root: Path = ROOT) -> None:
    """Require that what has the name of a drive now is what was expected.

    Raises
    ------
    DriveInUseError
        If it is not.
    TargetRefusedError
        If it is gone.
    """
    path = drive.path
    differences = find_differences(expected, read_drive(drive.name, root))
    if differences:
        use = Use(
            kind="identity",
            device=path,
            reason=f"this is not the drive that was meant: {'; '.join(differences)}",
            remedy="Name the drive that the run began with, or begin a new run.",
        )
        raise DriveInUseError(target=path, uses=(use,))


def require_stable_name(drive: Drive, named: str, *, root: Path = ROOT) -> None:
    """Require that a removable drive was named by a path that stays.

    Raises
    ------
    DriveInUseError
        If it was not.
    """
    if not drive.is_removable or is_stable_name(named, drive, root):
        return
    name = next(iter(drive.stable_paths), "/dev/disk/by-path/…")
    use = Use(
        kind="removable",
        device=drive.path,
        reason=f"{drive.path} is removable, and which one has that name may change "
        "with each plugging",
        remedy=f"Name it by what stays: {name}.",
    )
    raise DriveInUseError(target=drive.path, uses=(use,))

"""Identity check of the drive: it comes first, so that no other drive is wiped."""

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
    """Refuse a drive other than the confirmed one, if anything was typed.

    If nothing can confirm a drive, the cause may be removable: two loop devices on the
    same file have the same identity.
    """
    live = () if find_consent(drive, root) else find_live_uses(drive, root=root)
    if live:
        raise DriveInUseError(target=drive.path, uses=live)
    if confirmed:
        require_consent(drive, confirmed, root=root)


def require_same(expected: Drive, drive: Drive, *, root: Path = ROOT) -> None:
    """Require that the device with the name of a drive is still the expected one."""
    path = drive.path
    differences = find_differences(expected, read_drive(drive.name, root))
    if differences:
        use = Use(
            kind="identity",
            device=path,
            reason=f"this is not the expected drive: {'; '.join(differences)}",
            remedy="Name the drive that the run began with, or begin a new run.",
        )
        raise DriveInUseError(target=path, uses=(use,))


def require_stable_name(drive: Drive, named: str, *, root: Path = ROOT) -> None:
    """Require that a removable drive was named by a persistent path."""
    if not drive.is_removable or is_stable_name(named, drive, root):
        return
    name = next(iter(drive.stable_paths), "/dev/disk/by-path/…")
    use = Use(
        kind="removable",
        device=drive.path,
        reason=f"{drive.path} is removable, and that name may belong to another drive "
        "after the next plugging",
        remedy=f"Name it by a persistent path: {name}.",
    )
    raise DriveInUseError(target=drive.path, uses=(use,))

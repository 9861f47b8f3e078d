"""Other block devices whose data may be erased when a drive is purged."""

from collections.abc import Sequence

from ssdlab.model.drive import Drive


def find_relatives(drive: Drive, drives: Sequence[Drive]) -> tuple[Drive, ...]:
    """Return the other namespaces of its controller, and other paths to it."""
    return tuple(
        other
        for other in drives
        if other.name != drive.name
        and (shares_controller(drive, other) or _has_same_identity(drive, other))
    )


def shares_controller(drive: Drive, other: Drive) -> bool:
    """Return whether two are namespaces of one NVMe controller or subsystem."""
    return bool(drive.controller) and drive.controller == other.controller


def relation(drive: Drive, other: Drive) -> str:
    """Describe the relation of another device to a drive."""
    if shares_controller(drive, other):
        return (
            f"{other.path} is another namespace of the same NVMe controller, and a "
            "format can erase it too"
        )
    return f"{other.path} may be another path to the same drive, as it has the same"


def _has_same_identity(drive: Drive, other: Drive) -> bool:
    """Return whether two devices may be one drive with two paths.

    A WWN alone is not enough: some drives were all given the same.
    """
    if not drive.wwn and not drive.serial:
        return False
    return all(
        mine == theirs
        for mine, theirs in (
            (drive.wwn, other.wwn),
            (drive.serial, other.serial),
            (drive.model, other.model),
            (drive.capacity_bytes, other.capacity_bytes),
        )
    )

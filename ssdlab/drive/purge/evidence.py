"""What the drive's own log says of a purge: errors that it counted, what was written.

A drive may write its counters down late, so they raise doubts and are no proof.
"""

from typing import Final

from ssdlab.drive.health import read_health
from ssdlab.drive.purge.work import Done
from ssdlab.drive.tools import Ask
from ssdlab.model.drive import Drive, DriveHealth, PurgeMethod
from ssdlab.model.errors import TargetRefusedError
from ssdlab.model.units import capacity_label

_WRITTEN_SHARE: Final = 0.9  # of the capacity, by the drive's count, is all of it


def read_log(drive: Drive, ask: Ask) -> DriveHealth:
    """Return the drive's log; nothing in it where this user or the drive has none."""
    try:
        return read_health(drive, ask=ask)
    except TargetRefusedError:  # gone or silent: the purge itself tells of that
        return DriveHealth()


def compare_logs(
    drive: Drive, method: PurgeMethod, logs: tuple[DriveHealth, DriveHealth]
) -> Done:
    """Return what changed in the drive's log from before the purge until after it."""
    before, after = logs
    errors = _grown(before.error_log_entries, after.error_log_entries)
    written = _grown(before.host_written_bytes, after.host_written_bytes)
    said, doubts = [], []
    if errors is not None:
        said.append(f"the drive's error log: {errors:.0f} new entries")
    if errors:
        doubts.append(f"the drive counted {errors:.0f} errors during the purge")
    if written is not None and method == "overwrite":
        said.append(f"the drive counted {capacity_label(written)} of writes")
        if written < _WRITTEN_SHARE * drive.capacity_bytes:
            doubts.append(
                f"the drive counted only {capacity_label(written)} of writes while all "
                f"{capacity_label(drive.capacity_bytes)} were overwritten"
            )
    return Done(said=tuple(said), doubt="; ".join(doubts))


def _grown(before: float | None, after: float | None) -> float | None:
    if before is None or after is None or after < before:
        return None
    return after - before

"""The IO of a block device, as the kernel counts it: ``stat`` in sysfs."""

from pathlib import Path
from typing import Final

from ssdlab.model.io_counts import IoCounts

_SECTOR_BYTES: Final = 512  # of the kernel, whatever the device's own is
_FIELDS: Final = 9  # reads, merged, sectors, ms; writes, merged, sectors, ms; in flight


def read_io_counts(folder: Path) -> IoCounts | None:
    """Return the counts of the device with that folder, or ``None`` without any."""
    try:
        fields = (folder / "stat").read_text("ascii").split()
        numbers = [int(field) for field in fields[:_FIELDS]]
    except (OSError, ValueError):
        return None
    if len(numbers) < _FIELDS:
        return None
    return IoCounts(
        reads=numbers[0],
        writes=numbers[4],
        read_bytes=numbers[2] * _SECTOR_BYTES,
        written_bytes=numbers[6] * _SECTOR_BYTES,
        in_flight=numbers[8],
    )

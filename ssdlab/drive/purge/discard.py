"""Discards of the held device, plain and secure: BLKDISCARD and BLKSECDISCARD."""

import struct
from typing import Final

from ssdlab.drive.purge.overwrite import device_words
from ssdlab.drive.purge.work import Done, Progress, Work
from ssdlab.model.drive import PurgeMethod
from ssdlab.model.units import GIB, capacity_label, duration_label
from ssdlab.system.unix import fcntl

_PIECE_BYTES: Final = (
    GIB  # so that it can be stopped in between and report its progress
)
_REQUESTS: Final[dict[PurgeMethod, tuple[str, int]]] = {
    "discard": ("BLKDISCARD", 0x1277),
    "discard-secure": ("BLKSECDISCARD", 0x127D),
}


def discard_all_blocks(work: Work) -> Done:
    """Discard every LBA of the device that passed the gate.

    The blkdiscard command would need exclusive access to the device, which is held.
    """
    name, request = _REQUESTS[work.method]
    capacity = work.drive.capacity_bytes
    progress = Progress(work, "discard")
    began_s = work.clock.now_s()
    for start in range(0, capacity, _PIECE_BYTES):
        length = min(_PIECE_BYTES, capacity - start)
        try:
            fcntl.ioctl(work.descriptor, request, struct.pack("=QQ", start, length))
        except OSError as error:
            return Done(
                said=(
                    f"{name} at byte {start} of {work.drive.path}: {error.strerror}",
                ),
                fault=f"the discard failed at byte {start}: {device_words(error)}",
            )
        progress.show((start + length) / capacity)
    took_s = work.clock.now_s() - began_s
    said = (
        f"{name} of all {capacity_label(capacity)} of {work.drive.path}: done after "
        f"{duration_label(took_s)}"
    )
    return Done(said=(said,))

"""Overwriting all of the held device with random data by direct IO."""

import errno
import os
from typing import Final

from ssdlab.drive.purge.direct import aligned_buffer, direct_io, write_at
from ssdlab.drive.purge.work import Done, Progress, Work
from ssdlab.model.units import MIB, capacity_label, duration_label

_PIECE_BYTES: Final = 4 * MIB
_GONE: Final = frozenset({errno.ENXIO, errno.ENODEV})


def overwrite_all_blocks(work: Work) -> Done:
    """Write random data to every LBA, new for each piece, and flush."""
    began_s, place = work.clock.now_s(), 0
    progress = Progress(work, "overwrite")
    capacity = work.drive.capacity_bytes
    try:
        with direct_io(work.descriptor), aligned_buffer(_PIECE_BYTES) as buffer:
            for place in range(0, capacity, _PIECE_BYTES):
                length = min(_PIECE_BYTES, capacity - place)
                buffer[:length] = os.urandom(length)
                write_at(work.descriptor, (buffer, length), place)
                progress.show((place + length) / capacity)
        os.fsync(work.descriptor)
    except OSError as error:
        return Done(
            said=(f"written up to byte {place} of {work.drive.path}",),
            fault=f"overwriting failed at byte {place}: {device_words(error)}",
        )
    took_s = work.clock.now_s() - began_s
    said = (
        f"{capacity_label(capacity)} of random data written to {work.drive.path} and "
        f"flushed after {duration_label(took_s)}"
    )
    return Done(said=(said,))


def device_words(error: OSError) -> str:
    """Return the meaning of an error of a block device, with what to do now."""
    words = error.strerror or "no reason given"
    if error.errno == errno.ENOSPC:  # Linux reports it of a removed drive, too
        return f"{words}. Its backing store is full, or the drive is gone: see lsblk"
    if error.errno in _GONE:
        return f"{words}. The drive is gone: check whether lsblk still lists it"
    if error.errno == errno.EOPNOTSUPP:
        return f"{words}. Choose another method (ssdlab purge DEVICE --list)"
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return f"{words}. The drive is read-only, or this user may not write to it"
    return f"{words}. Check its errors: dmesg, smartctl -x"

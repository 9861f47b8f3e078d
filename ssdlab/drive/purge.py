"""Purge methods: PTS 2.0.2, 3.2; pts.md 4.2."""

import os
import subprocess
from pathlib import Path

from ssdlab.model.errors import MissingToolError, TargetRefusedError

_LIMIT_S = 3600
_SAMPLES = 64
_SAMPLE_BYTES = 4096


def discard_all(device: str) -> str:
    """Discard every LBA of a block device; return what was said.

    Raises
    ------
    MissingToolError
        If blkdiscard is not installed.
    TargetRefusedError
        If the device cannot discard.
    """
    try:
        answer = subprocess.run(
            ["blkdiscard", "--verbose", device],  # noqa: S607 - found on PATH
            capture_output=True,
            text=True,
            check=False,
            timeout=_LIMIT_S,
        )
    except FileNotFoundError:
        raise MissingToolError(
            tool="blkdiscard",
            needed_for=f"the purge of {device}",
            remedy="Install it: apt-get install util-linux.",
        ) from None
    except subprocess.TimeoutExpired:
        raise TargetRefusedError(
            target=device,
            reason=f"blkdiscard did not end within {_LIMIT_S} s",
            remedy="See whether the device still answers.",
        ) from None
    if answer.returncode:
        raise TargetRefusedError(
            target=device,
            reason=f"blkdiscard failed: {answer.stderr.strip()}",
            remedy="Use a target that can be discarded.",
        )
    return answer.stdout.strip()


def find_written_sample(device: str, capacity_bytes: int) -> int | None:
    """Return the first of 64 evenly spread places that does not read as zeros."""
    with Path(device).open("rb", buffering=0) as file:
        descriptor = file.fileno()
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        for number in range(_SAMPLES):
            place = (capacity_bytes - _SAMPLE_BYTES) * number // (_SAMPLES - 1)
            place -= place % _SAMPLE_BYTES
            if any(os.pread(descriptor, _SAMPLE_BYTES, place)):
                return place
    return None

"""Check whether a fio run did what was requested, whatever its exit code.

fio may report success and have done nothing (a mounted disk), may count reads of a
removed drive as IO, may end early, and may end with errors that it ignored. So success
means exit code, JSON and IO done.
"""

import errno
import os
from collections import Counter
from collections.abc import Iterator

from ssdlab.fio.document import FioDocument, FioJob, FioSide
from ssdlab.fio.words import condense_words

# fio ends a time-based job within a few ms of its time; an aborted run lacks more.
_LEAST_RUNTIME_RATIO = 0.95
_RUNTIME_SLACK_S = 0.05
_MINUS_ONE = 2**32 - 1  # fio's error when an engine lost its connection
_MAX_ERRNO = 4095
_MS_PER_S = 1000.0
_OF_MEDIA = ", the kernel's code for a media error of an NVMe drive"


def find_faults(
    document: FioDocument,
    *,
    exit_code: int,
    block_sizes_bytes: tuple[int, int],
    outstanding: int,
    runtime_s: float | None = None,
    io_bytes: int | None = None,
) -> tuple[str, ...]:
    """Return each fault of a run in words; none if it did what was requested.

    ``block_sizes_bytes`` are the smallest and the largest of an IO. ``outstanding`` is
    threads times queue depth: that many IOs may have been counted without their bytes
    at the end of a run. A run was requested to last ``runtime_s`` or do ``io_bytes``,
    or whichever is first. ``io_bytes`` may be rounded down to whole blocks.
    """
    return (
        *_faults_of_exit(document, exit_code),
        *_faults_of_jobs(document),
        *_faults_of_bytes(document, block_sizes_bytes, outstanding),
        *_faults_of_amount(
            document,
            runtime_s=runtime_s,
            io_bytes=io_bytes,
            slack=block_sizes_bytes[1] * (1 if runtime_s is None else outstanding),
        ),
    )


def _parts(document: FioDocument) -> list[FioSide]:
    return [side for job in document.measured for side in job.parts]


def _faults_of_exit(document: FioDocument, exit_code: int) -> Iterator[str]:
    words = condense_words(document.prefix)
    said = f"; its message: {words}" if words else ""
    if exit_code:
        yield f"fio ended with exit code {exit_code}{said}"
    if not _parts(document):
        yield f"fio did no IO at all{'' if exit_code else said}"


def _faults_of_jobs(document: FioDocument) -> Iterator[str]:
    """Yield each fault once, and how many threads have it."""
    counts = Counter(one for job in document.measured for one in _faults_of_job(job))
    for fault, count in counts.items():
        yield f"{fault} ({count} times)" if count > 1 else fault


def _faults_of_job(job: FioJob) -> Iterator[str]:
    if job.error == _MINUS_ONE:
        yield f"job {job.name!r} ended with error -1: its target was lost"
    elif job.error:
        meaning = os.strerror(job.error) if job.error <= _MAX_ERRNO else "unknown"
        hint = _OF_MEDIA if job.error == errno.ENODATA else ""
        yield f"job {job.name!r} ended with error {job.error} ({meaning}){hint}"
    if job.total_errors:
        yield f"job {job.name!r} ignored {job.total_errors} IO errors"
    for side in job.parts:
        if side.short_ios:
            yield f"{side.direction}: {side.short_ios} IOs were short"
        if side.dropped_ios:
            yield f"{side.direction}: {side.dropped_ios} IOs were dropped"


def _faults_of_bytes(
    document: FioDocument, block_sizes_bytes: tuple[int, int], outstanding: int
) -> Iterator[str]:
    slack = outstanding * block_sizes_bytes[1]
    for side in _parts(document):
        if side.total_ios is None or side.io_bytes is None:
            continue
        least, most = (side.total_ios * size for size in block_sizes_bytes)
        if not least - slack <= side.io_bytes <= most + slack:
            sizes = " to ".join(dict.fromkeys(map(str, block_sizes_bytes)))
            expected = " to ".join(dict.fromkeys(map(str, (least, most))))
            yield (
                f"{side.direction}: {side.total_ios} IOs of {sizes} B are "
                f"{expected} B, but {side.io_bytes} B were done: the target may be gone"
            )


def _faults_of_amount(
    document: FioDocument, *, runtime_s: float | None, io_bytes: int | None, slack: int
) -> Iterator[str]:
    """Yield what is missing; each thread of a run with both limits separately."""
    sides = _parts(document)
    if not sides:
        return
    lacks, ends = [], [end for end in (runtime_s, io_bytes) if end is not None]
    ran_s = max(side.runtime_ms or 0 for side in sides) / _MS_PER_S
    if runtime_s is not None:
        least_s = runtime_s * _LEAST_RUNTIME_RATIO - _RUNTIME_SLACK_S
        if ran_s < least_s:
            lacks.append(f"fio ran for {ran_s:g} s of the requested {runtime_s:g} s")
    done = sum(side.io_bytes or 0 for side in sides)
    if io_bytes is not None and done <= io_bytes - slack:
        lacks.append(f"{done} B were done of the requested {io_bytes} B")
    if lacks and len(lacks) == len(ends):
        yield "; ".join(lacks)

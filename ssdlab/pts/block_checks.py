"""Whether the blocks of a test fit a device, checked before the device is touched."""

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from ssdlab.model.errors import ProfileError
from ssdlab.model.spec import (
    ActiveRange,
    Histogram,
    OperatingPoint,
    Phase,
    Precondition,
    PtsTest,
    Purge,
    Rounds,
    Stimulus,
    Workload,
)
from ssdlab.model.units import active_range_bytes, block_size_label, capacity_label


def require_whole_sectors(
    source: str, test: PtsTest, sector_bytes: int, *, remedy: str
) -> None:
    """Require that there is something to measure, in blocks of whole sectors.

    ``remedy`` is what can be done about it: it depends on where the test is from.
    """
    phases = test.possible_phases
    sizes = set().union(*map(_sizes_of, phases))
    is_measured = any(
        _sizes_of(phase) for phase in phases if not isinstance(phase, Precondition)
    )
    if not is_measured or any(size % sector_bytes for size in sizes):
        raise ProfileError(
            source=source,
            key=f"the blocks of {test.test_id.upper()}",
            reason=f"they do not fit sectors of {sector_bytes} B",
            remedy=remedy,
        )


def largest_block_bytes(test: PtsTest) -> int:
    """Return the size of the largest blocks of a test, those of fills included [B]."""
    return max(set().union(*map(_sizes_of, test.possible_phases)), default=0)


def require_blocks_in_range(
    source: str,
    test: PtsTest,
    capacity_bytes: int,
    *,
    active_range_percent: float,
    remedy: str,
) -> None:
    """Require that the active range of each phase has room for its largest block."""
    for phase in test.possible_phases:
        own = _own_range(phase)
        span = active_range_bytes(
            capacity_bytes,
            own.percent if own else active_range_percent,
            amount_bytes=own.amount_bytes if own else None,
        )
        largest = max(_sizes_of(phase), default=0)
        if largest > span:
            raise ProfileError(
                source=source,
                key=f"the blocks of {test.test_id.upper()}",
                reason=f"the {block_size_label(largest)} block is larger than the "
                f"active range of {capacity_label(span)}",
                remedy=remedy,
            )


def _own_range(phase: Phase) -> ActiveRange | None:
    return getattr(phase, "active_range", None)


def _sizes_of(phase: Phase) -> set[int]:
    """Return the sizes of the blocks of a phase, and what they are aligned to [B]."""
    sizes: set[int] = set()
    if isinstance(phase, Precondition):
        return {phase.block_size_bytes}
    for workload in phase_workloads(phase):
        composite = workload.composite
        shares = composite.block_shares if composite else ()
        sizes.update(size for size, _ in shares)
        sizes.update({composite.alignment_bytes if composite else 0} - {0})
        sizes.update({workload.block_size_bytes} - {0})
        sizes.update(stream.block_size_bytes for stream in workload.streams)
        for job in workload.jobs:
            sizes.update(job.block_sizes_bytes)
    return sizes


def phase_workloads(phase: Phase) -> tuple[Workload, ...]:
    """Return every workload of a phase."""
    found: list[Workload] = []

    def note(workload: Workload) -> Workload:
        found.append(workload)
        return workload

    map_workloads(phase, note)
    return tuple(found)


def map_workloads(phase: Phase, change: Callable[[Workload], Workload]) -> Phase:
    """Return a phase with every workload changed."""
    match phase:
        case Purge() | Precondition():
            return phase
        case Stimulus() | Histogram():
            return replace(phase, workload=change(phase.workload))
        case OperatingPoint():
            return replace(
                phase,
                workload=change(phase.workload),
                pre_write=change(phase.pre_write),
            )
        case Rounds():
            before = phase.pre_write
            return replace(
                phase,
                cells=tuple(map(change, phase.cells)),
                pre_write=before and replace(before, workload=change(before.workload)),
            )
        case _:
            assert_never(phase)

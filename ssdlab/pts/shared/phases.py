"""Phases that tests share: preconditioning, and repetition over active ranges.

How an amount of a range is accessed: decision 80.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

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
    Tracking,
    Workload,
)
from ssdlab.pts.profile import Profile
from ssdlab.pts.shared.settings import Load, Wdpc, Wipc

WDPC = "wdpc"  # the phase


def repeat_over_ranges(test: PtsTest, ranges: Iterable[ActiveRange]) -> PtsTest:
    """Return a test whose phases come once for each range, each from its own purge.

    Preconditioning fills the whole range; what is measured accesses its amount.
    """
    return replace(
        test,
        phases=tuple(
            _within(phase, active) for active in ranges for phase in test.phases
        ),
    )


def _within(phase: Phase, active: ActiveRange) -> Phase:
    name = f"{phase.phase_id}-{active.name}"
    match phase:
        case Purge():
            return replace(phase, phase_id=name)
        case Precondition():
            whole = ActiveRange(percent=active.percent)
            return replace(phase, phase_id=name, active_range=whole)
        case Histogram():
            return replace(phase, phase_id=name, active_range=active)
        case Rounds():
            follows = phase.same_rounds_as and f"{phase.same_rounds_as}-{active.name}"
            return replace(
                phase, phase_id=name, active_range=active, same_rounds_as=follows
            )
        case Stimulus() | OperatingPoint():
            msg = f"{phase.phase_id} has no active range of its own"
            raise ValueError(msg)
        case _:
            assert_never(phase)


def precondition_by_workload(
    values: Wdpc,
    workload: Workload,
    tracking: Tracking,
    *,
    first_sample_round: int,
) -> Stimulus:
    """Return rounds of a workload, judged on samples 30 minutes apart: PTS 11 and 13.

    ``first_sample_round`` is the first of at most ``max_samples`` samples: the last
    minute of the first 30 in HIR, its first minute in CBW and DIRTH.
    """
    later = (values.max_samples - 1) * values.sample_every_rounds
    return Stimulus(
        phase_id=WDPC,
        workload=workload,
        round_seconds=values.round_s,
        time_limit_s=(first_sample_round + later) * values.round_s,
        sample_every_rounds=values.sample_every_rounds,
        first_sample_round=first_sample_round,
        tracking=tracking,
    )


def precondition(profile: Profile) -> Precondition:
    """Return the sequential fill of a profile: PTS 2.0.2, 3.3."""
    fill, load = profile[Wipc], profile[Load]
    return Precondition(
        phase_id="wipc",
        block_size_bytes=fill.block_size_bytes,
        threads=fill.threads or load.threads,
        is_divided=fill.is_divided,
        queue_depth=load.queue_depth,
        capacity_multiple=fill.capacity_multiple,
    )

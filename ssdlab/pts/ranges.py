"""The outer loops of PTS-C 1.x: a test again and again, in other active ranges.

How an amount of a range is accessed: docs/decisions, record 19.
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
)


def repeat_over_ranges(test: PtsTest, ranges: Iterable[ActiveRange]) -> PtsTest:
    """Return a test whose phases come once for each range, each from its own purge.

    Preconditioning fills the whole range; what is measured accesses its amount.

    Parameters
    ----------
    test : PtsTest
        A test of purges, fills, rounds and histogram runs.
    ranges : iterable of ActiveRange
        The ranges, in order.

    Returns
    -------
    PtsTest
        Its phases are named ``purge-AR75-8GiB`` instead of ``purge``.
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

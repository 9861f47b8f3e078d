"""What a run will cost before a byte is erased: steps, rounds, time, bytes.

Fixed times come from the plan. Where the drive's speed decides (fills, bytes written),
``write_bytes_per_s`` is assumed, and stated.
"""

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from ssdlab.model.spec import (
    MIXED_PERCENT,
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
from ssdlab.plan.context import PlanContext


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """What a phase or test costs, at least and at most.

    ``fill_bytes`` is written for certain, by preconditioning. ``written_bytes_max``
    adds what timed writes could write at the assumed speed, never beyond the WSAT
    limit.
    """

    steps_min: int = 0
    steps_max: int = 0
    rounds_min: int = 0
    rounds_max: int = 0
    seconds_min: float = 0.0
    seconds_max: float = 0.0
    fill_bytes: int = 0
    written_bytes_min: float = 0.0
    written_bytes_max: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        """Add two costs field by field."""
        names = Cost.__dataclass_fields__
        return Cost(**{
            name: getattr(self, name) + getattr(other, name) for name in names
        })


@dataclass(frozen=True, kw_only=True, slots=True)
class TestCost:
    """The cost of one test; drive fills are written bytes over user capacity."""

    test_id: str
    title: str
    cost: Cost
    drive_fills_min: float
    drive_fills_max: float


def estimate_suite(
    tests: Sequence[PtsTest], context: PlanContext, write_bytes_per_s: float
) -> tuple[TestCost, ...]:
    """Return the cost of each test at an assumed sequential write speed [B/s]."""
    return tuple(_estimate_test(test, context, write_bytes_per_s) for test in tests)


def estimate_phases(
    test: PtsTest, context: PlanContext, write_bytes_per_s: float
) -> dict[str, Cost]:
    """Return the cost of each phase of a test by its name.

    The least cost of a phase that may not be needed is 0.
    """
    costs: dict[str, Cost] = {}
    for phase in test.possible_phases:
        costs[phase.phase_id] = _estimate_phase(
            phase, context, speed=write_bytes_per_s, before=costs
        )
    for phase in test.fallback:
        costs[phase.phase_id] = _at_most(costs[phase.phase_id])
    return costs


def _at_most(cost: Cost) -> Cost:
    """Return the cost of a phase that may not be needed."""
    return replace(
        cost,
        steps_min=0,
        rounds_min=0,
        seconds_min=0.0,
        fill_bytes=0,
        written_bytes_min=0.0,
    )


def _estimate_test(test: PtsTest, context: PlanContext, speed: float) -> TestCost:
    total = sum(estimate_phases(test, context, speed).values(), start=Cost())
    return TestCost(
        test_id=test.test_id,
        title=test.title,
        cost=total,
        drive_fills_min=total.written_bytes_min / context.capacity_bytes,
        drive_fills_max=total.written_bytes_max / context.capacity_bytes,
    )


def _estimate_phase(
    phase: Phase, context: PlanContext, *, speed: float, before: dict[str, Cost]
) -> Cost:
    match phase:
        case Purge():
            return Cost(steps_min=1, steps_max=1)
        case Precondition():
            amount = phase.written_capacities * context.capacity_bytes
            return Cost(
                steps_min=1,
                steps_max=1,
                seconds_min=amount / speed,
                seconds_max=amount / speed,
                fill_bytes=int(amount),
                written_bytes_min=amount,
                written_bytes_max=amount,
            )
        case Rounds():
            return _estimate_rounds(phase, context, speed=speed, before=before)
        case Stimulus():
            return _estimate_stimulus(phase, context, speed)
        case OperatingPoint():
            return _estimate_point(phase, speed)
        case Histogram():
            seconds = phase.seconds + phase.workload.ramp_s
            return Cost(
                steps_min=1,
                steps_max=1,
                seconds_min=seconds,
                seconds_max=seconds,
                written_bytes_max=seconds * speed * _write_share(phase.workload),
            )
        case _:
            assert_never(phase)


def _estimate_rounds(
    phase: Rounds, context: PlanContext, *, speed: float, before: dict[str, Cost]
) -> Cost:
    least, most = phase.criteria.window_rounds, phase.max_rounds
    least = min(least, most) if phase.is_judged else most
    if phase.same_rounds_as:
        lead = before[phase.same_rounds_as]
        least, most = lead.rounds_min, lead.rounds_max
    cells = len(phase.cells) + (phase.pre_write is not None)
    pre_write_s, pre_write_most_s = 0.0, 0.0
    if phase.pre_write:
        pre_write_s = phase.pre_write.expected_seconds(context.capacity_bytes, speed)
        pre_write_most_s = phase.pre_write.seconds
    times = [phase.cell_seconds + cell.ramp_s for cell in phase.cells]
    shares = map(_write_share, phase.cells)
    cells_s = sum(times)
    write_s = sum(map(operator.mul, shares, times)) + pre_write_s
    return Cost(
        steps_min=least * cells,
        steps_max=most * cells,
        rounds_min=least,
        rounds_max=most,
        seconds_min=least * (cells_s + pre_write_s),
        seconds_max=most * (cells_s + pre_write_most_s),
        written_bytes_max=most * write_s * speed,
    )


def _estimate_stimulus(phase: Stimulus, context: PlanContext, speed: float) -> Cost:
    most = phase.max_rounds
    write_s = phase.round_seconds * _write_share(phase.workload)
    limit_bytes = most * write_s * speed
    least = most
    if phase.sample_every_rounds is not None and phase.ends_when_steady:
        first = phase.first_sample_round or phase.sample_every_rounds
        between = phase.criteria.window_rounds - 1
        least = min(most, first + between * phase.sample_every_rounds)
    if phase.capacity_multiple is not None and write_s:
        capacity_limit = phase.capacity_multiple * context.capacity_bytes
        least = min(least, math.ceil(round(capacity_limit / speed / write_s, 9)))
        limit_bytes = min(limit_bytes, capacity_limit)
    round_s = phase.round_seconds + phase.wait_s
    more_s = phase.first_wait_s - phase.wait_s
    return Cost(
        steps_min=least,
        steps_max=most,
        rounds_min=least,
        rounds_max=most,
        seconds_min=least * round_s + more_s,
        seconds_max=most * round_s + more_s,
        written_bytes_max=limit_bytes,
    )


def _estimate_point(phase: OperatingPoint, speed: float) -> Cost:
    steps = phase.pre_write_rounds + 1
    pre_write_s = phase.pre_write_rounds * phase.round_seconds
    seconds = pre_write_s + phase.histogram_s
    write_s = pre_write_s + phase.histogram_s * _write_share(phase.workload)
    return Cost(
        steps_min=steps,
        steps_max=steps,
        rounds_min=phase.pre_write_rounds,
        rounds_max=phase.pre_write_rounds,
        seconds_min=seconds,
        seconds_max=seconds,
        written_bytes_max=write_s * speed,
    )


def _write_share(workload: Workload) -> float:
    if workload.read_percent == MIXED_PERCENT:
        return 1.0  # jobs of which some may write: the most
    return 1 - workload.read_percent / 100

"""One sequential stimulus and the histogram after it, driven with made-up rounds."""

from collections.abc import Callable
from dataclasses import replace

from ssdlab.model.spec import Histogram, PtsTest, Stimulus, Tracking, Workload
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import PlanContext
from ssdlab.plan.phases import plan_suite
from tests.plan.made import MIB, Driven, result_of

BLOCK = 128 * 1024
CAPACITY = 1000 * MIB
WORK = Workload(
    access="seq", block_size_bytes=BLOCK, read_percent=0, threads=1, queue_depth=32
)
MIX = replace(WORK, read_percent=90, threads=4)
TRACKING = Tracking(access="seq", block_size_bytes=BLOCK, read_percent=0, metric="iops")
PHASE = Stimulus(
    phase_id="saturation", workload=WORK, round_seconds=60, time_limit_s=40 * 60
)
SAMPLED = replace(PHASE, sample_every_rounds=3, tracking=TRACKING)
LIMITED = replace(PHASE, capacity_multiple=4)
CONTEXT = PlanContext(
    capacity_bytes=CAPACITY, sector_bytes=512, active_range_percent=100, seed=7
)

# What the n-th round, from 1, moved and measured.
Round = Callable[[int], tuple[int, float]]


def drive_stream(
    phase: Stimulus, answer: Round, *, range_percent: float = 100
) -> Driven:
    """Drive one stimulus and the histogram after it."""
    histogram = Histogram(phase_id="histogram", workload=phase.workload, seconds=8)
    test = PtsTest(test_id="t", title="", pts_section="", phases=(phase, histogram))
    context = replace(CONTEXT, active_range_percent=range_percent)
    driven = Driven()
    plan = plan_suite([test], context, driven.judgements.append)
    try:
        batch = next(plan)
        while True:
            driven.batches.append(batch)
            batch = plan.send(tuple(_result(step, answer) for step in batch.steps))
    except StopIteration:
        return driven


def _result(step: Step, answer: Round) -> StepResult:
    moved, value = answer(step.round or 0)
    return result_of(step, value, moved=moved)


def steadily(moved: int) -> Round:
    return lambda _number: (moved, 1000.0)


def unsteadily(moved: int) -> Round:
    """Answer with values of which no five samples are alike."""
    return lambda number: (moved, 2.0 ** (number % 19))

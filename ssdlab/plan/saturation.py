"""WSAT: rounds without a pause until capacity, time or steady state ends them."""

import math
from collections.abc import Sequence

from ssdlab.model.spec import Saturation, StepResult
from ssdlab.plan.context import Batch
from ssdlab.plan.judge import judge_samples
from ssdlab.plan.protocol import Observer, PhasePlan
from ssdlab.plan.steps import StepMaker

# A round may write this much more than the last one did: no batch may run far past
# the capacity limit, and a drive rarely gets faster while it saturates.
_SPEED_UP = 1.5


def plan_saturation(
    phase: Saturation, make: StepMaker, *, number: int, observe: Observer
) -> PhasePlan:
    """Yield rounds, each batch as long as no stop rule can hold inside it."""
    blank = make.blank_round(phase.workload, phase.round_seconds)
    results: list[StepResult] = []
    limit_bytes = phase.capacity_multiple * make.context.capacity_bytes
    while not _is_over(phase, results, limit_bytes):
        count = _rounds_ahead(phase, results, limit_bytes)
        done = len(results)
        steps = tuple(
            make.cell(number + done + ahead, (done + ahead + 1, 1), blank)
            for ahead in range(count + 1)
        )
        last = done + count >= max_rounds(phase)
        batch = Batch(steps=steps[:-1], next_step=None if last else steps[-1])
        results.extend((yield batch))
        judgements = judge_samples(make.test_id, phase, results)
        for judgement in judgements:
            observe(judgement)
        if judgements and judgements[-1].is_round_steady:
            break
    return len(results)


def max_rounds(phase: Saturation) -> int:
    """Return the rounds that the time limit allows."""
    return math.ceil(phase.time_limit_s / phase.round_seconds)


def _is_over(
    phase: Saturation, results: Sequence[StepResult], limit_bytes: float
) -> bool:
    written = sum(result.written_bytes for result in results)
    return len(results) >= max_rounds(phase) or written >= limit_bytes


def _rounds_ahead(
    phase: Saturation, results: Sequence[StepResult], limit_bytes: float
) -> int:
    """Return how many rounds are sure to be needed."""
    if not results:
        return 1
    done = len(results)
    every = phase.sample_every_rounds or max_rounds(phase)
    to_sample = every - done % every
    left = limit_bytes - sum(result.written_bytes for result in results)
    fastest = max(results[-1].written_bytes * _SPEED_UP, 1)
    return max(1, min(to_sample, max_rounds(phase) - done, int(left // fastest)))

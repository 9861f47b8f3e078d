"""A stimulus round after round until capacity, time or steady state ends it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from ssdlab.model.spec import Step, StepResult, Stimulus
from ssdlab.plan.context import Batch
from ssdlab.plan.judge import judge_samples
from ssdlab.plan.protocol import Observer, PhaseEnd, PhasePlan
from ssdlab.plan.steps import StepMaker
from ssdlab.plan.streams import Stream, whole_blocks

# A round may write this much more than the last one did: no batch may run far past
# the capacity limit, and a drive rarely gets faster while it saturates.
_SPEED_UP = 1.5


def plan_stimulus(
    phase: Stimulus,
    make: StepMaker,
    *,
    number: int,
    observe: Observer,
    next_of: Callable[[int], Step | None],
) -> PhasePlan:
    """Yield rounds, each batch as long as no stop rule can hold inside it.

    ``next_of`` gives the first step of the next phase, which follows the last round.
    """
    if phase.workload.access == "seq":
        return (yield from _plan_stream(phase, make, number=number, next_of=next_of))
    results: list[StepResult] = []
    while not _is_over(phase, results, make):
        count = _rounds_ahead(phase, results, make)
        first = len(results) + 1
        after = first + count
        steps = tuple(
            _round(phase, make, number + at - 1, at=at) for at in range(first, after)
        )
        is_last = after > phase.max_rounds
        coming = next_of if is_last else partial(_round, phase, make, at=after)
        batch = Batch(
            steps=steps, next_step=coming(number + after - 1), is_next_certain=is_last
        )
        results.extend((yield batch))
        judgements = judge_samples(make.test_id, phase, results)
        for judgement in judgements:
            observe(judgement)
        if judgements and judgements[-1].is_round_steady:
            break
    return PhaseEnd(rounds=len(results))


def first_round(phase: Stimulus, make: StepMaker, number: int) -> Step:
    """Return the first step of a stimulus, which is known before all others."""
    return _round(phase, make, number, at=1)


def _round(
    phase: Stimulus, make: StepMaker, number: int, *, at: int, offset: int = 0
) -> Step:
    blank = make.blank_round(phase.workload, phase.round_seconds)
    wait_s = phase.first_wait_s if at == 1 else phase.wait_s
    blank = replace(blank, wait_s=wait_s, offset_bytes=offset)
    return make.cell(number, (at, 1), blank)


def _plan_stream(
    phase: Stimulus,
    make: StepMaker,
    *,
    number: int,
    next_of: Callable[[int], Step | None],
) -> PhasePlan:
    """Yield rounds of a sequential stream, which no rule but time ends.

    The next round must be ready before this one has ended, so it begins where this one
    will be if it comes as far as the one before it. Of the first round nobody can tell:
    the second one waits for it.
    """
    span = whole_blocks(make.context.range_bytes, phase.workload)
    last = phase.max_rounds
    (result,) = yield Batch(
        steps=(first_round(phase, make, number),),
        next_step=next_of(number + 1) if last == 1 else None,
        is_next_certain=True,
    )
    stream = Stream().advance(span, _moved(phase, result))
    step = _round(phase, make, number + 1, at=2, offset=stream.next_offset(span))
    for at in range(2, last + 1):
        stream = stream.advance(span, _moved(phase, result))
        following = next_of(number + at)
        if at < last:
            offset = stream.next_offset(span)
            following = _round(phase, make, number + at, at=at + 1, offset=offset)
        (result,) = yield Batch(
            steps=(step,), next_step=following, is_next_certain=True
        )
        step = following or step
    return PhaseEnd(rounds=last)


def _moved(phase: Stimulus, result: StepResult) -> int:
    """Return how far each thread came [B]."""
    done = (result.written_bytes + result.read_bytes) // phase.workload.threads
    return whole_blocks(done, phase.workload)


def _limit_bytes(phase: Stimulus, make: StepMaker) -> float:
    if phase.capacity_multiple is None:
        return float("inf")
    return phase.capacity_multiple * make.context.capacity_bytes


def _is_over(phase: Stimulus, results: Sequence[StepResult], make: StepMaker) -> bool:
    written = sum(result.written_bytes for result in results)
    return len(results) >= phase.max_rounds or written >= _limit_bytes(phase, make)


def _rounds_ahead(
    phase: Stimulus, results: Sequence[StepResult], make: StepMaker
) -> int:
    """Return how many rounds are sure to be needed."""
    done = len(results)
    ahead = phase.max_rounds - done
    rounds = range(done + 1, phase.max_rounds + 1)
    sample = next((at for at in rounds if phase.sample_of(at)), None)
    if sample is not None:
        ahead = min(ahead, sample - done)
    if phase.capacity_multiple is not None:
        if not results:
            return 1
        left = _limit_bytes(phase, make) - sum(r.written_bytes for r in results)
        fastest = max(results[-1].written_bytes * _SPEED_UP, 1)
        ahead = min(ahead, int(left // fastest))
    return max(1, ahead)

"""A stimulus round after round until capacity, time or steady state ends it."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from ssdlab.model.spec import Stimulus
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import Batch
from ssdlab.plan.judge import judge_samples
from ssdlab.plan.protocol import Observer, PhaseEnd, PhasePlan
from ssdlab.plan.steps import StepMaker
from ssdlab.plan.streams import Stream, whole_blocks

# A round may write this much more than the best one: no batch may run far past the
# capacity limit, and a drive rarely gets faster while it saturates. Nor does a batch
# look much farther ahead than there are rounds: the first may have stalled.
_SPEED_UP = 1.5


def plan_stimulus(
    phase: Stimulus,
    make: StepMaker,
    *,
    number: int,
    observe: Observer,
    next_of: Callable[[int], Step | None],
) -> PhasePlan:
    """Yield rounds until a stop rule holds.

    ``next_of`` gives the first step of the next phase, which follows the last round.
    """
    plan_rounds = _plan_stream if _is_stream(phase) else _plan_random
    place = _Place(phase=phase, make=make, number=number, observe=observe)
    results: list[StepResult] = []
    yield from plan_rounds(place, results, next_of)
    is_steady = place.is_steady(results) if phase.tracking else None
    return PhaseEnd(rounds=len(results), is_steady=is_steady)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """What a stimulus is planned from, and who receives its judgements."""

    phase: Stimulus
    make: StepMaker
    number: int
    observe: Observer

    def round(self, at: int, *, offset: int = 0) -> Step:
        """Return a round, from 1."""
        return _round(self.phase, self.make, self.number + at - 1, at=at, offset=offset)

    def is_over(self, results: Sequence[StepResult]) -> bool:
        """Pass on the judgement of the newest round, and return whether to stop."""
        judgements = judge_samples(self.make.test_id, self.phase, results)
        for judgement in judgements:
            self.observe(judgement)
        is_steady = bool(judgements) and judgements[-1].is_round_steady
        return _is_over(self.phase, results, self.make) or (
            is_steady and self.phase.ends_when_steady
        )

    def is_steady(self, results: Sequence[StepResult]) -> bool:
        """Return whether the newest sample ended a steady window."""
        at = len(results)
        while at and self.phase.sample_of(at) is None:
            at -= 1
        judgements = judge_samples(self.make.test_id, self.phase, results[:at])
        return bool(judgements) and judgements[-1].is_round_steady


_RoundsPlan = Generator[Batch, tuple[StepResult, ...], None]


def _is_stream(phase: Stimulus) -> bool:
    """Return whether rounds continue where the last ended: one stream of one size."""
    return phase.workload.access == "seq" and phase.workload.block_size_bytes > 0


def _plan_random(
    place: _Place, results: list[StepResult], next_of: Callable[[int], Step | None]
) -> _RoundsPlan:
    """Yield batches, each so long that no stop rule can apply and no sample end in it.

    A step announced as certain may have begun, so it is always requested.
    """
    while True:
        done = len(results)
        ahead = _rounds_ahead(place.phase, results, place.make)
        count = min(ahead, _rounds_to_sample(place.phase, done))
        after = done + count + 1
        is_last = after > place.phase.max_rounds
        is_sure = is_last or ahead > count
        coming = next_of(place.number + after - 1) if is_last else place.round(after)
        results.extend(
            (
                yield Batch(
                    steps=tuple(place.round(at) for at in range(done + 1, after)),
                    next_step=coming,
                    is_next_certain=is_sure,
                )
            )
        )
        if place.is_over(results) and (is_last or not is_sure):
            return


def first_round(phase: Stimulus, make: StepMaker, number: int) -> Step:
    """Return the first step of a stimulus, which is known in advance."""
    return _round(phase, make, number, at=1)


def _round(
    phase: Stimulus, make: StepMaker, number: int, *, at: int, offset: int = 0
) -> Step:
    blank = make.blank_round(phase.workload, phase.round_seconds)
    wait_s = phase.first_wait_s if at == 1 else phase.wait_s
    blank = replace(blank, wait_s=wait_s, offset_bytes=offset)
    return make.cell(number, (at, 1), blank)


def _plan_stream(
    place: _Place, results: list[StepResult], next_of: Callable[[int], Step | None]
) -> _RoundsPlan:
    """Yield the rounds of a sequential stream one by one.

    The next round must be ready before this one has ended, so it begins where this one
    will end if it comes as far as the previous one. For the first round that is
    unknown: the second one waits for it. A round announced as certain may have begun,
    so it is always requested.
    """
    phase = place.phase
    span = whole_blocks(place.make.context.range_bytes, phase.workload)
    stream = Stream()
    step = place.round(1)
    while True:
        at = len(results) + 1
        is_last = at == phase.max_rounds
        following = next_of(place.number + at) if is_last else None
        if results and not is_last:
            stream = stream.advance(span, _moved(phase, results[-1]))
            following = place.round(at + 1, offset=stream.next_offset(span))
        is_known = following is not None
        is_sure = is_last or (
            is_known and _rounds_ahead(phase, results, place.make) > 1
        )
        results.extend(
            (yield Batch(steps=(step,), next_step=following, is_next_certain=is_sure))
        )
        if place.is_over(results) and (is_last or not is_sure):
            return
        if at == 1:
            stream = stream.advance(span, _moved(phase, results[0]))
            following = place.round(2, offset=stream.next_offset(span))
        step = following or step


def _moved(phase: Stimulus, result: StepResult) -> int:
    """Return how far each thread came [B]; for a mix, its writes.

    fio keeps one position for reads and one for writes; both begin at the offset.
    """
    is_read_only = phase.workload.read_percent == 100
    done = result.read_bytes if is_read_only else result.written_bytes
    return whole_blocks(done // phase.workload.threads, phase.workload)


def _left_bytes(
    phase: Stimulus, results: Sequence[StepResult], make: StepMaker
) -> float:
    """Return what may be written until the capacity limit [B]; reads do not count."""
    limit = (phase.capacity_multiple or 0) * make.context.capacity_bytes
    return limit - sum(result.written_bytes for result in results)


def _is_over(phase: Stimulus, results: Sequence[StepResult], make: StepMaker) -> bool:
    if len(results) >= phase.max_rounds:
        return True
    return (
        phase.capacity_multiple is not None and _left_bytes(phase, results, make) <= 0
    )


def _rounds_ahead(
    phase: Stimulus, results: Sequence[StepResult], make: StepMaker
) -> int:
    """Return how many rounds are certainly needed."""
    done = len(results)
    ahead = phase.max_rounds - done
    if phase.ends_when_steady:
        ahead = min(ahead, _rounds_to_sample(phase, done))
    if phase.capacity_multiple is not None:
        fastest = _SPEED_UP * max((r.written_bytes for r in results), default=0)
        if not fastest:
            return 1
        ahead = min(ahead, int(_left_bytes(phase, results, make) // fastest), 2 * done)
    return max(1, ahead)


def _rounds_to_sample(phase: Stimulus, done: int) -> int:
    """Return how many rounds there are up to the next sample, or to the last round."""
    left = phase.max_rounds - done
    if phase.sample_every_rounds is None:
        return left
    first = phase.first_sample_round or phase.sample_every_rounds
    sample = max(first, done + 1 + (first - done - 1) % phase.sample_every_rounds)
    return min(left, sample - done)

"""Apply the steady-state rule after a round; a window never spans a gap."""

from collections.abc import Sequence

from ssdlab.model.spec import Rounds, Stimulus, Tracking, Workload
from ssdlab.model.step import StepResult
from ssdlab.plan.context import Judgement
from ssdlab.stats.steady_state import assess_steady_state


def find_segment_start(rounds: Sequence[Sequence[StepResult]]) -> int:
    """Return the first round, from 1, that a window may contain.

    A gap before the first cell of a round starts the window there; a gap inside a round
    invalidates it, so the window starts with the next one.
    """
    start = 1
    for number, results in enumerate(rounds, start=1):
        for place, result in enumerate(results):
            if not result.is_contiguous:
                start = max(start, number + (place > 0))
    return start


def judge_round(
    test_id: str, phase: Rounds, rounds: Sequence[Sequence[StepResult]]
) -> tuple[Judgement, ...]:
    """Judge every tracking variable of the newest round.

    Nothing is judged before the window is full.
    """
    start = find_segment_start(rounds)
    numbers = range(start, len(rounds) + 1)
    window = phase.criteria.window_rounds
    if len(numbers) < window:
        return ()
    places = [_place(phase, tracking) for tracking in phase.tracking]
    values = [
        [tracked_value(rounds[number - 1][place], tracking) for number in numbers]
        for tracking, place in zip(phase.tracking, places, strict=True)
    ]
    verdicts = [
        assess_steady_state(series, phase.criteria, first_round=start)
        for series in values
    ]
    is_round_steady = bool(verdicts) and all(verdict.is_steady for verdict in verdicts)
    return tuple(
        Judgement(
            test_id=test_id,
            phase_id=phase.phase_id,
            round=len(rounds),
            tracking=tracking,
            cell=place + 1,
            rounds=tuple(numbers[-window:]),
            verdict=verdict,
            is_round_steady=is_round_steady,
        )
        for tracking, place, verdict in zip(
            phase.tracking, places, verdicts, strict=True
        )
    )


def judge_samples(
    test_id: str, phase: Stimulus, results: Sequence[StepResult]
) -> tuple[Judgement, ...]:
    """Judge a stimulus after its newest round: only every n-th one is a sample."""
    if phase.tracking is None or phase.sample_of(len(results)) is None:
        return ()
    first = find_segment_start([(result,) for result in results])
    samples = {
        number: sample
        for number in range(first, len(results) + 1)
        if (sample := phase.sample_of(number)) is not None
    }
    sampled = list(samples)
    window = phase.criteria.window_rounds
    if len(sampled) < window:
        return ()
    verdict = assess_steady_state(
        [tracked_value(results[number - 1], phase.tracking) for number in sampled],
        phase.criteria,
        first_round=samples[sampled[0]],
    )
    return (
        Judgement(
            test_id=test_id,
            phase_id=phase.phase_id,
            round=len(results),
            tracking=phase.tracking,
            cell=1,
            rounds=tuple(sampled[-window:]),
            verdict=verdict,
            is_round_steady=verdict.is_steady,
        ),
    )


def is_tracked(workload: Workload | None, tracking: Tracking) -> bool:
    """Return whether a workload is the cell of a tracking variable."""
    if workload is None:
        return False
    if tracking.name:
        return workload.name == tracking.name
    queues = (tracking.threads, tracking.queue_depth)
    if any(queues) and queues != (workload.threads, workload.queue_depth):
        return False
    return (
        workload.access,
        workload.block_size_bytes,
        workload.read_percent,
    ) == (tracking.access, tracking.block_size_bytes, tracking.read_percent)


def _place(phase: Rounds, tracking: Tracking) -> int:
    places = [
        place for place, cell in enumerate(phase.cells) if is_tracked(cell, tracking)
    ]
    if len(places) != 1:
        msg = f"{phase.phase_id} has {len(places)} cells {tracking.label}, not one"
        raise ValueError(msg)
    return places[0]


def tracked_value(result: StepResult, tracking: Tracking) -> float:
    """Return what is judged of a result: of all its jobs, or of one of them."""
    of_jobs = [one for one in result.jobs if one.job == tracking.job]
    if tracking.job and not of_jobs:
        return float("nan")
    value = getattr(of_jobs[0] if tracking.job else result, tracking.metric)
    return float("nan") if value is None else float(value)

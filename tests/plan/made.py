"""Plans driven with made-up numbers, as an engine would drive them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import Batch, Judgement, PlanContext
from ssdlab.plan.phases import plan_suite
from ssdlab.pts import Profile, build_tests, find_profile
from ssdlab.pts.shared.settings import Flow

MIB = 1024 * 1024
CAPACITY = 480_103_981_056
Answer = Callable[[Step], StepResult]


def context_of(profile: Profile, capacity_bytes: int = CAPACITY) -> PlanContext:
    return PlanContext(
        capacity_bytes=capacity_bytes,
        sector_bytes=512,
        active_range_percent=profile[Flow].active_range_percent,
        seed=7,
        uses_random_map=profile[Flow].uses_random_map,
    )


def result_of(
    step: Step,
    value: float | None = 1000.0,
    *,
    moved: int = 0,
    is_contiguous: bool = True,
) -> StepResult:
    """Return a result whose metrics all have one value; what moved goes by the mix."""
    reads = step.workload.read_percent if step.workload else 0
    return StepResult(
        step_id=step.step_id,
        iops=value,
        bw_bytes_per_s=value,
        lat_mean_ns=value,
        read_bytes=moved * reads // 100,
        written_bytes=moved - moved * reads // 100,
        is_contiguous=is_contiguous,
    )


def always_steady(step: Step) -> StepResult:
    return result_of(step)


def never_steady(step: Step) -> StepResult:
    """Answer with values of which no five in a row are alike."""
    return result_of(step, 2.0 ** ((step.round or 0) % 7))


@dataclass(frozen=True, kw_only=True)
class Driven:
    """All that a plan asked for, told and judged."""

    batches: list[Batch] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)

    @property
    def steps(self) -> list[Step]:
        return [step for batch in self.batches for step in batch.steps]

    def steps_of(self, phase_id: str) -> list[Step]:
        return [step for step in self.steps if step.phase_id == phase_id]

    def rounds_of(self, phase_id: str = "rounds") -> int:
        return max((step.round or 0 for step in self.steps_of(phase_id)), default=0)


def drive(
    profile: str | Profile,
    tests: Iterable[str],
    answer: Answer = always_steady,
    *,
    capacity_bytes: int = CAPACITY,
) -> Driven:
    """Drive the plan of a profile's tests to its end."""
    chosen = find_profile(profile) if isinstance(profile, str) else profile
    driven = Driven()
    plan = plan_suite(
        build_tests(chosen, tests),
        context_of(chosen, capacity_bytes),
        driven.judgements.append,
    )
    try:
        batch = next(plan)
        while True:
            driven.batches.append(batch)
            batch = plan.send(tuple(answer(step) for step in batch.steps))
    except StopIteration:
        return driven


def by_round(values: Sequence[float], then: float = 1e9) -> Answer:
    """Answer each round with its value, every cell alike; ``then`` doubles after."""
    return lambda step: result_of(step, value_in(values, step.round or 1, then))


def value_in(values: Sequence[float], number: int, then: float = 1e9) -> float:
    if number <= len(values):
        return values[number - 1]
    return float(then * 2.0**number)

"""The types of a plan: batches out, results in."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass

from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import Batch, Judgement


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseEnd:
    """How a phase ended: its rounds, and the cells of the last one.

    ``is_steady`` is ``None`` if no steady state is judged.
    """

    rounds: int = 0
    is_steady: bool | None = None
    last_round: tuple[tuple[Step, StepResult], ...] = ()


Plan = Generator[Batch, tuple[StepResult, ...], None]
PhasePlan = Generator[Batch, tuple[StepResult, ...], PhaseEnd]
PhaseEnds = Mapping[str, PhaseEnd]
Observer = Callable[[Judgement], None]

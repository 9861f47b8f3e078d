"""The types of a plan: batches out, results in."""

from collections.abc import Callable, Generator

from ssdlab.model.spec import StepResult
from ssdlab.plan.context import Batch, Judgement

Plan = Generator[Batch, tuple[StepResult, ...], None]
PhasePlan = Generator[Batch, tuple[StepResult, ...], int]
Observer = Callable[[Judgement], None]

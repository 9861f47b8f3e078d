"""How far recorded results lead a plan."""

from collections.abc import Mapping, Sequence

from ssdlab.model.spec import PtsTest
from ssdlab.model.step import StepResult
from ssdlab.plan.context import Judgement, PlanContext
from ssdlab.plan.phases import plan_suite


def follow_plan(
    tests: Sequence[PtsTest], context: PlanContext, results: Mapping[str, StepResult]
) -> tuple[list[Judgement], bool]:
    """Return every judgement on the way, and whether the results reach the end."""
    judgements: list[Judgement] = []
    plan = plan_suite(tests, context, judgements.append)
    try:
        batch = next(plan)
        while all(step.step_id in results for step in batch.steps):
            batch = plan.send(tuple(results[step.step_id] for step in batch.steps))
    except StopIteration:
        return judgements, True
    return judgements, False

"""How far recorded results lead a plan."""

from collections.abc import Mapping, Sequence

from ssdlab.model.spec import PtsTest
from ssdlab.model.step import StepResult
from ssdlab.plan.context import Judgement, PlanContext
from ssdlab.plan.phases import plan_suite


def follow_plan(
    tests: Sequence[PtsTest], context: PlanContext, results: Mapping[str, StepResult]
) -> tuple[list[Judgement], bool]:
    """Return every judgement on the way, and whether the results reach the end.

    Parameters
    ----------
    tests : sequence of PtsTest
        The tests.
    context : PlanContext
        The device and the seed.
    results : mapping of str to StepResult
        What was measured, by the name of the step.

    Returns
    -------
    tuple of list of Judgement and bool
        Judgements in order, up to the first batch of which a step is missing.
    """
    judgements: list[Judgement] = []
    plan = plan_suite(tests, context, judgements.append)
    try:
        batch = next(plan)
        while all(step.step_id in results for step in batch.steps):
            batch = plan.send(tuple(results[step.step_id] for step in batch.steps))
    except StopIteration:
        return judgements, True
    return judgements, False

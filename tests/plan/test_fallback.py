"""A fallback is carried out only when the last judged phase was not steady."""

from dataclasses import replace

import pytest

from ssdlab.model.asked import Procedure
from ssdlab.model.spec import PtsTest, Purge, Rounds, Tracking
from ssdlab.model.step import Step, StepResult
from tests.fio.jobs import workload
from tests.made_procedure import plan_of
from tests.plan.made import always_steady, never_steady

TRACKED = Tracking(access="rnd", block_size_bytes=4096, read_percent=0, metric="iops")
FIRST = Rounds(
    phase_id="first", cells=(workload(),), cell_seconds=1, tracking=(TRACKED,)
)
TEST = PtsTest(
    test_id="two",
    title="",
    pts_section="",
    phases=(Purge(), FIRST, replace(FIRST, phase_id="last")),
    fallback=(Purge(phase_id="purge2"), replace(FIRST, phase_id="again")),
)


def phases_when(unsteady: str) -> list[str]:
    """Return the phases that were carried out when one of them is not steady."""

    def answer(step: Step) -> StepResult:
        return (never_steady if step.phase_id == unsteady else always_steady)(step)

    procedure = Procedure(name="two", title="", source="", tests=(TEST,))
    batches, _ = plan_of(procedure, answer)
    return list(dict.fromkeys(s.phase_id for batch in batches for s in batch.steps))


@pytest.mark.parametrize(
    ("unsteady", "fallback"),
    [("first", []), ("last", ["purge2", "again"]), ("none", [])],
)
def test_last_judged_phase_decides_on_the_fallback(
    unsteady: str, fallback: list[str]
) -> None:
    assert phases_when(unsteady) == ["purge", "first", "last", *fallback]

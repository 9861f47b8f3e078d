"""Execute a plan in a folder that is created for it, without output."""

from collections.abc import Collection, Sequence
from pathlib import Path

from ssdlab.engine.engine import Engine
from ssdlab.engine.ports import Backend
from ssdlab.model.errors import RunFolderError
from ssdlab.model.spec import PtsTest
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import Judgement, PlanContext
from ssdlab.plan.phases import plan_suite
from ssdlab.store.raw import steps_folder

NO_BREAKS: frozenset[str] = frozenset()


class SilentListener:
    """Receives the progress of a run and reports nothing."""

    def step_began(self, step: Step) -> None:
        """Take note that a step begins."""

    def step_ended(self, step: Step, result: StepResult) -> None:
        """Take note that a step has ended."""

    def judged(self, judgement: Judgement) -> None:
        """Receive a steady-state judgement."""


def make_run_folder(run: Path) -> None:
    """Create the folder of a run, without any step."""
    try:
        run.mkdir(parents=True, exist_ok=True)
        steps_folder(run).make_new()
    except FileExistsError:
        raise RunFolderError(
            folder=str(run),
            reason="it already holds steps",
            remedy="Name a folder that does not exist yet.",
        ) from None


def carry_out(
    run: Path,
    backend: Backend,
    inputs: tuple[Sequence[PtsTest], PlanContext],
    *,
    max_idle_s: float,
    breaks: Collection[str] = NO_BREAKS,
) -> None:
    """Run tests by plan and engine on a backend, into an existing folder."""
    engine = Engine(
        run=run,
        backend=backend,
        listener=SilentListener(),
        max_idle_s=max_idle_s,
        breaks=frozenset(breaks),
    )
    engine.drive(plan_suite(*inputs, lambda _judgement: None))

"""The interfaces that the engine needs: a backend and a listener."""

from dataclasses import dataclass
from typing import Protocol

from ssdlab.model.io_counts import LiveIo
from ssdlab.model.step import Handover, Step, StepResult
from ssdlab.plan.context import Judgement
from ssdlab.store.raw import HostCpu
from ssdlab.system.folders import Folder


@dataclass(frozen=True, kw_only=True, slots=True)
class StepOutcome:
    """How a step ended. Its raw output is in ``folder``: ``fio.json`` of a fio step.

    ``ended_s`` is the Unix time of the last IO; a fio step began its runtime before
    that. ``started_s`` is given by a step without fio. ``suspended_s`` is how long the
    machine was suspended since the step before had ended. ``purge_doubt`` is why a
    purge cannot be shown to have worked. ``handover`` is absent where no fio was run.
    """

    folder: Folder
    ended_s: float
    started_s: float | None
    exit_code: int
    signal_number: int
    was_armed: bool
    said: str
    host_cpu: HostCpu | None = None
    purge_doubt: str = ""
    suspended_s: float = 0.0
    handover: Handover | None = None


class Backend(Protocol):
    """Runs steps: real fio on a target, or a replay or model in its place."""

    def run(
        self, step: Step, folder: Folder, following: Step | None, *, hold: bool
    ) -> StepOutcome:
        """Run one step in a folder that does not exist yet.

        ``following`` may be made ready meanwhile and, unless ``hold``, begun at the
        moment that this step's IO has ended.
        """
        ...

    def find_trouble(self) -> str:
        """Return why the target no longer answers, or an empty text."""
        ...


class Listener(Protocol):
    """Receives the progress of a run."""

    def step_began(self, step: Step) -> None:
        """Take note that a step begins."""
        ...

    def step_ended(self, step: Step, result: StepResult) -> None:
        """Take note that a step has ended, now or in an earlier session."""
        ...

    def judged(self, judgement: Judgement) -> None:
        """Receive a steady-state judgement."""
        ...


class StepListener(Protocol):
    """Receives the progress of the step that runs."""

    def said(self, words: str) -> None:
        """Receive the status that a long purge reports."""
        ...

    def advanced(
        self, elapsed_s: float, io_bytes: float | None, live: LiveIo | None = None
    ) -> None:
        """Receive for how long fio runs, how much it moved, and what it does now."""
        ...

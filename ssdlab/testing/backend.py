"""A simulated drive as a backend, on a simulated clock."""

from dataclasses import dataclass, field, replace

from ssdlab.engine.ports import StepOutcome
from ssdlab.fio.jobs.jobfile import render_job
from ssdlab.fio.process import FIO_ARGUMENTS
from ssdlab.model.step import Step
from ssdlab.system.folders import Folder
from ssdlab.testing.answer import Answer, Drive
from ssdlab.testing.fio_output import io_seconds, render_fio_output
from ssdlab.testing.model_drive import ModelDrive

STARTED_S = 1_795_262_400.0  # noon of 21 November 2026, UTC
PURGE_S = 2.0
_JOB_OPTIONS = {"ioengine": "libaio", "filename": "/dev/model"}


class StepsEndedError(Exception):
    """A backend has answered as many steps as it was to."""


@dataclass(kw_only=True, slots=True)
class ModelBackend:
    """Answers each step with what fio would have printed for a simulated drive.

    It follows the protocol of the real one, and its timing: a step takes as long as it
    would, on a simulated clock.
    """

    drive: Drive = field(default_factory=ModelDrive)
    now_s: float = STARTED_S
    armed_gap_s: float = 0.004
    gap_s: float = 0.25
    steps: int | None = None
    _answered: int = field(default=0, init=False)
    _armed: str = field(default="", init=False)

    def run(
        self,
        step: Step,
        folder: Folder,
        following: Step | None,
        *,
        hold: bool,  # noqa: ARG002 - a model begins nothing before it is asked to
    ) -> StepOutcome:
        """Answer one step; see `ssdlab.engine.ports.Backend`.

        Raises
        ------
        StepsEndedError
            If it was to end before this step.
        """
        if self._answered == self.steps:
            raise StepsEndedError(step.step_id)
        self._answered += 1
        is_armed = self._armed == step.step_id
        is_ready = following is not None and following.workload is not None
        self._armed = following.step_id if following and is_ready else ""
        gap_s = self.armed_gap_s if is_armed else self.gap_s
        folder.make_new()
        outcome = StepOutcome(
            folder=folder,
            ended_s=self.now_s,
            started_s=None,
            exit_code=0,
            signal_number=0,
            was_armed=is_armed,
            said="",
        )
        if step.workload is None:
            folder.write("purge.txt", b"the model is as if never used\n")
            started_s = self.now_s + gap_s
            self.now_s = started_s + PURGE_S
            return replace(outcome, started_s=started_s, ended_s=self.now_s)
        answer = self.drive.answer(step)
        self.now_s += step.wait_s + (gap_s if answer.idle_s is None else answer.idle_s)
        self.now_s += step.workload.ramp_s + io_seconds(step, answer)
        self._write(step, answer, folder)
        return replace(
            outcome,
            ended_s=self.now_s,
            said=answer.said,
            host_cpu=answer.host_cpu,
        )

    def find_trouble(self) -> str:
        """Return an empty text: a model always answers."""
        return ""

    def _write(self, step: Step, answer: Answer, folder: Folder) -> None:
        folder.write("fio.json", render_fio_output(step, answer, ended_s=self.now_s))
        folder.write("job.fio", render_job(step, _JOB_OPTIONS, cpus=(0,)).encode())
        command = " ".join(("fio", *FIO_ARGUMENTS, "job.fio"))
        folder.write("command.txt", f"{command}\n".encode())

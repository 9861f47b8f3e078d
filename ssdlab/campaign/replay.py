"""A recorded run as a backend: what was measured once goes the same way again.

Engine, ingest and analysis cannot tell a replay from a measurement.
"""

from dataclasses import dataclass
from pathlib import Path

from ssdlab.campaign.engine import Engine
from ssdlab.campaign.ingest import ingest_run, plan_inputs, require_plan
from ssdlab.campaign.ports import StepOutcome
from ssdlab.campaign.raw import read_compressed, read_record_of, steps_folder
from ssdlab.campaign.recording import (
    Recording,
    StepNotRecordedError,
    read_recorded_run,
)
from ssdlab.fio.from_json.parse import parse_document
from ssdlab.fio.read import read_output
from ssdlab.model.errors import FioOutputError, PlanMismatchError, RunFolderError
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import Judgement
from ssdlab.plan.phases import plan_suite
from ssdlab.store.records import read_record, read_state, write_record, write_state
from ssdlab.store.run import Run, open_tables
from ssdlab.system.folders import LOG_BYTES, Folder

_MADE_BY_COMMIT = {"step.json", "exitcode"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayBackend:
    """Answers each step with what was recorded of it; see `Backend`."""

    recording: Recording

    def run(
        self,
        step: Step,
        folder: Folder,
        following: Step | None,  # noqa: ARG002 - nothing is to be armed
        *,
        hold: bool,  # noqa: ARG002
    ) -> StepOutcome:
        """Put the recorded output of a step into its folder."""
        place = self.recording.find(step)
        if isinstance(place, Folder):
            return _replay_step(step, place, folder)
        return _replay_output(place, folder)

    def find_trouble(self) -> str:
        """Return an empty text: a recording always answers."""
        return ""


def _replay_output(place: Path, folder: Folder) -> StepOutcome:
    """Replay an output of fio.

    It ended when fio wrote it, a moment after the last IO. Its exit code is not known;
    whether it did what was asked is judged by what it says.

    Raises
    ------
    FioOutputError
        If it does not say when it was written.
    """
    data, name = read_output(place)
    document = parse_document(data, source=name)
    if document.timestamp_s is None:
        raise FioOutputError(
            source=name,
            reason="it does not say when it was written, so gaps cannot be known",
            remedy="Replay an output that has a timestamp.",
        )
    folder.make_new()
    folder.write("fio.json", data)
    folder.write("source.txt", f"{name}\n".encode())
    return StepOutcome(
        folder=folder,
        ended_s=document.timestamp_s,
        started_s=None,
        exit_code=0,
        signal_number=0,
        was_armed=False,
        said=document.prefix,
    )


def _replay_step(step: Step, place: Folder, folder: Folder) -> StepOutcome:
    """Replay a step folder of ours."""
    record = read_record_of(place)
    _require_same(record.step, step)
    folder.make_new()
    for name in place.names():
        if name.endswith(".gz"):
            folder.write(name.removesuffix(".gz"), read_compressed(place, name))
        elif name not in _MADE_BY_COMMIT:
            folder.write(name, place.read(name))
    return StepOutcome(
        folder=folder,
        ended_s=record.ended_s,
        started_s=record.started_s,
        exit_code=record.exit_code,
        signal_number=0,
        was_armed=record.was_armed,
        said=record.said,
        host_cpu=record.host_cpu,
    )


def _require_same(recorded: Step, asked: Step) -> None:
    """Refuse another step than the recorded one.

    Raises
    ------
    PlanMismatchError
        If they differ; it tells in what.
    """
    names = [
        name
        for name in Step.__dataclass_fields__
        if getattr(recorded, name) != getattr(asked, name)
    ]
    if names:
        raise PlanMismatchError(
            step_id=asked.step_id,
            recorded=", ".join(f"{name}={getattr(recorded, name)}" for name in names),
            asked=", ".join(f"{name}={getattr(asked, name)}" for name in names),
        )


class SilentListener:
    """Hears how a run goes on and says nothing."""

    def step_began(self, step: Step) -> None:
        """Hear that a step begins."""

    def step_ended(self, step: Step, result: StepResult) -> None:
        """Hear that a step has ended."""

    def judged(self, judgement: Judgement) -> None:
        """Hear a steady-state judgement."""


def replay_run(recorded: str | Path, folder: str | Path) -> Run:
    """Let a run go its whole way again from its raw output, into a new folder.

    Parameters
    ----------
    recorded : str or Path
        The run folder.
    folder : str or Path
        The folder to be made. The run keeps its name, record and times.

    Returns
    -------
    Run
        The replayed run, its tables written; as far as the recorded one came.

    Raises
    ------
    UserError
        If the recorded run is damaged, or the folder is there already.
    PlanMismatchError
        If this version of ssdlab asks for other steps.
    StepNotRecordedError
        If it asks for more steps than the finished run has.
    """
    old, new = Path(recorded), Path(folder)
    record, state = read_record(old), read_state(old)
    recording = read_recorded_run(old)
    _make_like(old, new)
    write_record(new, record)
    write_state(new, state)
    engine = Engine(
        run=new,
        backend=ReplayBackend(recording=recording),
        listener=SilentListener(),
        max_idle_s=require_plan(record).max_idle_s,
        breaks=recording.breaks,
    )
    try:
        engine.drive(
            plan_suite(*plan_inputs(record, state.extensions), lambda _judgement: None)
        )
    except StepNotRecordedError:
        if state.status == "finished":
            raise
    ingest_run(new)
    return open_tables(new)


def _make_like(old: Path, new: Path) -> None:
    try:
        new.mkdir(parents=True, exist_ok=True)
        steps_folder(new).make_new()
    except FileExistsError:
        raise RunFolderError(
            folder=str(new),
            reason="there are steps in it already",
            remedy="Name a folder that does not exist yet.",
        ) from None
    telemetry = (Folder(new) / "telemetry").make_new()
    for name in (Folder(old) / "telemetry").names():
        content = (Folder(old) / "telemetry").read(name, limit=LOG_BYTES)
        telemetry.write(name, content)

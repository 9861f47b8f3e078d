"""A recorded run as a backend: what was measured once is processed again.

Engine, ingest and analysis cannot tell a replay from a measurement.

What was recorded, and where: the outputs of fio that a plan's steps are found in.

Recorded are either plain outputs of fio, found by the pattern of their names, or the
step folders of a run of ours.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ssdlab.engine.patterns import compile_pattern, fields_of, fio_size
from ssdlab.engine.ports import StepOutcome
from ssdlab.fio.from_json.parse import parse_document
from ssdlab.fio.read import read_output
from ssdlab.ingest.ingest import ingest_run, plan_inputs, require_plan
from ssdlab.model.errors import FioOutputError, PlanMismatchError, StepError
from ssdlab.model.spec import Access
from ssdlab.model.step import Step, StepKind
from ssdlab.store.manifest import MANIFEST, seal_run
from ssdlab.store.raw import finished_steps, read_compressed, read_record_of
from ssdlab.store.records import read_record, read_state, write_record, write_state
from ssdlab.store.run import Run, open_tables
from ssdlab.system.folders import LOG_BYTES, Folder
from ssdlab.testing.carry_out import carry_out, make_run_folder

_MADE_BY_COMMIT = {"step.json", "exitcode"}


class StepNotRecordedError(StepError):
    """A plan requests a step that is not in the recording."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stimulus:
    """What a step requests, whatever its number: the key of a recording.

    An empty ``phase_id`` matches every phase, and a ``cell`` of ``None`` every cell
    that is otherwise equal.
    """

    test_id: str
    kind: StepKind
    phase_id: str = ""
    access: Access | None = None
    block_size_bytes: int = 0
    read_percent: int = 0
    round: int | None = None
    cell: int | None = None


def stimulus_of(step: Step) -> Stimulus:
    """Return what a step requests."""
    blank = Stimulus(
        test_id=step.test_id,
        kind=step.kind,
        phase_id=step.phase_id,
        round=step.round,
        cell=step.cell,
    )
    if step.workload is None:
        return blank
    return replace(
        blank,
        access=step.workload.access,
        block_size_bytes=step.workload.block_size_bytes,
        read_percent=step.workload.read_percent,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Recording:
    """Where each recorded step is: an output of fio, or a step folder of ssdlab.

    ``breaks`` names the steps before which the recorded run was interrupted.
    """

    source: str
    places: Mapping[Stimulus, Path | Folder]
    breaks: frozenset[str] = frozenset()

    def __or__(self, other: "Recording") -> "Recording":
        """Return both in one; if both hold a step, the other's counts."""
        sources = dict.fromkeys((self.source, other.source))
        return Recording(
            source=", ".join(sources),
            places={**self.places, **other.places},
            breaks=self.breaks | other.breaks,
        )

    def find(self, step: Step) -> Path | Folder:
        """Return where a step was recorded."""
        asked = stimulus_of(step)
        alike = replace(asked, cell=None)
        for stimulus in (asked, alike, replace(alike, phase_id="")):
            if stimulus in self.places:
                return self.places[stimulus]
        raise StepNotRecordedError(
            step_id=step.step_id,
            reason=f"it was not recorded in {self.source}",
            remedy="A replay ends where its recording ends; what was replayed is kept.",
        )


def read_recorded_files(folder: Path, pattern: str, *, like: Stimulus) -> Recording:
    """Find the outputs of fio whose names follow a pattern."""
    shape = compile_pattern(pattern)
    places: dict[Stimulus, Path] = {}
    for path in sorted(folder.iterdir()):
        match = shape.fullmatch(path.name)
        if match is None:
            continue
        stimulus = _stimulus_of_name(match, like)
        if stimulus in places:
            raise FioOutputError(
                source=str(path),
                reason=f"it matches the same step as {places[stimulus].name}",
                remedy="Give a pattern that distinguishes the two, or move one away.",
            )
        places[stimulus] = path
    if not places:
        raise FioOutputError(
            source=str(folder),
            reason=f"no file name in it matches {pattern}",
            remedy="Check the names and give the pattern that they follow.",
        )
    return Recording(source=str(folder), places=places)


def _stimulus_of_name(match: re.Match[str], like: Stimulus) -> Stimulus:
    said = fields_of(match)
    if "block_size" in said:
        like = replace(like, block_size_bytes=fio_size(said["block_size"]))
    if "read_percent" in said:
        like = replace(like, read_percent=int(said["read_percent"]))
    return replace(like, round=int(said["round"])) if "round" in said else like


def read_recorded_run(run: Path) -> Recording:
    """Find the finished steps of a run folder of ssdlab."""
    folders = finished_steps(run)
    records = [read_record_of(folder) for folder in folders]
    return Recording(
        source=str(run),
        places={
            stimulus_of(record.step): folder
            for record, folder in zip(records, folders, strict=True)
        },
        breaks=frozenset(
            record.step.step_id for record in records if not record.result.is_contiguous
        ),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayBackend:
    """Answers each step with its recording; see `Backend`."""

    recording: Recording

    def run(
        self,
        step: Step,
        folder: Folder,
        following: Step | None,  # noqa: ARG002 - nothing to arm
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

    It ended when fio wrote it, a moment after the last IO. Its exit code is unknown;
    whether it did what was requested is judged by its content.
    """
    data, name = read_output(place)
    document = parse_document(data, source=name)
    if document.timestamp_s is None:
        raise FioOutputError(
            source=name,
            reason="it does not say when it was written, so gaps are unknown",
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
    """Replay a step folder of ssdlab."""
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
        handover=record.handover,
    )


def _require_same(recorded: Step, asked: Step) -> None:
    """Refuse a step that differs from the recorded one."""
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


def replay_run(recorded: str | Path, folder: str | Path) -> Run:
    """Replay a run completely from its raw output, into a new folder.

    Parameters
    ----------
    recorded : str or Path
        The run folder.
    folder : str or Path
        The folder to create. The run keeps its name, record and times.

    Returns
    -------
    Run
        The replayed run, its tables written; as far as the recorded one came.

    Raises
    ------
    UserError
        If the recorded run is damaged, or the folder already exists.
    PlanMismatchError
        If this version of ssdlab requests other steps.
    StepNotRecordedError
        If it requests more steps than the finished run has.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from ssdlab.testing import replay_run
    >>> run = replay_run("data/samples/virtual-lat", Path(mkdtemp()) / "again")
    >>> run.state.status
    'finished'
    """
    old, new = Path(recorded), Path(folder)
    record, state = read_record(old), read_state(old)
    recording = read_recorded_run(old)
    _make_like(old, new)
    write_record(new, record)
    write_state(new, state)
    try:
        carry_out(
            new,
            ReplayBackend(recording=recording),
            plan_inputs(record, state.extensions),
            max_idle_s=require_plan(record).max_idle_s,
            breaks=recording.breaks,
        )
    except StepNotRecordedError:
        if state.status == "finished":
            raise
    if Folder(old).has_file(MANIFEST):
        seal_run(new)
    ingest_run(new)
    return open_tables(new)


def _make_like(old: Path, new: Path) -> None:
    make_run_folder(new)
    telemetry = (Folder(new) / "telemetry").make_new()
    for name in (Folder(old) / "telemetry").names():
        content = (Folder(old) / "telemetry").read(name, limit=LOG_BYTES)
        telemetry.write(name, content)

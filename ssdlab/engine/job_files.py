"""Write the jobs of a planned run: one file per job, and an index."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ssdlab.engine.job_plan import JobPlan, PlannedJob
from ssdlab.model.errors import ExportError, RunFolderError
from ssdlab.model.spec import OperatingPoint, Phase, Rounds, Stimulus
from ssdlab.model.units import capacity_label
from ssdlab.model.version import VERSION
from ssdlab.system.folders import Folder
from ssdlab.system.outputs import output_folder
from ssdlab.text.table import Table
from ssdlab.text.terminal import table_lines

INDEX_NAME = "index.txt"
_MARK = "# made by ssdlab plan --jobs"
_ENDING = ".fio"
_HEADING = (
    "step",
    "test",
    "phase",
    "clause",
    "stimulus",
    "TC/QD",
    "ends after",
    "rounds",
    "remarks",
    "job file",
)
_NOTES = """
One line is one step that differs from all before it. The rounds of a loop differ only
in number and randseed, and in offset where a stream continues; the job file is that of
the first. Steps are numbered as in a run whose loops all reach their last round: where
one ends earlier, the steps after it have lower numbers and other seeds, as each seed
is derived from the number of its step.
To each job ssdlab adds exec_prerun and exec_postrun, by which fio waits at a gate and
reports its end. A drive or file is passed to fio as an open descriptor.
"""
_SOCKET_NOTE = "SOCKET is the socket of the virtual SSD, created when the run starts."


def write_jobs(plan: JobPlan, folder: Path) -> tuple[str, ...]:
    """Write the job files of a plan and their index."""
    place = output_folder(folder)
    texts = {_file_name(job): _job_text(plan, job) for job in plan.jobs if job.job}
    try:
        for name in _earlier_files(place):
            place.remove(name)
        place.make()
        for name, text in texts.items():
            place.write(name, text.encode(), is_durable=False)
        place.write(INDEX_NAME, _index_text(plan).encode())
    except OSError as error:
        raise ExportError(
            place=str(folder),
            reason=f"job files cannot be written there ({error.strerror})",
            remedy="Name another folder.",
        ) from None
    return tuple(texts)


def _earlier_files(place: Folder) -> tuple[str, ...]:
    """Return the files of an earlier plan, which must be all that the folder holds."""
    names = place.names()
    for name in names:
        if not _is_ours(place, name):
            raise ExportError(
                place=str(place.path),
                reason=f"it holds {name!r}, which ssdlab plan did not write",
                remedy="Name a new or empty folder.",
            )
    return names


def _is_ours(place: Folder, name: str) -> bool:
    if name != INDEX_NAME and not name.endswith(_ENDING):
        return False
    mark = f"{_MARK}\n".encode()
    try:
        with place.opened(name) as file:
            return file.read(len(mark)) == mark
    except RunFolderError:  # a link, a folder, a device
        return False


def _file_name(job: PlannedJob) -> str:
    return f"{job.step.step_id}{_ENDING}"


def _job_text(plan: JobPlan, job: PlannedJob) -> str:
    """Return a job file: comments, then exactly what the run will write."""
    said = (
        _title(plan),
        f"step {job.step.step_id}",
        f"clause: {job.clause or f'none; {plan.source}'}",
        f"{_stimulus(job)}, {_queues(job)}, ends after {_end(job)}",
        _rounds(job),
        *_remarks(job),
    )
    comments = "".join(f"# {_one_line(words)}\n" for words in said)
    return f"{_MARK}\n{comments}{job.job}"


def _index_text(plan: JobPlan) -> str:
    rows = tuple(tuple(_row(job)) for job in plan.jobs)
    places = tuple(range(len(_HEADING)))
    table = Table(caption="", head=_HEADING, rows=rows, words=places)
    lines = (*_preface(plan), "", *map(_one_line, table_lines(table)))
    return "".join(f"{line}\n" for line in (_MARK, *lines))


def _preface(plan: JobPlan) -> Iterator[str]:
    yield _one_line(_title(plan))
    yield f"ssdlab {VERSION}"
    seed = plan.seed or "1; without --seed a run draws one"
    yield f"randseed: as of a run with --seed {seed}"
    if not plan.is_of_pts:
        yield "not a test of the PTS: no clause requires it"
    yield from _NOTES.rstrip().split("\n")
    if any("=SOCKET" in job.job for job in plan.jobs):
        yield _SOCKET_NOTE


def _row(job: PlannedJob) -> Sequence[str]:
    step = job.step
    return (
        step.step_id.partition("-")[0],
        step.test_id,
        step.phase_id,
        job.clause or "-",
        _stimulus(job),
        _queues(job),
        _end(job),
        _rounds(job),
        "; ".join(_remarks(job)) or "-",
        _file_name(job) if job.job else "-",
    )


def _title(plan: JobPlan) -> str:
    capacity = capacity_label(plan.capacity_bytes)
    return f"{plan.name} ({plan.source}) on {plan.target}, {capacity}"


def _one_line(words: str) -> str:
    """Return words without characters that end a line or control a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in words)


def _stimulus(job: PlannedJob) -> str:
    work = job.step.workload
    return f"purge: {job.purge}" if work is None else work.label


def _queues(job: PlannedJob) -> str:
    work = job.step.workload
    return f"T{work.threads}/Q{work.queue_depth}" if work else "-"


def _end(job: PlannedJob) -> str:
    seconds, amount = job.step.runtime_s, job.step.whole_amount_bytes
    ends = (
        None if seconds is None else f"{seconds:g} s",
        None if amount is None else f"{amount} B",
    )
    return " or ".join(filter(None, ends)) or "-"


def _rounds(job: PlannedJob) -> str:
    """Return how often a step comes, and what ends its rounds."""
    if job.step.round is None:
        return "once"
    times = job.planned.times
    most = f"{times} round{'s' if times > 1 else ''}"
    rule = _rule_of(job.planned.phase)
    return f"{rule}, at most {most}" if rule else most


def _rule_of(phase: Phase) -> str:
    """Return what may end the rounds of a phase before the last one allowed."""
    if isinstance(phase, Rounds):
        if phase.same_rounds_as:
            return f"as many as {phase.same_rounds_as}"
        return "until steady" if phase.tracking else ""
    if not isinstance(phase, Stimulus):
        return ""
    rules = []
    if phase.tracking is not None and phase.ends_when_steady:
        rules.append("until steady")
    if phase.capacity_multiple is not None:
        rules.append(f"until {phase.capacity_multiple:g} user capacities are written")
    return " or ".join(rules)


def _remarks(job: PlannedJob) -> Iterator[str]:
    planned = job.planned
    if planned.step.wait_s:
        yield f"after a rest of {planned.step.wait_s:g} s"
    if planned.goes_on:
        yield "its offset continues where the previous stream ended"
    if isinstance(planned.phase, OperatingPoint):
        point = planned.phase.point.capitalize()
        yield f"TC and QD will be those of {point} IOPS in the previous round"
    if planned.is_fallback:
        yield "only if the test was not steady before"

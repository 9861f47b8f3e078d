"""Runs of procedures on a made-up drive: the real engine, ingest and tables."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from ssdlab.engine.engine import Engine
from ssdlab.ingest.ingest import ingest_run
from ssdlab.model.asked import Procedure
from ssdlab.model.drive import PurgeChoice
from ssdlab.model.records import HostIdentity, RunRecord, RunStatus, TargetIdentity
from ssdlab.model.step import Step, StepResult
from ssdlab.model.units import MIB
from ssdlab.plan.context import Batch, Judgement, PlanContext
from ssdlab.plan.phases import plan_suite
from ssdlab.procedures.saturate.spec import saturate
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus
from ssdlab.procedures.sequence.spec import sequence
from ssdlab.store.records import RunState, write_record, write_state
from ssdlab.store.run import Run, open_tables
from tests.departed import departed
from tests.fakes import FakeBackend, RememberingListener

CAPACITY_BYTES = 64 * MIB
CONTEXT = PlanContext(
    capacity_bytes=CAPACITY_BYTES, sector_bytes=512, active_range_percent=100, seed=7
)
DRIVE = TargetIdentity(
    kind="block",
    spec="/dev/made",
    model="Made SSD",
    serial="MADE1",
    firmware="F1",
    capacity_bytes=CAPACITY_BYTES,
    sector_bytes=512,
)
HOST = HostIdentity(
    platform="Example server",
    cpu="Example CPU",
    dram_bytes=2**34,
    operating_system="Debian GNU/Linux 12",
    kernel="6.1",
    python_version="3.11.7",
    fio_version="fio-3.33",
    ssdlab_version="0.1.0",
)

TRIM = PurgeChoice(method="discard", words="trim", why="")


def plan_of(
    procedure: Procedure, answer: Callable[[Step], StepResult]
) -> tuple[list[Batch], list[Judgement]]:
    """Drive the plan of a procedure to its end; return what it asked and judged."""
    batches: list[Batch] = []
    judgements: list[Judgement] = []
    plan = plan_suite(procedure.tests, CONTEXT, judgements.append)
    try:
        batch = next(plan)
        while True:
            batches.append(batch)
            batch = plan.send(tuple(answer(step) for step in batch.steps))
    except StopIteration:
        return batches, judgements


def measure_made(
    folder: Path,
    procedure: Procedure,
    iops_of: Callable[[Step], float],
    *,
    label: str = "",
    target: TargetIdentity = DRIVE,
    cpu: str = "Example CPU",
    gaps_s: Mapping[str, float] | None = None,
    status: RunStatus = "finished",
) -> Run:
    """Carry a procedure out on a made-up drive and return the run with its tables."""
    (folder / "steps").mkdir(parents=True)
    record = RunRecord(
        run_id=folder.name,
        label=label,
        started_at="2026-11-21T12:00:00+00:00",
        asked=procedure,
        seed=7,
        plan_hash="",
        target=target,
        host=replace(HOST, cpu=cpu),
        purge_method="trim",
        purge_choice=TRIM,
        departures=departed("the target is made up", code="departure"),
    )
    write_record(folder, record)
    write_state(folder, RunState(status=status, finished_at=record.started_at))
    engine = Engine(
        run=folder,
        backend=FakeBackend(iops_of=iops_of, gaps_s=gaps_s or {}),
        listener=RememberingListener(),
        max_idle_s=procedure.max_idle_s,
    )
    engine.drive(plan_suite(procedure.tests, CONTEXT, lambda _judgement: None))
    ingest_run(folder)
    return open_tables(folder)


HOSTS = {
    "direct": 1.0,
    "adapter": 0.4,
}  # what share of the drive's rate each lets through


def falling(step: Step) -> float:
    """Fall from 9,000 to 2,000 IOPS in four rounds."""
    return max(2000.0, 9000.0 - 2000.0 * ((step.round or 1) - 1))


def make_saturated(folder: Path, *, share: float = 1.0) -> Run:
    """Saturate a drive on a host of the folder's name that lets through so much."""
    return measure_made(
        folder,
        saturate(parse_stimulus("RND 4KiB 0/100"), iterations=12),
        lambda step: share * falling(step),
        label=folder.name,
        cpu=f"CPU of the {folder.name} host",
    )


def make_sequence(folder: Path) -> Run:
    random, sequential = map(parse_stimulus, ("RND 4KiB 0/100", "SEQ 128KiB 0/100"))
    return measure_made(
        folder, sequence(random, sequential, rounds=6, minutes=1), falling
    )

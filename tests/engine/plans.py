"""A short suite for a small drive, and one way to drive it."""

from dataclasses import replace
from pathlib import Path

from ssdlab.engine.engine import Engine
from ssdlab.engine.ports import Backend
from ssdlab.model.records import RunRecord, TargetIdentity
from ssdlab.model.spec import (
    Precondition,
    PtsTest,
    Purge,
    Rounds,
    Stimulus,
    Tracking,
    Workload,
)
from ssdlab.model.step import StepResult
from ssdlab.plan.context import PlanContext
from ssdlab.plan.phases import plan_suite
from ssdlab.pts.fitting import ask_suite
from ssdlab.pts.profiles import PROFILES
from ssdlab.store.manifest import seal_run
from ssdlab.store.records import RunState, write_record, write_state
from tests.departed import departed
from tests.fakes import RememberingListener, overheard
from tests.made_procedure import HOST, TRIM

KIB = 1024
CAPACITY_BYTES = 64 * KIB * KIB
CONTEXT = PlanContext(
    capacity_bytes=CAPACITY_BYTES, sector_bytes=512, active_range_percent=100, seed=7
)
WRITES = Tracking(access="rnd", block_size_bytes=4 * KIB, read_percent=0, metric="iops")


def random_cell(block_size_bytes: int, read_percent: int) -> Workload:
    return Workload(
        access="rnd",
        block_size_bytes=block_size_bytes,
        read_percent=read_percent,
        threads=2,
        queue_depth=16,
    )


IOPS = PtsTest(
    test_id="iops",
    title="IOPS",
    pts_section="7",
    phases=(
        Purge(),
        Precondition(
            phase_id="wipc",
            block_size_bytes=128 * KIB,
            queue_depth=32,
            capacity_multiple=2,
        ),
        Rounds(
            phase_id="rounds",
            cells=tuple(random_cell(4 * KIB, percent) for percent in (100, 65, 0)),
            cell_seconds=1,
            tracking=(WRITES,),
            max_rounds=12,
        ),
    ),
)
WSAT = PtsTest(
    test_id="wsat",
    title="Write saturation",
    pts_section="10",
    phases=(
        Purge(),
        Stimulus(
            phase_id="saturation",
            workload=random_cell(4 * KIB, 0),
            round_seconds=1,
            capacity_multiple=100,
            time_limit_s=4,
            sample_every_rounds=None,
            tracking=WRITES,
        ),
    ),
)
TESTS = (IOPS, WSAT)
INPUTS = (TESTS, CONTEXT)
STEPS_TO_FIRST_ROUND = 2  # purge and fill
CELLS = 3


def cell_name(number: int, round_number: int, read_percent: int) -> str:
    return f"{number:05d}-iops-rounds-r{round_number:03d}-rnd-4KiB-r{read_percent}"


def drive(
    run: Path,
    backend: Backend,
    *,
    context: PlanContext = CONTEXT,
    max_idle_s: float = 5,
    breaks: frozenset[str] = frozenset(),
) -> tuple[RememberingListener, list[StepResult]]:
    """Drive the suite; return what a listener and what the plan was told."""
    (run / "steps").mkdir(parents=True, exist_ok=True)
    listener = RememberingListener()
    told: list[StepResult] = []
    engine = Engine(
        run=run,
        backend=backend,
        listener=listener,
        max_idle_s=max_idle_s,
        breaks=breaks,
    )
    engine.drive(overheard(plan_suite(TESTS, context, listener.judged), told))
    return listener, told


def write_papers(
    run: Path, *, capacity_bytes: int = CAPACITY_BYTES, label: str = "made by a test"
) -> None:
    """Write ``run.json`` and ``state.json`` of a run that follows no profile."""
    run.mkdir(parents=True, exist_ok=True)
    profile = replace(PROFILES["pts-2.0-enterprise"], name="made by a test")
    target = TargetIdentity(
        kind="block",
        spec="/dev/fake",
        model="Fake SSD",
        serial="FAKE1",
        firmware="1",
        capacity_bytes=capacity_bytes,
        sector_bytes=512,
    )
    made = RunRecord(
        run_id=run.name,
        label=label,
        started_at="2026-11-21T12:00:00+00:00",
        asked=ask_suite(
            profile,
            ("iops", "wsat"),
            capacity_bytes=capacity_bytes,
            sector_bytes=target.sector_bytes,
        ),
        seed=7,
        plan_hash="",
        target=target,
        host=HOST,
        purge_method="trim",
        purge_choice=TRIM,
        write_cache="disabled",
        departures=departed("the target is made up", code="departure"),
    )
    write_record(run, made)
    write_state(run, RunState(status="finished", finished_at=made.started_at))
    seal_run(run)

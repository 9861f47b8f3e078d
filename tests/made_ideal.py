"""A run that conforms in everything: LAT of PTS 2.0 on a made-up drive."""

from dataclasses import replace
from pathlib import Path

from ssdlab.engine.engine import Engine
from ssdlab.ingest.ingest import ingest_run, plan_inputs
from ssdlab.model.asked import Suite
from ssdlab.model.drive import PurgeChoice
from ssdlab.model.records import RunRecord, RunStatus, TargetIdentity
from ssdlab.plan.phases import plan_suite
from ssdlab.pts.fitting import ask_suite
from ssdlab.pts.profile import Profile
from ssdlab.pts.profiles import PROFILES
from ssdlab.pts.shared.settings import Flow
from ssdlab.store.manifest import seal_run
from ssdlab.store.records import RunState, write_record, write_state
from ssdlab.store.run import Run, open_tables
from tests.fakes import FakeBackend, RememberingListener
from tests.made_procedure import HOST

NOMINAL = PROFILES["pts-2.0-enterprise"]
SANITIZE = PurgeChoice(method="nvme-sanitize-block", words="sanitize", why="")
DRIVE = TargetIdentity(
    kind="block",
    spec="/dev/made",
    model="Made SSD",
    serial="M1",
    firmware="1",
    capacity_bytes=64 * 2**30,
    sector_bytes=512,
)


def ideal_record(profile: Profile = NOMINAL, **changes: object) -> RunRecord:
    """Return the record of a run that departs in nothing, but for these values."""
    record = RunRecord(
        run_id="ideal",
        label="",
        started_at="2026-11-21T12:00:00+00:00",
        asked=asked_on(DRIVE, profile),
        seed=7,
        plan_hash="",
        target=DRIVE,
        host=HOST,
        purge_method=SANITIZE.words,
        purge_choice=SANITIZE,
        write_cache="disabled",
    )
    return replace(record, **changes)  # type: ignore[arg-type] # of one field each


def asked_on(
    target: TargetIdentity,
    profile: Profile = NOMINAL,
    tests: tuple[str, ...] = ("lat",),
) -> Suite:
    """Return tests of a profile as they fit a target."""
    return ask_suite(
        profile,
        tests,
        capacity_bytes=target.capacity_bytes,
        sector_bytes=target.sector_bytes,
    )


def measure_ideal(
    folder: Path,
    backend: FakeBackend | None = None,
    *,
    record: RunRecord | None = None,
    status: RunStatus = "finished",
) -> None:
    """Carry the run out, without its tables; it is sealed as the engine seals it."""
    (folder / "steps").mkdir(parents=True)
    record = record or ideal_record()
    write_record(folder, record)
    write_state(folder, RunState(status=status, finished_at=record.started_at))
    engine = Engine(
        run=folder,
        backend=backend or FakeBackend(),
        listener=RememberingListener(),
        max_idle_s=NOMINAL[Flow].max_idle_s,
    )
    try:
        engine.drive(plan_suite(*plan_inputs(record), lambda _judgement: None))
    finally:
        seal_run(folder)


def ingested(folder: Path) -> Run:
    """Return a run with its tables made anew."""
    ingest_run(folder, drops_missing=True)
    return open_tables(folder)

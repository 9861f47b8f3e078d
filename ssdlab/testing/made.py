"""Runs of simulated drives: the real plan, engine, raw output, ingest and tables."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ssdlab.ingest.ingest import ingest_run, plan_inputs, require_plan
from ssdlab.ingest.wholeness import hash_plan
from ssdlab.model.asked import Procedure, Suite
from ssdlab.model.drive import PurgeChoice
from ssdlab.model.records import (
    HostIdentity,
    RunRecord,
    RunStatus,
    TargetIdentity,
)
from ssdlab.model.version import VERSION
from ssdlab.pts.fitting import ask_suite
from ssdlab.pts.profile import Profile
from ssdlab.pts.profiles import find_profile
from ssdlab.store.manifest import seal_run
from ssdlab.store.records import RunState, write_record, write_state
from ssdlab.store.run import Run, open_tables
from ssdlab.testing.answer import Drive
from ssdlab.testing.backend import STARTED_S, ModelBackend, StepsEndedError
from ssdlab.testing.carry_out import carry_out, make_run_folder
from ssdlab.testing.model_drive import ModelDrive

BASIC_TESTS = ("iops", "tp", "lat", "wsat")
MODEL_TARGET = TargetIdentity(
    kind="virtual",
    spec="virtual:size=480GB",
    model="Model SSD 480",
    serial="MADE0001",
    firmware="1.0",
    capacity_bytes=480_103_981_056,
    sector_bytes=512,
    interface="none: it is a model",
)
MODEL_HOST = HostIdentity(
    platform="Example server",
    cpu="2 x Example CPU at 2.2 GHz",
    dram_bytes=24 * 1024**3,
    operating_system="Debian GNU/Linux 12",
    kernel="6.1.0-28-amd64",
    python_version="3.11.7",
    fio_version="fio-3.33",
    ssdlab_version=VERSION,
)
_TRIM = PurgeChoice(
    method="discard", words="trim of every block", why="the model can do nothing else"
)


def make_record(
    asked: str | Profile | Suite | Procedure = "demo",
    *,
    tests: Sequence[str] = BASIC_TESTS,
    target: TargetIdentity = MODEL_TARGET,
    host: HostIdentity = MODEL_HOST,
    label: str = "made by a model",
    run_id: str = "20261121-120000-made",
) -> RunRecord:
    """Return the record of a run that was not measured."""
    chosen = find_profile(asked) if isinstance(asked, str) else asked
    if isinstance(chosen, Profile):
        chosen = ask_suite(
            chosen,
            tuple(tests),
            capacity_bytes=target.capacity_bytes,
            sector_bytes=target.sector_bytes,
        )
    record = RunRecord(
        run_id=run_id,
        label=label,
        started_at=_text_of(STARTED_S),
        asked=chosen,
        seed=7,
        plan_hash="",
        target=target,
        host=host,
        purge_method=_TRIM.words,
        purge_choice=_TRIM,
        write_cache="disabled",
    )
    return replace(record, plan_hash=hash_plan(*plan_inputs(record)))


def measure_made(
    folder: Path,
    record: RunRecord,
    backend: ModelBackend,
    *,
    status: RunStatus | None = None,
    message: str = "",
) -> None:
    """Execute a run on a backend, up to its raw output, without any table."""
    make_run_folder(folder)
    write_record(folder, record)
    reached: RunStatus = "finished"
    try:
        max_idle_s = require_plan(record).max_idle_s
        carry_out(folder, backend, plan_inputs(record), max_idle_s=max_idle_s)
    except StepsEndedError:
        reached = "interrupted"
    finished_at = _text_of(backend.now_s)
    state = RunState(status=status or reached, finished_at=finished_at, message=message)
    write_state(folder, state)
    seal_run(folder)


def make_run(
    folder: str | Path,
    asked: str | Profile | Suite | Procedure | RunRecord = "demo",
    *,
    tests: Sequence[str] = BASIC_TESTS,
    drive: Drive | None = None,
    steps: int | None = None,
) -> Run:
    """Make a run of a modelled drive, as if it had been measured.

    Plan, engine, raw output, ingest and tables are the real ones; only the output of
    fio comes from the model. Time is simulated, so a run of hours takes seconds: about
    8 ms per step if the folder is in memory (``/dev/shm``), elsewhere as long as the
    disk takes to store each of its files.

    Parameters
    ----------
    folder : str or Path
        The run folder, which is created.
    asked : str, Profile, Suite, Procedure or RunRecord, default "demo"
        What is requested: a profile or its name, what was built from one, or a whole
        record: see `make_record`.
    tests : sequence of str, default ("iops", "tp", "lat", "wsat")
        Which tests of the profile.
    drive : Drive, optional
        The simulated drive; by default a `ModelDrive` with its defaults.
    steps : int, optional
        After how many steps the run was interrupted; by default it is complete.

    Returns
    -------
    Run
        The run, its tables written.

    Raises
    ------
    UserError
        If the folder already holds a run, or the profile does not fit the target.

    Examples
    --------
    >>> import tempfile
    >>> from ssdlab.testing import ModelDrive, make_run
    >>> folder = tempfile.mkdtemp()
    >>> run = make_run(folder, tests=["lat"], drive=ModelDrive(write_ns=40_000))
    >>> run.answers.is_steady
    True
    """
    run = Path(folder)
    record = asked if isinstance(asked, RunRecord) else make_record(asked, tests=tests)
    backend = ModelBackend(drive=drive or ModelDrive(), steps=steps)
    measure_made(run, record, backend)
    ingest_run(run)
    return open_tables(run)


def _text_of(time_s: float) -> str:
    return datetime.fromtimestamp(time_s, tz=UTC).isoformat()

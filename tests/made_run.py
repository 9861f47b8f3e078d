"""Runs of a model for figures and reports: what of it each recipe wants otherwise."""

import atexit
import fcntl
import os
import shutil
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

from ssdlab.ingest.ingest import ingest_run
from ssdlab.model.finding import Finding, make_finding
from ssdlab.model.records import CeilingPoint, RunRecord, RunStatus, TargetKind
from ssdlab.model.schema import TABLES
from ssdlab.model.step import Step
from ssdlab.pts.profile import Profile
from ssdlab.pts.profiles import PROFILES
from ssdlab.store.manifest import seal_run
from ssdlab.store.records import write_record
from ssdlab.store.run import Run, open_tables
from ssdlab.store.tables import rows_to_columns, write_table
from ssdlab.testing import Answer, Drive, ModelDrive, Settling
from ssdlab.testing.backend import ModelBackend
from ssdlab.testing.made import MODEL_HOST, MODEL_TARGET, make_record, measure_made
from tests.departed import departed
from tests.paths import MADE_RUNS

CAPACITY_BYTES = MODEL_TARGET.capacity_bytes
RUN_ID = make_record().run_id
PURGE_METHOD = make_record().purge_method
ENTERPRISE = PROFILES["pts-2.0-enterprise"]
SAMPLES = 8  # of a write saturation; the cliff lies between the third and the fourth
NOISE = 0.008
_FLAT = Settling(fresh_ratio=1, cliff_round=1, fall_rounds=1)
_DRIFTING = Settling(fresh_ratio=4, cliff_round=1, fall_rounds=6)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What run to make.

    ``rounds`` is the round in which a matrix ends: steady, or as its profile allows no
    more. ``saturation_rounds`` is the same of write saturations. ``steps`` is how many
    of all were finished, ``histogram_s`` how long histograms are measured, if not as
    the profile has it. ``departures`` and ``findings`` are told in place of those
    that are found. In the step ``warned`` the target complained. Writes of a run that
    is not ``is_saturated`` still fall at its end.
    """

    tests: tuple[str, ...] = ("iops", "tp", "lat", "wsat")
    rounds: int = 6
    steady: bool = True
    saturation_rounds: int = 120
    steps: int | None = None
    status: RunStatus | None = None
    message: str = ""
    label: str = "made by a model"
    serial: str = MODEL_TARGET.serial
    model: str = MODEL_TARGET.model
    kind: TargetKind = "virtual"
    departures: tuple[str, ...] | None = None
    findings: tuple[Finding, ...] | None = None
    ceiling: tuple[CeilingPoint, ...] = ()
    profile: Profile = ENTERPRISE
    speed: float = 1.0
    seed: int = 7
    histogram_s: float | None = None
    is_saturated: bool = True
    warned: str = ""
    run_id: str = RUN_ID
    kernel: str = MODEL_HOST.kernel


def make_run(folder: Path, recipe: Recipe = Recipe()) -> Run:
    """Make a run folder, or copy the one that was made of the same recipe."""
    shutil.copytree(_made(recipe), folder, dirs_exist_ok=True)
    return open_tables(folder)


def _made(recipe: Recipe) -> Path:
    """Return a run of a recipe, made once by all workers of a session."""
    shared = _shared()
    name = sha256(repr(recipe).encode()).hexdigest()
    run = shared / name
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not run.exists():
            new = Path(mkdtemp(dir=shared)) / "run"
            _make(new, recipe)
            new.rename(run)
    return run


@cache
def _shared() -> Path:
    """Return the folder that a session of tests named, or one of our own."""
    if MADE_RUNS in os.environ:
        return Path(os.environ[MADE_RUNS])
    own = Path(mkdtemp(prefix="made-runs-"))
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return own


def _make(run: Path, recipe: Recipe) -> None:
    found = replace(recipe, departures=None, findings=None, ceiling=())
    if recipe != found:
        shutil.copytree(_made(found), run)
        write_record(run, record_of(recipe))
        seal_run(run)
        if recipe.departures is not None or recipe.findings is not None:
            _tell_findings(open_tables(run), recipe)
        return
    backend = ModelBackend(drive=drive_of(recipe), steps=recipe.steps)
    measure_made(
        run,
        record_of(recipe),
        backend,
        status=recipe.status,
        message=recipe.message,
    )
    ingest_run(run)


def record_of(recipe: Recipe) -> RunRecord:
    """Return the record of a run of a recipe."""
    target = replace(
        MODEL_TARGET,
        kind=recipe.kind,
        spec=MODEL_TARGET.spec if recipe.kind == "virtual" else "/dev/model",
        serial=recipe.serial,
        model=recipe.model,
    )
    record = make_record(
        profile_of(recipe),
        tests=recipe.tests,
        target=target,
        host=replace(MODEL_HOST, kernel=recipe.kernel),
        label=recipe.label,
        run_id=recipe.run_id,
    )
    return replace(
        record,
        host_ceiling=recipe.ceiling,
        departures=departed(*(recipe.departures or ())),
    )


def profile_of(recipe: Recipe) -> Profile:
    """Return the profile of a recipe, with so many rounds as it wants at most."""
    changes: dict[str, object] = {}
    if any(test.startswith("wsat") for test in recipe.tests):
        changes |= {
            "wsat_time_limit_s": 60.0 * recipe.saturation_rounds,
            "wsat_sample_every_rounds": max(1, recipe.saturation_rounds // SAMPLES),
            "wsat_capacity_multiple": 1000.0,
        }
    if recipe.histogram_s is not None:
        changes["histogram_s"] = recipe.histogram_s
    if not recipe.steady:
        changes["max_rounds"] = recipe.rounds
    return recipe.profile.having(**changes)


def drive_of(recipe: Recipe) -> Drive:
    """Return a drive that gets steady when its recipe says so."""
    rounds = recipe.saturation_rounds
    settling = Settling(
        fresh_ratio=3.8, cliff_round=recipe.rounds - 5, fall_rounds=0.25
    )
    if recipe.rounds == 5:
        settling = _FLAT
    cliff = Settling(
        fresh_ratio=4.4, cliff_round=3.4 / SAMPLES * rounds, fall_rounds=rounds / 50
    )
    if not recipe.is_saturated:
        cliff = Settling(
            fresh_ratio=4.4, cliff_round=rounds / 2, fall_rounds=rounds / 6
        )
    drive = ModelDrive(
        settling=settling if recipe.steady else _DRIFTING,
        saturating=cliff,
        noise_ratio=NOISE,
        seed=recipe.seed,
    )
    return _Complaining(drive.faster(recipe.speed), recipe.warned)


@dataclass(frozen=True)
class _Complaining:
    """A drive whose target complained in one step."""

    drive: Drive
    step_id: str

    def answer(self, step: Step) -> Answer:
        said = "late" if step.step_id == self.step_id else ""
        return replace(self.drive.answer(step), said=said)


def _tell_findings(run: Run, recipe: Recipe) -> None:
    """Write findings that a test wants to see shown, whatever was found."""
    found = (
        *(make_finding("profile-value", words) for words in recipe.departures or ()),
        *(recipe.findings or ()),
    )
    rows = [
        {"run_id": run.record.run_id, "number": number, **asdict(finding)}
        for number, finding in enumerate(found, start=1)
    ]
    table = TABLES["findings"]
    write_table(run.folder / "tables", table, rows_to_columns(table, rows))

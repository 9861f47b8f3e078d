"""An ideal run conforms; each way to spoil it is told, by its clause."""

import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ssdlab.model.drive import Drive, PurgeChoice, PurgeMethod
from ssdlab.model.errors import RunFolderError
from ssdlab.model.plain import to_plain
from ssdlab.model.records import RunRecord, TargetKind
from ssdlab.model.telemetry import CACHE_IS_ON
from ssdlab.pts.shared.settings import MatrixRounds
from ssdlab.store.manifest import seal_run
from ssdlab.store.records import RunState, write_record, write_state
from ssdlab.store.run import Run
from tests.fakes import FakeBackend, Mishap
from tests.made_ideal import (
    DRIVE,
    NOMINAL,
    asked_on,
    ideal_record,
    ingested,
    measure_ideal,
)

LARGE_SECTORS = replace(DRIVE, sector_bytes=4096)
S = "PTS 2.0.2, section"
Spoil = Callable[[Path], None]


@pytest.fixture(scope="module")
def ideal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ideal") / "run"
    measure_ideal(folder)
    return folder


@pytest.fixture
def run(ideal: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ideal, tmp_path / "run"))


def departures(run: Run) -> list[tuple[str, str]]:
    return [(one.code, one.clause) for one in run.answers.found("procedure")]


def test_ideal_run_conforms_is_steady_and_has_no_doubts(run: Path) -> None:
    opened = ingested(run)
    assert departures(opened) == []
    assert opened.answers.lines == (
        ("procedure", "conforms to PTS 2.0.2"),
        ("steady state", "reached"),
        ("doubts about the numbers", "none"),
    )
    row = opened.runs.iloc[0]
    assert (bool(row["is_conformant"]), bool(row["is_steady"])) == (True, True)


# --- What was asked for, and of what ------------------------------------------


def asking(**values: Any) -> RunRecord:
    return ideal_record(NOMINAL.having(**values))


def purged(method: PurgeMethod) -> RunRecord:
    choice = PurgeChoice(method=method, words="sanitize, block erase", why="")
    return ideal_record(purge_choice=choice)


@pytest.mark.parametrize(
    ("record", "code", "clause"),
    [
        (asking(cell_s=59), "time-scaled", f"{S} 9"),
        (asking(lat_mixes=(100, 0)), "profile-value", f"{S} 9"),
        (asking(active_range_percent=75), "profile-value", f"{S} 4"),
        (asking(wipc_capacity_multiple=1), "fill-short", f"{S} 3.3"),
        (asking(wipc_threads=1), "wipc-threads", f"{S} 3.3"),
        (asking(max_rounds=10), "rounds-allowed", f"{S} 9"),
        (asking(histogram_s=60), "time-scaled", f"{S} 9"),
        (ideal_record(write_cache="enabled"), "write-cache", f"{S}s 4, 5"),
        (ideal_record(write_cache="as found"), "write-cache", f"{S}s 4, 5"),
        (ideal_record(write_cache_fault="no way"), "write-cache", f"{S}s 4, 5"),
        (purged("none"), "purge-none", f"{S} 3.2"),
        (purged("discard"), "purge-unverified", f"{S} 3.2"),
        (ideal_record(purge_choice=None), "purge-unverified", f"{S} 3.2"),
        (
            ideal_record(
                asked=replace(asked_on(DRIVE), tests=asking(cell_s=59).asked.tests)
            ),
            "plan-unlike-profile",
            f"{S} 9",
        ),
        (
            ideal_record(target=LARGE_SECTORS, asked=asked_on(LARGE_SECTORS)),
            "cells-left-out",
            f"{S} 9",
        ),
    ],
)
def test_what_was_asked_otherwise_is_told(
    ideal: Path, tmp_path: Path, record: RunRecord, code: str, clause: str
) -> None:
    run = tmp_path / "run"
    has_same_steps = record.asked.tests == ideal_record().asked.tests
    if has_same_steps:
        shutil.copytree(ideal, run)
        write_record(run, record)
        seal_run(run)
    else:
        measure_ideal(run, record=record)
    assert departures(ingested(run)) == [(code, clause)]


def test_record_without_the_tests_that_were_asked_for_gives_no_tables(
    run: Path,
) -> None:
    data = to_plain(ideal_record())
    del data["asked"]["tests"]
    (run / "run.json").write_text(json.dumps(data))
    seal_run(run)
    with pytest.raises(RunFolderError, match="'tests' is missing"):
        ingested(run)


@pytest.mark.parametrize(
    ("kind", "code"), [("virtual", "virtual-target"), ("file", "file-target")]
)
def test_what_is_no_drive_is_told(tmp_path: Path, kind: TargetKind, code: str) -> None:
    record = ideal_record(target=replace(DRIVE, kind=kind))
    measure_ideal(tmp_path / "run", record=record)
    found = {name for name, _ in departures(ingested(tmp_path / "run"))}
    assert code in found
    assert found <= {code, "write-cache", "purge-unverified"}


# --- What was done ------------------------------------------------------------


def nth_cell(ideal: Path, number: int) -> str:
    names = sorted(path.name for path in (ideal / "steps").iterdir())
    cells = [name for name in names if "-rounds-" in name]
    return cells[number]


def test_rest_within_a_test_is_told(ideal: Path, tmp_path: Path) -> None:
    backend = FakeBackend(gaps_s={nth_cell(ideal, 12): 60.0})
    measure_ideal(tmp_path / "run", backend)
    assert ("idle-gap", f"{S} 4") in departures(ingested(tmp_path / "run"))


def test_short_rests_before_each_cell_are_told(tmp_path: Path) -> None:
    measure_ideal(tmp_path / "run", FakeBackend(gap_s=0.4))
    assert departures(ingested(tmp_path / "run")) == [("idle-share", f"{S} 4")]


@pytest.mark.parametrize(
    ("readings", "found"),
    [
        ((0, 0, 0), []),
        ((0, 0, 1), [("write-cache", f"{S} 4")]),  # what a reset puts back
        ((), [("write-cache-unread", f"{S} 4")]),
    ],
    ids=["kept", "put back", "not read"],
)
def test_write_cache_within_the_test_is_told(
    tmp_path: Path, readings: tuple[int, ...], found: list[tuple[str, str]]
) -> None:
    run = tmp_path / "run"
    drive = Drive(
        path="/dev/made", name="made", model="Made SSD", serial="M1", firmware="1",
        wwn="", bus="nvme", capacity_bytes=64 * 2**30, logical_sector_bytes=512,
        physical_sector_bytes=512, device_number="259:0",
    )  # fmt: skip
    measure_ideal(run, record=ideal_record(drive=drive))
    last = max((run / "steps").iterdir())
    ended_s = json.loads((last / "step.json").read_text("utf-8"))["ended_s"]
    (run / "telemetry").mkdir(exist_ok=True)
    lines = (
        json.dumps({"time_s": ended_s - 90 * at - 1, "block": {CACHE_IS_ON: value}})
        for at, value in enumerate(readings)
    )
    (run / "telemetry" / "session-001.jsonl").write_text("\n".join(lines), "utf-8")
    seal_run(run)
    assert departures(ingested(run)) == found


def test_cells_of_few_ios_are_a_doubt(tmp_path: Path) -> None:
    measure_ideal(tmp_path / "run", FakeBackend(iops_of=lambda _step: 1.0))
    opened = ingested(tmp_path / "run")
    assert departures(opened) == []
    assert [one.code for one in opened.answers.found("numbers")] == ["few-ios"]


def test_interruption_within_a_test_is_told(ideal: Path, tmp_path: Path) -> None:
    name, run = nth_cell(ideal, 12), tmp_path / "run"
    measure_ideal(run, FakeBackend(gaps_s={name: 60.0}))
    step = json.loads((run / "steps" / name / "step.json").read_text("utf-8"))
    begun, end = "2026-11-21T12:00:00+00:00", "2026-11-22T12:00:00+00:00"
    broken, again = (
        datetime.fromtimestamp(step["started_s"] - before_s, UTC).isoformat()
        for before_s in (50, 20)
    )
    sessions = ((begun, broken, "interrupted"), (again, end, "finished"))
    write_state(run, RunState(status="finished", finished_at=end, sessions=sessions))
    assert departures(ingested(run)) == [("resumed", f"{S} 4")]


def test_suspend_is_told(ideal: Path, tmp_path: Path) -> None:
    mishaps = {nth_cell(ideal, 12): Mishap(suspended_s=3600.0)}
    measure_ideal(tmp_path / "run", FakeBackend(mishaps=mishaps))
    assert ("suspended", f"{S} 4") in departures(ingested(tmp_path / "run"))


def test_purge_that_cannot_be_shown_is_told(ideal: Path, tmp_path: Path) -> None:
    names = sorted(path.name for path in (ideal / "steps").iterdir())
    doubtful = Mishap(purge_doubt="no LBA could be read back")
    measure_ideal(tmp_path / "run", FakeBackend(mishaps={names[0]: doubtful}))
    assert departures(ingested(tmp_path / "run")) == [("purge-unverified", f"{S} 3.2")]


def test_run_that_was_interrupted_is_told(ideal: Path, tmp_path: Path) -> None:
    stop = {nth_cell(ideal, 12): Mishap(raises=KeyboardInterrupt())}
    with pytest.raises(KeyboardInterrupt):
        measure_ideal(tmp_path / "run", FakeBackend(mishaps=stop), status="interrupted")
    opened = ingested(tmp_path / "run")
    assert ("unfinished", f"{S} 4") in departures(opened)
    assert opened.answers.steadiness == {"lat": "not judged"}


def test_test_that_never_gets_steady_is_no_departure_and_is_told(
    tmp_path: Path,
) -> None:
    backend = FakeBackend(iops_of=lambda step: 1000.0 * 1.1 ** (step.round or 0))
    measure_ideal(
        tmp_path / "run",
        backend,
        record=ideal_record(asked=asked_on(DRIVE, tests=("tp",))),
    )
    opened = ingested(tmp_path / "run")
    assert departures(opened) == []
    assert opened.answers.steadiness == {"tp": "not reached"}
    found = opened.answers.found("steady state")
    assert {one.clause for one in found} == {f"{S} 2.1.24"}
    assert int(opened.windows["round"].max()) == NOMINAL[MatrixRounds].max_rounds


# --- What became of it afterwards ---------------------------------------------


def edit_profile(run: Path) -> None:
    path = run / "run.json"
    plain = json.loads(path.read_text("utf-8"))
    plain["label"] = "a better one"
    path.write_text(json.dumps(plain), "utf-8")


def edit_raw(run: Path, what: str, **changes: float) -> None:
    """Scale values of both directions in the output of a step."""
    (folder, *_) = sorted((run / "steps").glob(f"*-{what}*"))
    path = folder / "fio.json.gz"
    plain = json.loads(gzip.decompress(path.read_bytes()))
    for side in ("read", "write"):
        own = plain["jobs"][0][side]
        own |= {name: round(own[name] * by) for name, by in changes.items()}
    path.write_bytes(gzip.compress(json.dumps(plain).encode()))


def shorten_cell(run: Path) -> None:
    edit_raw(run, "rounds", runtime=0.99)


def halve_fill(run: Path) -> None:
    edit_raw(run, "wipc", io_bytes=0.5, total_ios=0.5)


def lose_steps(run: Path) -> None:
    names = sorted(path.name for path in (run / "steps").iterdir())
    for name in names[10:20]:
        shutil.rmtree(run / "steps" / name)


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (edit_profile, "record-changed"),
        (lose_steps, "steps-missing"),
        (shorten_cell, "time-measured"),
        (halve_fill, "fill-short"),
    ],
)
def test_what_was_done_to_it_later_is_told(run: Path, spoil: Spoil, code: str) -> None:
    spoil(run)
    opened = ingested(run)
    assert code in {name for name, _ in departures(opened)}
    assert not opened.answers.conforms

"""A store under kills, many writers, damage and full disks: whole runs, each once."""

import os
import pickle
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from deltalake.exceptions import CommitFailedError

import ssdlab
from ssdlab.fleet import delta
from ssdlab.fleet.add import add_run, rebuild_tables, verify_store
from ssdlab.fleet.delta import (
    Writer,
    add_rows,
    create_tables,
    open_table,
    tend_tables,
)
from ssdlab.fleet.files import PACK_RUNS, Change, choose_packed, runs_of, write_file
from ssdlab.fleet.place import Place, place_of
from ssdlab.fleet.tables import FLEET_TABLES, RunRows
from ssdlab.model.errors import ShortageError, SsdlabError, StoreError, StoreFailedError
from ssdlab.model.schema import Column
from tests.fleet.conftest import SAMPLES
from tests.fleet.made_rows import NOW_S, made_rows
from tests.paths import ROOT

DAY_S = 24 * 3600.0


@pytest.fixture
def at(place: str) -> Place:
    """Return a new store."""
    found = place_of(place)
    create_tables(found)
    return found


def start_writer(at: Place, first: int, count: int) -> "subprocess.Popen[str]":
    made = Path(f"{at.url}.{first}.rows")
    made.write_bytes(
        pickle.dumps([made_rows(number) for number in range(first, first + count)])
    )
    words = ["-m", "tests.fleet.writer", at.url, str(made)]
    return subprocess.Popen(
        [sys.executable, *words], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def stored(at: Place, name: str) -> dict[str, int]:
    """Return how many rows of each run a table has, seen or not."""
    rows = open_table(at, name).rows().to_table(columns=["run_id"]).to_pylist()
    runs = [row["run_id"] for row in rows]
    return {run: runs.count(run) for run in set(runs)}


def assert_whole(at: Place, least: Sequence[str] = ()) -> None:
    """Assert that what is seen is whole runs, each once, and some of them at least."""
    store = ssdlab.open_store(at.url)
    runs = store.runs()
    assert runs["run_id"].is_unique
    assert set(least) <= set(runs["run_id"])
    counted = {"cells": store.cells(), "histograms": store.histograms()}
    for name, frame in counted.items():
        found = frame.groupby("run_id").size()
        wanted = runs.set_index("run_id")[name]
        assert found.reindex(wanted.index).tolist() == wanted.tolist()
        assert not frame.duplicated(["run_id", "cell"]).any()


# --- killed at any place -----------------------------------------------------------


class KilledError(BaseException):
    """What a kill is within a process: nothing catches it or cleans up."""


def places_of_an_add(at: Place, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the steps of an add after which it may be killed."""
    steps: list[str] = []
    watch_steps(monkeypatch, steps.append)
    add_rows(at, made_rows(1))
    monkeypatch.undo()
    return steps


def watch_steps(monkeypatch: pytest.MonkeyPatch, tell: Callable[[str], None]) -> None:
    """Call a function before and after each file is written, and each commit."""
    write, commit = write_file, delta.OpenTable.commit

    def watched_write(place: Place, name: str, *rest: object, **more: object) -> object:
        tell(f"before the file of {name}")
        done = write(place, name, *rest, **more)  # type: ignore[arg-type] # handed on
        tell(f"after the file of {name}")
        return done

    def watched_commit(self: delta.OpenTable, *rest: object) -> None:
        tell(f"before the commit of {self.name}")
        commit(self, *rest)  # type: ignore[arg-type] # handed on
        tell(f"after the commit of {self.name}")

    monkeypatch.setattr(delta, "write_file", watched_write)
    monkeypatch.setattr(delta.OpenTable, "commit", watched_commit)


@pytest.mark.parametrize("number", range(12))
def test_add_that_ends_at_any_step_is_seen_whole_or_not_and_can_be_repeated(
    at: Place, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    steps = places_of_an_add(at, monkeypatch)
    assert len(steps) == 12
    done: list[str] = []

    def tell(step: str) -> None:
        done.append(step)
        if len(done) == number + 1:
            raise KilledError

    watch_steps(monkeypatch, tell)
    with pytest.raises(KilledError):
        add_rows(at, made_rows(2))
    monkeypatch.undo()
    assert done == steps[: number + 1]
    assert_whole(at, ["r000001"])
    add_rows(at, made_rows(2))
    assert_whole(at, ["r000001", "r000002"])
    assert stored(at, "cells") == {"r000001": 6, "r000002": 6}


@pytest.mark.parametrize("number", range(12))
def test_run_added_anew_is_the_old_or_the_new_one_wherever_it_ends(
    at: Place, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    add_rows(at, made_rows(1))
    add_rows(at, made_rows(2))
    done: list[str] = []

    def tell(step: str) -> None:
        done.append(step)
        if len(done) == number + 1:
            raise KilledError

    watch_steps(monkeypatch, tell)
    with pytest.raises(KilledError):
        add_rows(at, made_rows(2, version=2, cells=4))
    monkeypatch.undo()
    assert_whole(at, ["r000001", "r000002"])
    add_rows(at, made_rows(2, version=2, cells=4))
    assert_whole(at, ["r000001", "r000002"])
    ids = set(ssdlab.open_store(at.url).runs()["ingest_id"])
    assert ids == {"i000001-1", "i000002-2"}


def kill_writers(at: Place, count: int) -> None:
    """Kill writers, one after the other, at random moments."""
    rng = random.Random(count)
    for number in range(count):
        writer = start_writer(at, number * 1000, 40)
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        for _ in range(rng.randrange(3)):
            writer.stdout.readline()
        try:
            writer.wait(rng.random() * 0.15)
        except subprocess.TimeoutExpired:
            writer.send_signal(signal.SIGKILL)
        added = writer.stdout.read().split()
        writer.stdout.close()
        assert writer.wait() == -signal.SIGKILL
        assert_whole(at, added)
    add_rows(at, made_rows(999_999))
    assert_whole(at, ["r999999"])


def test_store_is_whole_after_some_kills(at: Place) -> None:
    kill_writers(at, 3)


@pytest.mark.lab
def test_store_is_whole_after_fifty_kills(at: Place) -> None:
    kill_writers(at, 50)


# --- several at once ---------------------------------------------------------------


def test_writer_goes_on_with_what_others_did_between_two_runs(place: str) -> None:
    at = place_of(place)
    create_tables(at)
    writer = Writer(at)
    writer.add(made_rows(1))
    add_rows(at, made_rows(2))
    tend_tables(at, now_s=NOW_S)
    writer.add(made_rows(3))
    writer.add(made_rows(3))
    store = ssdlab.open_store(place)
    assert len(store.runs()) == 3
    assert set(store.cells()["run_id"]) == set(store.runs()["run_id"])


@pytest.mark.parametrize("commits", [0, 5])
def test_writer_leaves_no_gap_in_tables_that_were_made_anew(
    commits: int, place: str
) -> None:
    at = place_of(place)
    create_tables(at)
    writer = Writer(at)
    for number in range(4):
        writer.add(made_rows(number))
    rebuild_tables(at, "earlier")
    for number in range(commits):
        add_rows(at, made_rows(number))
    writer.add(made_rows(9))
    assert len(ssdlab.open_store(place).runs()) == commits + 1
    log = sorted(Path(at.table("runs"), "_delta_log").glob("*.json"))
    assert [int(one.stem) for one in log] == list(range(len(log)))


def at_once(tasks: Sequence[Callable[[], object]]) -> list[BaseException]:
    """Call functions, each in a thread of its own, and return what they raised."""
    raised: list[BaseException] = []
    barrier = threading.Barrier(len(tasks))

    def run(task: Callable[[], object]) -> None:
        barrier.wait()
        try:
            task()
        except BaseException as error:  # noqa: BLE001 - reported by the test
            raised.append(error)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_run_of_several_collectors_at_once_is_there_once(at: Place) -> None:
    made_rows(0)
    tasks = [lambda: add_rows(at, made_rows(7)) for _ in range(4)]
    assert at_once(tasks) == []
    assert_whole(at, ["r000007"])
    for name in FLEET_TABLES:
        assert stored(at, name) == {"r000007": 1 if name == "runs" else 6}


def test_second_collector_of_a_run_folder_has_nothing_to_do(at: Place) -> None:
    run = SAMPLES / "virtual-lat"
    assert add_run(Writer(at), run, now_s=NOW_S) == "added"
    version = open_table(at, "runs").delta.version()
    assert add_run(Writer(at), run, now_s=NOW_S) == "known"
    assert open_table(at, "runs").delta.version() == version


def test_eight_writers_lose_no_run(at: Place) -> None:
    writers = [start_writer(at, 100 * number, 3) for number in range(8)]
    told = [writer.communicate(timeout=200)[0].split() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 8
    wanted = {f"r{100 * one + more:06d}" for one in range(8) for more in range(3)}
    assert {run for lines in told for run in lines[1:]} == wanted
    assert_whole(at, sorted(wanted))


def test_store_is_packed_beside_writers_and_a_reader(at: Place) -> None:
    for number in range(3):
        add_rows(at, made_rows(number))
    writers = [start_writer(at, 100, 6), start_writer(at, 200, 6)]
    packed = reads = 0
    while any(writer.poll() is None for writer in writers):
        packed += tend_tables(at, now_s=NOW_S).packs
        assert_whole(at, ["r000000", "r000001", "r000002"])
        reads += 1
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    assert reads > 1
    assert packed >= 3
    tend_tables(at, now_s=NOW_S)
    added = [f"r{first + more:06d}" for first in (100, 200) for more in range(6)]
    assert_whole(at, added)


def test_two_that_pack_at_once_double_no_row(at: Place) -> None:
    for number in range(6):
        add_rows(at, made_rows(number))
    assert at_once([lambda: tend_tables(at, now_s=NOW_S)] * 3) == []
    assert_whole(at, [f"r{number:06d}" for number in range(6)])
    assert [len(open_table(at, name).paths()) for name in FLEET_TABLES] == [1, 1, 1]


def test_second_of_two_that_rewrite_from_the_same_state_is_refused(at: Place) -> None:
    for number in range(2):
        add_rows(at, made_rows(number))
    first, second = open_table(at, "cells"), open_table(at, "cells")
    change = Change(paths=first.paths())
    first.rewrite(change)
    with pytest.raises(CommitFailedError):
        second.rewrite(change)
    assert_whole(at, ["r000000", "r000001"])


# --- packs -------------------------------------------------------------------------


def test_pack_of_histograms_has_one_cell_in_a_row_group(at: Place) -> None:
    for number in range(5):
        add_rows(at, made_rows(number, cells=6 - number % 2))
    tend_tables(at, now_s=NOW_S)
    (name,) = open_table(at, "histograms").paths()
    assert runs_of(name) == 5
    file = pq.ParquetFile(Path(at.table("histograms")) / name)
    groups = [file.read_row_group(group) for group in range(file.num_row_groups)]
    cells = [set(group["cell"].to_pylist()) for group in groups]
    assert [len(own) for own in cells] == [1] * 6
    assert len(set.union(*cells)) == 6
    for group in groups:
        assert group["run_id"].to_pylist() == sorted(group["run_id"].to_pylist())


def test_packs_come_in_two_tiers() -> None:
    small, large = PACK_RUNS
    pack = f"pack-{small:06d}"
    assert choose_packed([f"{pack}-{number}" for number in range(9)]) == []
    assert len(choose_packed([f"{pack}-{number}" for number in range(11)])) == 10
    assert choose_packed([f"pack-{large:06d}-{number}" for number in range(11)]) == []
    runs = [f"run-000001-{number:03d}" for number in range(300)]
    assert len(choose_packed(runs)) == small


def test_large_pack_holds_what_its_parts_held(
    at: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ssdlab.fleet.files.PACK_RUNS", (2, 8))
    monkeypatch.setattr("ssdlab.fleet.files._FEWEST_MERGED", 3)
    monkeypatch.setattr("ssdlab.fleet.files._CELLS_AT_ONCE", 4)
    for number in range(6):
        add_rows(at, made_rows(number))
        tend_tables(at, now_s=NOW_S)
    (name,) = open_table(at, "histograms").paths()
    assert runs_of(name) == 6
    file = pq.ParquetFile(Path(at.table("histograms")) / name)
    assert file.num_row_groups == 6
    assert_whole(at, [f"r{number:06d}" for number in range(6)])


def test_only_an_old_add_that_never_ended_is_dropped(
    at: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_rows(at, made_rows(1))
    monkeypatch.setattr(delta, "_show_run", lambda *_: None)
    add_rows(at, made_rows(2))
    monkeypatch.undo()
    assert tend_tables(at, now_s=NOW_S + DAY_S / 2).orphans == 0
    assert set(stored(at, "cells")) == {"r000001", "r000002"}
    assert tend_tables(at, now_s=NOW_S + 2 * DAY_S).orphans == 2
    assert set(stored(at, "cells")) == {"r000001"}
    add_rows(at, made_rows(2))
    assert_whole(at, ["r000001", "r000002"])


# --- versions ----------------------------------------------------------------------


def with_column(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a later ssdlab have one more column in ``cells``."""
    old = FLEET_TABLES["cells"]
    column = Column("energy_j", "float64", "energy of its IOs [J]")
    new = replace(old, columns=(*old.columns, column))
    monkeypatch.setattr(delta, "FLEET_TABLES", {**FLEET_TABLES, "cells": new})


def with_energy(rows: RunRows) -> RunRows:
    cells = [row | {"energy_j": 2.5} for row in rows.rows["cells"]]
    return replace(rows, rows={**rows.rows, "cells": cells})


def test_rows_of_an_older_version_lack_a_column_and_stay(
    at: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_rows(at, made_rows(1))
    with monkeypatch.context() as later:
        with_column(later)
        add_rows(at, with_energy(made_rows(2)))
    add_rows(at, made_rows(3))  # by the older version again
    for _ in range(2):
        store = ssdlab.open_store(at.url)
        energy = store.cells().groupby("run_id")["energy_j"].sum(min_count=1)
        assert energy.isna().to_dict() == {
            "r000001": True,
            "r000002": False,
            "r000003": True,
        }
        assert store.sql("select sum(energy_j) as j from cells")["j"].item() == 15.0
        tend_tables(at, now_s=NOW_S)  # by the older version
    assert_whole(at, ["r000001", "r000002", "r000003"])


def test_column_of_another_type_is_refused(
    at: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = FLEET_TABLES["runs"]
    columns = tuple(
        replace(one, dtype="string") if one.name == "cells" else one
        for one in old.columns
    )
    changed = {**FLEET_TABLES, "runs": replace(old, columns=columns)}
    monkeypatch.setattr(delta, "FLEET_TABLES", changed)
    with pytest.raises(StoreError):
        delta._widened(at, "runs")


def test_store_of_another_version_is_refused(place: str, at: Place) -> None:
    log = Path(place) / "runs" / "_delta_log" / f"{0:020d}.json"
    log.write_text(log.read_text("utf-8").replace('store":"1"', 'store":"2"'), "utf-8")
    with pytest.raises(StoreError, match="2"):
        ssdlab.open_store(at.url)


# --- damage ------------------------------------------------------------------------


@pytest.mark.parametrize("table", FLEET_TABLES)
def test_damaged_log_is_told_and_a_rebuilt_store_is_equal(
    place: str, table: str
) -> None:
    runs = [SAMPLES / name for name in ("virtual-lat", "tkperf-intel-s3510")]
    at = place_of(place)
    create_tables(at)
    for run in runs:
        add_run(Writer(at), run, now_s=NOW_S)
    before = ssdlab.open_store(place)
    frames = [before.runs(), before.cells(), before.histograms()]
    log = Path(at.table(table)) / "_delta_log" / f"{0:020d}.json"
    log.write_bytes(log.read_bytes()[:100])
    with pytest.raises(StoreError):
        ssdlab.open_store(place)
    rebuild_tables(at, "20260101-000000")
    for run in reversed(runs):
        add_run(Writer(at), run, now_s=NOW_S)
    after = ssdlab.open_store(place)
    for old, new in zip(
        frames, [after.runs(), after.cells(), after.histograms()], strict=True
    ):
        assert old.equals(new)
    assert Path(f"{at.table(table)}.before-20260101-000000").is_dir()


def test_file_of_a_table_that_is_gone_is_told(at: Place) -> None:
    add_rows(at, made_rows(1))
    (name,) = open_table(at, "cells").paths()
    (Path(at.table("cells")) / name).unlink()
    with pytest.raises(StoreFailedError):
        ssdlab.open_store(at.url).cells()


def test_run_that_is_gone_changed_or_incomplete_is_named(
    at: Place, tmp_path: Path
) -> None:
    names = ("virtual-lat", "tkperf-intel-s3510", "tkperf-crucial-mx200")
    for name in names:
        shutil.copytree(SAMPLES / name, tmp_path / name)
        add_run(Writer(at), tmp_path / name, now_s=NOW_S)
    assert verify_store(at) == (3, ())
    shutil.rmtree(tmp_path / names[1])
    state = tmp_path / names[2] / "state.json"
    state.write_text(state.read_text("utf-8") + " ")
    count, faults = verify_store(at)
    assert count == 3
    assert {Path(one.folder).name: one.fault for one in faults} == {
        names[1]: "gone",
        names[2]: "changed",
    }


def test_run_of_which_rows_are_missing_is_incomplete(
    at: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delta, "_put_once", lambda *_: None)
    add_rows(at, made_rows(1))
    (fault,) = verify_store(at)[1]
    assert fault.fault == "incomplete"


def test_full_disk_is_told_and_leaves_the_store_whole(at: Place) -> None:
    add_rows(at, made_rows(1))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, hard))
    try:
        with pytest.raises(SsdlabError) as raised:
            add_rows(at, made_rows(2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert isinstance(raised.value, StoreFailedError | ShortageError)
    assert_whole(at, ["r000001"])
    assert "r000002" not in set(ssdlab.open_store(at.url).runs()["run_id"])
    add_rows(at, made_rows(2))
    assert_whole(at, ["r000001", "r000002"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_store_that_may_not_be_written_is_told(at: Place) -> None:
    Path(at.table("histograms")).chmod(0o500)
    with pytest.raises(StoreFailedError):
        add_rows(at, made_rows(1))

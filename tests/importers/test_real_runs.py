"""The recorded PTS runs of a real drive, imported: their published tables come out."""

from pathlib import Path

import pytest

from ssdlab.cli.outcome import outcome_lines
from ssdlab.importers import import_run, read_import
from ssdlab.ingest.ingest import build_tables, ingest_run
from ssdlab.model.errors import TargetRefusedError
from ssdlab.model.schema import TABLES
from ssdlab.model.units import block_size_label, mix_label
from ssdlab.stats.matrix import (
    summarise_iops_matrix,
    summarise_latency_table,
    summarise_throughput,
)
from ssdlab.store.catalog import list_runs
from ssdlab.store.run import Run
from ssdlab.targets.opening import reopen_target
from ssdlab.text.numbers import exact_text
from tests.departed import words_of
from tests.golden.real_drive import (
    KIB,
    NAME,
    Cell,
    numbers_in,
    published,
    raw_iops,
    recorded_rounds,
    size_in_bytes,
)
from tests.importers.tables import find_table, read_tables
from tests.paths import FIO_SAMPLES, require_folder

AGREES = 0.001
MIB = KIB * KIB
MB = 1e6
FOLDERS = {
    "iops": "ssspt_hp_iops_3",
    "tp": "ssspt_hp_throughput_3",
    "lat": "ssspt_hp_lat_2",
}
CELLS = {"iops": 56, "tp": 12, "lat": 9}
STALE = {(4 * KIB, 65), (4 * KIB, 0)}
# The author's rule of the range is stricter: here he went on after a steady window.
WENT_ON = (512, 95)


def folder_of(test: str) -> Path:
    return require_folder(FIO_SAMPLES / FOLDERS[test])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """The three runs as their options and times tell them."""
    place = tmp_path_factory.mktemp("runs")
    return {test: import_run(folder_of(test), runs=place) for test in FOLDERS}


@pytest.fixture(scope="module")
def named_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """The three runs as a pattern of their names tells them."""
    place = tmp_path_factory.mktemp("runs")
    return {
        test: import_run(folder_of(test), pattern=NAME, runs=place) for test in FOLDERS
    }


def published_means(test: str) -> dict[Cell, float]:
    """Return the published mean of each cell, of stale ones that of the raw files."""
    means = {}
    for row in published(f"{FOLDERS[test]}_table.csv"):
        cell = size_in_bytes(row["block_size"]), int(row["read_pct"])
        stale = numbers_in(row.get("agrees_with_raw_files") or "")
        means[cell] = stale[0] if stale else float(row["mean_over_window"])
        assert bool(stale) == (test == "lat" and cell in STALE)
    assert len(means) == CELLS[test]
    return means


def means_of(run: Run, test: str) -> dict[Cell, float]:
    if test == "iops":
        frame = summarise_iops_matrix(run.measurements, run.windows)
        values = frame["iops"]
    elif test == "tp":
        frame = summarise_throughput(run.measurements, run.windows)
        values = frame["bw_bytes_per_s"]
    else:
        frame = summarise_latency_table(
            run.measurements,
            run.windows,
            percentiles=run.percentiles,
            bins=run.bins,
        )
        values = frame["lat_mean_ns"]
    sizes = frame["block_size_bytes"].astype(int)
    mixes = frame["read_percent"].astype(int)
    return dict(zip(zip(sizes, mixes, strict=True), values.astype(float), strict=True))


def mean_of_last_rounds(run: Run, cell: Cell) -> float:
    """Return the mean IOPS of the last five rounds of a cell, whatever was judged."""
    totals = run.measurements[run.measurements["direction"] == "total"]
    of_cell = totals[
        (totals["block_size_bytes"] == cell[0]) & (totals["read_percent"] == cell[1])
    ]
    return float(of_cell.sort_values("round")["iops"].iloc[-5:].mean())


def cell_name(cell: Cell, access: str) -> str:
    return f"{access} {block_size_label(cell[0])} {mix_label(cell[1])}"


@pytest.mark.parametrize("test", FOLDERS)
def test_folder_is_the_test_that_it_was_taken_for(
    runs: dict[str, Run], named_runs: dict[str, Run], test: str
) -> None:
    for run in (runs[test], named_runs[test]):
        cells = run.steps[run.steps["kind"] == "cell"]
        assert run.record.tests == (test,)
        assert run.state.status == "finished"
        assert len(cells) == sum(recorded_rounds(folder_of(test)).values())
        assert len(run.windows[run.windows["is_final"]]) == CELLS[test]


@pytest.mark.parametrize("test", FOLDERS)
def test_pattern_and_options_tell_the_same(
    runs: dict[str, Run], named_runs: dict[str, Run], test: str
) -> None:
    """Names give the round and times its order: both are that of the author."""
    columns = ["step_id", "round", "cell", "iops", "lat_mean_ns"]
    left, right = (
        run.measurements[run.measurements["kind"] == "cell"][columns]
        for run in (runs[test], named_runs[test])
    )
    assert left.reset_index(drop=True).equals(right.reset_index(drop=True))
    assert runs[test].record.departures == named_runs[test].record.departures


@pytest.mark.parametrize("test", ["iops", "lat"])
def test_means_over_the_windows_are_the_published_ones(
    runs: dict[str, Run], test: str
) -> None:
    ours, theirs = means_of(runs[test], test), published_means(test)
    assert ours.keys() == theirs.keys()
    if test == "iops":
        assert abs(ours[WENT_ON] - theirs[WENT_ON]) > 1
        ours[WENT_ON] = mean_of_last_rounds(runs[test], WENT_ON)
    for cell, mean in theirs.items():
        assert ours[cell] == pytest.approx(mean, abs=AGREES, rel=0), cell


def test_iops_of_the_report_are_the_published_ones(runs: dict[str, Run]) -> None:
    table = find_table(runs["iops"].path / "report.html", "Steady state of each cell")
    means = published_means("iops")
    del means[WENT_ON]
    for cell, mean in means.items():
        text = table[cell_name(cell, "RND")][1]
        assert float(text.replace(",", "")) == pytest.approx(mean, abs=AGREES, rel=0)


def test_latencies_of_the_report_are_the_published_ones(runs: dict[str, Run]) -> None:
    table = find_table(runs["lat"].path / "report.html", "Steady state of each cell")
    for cell, mean_ns in published_means("lat").items():
        assert table[cell_name(cell, "SEQ")][1] == exact_text(mean_ns / 1e6)


def test_throughput_windows_are_the_published_ones(runs: dict[str, Run]) -> None:
    """The author floored each rate to whole KiB/s, so ours are up to one more."""
    table = find_table(runs["tp"].path / "report.html", "Steady state of each cell")
    ours = means_of(runs["tp"], "tp")
    rows = published("ssspt_hp_throughput_3_window.csv")
    assert len(rows) == len(ours) == CELLS["tp"]
    for row in rows:
        cell = size_in_bytes(row["case"]), {"read": 100, "write": 0}[row["mode"]]
        (mean,) = numbers_in(row["average"])
        assert -AGREES <= ours[cell] / MIB - mean <= 1 / KIB + AGREES
        text = table[cell_name(cell, "SEQ")][1]
        assert float(text.replace(",", "")) == pytest.approx(
            ours[cell] / MB, abs=AGREES
        )


def test_windows_are_the_last_five_rounds_or_the_first_that_are_steady(
    runs: dict[str, Run],
) -> None:
    """The PTS ends with the first steady window, whatever the author measured then."""
    for test, run in runs.items():
        ends = recorded_rounds(folder_of(test))
        if test == "iops":
            assert ends[WENT_ON] == 9
            ends[WENT_ON] = 5
        finals = run.windows[run.windows["is_final"]]
        for row in finals.itertuples():
            cell = int(str(row.block_size_bytes)), int(str(row.read_percent))
            window = row.window_first_round, row.window_last_round, row.round
            assert window == (ends[cell] - 4, ends[cell], ends[cell])


def test_window_that_is_reported_is_the_first_of_all_that_are_steady(
    runs: dict[str, Run],
) -> None:
    """By hand: the 512 B cell of 95/5, its rounds 1 to 5 within 20 and 10 %."""
    folder = folder_of("iops")
    rates = raw_iops(folder, WENT_ON)
    window = rates[:5]
    mean = sum(window) / 5
    slope = sum((n - 2) * rate for n, rate in enumerate(window)) / 10
    assert max(window) - min(window) <= 0.2 * mean
    assert abs(4 * slope) <= 0.1 * mean
    (row,) = (
        runs["iops"]
        .windows.query("is_final and block_size_bytes == 512 and read_percent == 95")
        .to_dict("records")
    )
    assert row["average"] == pytest.approx(mean)
    assert row["slope_per_round"] == pytest.approx(slope)
    assert means_of(runs["iops"], "iops")[WENT_ON] == pytest.approx(mean)


def test_report_has_one_table_of_windows_and_pages_of_tracking_variables_alone(
    runs: dict[str, Run],
) -> None:
    names = list(read_tables(runs["iops"].path / "report.html"))
    judged = [n for n in names if n.startswith("Steady state determination data")]
    assert [name.split(", ")[1] for name in judged] == [
        "RND 4 KiB 0/100 [IOPS]",
        "RND 64 KiB 65/35 [IOPS]",
        "RND 1024 KiB 100/0 [IOPS]",
    ]
    summary = find_table(runs["iops"].path / "report.html", "Results")
    assert "not in 2 of 56 cells" in summary["IOPS"][4]


def test_verdict_says_how_many_cells_are_steady(runs: dict[str, Run]) -> None:
    first, *_, procedure, _, doubts = outcome_lines(runs["iops"])
    assert "54 of 56 cells steady, each judged alone" in first
    assert "RND 64 KiB 50/50: slope excursion 11.17 %" in first
    assert procedure.endswith(" in 2 points (2 major)")
    assert doubts.endswith(" 1 (1 minor)")


def test_departures_say_what_is_unknown_and_otherwise(runs: dict[str, Run]) -> None:
    said = "\n".join(words_of(runs["lat"].record.departures))
    assert "purge and write cache are unknown" in said
    assert "not round by round" in said
    assert "access of LAT: sequential instead of random" in said
    assert "devices: /dev/sda, /dev/sdb in one run" in said
    assert "percentiles: those of 49 of 49 files are of completion latency" in said
    row = runs["lat"].runs.iloc[0]
    assert not row["is_conformant"]
    assert not row["is_virtual"]


def test_what_is_not_known_is_missing(runs: dict[str, Run]) -> None:
    run = runs["iops"]
    row = run.runs.iloc[0]
    unknown = ["capacity_bytes", "sector_bytes", "dram_bytes", "seed"]
    assert row[[*unknown, "active_range_percent"]].isna().all()
    names = ["range_bytes", "offset_bytes", "seed", "was_armed", "exit_code"]
    assert run.steps[[*names, "drive_fills"]].isna().all().all()
    assert not list((run.path / "steps").glob("*/exitcode"))


def test_times_and_gaps_are_those_of_the_files(runs: dict[str, Run]) -> None:
    steps = runs["iops"].steps
    assert runs["iops"].record.started_at.startswith("2018-09-07")
    later = steps[steps["round"] > 1]
    assert later["idle_before_s"].between(2, 4).all()
    assert steps["idle_before_s"].isna().tolist() == [True] + [False] * (len(steps) - 1)


def test_fill_is_a_step_of_its_own_and_no_cell(runs: dict[str, Run]) -> None:
    steps = runs["lat"].steps
    (fill,) = steps[steps["kind"] == "precondition"].to_dict("records")
    assert (fill["access"], fill["block_size_bytes"]) == ("seq", 128 * KIB)
    assert fill["written_bytes"] > 2e11


def test_raw_output_is_the_file_as_it_was(runs: dict[str, Run]) -> None:
    run = runs["lat"]
    for step_id in run.steps["step_id"]:
        source = (run.path / "steps" / step_id / "source.txt").read_text().strip()
        assert run.raw_output(step_id) == Path(source).read_bytes()


def test_file_that_is_no_output_is_named(runs: dict[str, Run]) -> None:
    (entry,) = read_import(runs["iops"]).left_out
    assert entry.file.endswith("DEVICE.md")
    assert entry.why == "not fio output"


def test_ingest_again_gives_equal_tables(runs: dict[str, Run]) -> None:
    run = runs["tp"]
    before = {path.name: path.read_bytes() for path in run.path.glob("tables/*")}
    assert len(before) == len(TABLES)
    ingest_run(run.path)
    ingest_run(run.path)
    after = {path.name: path.read_bytes() for path in run.path.glob("tables/*")}
    assert after == before
    assert len(build_tables(run.path)["windows"]["round"]) == len(run.windows)


def test_imported_runs_are_listed(runs: dict[str, Run]) -> None:
    entries = list_runs(runs["iops"].path.parent)
    assert {entry.profile for entry in entries} == {"imported"}
    assert {entry.tests for entry in entries} == {("iops",), ("tp",), ("lat",)}


def test_imported_run_cannot_be_gone_on_with(runs: dict[str, Run]) -> None:
    run = runs["iops"]
    with pytest.raises(TargetRefusedError, match="this run was imported"):
        reopen_target(run.record, folder=run.path)


def test_paths_of_different_tests_become_one_run_of_them(tmp_path: Path) -> None:
    paths = [folder_of("lat"), folder_of("tp")]
    run = import_run(paths, runs=tmp_path, device_label="HG6", label="mine")
    assert run.record.tests == ("tp", "lat")
    assert (run.record.target.model, run.record.label) == ("HG6", "mine")
    means = means_of(run, "lat")
    assert means == pytest.approx(published_means("lat"), abs=AGREES, rel=0)
    assert len(means_of(run, "tp")) == CELLS["tp"]

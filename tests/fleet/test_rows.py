"""Rows of a run: the numbers of the report and of qos, and nothing unmeasured."""

import math
from typing import Any

import pytest

import ssdlab
from ssdlab.fleet.rows import rows_of_run
from ssdlab.fleet.tables import FLEET_TABLES, RunRows
from ssdlab.qos.loads import select_loads
from ssdlab.qos.percentiles import summarise_qos
from ssdlab.stats.matrix import summarise_iops_matrix
from ssdlab.store.run import Run
from tests.paths import ROOT

SAMPLES = ROOT / "data" / "samples"


def rows_of(run: Run) -> RunRows:
    return rows_of_run(run, record_sha256="one", manifest_sha256="", added_s=7.0)


@pytest.fixture(scope="module")
def measured() -> Run:
    return ssdlab.open_run(SAMPLES / "virtual-b")


@pytest.fixture(scope="module")
def rows(measured: Run) -> RunRows:
    return rows_of(measured)


def cell(rows: RunRows, *names: str) -> dict[str, Any]:
    (found,) = (
        row for row in rows.rows["cells"] if all(name in row["cell"] for name in names)
    )
    return found


def test_rows_have_the_columns_of_the_tables_and_no_others(rows: RunRows) -> None:
    for name, table in FLEET_TABLES.items():
        for row in rows.rows[name]:
            assert set(row) <= set(table.column_names)


def test_percentiles_are_those_of_qos_for_each_load_and_direction(
    measured: Run, rows: RunRows
) -> None:
    compared = 0
    for test, side in {(row["test"], row["direction"]) for row in rows.rows["cells"]}:
        loads = select_loads(
            measured.measurements,
            measured.bins,
            measured.windows,
            test=test,
            direction=side,
        )
        for load in loads:
            own = cell(rows, f"{test} {load.phase} {load.kind} {load.workload} {side}")
            found = summarise_qos(load, levels=[50, 99.99]).set_index("marker")
            assert own["lat_p50_ns"] == found.loc["50 %", "lat_ns"]
            assert own["lat_p9999_ns"] == found.loc["99.99 %", "lat_ns"]
            assert own["lat_p9999_low_ns"] == found.loc["99.99 %", "low_ns"]
            high = float(str(found.loc["99.99 %", "high_ns"]))
            is_open = math.isinf(high)
            assert own["lat_p9999_high_ns"] == (None if is_open else high)
            assert own["is_p9999_supported"] == found.loc["99.99 %", "is_supported"]
            mean = found.loc["average", "lat_ns"]
            assert own["lat_mean_ns"] == pytest.approx(mean)
            assert own["lat_max_ns"] == found.loc["max", "lat_ns"]
            compared += 1
    assert compared == len(rows.rows["histograms"])


def test_iops_are_those_of_the_matrix_of_the_report(
    measured: Run, rows: RunRows
) -> None:
    matrix = summarise_iops_matrix(measured.measurements, measured.windows)
    own = {
        (row["block_size_bytes"], row["read_percent"]): row
        for row in rows.rows["cells"]
        if row["test"] == "iops" and row["direction"] == "total"
    }
    assert len(matrix) == len(own)
    for one in matrix.to_dict("records"):
        row = own[one["block_size_bytes"], one["read_percent"]]
        assert row["iops"] == pytest.approx(one["iops"])
        assert row["sampled_rounds"] == one["n_rounds"]
        assert row["iops_low"] < row["iops"] < row["iops_high"]


def test_bins_hold_every_io_of_their_cell(rows: RunRows) -> None:
    ios = {row["cell"]: row["total_ios"] for row in rows.rows["cells"]}
    for row in rows.rows["histograms"]:
        assert sum(row["count"]) == ios[row["cell"]]
        assert row["bin"].tolist() == sorted(set(row["bin"].tolist()))


def test_long_run_and_rounds_say_what_they_are(rows: RunRows) -> None:
    histogram = cell(rows, "lat histogram histogram", "total")
    assert (histogram["basis"], histogram["rounds"]) == ("run", 1)
    assert histogram["is_steady"] is None
    rounds = cell(rows, "lat rounds cell RND 4 KiB 0/100", "total")
    assert (rounds["basis"], rounds["rounds"], rounds["is_steady"]) == (
        *("window", 5),
        True,
    )


def test_run_says_how_it_stands(measured: Run, rows: RunRows) -> None:
    (row,) = rows.rows["runs"]
    assert row["is_steady"] is measured.answers.is_steady
    assert row["is_conformant"] is measured.answers.conforms
    assert row["folder"] == str(measured.path)
    assert row["written_before_bytes"] is not None
    assert row["cells"] == len(rows.rows["cells"]) > 0
    assert row["duration_s"] > 0


def test_what_was_not_measured_is_missing_and_never_zero() -> None:
    rows = rows_of(ssdlab.open_run(SAMPLES / "tkperf-intel-s3510"))
    assert rows.rows["cells"]
    assert not rows.rows["histograms"]
    for row in rows.rows["cells"]:
        assert not {name for name in row if name.startswith("lat_p")}
        assert row["total_ios"] is None
    (run,) = rows.rows["runs"]
    assert "power_on_hours" not in run
    assert run["neighbours"] is None


def test_lines_of_neighbours_are_named_once(measured: Run) -> None:
    known = Run(path=measured.path, record=measured.record, state=measured.state)
    steps = measured.steps.assign(neighbours="")
    steps.loc[steps.index[-3:], "neighbours"] = "run-a on sdb\nrun-b on sdc"
    known.__dict__["steps"] = steps
    (run,) = rows_of(known).rows["runs"]
    assert run["neighbours"] == "run-a on sdb\nrun-b on sdc"

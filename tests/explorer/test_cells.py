"""Cells, their rounds and their bins, as the explorer asks for them."""

import math

import numpy as np
import pandas as pd
import pytest

from ssdlab.analysis import (
    join_series,
    merge_cell_bins,
    percentiles_from_bins,
    select_cell,
    select_rounds,
    stack_frames,
    summarise_cells,
    tabulate_cells,
)
from ssdlab.explorer.cells import find_cell_axes
from ssdlab.model.schema import BINS, MEASUREMENTS, PERCENTILES, SERIES, STEPS
from tests.stats.frames import Row, frame, measured

AXES = ("read_percent", "block_size_bytes")


def cell(step: str, number: int, mix: int, iops: float, **more: object) -> Row:
    where = {"test": "iops", "phase": "rounds", "round": number, "total_ios": 1000}
    where |= {"read_percent": mix, "block_size_bytes": 4096}
    return measured(step, iops=iops, **(where | more))


def level(step: str, percentile: float, lat_ns: float, *, supported: bool) -> Row:
    return {
        "run_id": "r1", "step_id": step, "direction": "total",
        "percentile": percentile, "lat_ns": lat_ns, "is_supported": supported,
    }  # fmt: skip


def bin_(step: str, lat_ns: int, count: int) -> Row:
    edges = {"lat_lower_ns": lat_ns - 1, "lat_upper_ns": lat_ns + 1}
    where = {"run_id": "r1", "step_id": step, "direction": "total"}
    return {**where, "lat_ns": lat_ns, "count": count, **edges}


MEASURED = frame(
    MEASUREMENTS,
    [
        cell("s1", 1, 0, 100.0, lat_max_ns=10.5),
        cell("s2", 1, 100, 300.0, lat_max_ns=7.0),
        cell("s3", 2, 0, 200.0, lat_max_ns=90.5),
        cell("s3", 2, 0, 150.0, direction="write"),
        cell("s4", 1, 0, 1.0, kind="precondition"),
    ],
)
LEVELS = frame(
    PERCENTILES,
    [level("s1", 99.9, 4.0, supported=True), level("s2", 99.9, 6.0, supported=False)],
)
POOLED = frame(BINS, [bin_("s1", 10, 900), bin_("s3", 10, 90), bin_("s3", 90, 10)])


def test_one_direction_of_mixed_cells_is_taken_alone() -> None:
    table = tabulate_cells(MEASURED, LEVELS, direction="write")
    assert table["step_id"].tolist() == ["s3"]
    assert table["iops"].tolist() == [150.0]
    written = POOLED.assign(direction="write")
    bins = pd.concat([POOLED, written.iloc[:1]], ignore_index=True)
    steps = pd.DataFrame({"run_id": ["r1"], "step_id": ["s1"]})
    merged = merge_cell_bins(bins, steps, direction="write")
    assert merged["count"].tolist() == [900]


@pytest.fixture
def cells() -> pd.DataFrame:
    return tabulate_cells(MEASURED, LEVELS)


def test_cells_are_totals_of_rounds_and_a_doubtful_percentile_is_missing(
    cells: pd.DataFrame,
) -> None:
    assert cells["step_id"].tolist() == ["s1", "s2", "s3"]
    assert cells["lat_p999_ns"].tolist()[0] == 4.0
    assert cells["lat_p999_ns"].isna().tolist() == [False, True, True]


def test_a_cell_of_the_matrix_is_the_mean_of_its_rounds(cells: pd.DataFrame) -> None:
    table = summarise_cells(cells, "iops", axes=AXES).set_index("read_percent")
    assert table["iops"].to_dict() == {0: 150.0, 100: 300.0}
    assert table["n_rounds"].to_dict() == {0: 2, 100: 1}
    assert table["total_ios"].to_dict() == {0: 2000, 100: 1000}


def test_a_maximum_over_rounds_is_the_greatest(cells: pd.DataFrame) -> None:
    table = summarise_cells(cells, "lat_max_ns", axes=AXES)
    assert table["lat_max_ns"].tolist() == [90.5, 7.0]


def test_a_percentile_over_rounds_is_of_all_their_ios(cells: pd.DataFrame) -> None:
    table = summarise_cells(cells, "lat_p99_ns", axes=AXES, bins=POOLED)
    # 990 of 1000 IOs are in the first bin: the 99 % stand at its end, not beyond it.
    assert table["lat_p99_ns"].tolist() == [10.0]
    assert (table["n_rounds"].tolist(), table["total_ios"].tolist()) == ([2], [1000])
    held = percentiles_from_bins([10, 90], [990, 10], [99.0], within=(math.nan, 90.5))
    assert table["lat_p99_ns"].tolist() == held.tolist()


def test_a_percentile_without_bins_or_without_ios_has_no_row(
    cells: pd.DataFrame,
) -> None:
    assert summarise_cells(cells, "lat_p99_ns", axes=AXES).empty
    assert summarise_cells(cells, "lat_p9999_ns", axes=AXES, bins=POOLED).empty


def test_an_unknown_metric_names_those_that_there_are(cells: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="'speed' is not a metric; choose from: iops"):
        summarise_cells(cells, "speed", axes=AXES)


def test_rounds_and_cell_are_selected(cells: pd.DataFrame) -> None:
    assert select_rounds(cells, test="iops", rounds=(2, 2))["step_id"].tolist() == [
        "s3"
    ]
    assert select_rounds(cells, test="tp").empty
    assert select_rounds(cells, test="iops", phase="other").empty
    rows = select_cell(cells, {"read_percent": 0, "block_size_bytes": 4096})
    assert rows["step_id"].tolist() == ["s1", "s3"]


def test_axes_are_threads_and_depth_where_the_workload_is_one() -> None:
    loads = [
        cell(f"s{tc}{qd}", 1, 40, 1.0, threads=tc, queue_depth=qd)
        for tc in (1, 2)
        for qd in (4, 8)
    ]
    cells = tabulate_cells(frame(MEASUREMENTS, loads), LEVELS)
    assert find_cell_axes(cells) == ("threads", "queue_depth")
    assert find_cell_axes(tabulate_cells(MEASURED, LEVELS)) == AXES


def test_bins_of_the_steps_are_added() -> None:
    steps = pd.DataFrame({"run_id": "r1", "step_id": ["s1", "s3"]})
    table = merge_cell_bins(POOLED, steps)
    assert table["count"].tolist() == [990, 10]
    assert table["confidence_percent"].tolist() == [99.0, 100.0]


def test_copies_of_one_run_stay_apart() -> None:
    both = stack_frames({"a": POOLED, "b": POOLED})
    steps = pd.DataFrame({"run_id": ["a", "b"], "step_id": "s1"})
    assert merge_cell_bins(both, steps)["count"].tolist() == [900, 900]
    assert stack_frames({}).empty


def test_series_of_two_steps_stand_apart_on_one_axis() -> None:
    begun = [
        {"run_id": "r1", "step_id": step, "test": "wsat", "started_s": at_s}
        for step, at_s in (("s1", 1000.0), ("s2", 1010.0))
    ]
    points = [
        {
            "run_id": "r1", "step_id": step, "direction": "total",
            "time_s": time_s, "iops": iops,
        }
        for step, time_s, iops in (
            ("s2", 1.0, 7.0), ("s1", 1.0, 5.0), ("s1", 2.0, 6.0), ("s9", 1.0, 1.0),
        )
    ]  # fmt: skip
    steps, series = frame(STEPS, begun), frame(SERIES, points)
    joined = join_series(series, steps, test="wsat", metric="iops")
    assert joined["time_s"].tolist() == [0.0, 1.0, 1.0, 10.0]
    np.testing.assert_array_equal(joined["iops"], [5.0, 6.0, np.nan, 7.0])
    assert join_series(series, steps, test="iops", metric="iops").empty
    with pytest.raises(ValueError, match="has no series"):
        join_series(series, steps, test="wsat", metric="lat_max_ns")

"""The mean of a cell: of its rounds, or the one that others printed."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.stats.matrix import (
    average_cells,
    select_window,
    summarise_convergence,
    summarise_iops_matrix,
    summarise_latency_table,
    summarise_throughput,
)
from tests.stats.frames import (
    Row,
    bins,
    measured,
    measurements,
    percentiles,
    window,
    windows,
)

KEYS = ["block_size_bytes", "read_percent"]


def row(number: int | None, size: int, **values: object) -> Row:
    return measured(
        f"{number}-{size}-{sorted(values)}",
        test="iops",
        phase="rounds",
        kind="mean" if number is None else "cell",
        round=number,
        block_size_bytes=size,
        read_percent=0,
        **values,
    )


def test_printed_mean_is_the_value_where_no_round_is_known() -> None:
    rows = [
        *(row(n, 4096, iops=float(n)) for n in range(2, 7)),
        row(None, 512, iops=7.5),
    ]
    judged = windows([window("rounds", 2, 6, test="iops")])
    table = summarise_iops_matrix(measurements(rows), judged)

    assert table["block_size_bytes"].tolist() == [512, 4096]
    assert table["iops"].tolist() == [7.5, 4.0]
    assert table["n_rounds"].isna().tolist() == [True, False]
    assert table["n_rounds"].iloc[1] == 5


def test_rounds_go_before_a_printed_mean() -> None:
    rows = [
        row(1, 4096, iops=10.0),
        row(2, 4096, iops=20.0),
        row(None, 4096, iops=99.0),
    ]
    table = average_cells(measurements(rows), KEYS, "iops")
    assert table["iops"].tolist() == [15.0]
    assert table["n_rounds"].tolist() == [2]


def test_window_of_samples_holds_the_rounds_that_its_determination_averages() -> None:
    rounds = [row(n, 4096, iops=float(n * n)) for n in range(1, 61)]
    judged = windows([window("rounds", 20, 60, test="iops")])
    chosen = select_window(measurements(rounds), judged, "iops")
    assert chosen["round"].tolist() == [20, 30, 40, 50, 60]


def test_means_need_no_window_and_are_no_rounds() -> None:
    rows = measurements([row(None, 512, iops=7.5), row(1, 4096, iops=1.0)])
    chosen = select_window(rows, windows([]), "iops")
    assert chosen["kind"].tolist() == ["mean"]
    assert summarise_convergence(rows, "iops", metric="iops", read_percent=0)[
        "round"
    ].tolist() == [1]


def test_throughput_has_means_of_phases_that_were_not_judged() -> None:
    mean = row(None, 65536, bw_bytes_per_s=5e8) | {
        "test": "tp",
        "phase": "rounds-64KiB",
    }
    table = summarise_throughput(measurements([mean]), windows([]))
    assert table["bw_bytes_per_s"].tolist() == [5e8]


def test_greatest_latency_may_be_known_over_the_window_alone() -> None:
    rows = [
        *(row(n, 4096, lat_mean_ns=1000.0 * n) for n in range(1, 6)),
        row(None, 4096, lat_max_ns=90_000.0),
        row(None, 512, lat_mean_ns=4000.0, lat_max_ns=80_000.0),
    ]
    made = [one | {"test": "lat"} for one in rows]
    judged = windows([window("rounds", 1, 5, test="lat")])
    table = summarise_latency_table(
        measurements(made), judged, percentiles=percentiles([]), bins=bins([])
    )
    assert table["lat_mean_ns"].tolist() == [4000.0, 3000.0]
    assert table["lat_max_ns"].tolist() == [80_000.0, 90_000.0]
    assert table["iops"].isna().all()


def test_cell_without_a_value_has_no_row() -> None:
    table = average_cells(measurements([row(1, 4096), row(None, 512)]), KEYS, "iops")
    assert table.empty


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(1, 1e7), min_size=1, max_size=9), st.floats(1, 1e7))
def test_a_printed_mean_of_another_cell_changes_nothing(
    values: list[float], printed: float
) -> None:
    rows = [row(number, 4096, iops=value) for number, value in enumerate(values, 1)]
    alone = average_cells(measurements(rows), KEYS, "iops")
    both = average_cells(
        measurements([*rows, row(None, 512, iops=printed)]), KEYS, "iops"
    )
    expected = [printed, *alone["iops"]]
    assert both["iops"].tolist() == pytest.approx(expected, rel=1e-12)
    mean = math.fsum(values) / len(values)
    assert alone["iops"].tolist() == [pytest.approx(mean, rel=1e-12)]

"""Tables over the window, from frames small enough to compute by hand."""

import pandas as pd
import pytest

from ssdlab.stats.matrix import (
    mark_window,
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

WINDOW_3_TO_7 = [
    # Three tracking variables, judged after round 6 and, finally, after round 7.
    *(window("rounds", 2, 6, test="iops", is_final=False) for _ in range(3)),
    *(window("rounds", 3, 7, test="iops") for _ in range(3)),
]


def cell(number: int, size: int, mix: int, **values: object) -> Row:
    return measured(
        f"s{number:02}-{size}-{mix}",
        test="iops",
        phase="rounds",
        round=number,
        block_size_bytes=size,
        read_percent=mix,
        **values,
    )


def test_iops_cell_is_the_mean_over_the_rounds_of_the_window() -> None:
    rows = [
        *(cell(n, 4096, 0, iops=100.0 * n) for n in range(1, 9)),
        *(cell(n, 512, 100, iops=7.0) for n in range(1, 9)),
        *(cell(n, 512, 0, iops=1.0 + (n == 7)) for n in range(1, 9)),
    ]
    table = summarise_iops_matrix(measurements(rows), windows(WINDOW_3_TO_7))

    assert table[["block_size_bytes", "read_percent", "iops", "n_rounds"]].to_numpy(
        dtype=float
    ).tolist() == [[512, 0, 1.2, 5], [512, 100, 7, 5], [4096, 0, 500, 5]]
    assert set(table["run_id"]) == {"r1"}


def test_cell_that_was_not_measured_has_no_row() -> None:
    rows = [
        *(cell(n, 4096, 0, iops=10.0) for n in range(3, 8)),
        *(cell(n, 512, 0) for n in range(3, 8)),
        *(cell(n, 8192, 0, iops=5.0) for n in (1, 2, 8)),
    ]
    table = summarise_iops_matrix(measurements(rows), windows(WINDOW_3_TO_7))

    assert table["block_size_bytes"].tolist() == [4096]


def test_other_directions_tests_and_kinds_do_not_count() -> None:
    rows = [
        *(cell(n, 4096, 65, iops=10.0) for n in range(3, 8)),
        *(cell(n, 4096, 65, iops=6.5) | {"direction": "read"} for n in range(3, 8)),
        *(cell(n, 4096, 65, iops=3.5) | {"direction": "write"} for n in range(3, 8)),
        *(cell(n, 4096, 65, iops=99.0) | {"test": "lat"} for n in range(3, 8)),
        *(cell(n, 4096, 65, iops=99.0) | {"kind": "histogram"} for n in range(3, 8)),
        cell(3, 4096, 65, iops=99.0) | {"round": None},
    ]
    table = summarise_iops_matrix(measurements(rows), windows(WINDOW_3_TO_7))

    assert table["iops"].tolist() == [10.0]


def test_two_runs_keep_their_own_windows() -> None:
    rows = [cell(n, 4096, 0, iops=float(n)) for n in range(1, 10)]
    other = [row | {"run_id": "r2"} for row in rows]
    judged = [window("rounds", 1, 5, test="iops", run_id="r2"), *WINDOW_3_TO_7]
    table = summarise_iops_matrix(measurements([*rows, *other]), windows(judged))

    assert dict(zip(table["run_id"], table["iops"], strict=True)) == {"r1": 5, "r2": 3}


def test_matrix_is_empty_when_no_window_was_judged() -> None:
    rows = measurements([cell(n, 4096, 0, iops=1.0) for n in range(1, 4)])
    table = summarise_iops_matrix(rows, windows([]))

    assert table.empty
    assert {"block_size_bytes", "read_percent", "iops"} <= set(table.columns)


def test_throughput_uses_the_window_of_each_block_size() -> None:
    rows = [
        measured(
            f"{phase}-{n}-{mix}",
            test="tp",
            phase=phase,
            round=n,
            access="seq",
            block_size_bytes=size,
            read_percent=mix,
            bw_bytes_per_s=1e6 * n * (1 + mix),
        )
        for phase, size in (("rounds-1024KiB", 1048576), ("rounds-128KiB", 131072))
        for n in range(1, 8)
        for mix in (100, 0)
    ]
    judged = [
        window("rounds-1024KiB", 1, 5, test="tp"),
        window("rounds-128KiB", 3, 7, test="tp"),
    ]
    table = summarise_throughput(measurements(rows), windows(judged))

    found = table.set_index(["block_size_bytes", "read_percent"])["bw_bytes_per_s"]
    assert found.to_dict() == {
        (131072, 0): 5e6,
        (131072, 100): 505e6,
        (1048576, 0): 3e6,
        (1048576, 100): 303e6,
    }


def latency_rows() -> list[Row]:
    return [
        measured(
            f"s{n}",
            test="lat",
            phase="rounds",
            round=n,
            block_size_bytes=4096,
            read_percent=65,
            iops=1000.0 + n,
            lat_mean_ns=100.0 * n,
            lat_max_ns=5000.0 if n == 2 else 400.0,
        )
        for n in range(1, 7)
    ]


def latency_table(bin_rows: list[Row], percentile_rows: list[Row]) -> pd.Series:
    table = summarise_latency_table(
        measurements(latency_rows()),
        windows([window("rounds", 2, 6, test="lat")]),
        percentiles=percentiles(percentile_rows),
        bins=bins(bin_rows),
    )
    assert len(table) == 1
    return table.iloc[0]


def percentile(step_id: str, level: float, lat_ns: float) -> Row:
    names = ("run_id", "step_id", "direction", "percentile", "lat_ns")
    return dict(zip(names, ("r1", step_id, "total", level, lat_ns), strict=True))


def test_latency_table_takes_means_of_averages_and_the_maximum_of_maxima() -> None:
    row = latency_table([], [])

    assert row["lat_mean_ns"] == 400.0
    assert row["iops"] == 1004.0
    assert row["lat_max_ns"] == 5000.0
    assert row["n_rounds"] == 5


def test_five_nines_are_missing_when_no_latency_was_recorded() -> None:
    row = latency_table([], [])

    assert pd.isna(row["lat_five_nines_ns"])
    assert pd.isna(row["lat_five_nines_mean_ns"])
    assert pd.isna(row["is_five_nines_supported"])


def test_five_nines_come_from_merged_bins_beside_the_mean_of_rounds() -> None:
    # Round 4 has 3 slow IOs of 20,003: 99.999 % of its own IOs, and of all 100,003
    # IOs of the window the second slowest.
    bin_rows: list[Row] = [
        *({"step_id": f"s{n}", "lat_ns": 100, "count": 20_000} for n in range(2, 7)),
        {"step_id": "s4", "lat_ns": 700, "count": 1},
        {"step_id": "s4", "lat_ns": 800, "count": 1},
        {"step_id": "s4", "lat_ns": 900, "count": 1},
        {"step_id": "s1", "lat_ns": 9999, "count": 10**6},
        {"step_id": "s4", "lat_ns": 9999, "count": 10**6, "direction": "write"},
    ]
    percentile_rows = [
        *(percentile(f"s{n}", 99.999, 100.0) for n in (2, 3, 5, 6)),
        percentile("s4", 99.999, 900.0),
        *(percentile(f"s{n}", 99.99, 1.0) for n in range(1, 7)),
        percentile("s1", 99.999, 9999.0),
    ]
    row = latency_table(bin_rows, percentile_rows)

    # 100,003 x 99.999 % = 100,001.99997: the 100,002nd IO, which took 800 ns.
    assert row["lat_five_nines_ns"] == 800.0
    assert row["lat_five_nines_mean_ns"] == (4 * 100 + 900) / 5
    assert not row["is_five_nines_supported"]  # 368,887 IOs would bound it


@pytest.mark.parametrize(("each", "is_enough"), [(73_778, True), (73_777, False)])
def test_five_nines_are_supported_when_all_ios_bound_them(
    each: int, *, is_enough: bool
) -> None:
    bin_rows: list[Row] = [  # five rounds alike; 368,887 IOs bound 99.999 %
        {"step_id": f"s{n}", "lat_ns": lat_ns, "count": count}
        for n in range(2, 7)
        for lat_ns, count in ((100, each - 1), (300, 1))
    ]

    assert latency_table(bin_rows, [])["is_five_nines_supported"] == is_enough


def test_convergence_gives_each_round_of_one_mix() -> None:
    rows = [
        cell(n, size, mix, iops=float(n * size), lat_max_ns=1.0 / n)
        for n in (2, 1)
        for size in (4096, 512)
        for mix in (0, 100)
    ]
    found = summarise_convergence(
        measurements(rows), "iops", metric="iops", read_percent=0
    )

    assert list(found.columns) == [
        "run_id", "phase", "round", "block_size_bytes", "read_percent", "iops",
    ]  # fmt: skip
    assert found[["round", "block_size_bytes", "iops"]].to_numpy(float).tolist() == [
        [1, 512, 512],
        [2, 512, 1024],
        [1, 4096, 4096],
        [2, 4096, 8192],
    ]


def test_convergence_of_one_block_size_and_another_metric() -> None:
    rows = [
        cell(n, size, 0, lat_max_ns=float(n)) for n in (1, 2) for size in (512, 4096)
    ]
    found = summarise_convergence(
        measurements(rows),
        "iops",
        metric="lat_max_ns",
        read_percent=0,
        block_size_bytes=4096,
    )

    assert found["lat_max_ns"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("metric", ["latency", "run_id", "total_ios"])
def test_convergence_refuses_what_is_no_metric(metric: str) -> None:
    with pytest.raises(
        ValueError, match=r"unknown metric .*; choose from: bw_bytes_per_s"
    ):
        summarise_convergence(measurements([]), "iops", metric=metric, read_percent=0)


def test_rounds_of_a_phase_without_a_window_are_neither_in_it_nor_out() -> None:
    cells = pd.DataFrame({
        "run_id": "r",
        "test": "iops",
        "phase": ["rounds", "rounds", "rounds", "other"],
        "round": pd.array([1, 2, None, 2], dtype="Int64"),
    })
    window = {"run_id": "r", "test": "iops", "phase": "rounds", "is_final": True}
    bounds = {"window_first_round": [2], "window_last_round": [6]}
    marked = mark_window(cells, pd.DataFrame(window | bounds))
    assert marked["is_in_window"].tolist() == [False, True, pd.NA, pd.NA]
    assert marked["is_sampled"].tolist() == [False, True, pd.NA, pd.NA]


def test_samples_of_a_long_window_are_five_at_equal_distance() -> None:
    rounds = range(1, 50)
    cells = pd.DataFrame({
        "run_id": "r",
        "test": "wsat",
        "phase": "saturation",
        "round": rounds,
    })
    window = {"run_id": "r", "test": "wsat", "phase": "saturation", "is_final": True}
    bounds = {"window_first_round": [4], "window_last_round": [44]}
    marked = mark_window(cells, pd.DataFrame(window | bounds))
    assert marked[marked["is_in_window"]]["round"].tolist() == list(range(4, 45))
    sampled = marked[marked["is_sampled"]]["round"].tolist()
    assert sampled == [4, 14, 24, 34, 44]

"""A percentile of a cell is that of the merged bins of its window, with its scatter."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from ssdlab.compare.cells import APART, FEW_IOS, FEW_ROUNDS, tabulate_window_cells
from ssdlab.compare.pairs import compare_cells
from ssdlab.compare.side_cells import find_cells
from ssdlab.pts.suite import COMPARED
from tests.stats import frames

Histogram = dict[int, int]
LEVEL = "lat_three_nines_ns"
NO_FINDINGS = pd.DataFrame(columns=["run_id", "test", "code", "severity"])
CONDITIONS = ["condition", "run_id", "value", "tests", "standing", "is_barring"]
STUDENT_OF_4 = 2.7764451  # 97.5 % of Student's t of four degrees of freedom
ALIKE = {1000: 99_850, 2000: 100, 4000: 50}


def tabulate(**runs: Sequence[Histogram]) -> pd.DataFrame:
    """Return the cells of runs of which each round has such a histogram."""
    names = [(run, n) for run, rounds in runs.items() for n in range(len(rounds))]
    shared: frames.Row = {"test": "lat", "phase": "AC"}
    measured: list[frames.Row] = [
        shared
        | {"block_size_bytes": 4096, "read_percent": 0, "threads": 1}
        | {"queue_depth": 1, "round": n + 1, "lat_mean_ns": 1000.0 + n}
        | {"run_id": run}
        for run, n in names
    ]
    return tabulate_window_cells(
        frames.measurements([
            frames.measured(f"s{row['round']}", **row) for row in measured
        ]),
        frames.windows([
            frames.window("AC", 1, len(rounds), test="lat", run_id=run)
            for run, rounds in runs.items()
        ]),
        bins=frames.bins([
            {"run_id": run, "step_id": f"s{n + 1}", "lat_ns": lat, "count": count}
            for run, n in names
            for lat, count in runs[run][n].items()
        ]),
        compared=COMPARED,
        steps=frames.steps([
            {"run_id": run, "step_id": f"s{n + 1}", "warnings": ""} for run, n in names
        ]),
    )


def compare(**runs: Sequence[Histogram]) -> "pd.Series[Any]":
    sides = pd.DataFrame({"run_id": list(runs), "side": list(runs)})
    found = find_cells(tabulate(**runs), sides, findings=NO_FINDINGS)
    none = pd.DataFrame(columns=CONDITIONS)
    table = compare_cells(found, sides, conditions=none)
    return table[table["metric"] == LEVEL].iloc[0]


def level_row(cells: pd.DataFrame) -> "pd.Series[Any]":
    return cells[cells["metric"] == LEVEL].iloc[0]


def test_percentile_is_of_all_ios_of_the_window_with_the_scatter_of_its_bin() -> None:
    row = level_row(tabulate(a=[ALIKE] * 5))

    # 500,000 x 99.9 %: the 499,500th IO; 499,250 took 1000 ns, 500 more 2000 ns. The
    # rounds are alike, and ranks 44 to either side are in the same bin, 1999 to 2001.
    assert row["value"] == pytest.approx(2000)
    below, above = math.log(2000 / 1999) / STUDENT_OF_4, math.log(2001 / 2000)
    assert row["log_variance"] == pytest.approx(below**2)
    assert row["log_variance_above"] == pytest.approx((above / STUDENT_OF_4) ** 2)
    assert (row["freedom"], row["n_rounds"], row["doubt"]) == (4, 5, "")


def test_percentiles_of_rounds_are_never_averaged() -> None:
    row = level_row(tabulate(a=[{100: 100_000}] * 4 + [{100: 99_000, 900: 1000}]))

    # 0.2 % of all IOs took 900 ns; the mean of five rounds' percentiles would be 260.
    assert row["value"] == pytest.approx(900)
    assert (row["doubt"], row["open_end"]) == ("", APART)
    assert math.isnan(row["log_variance_above"])


def test_two_runs_differ_by_the_ratio_of_their_merged_percentiles() -> None:
    slower = {2 * lat: count for lat, count in ALIKE.items()}
    row = compare(a=[ALIKE] * 5, b=[slower] * 5)
    assert (row["unit"], row["n_a"], row["n_b"]) == ("rounds", 5, 5)
    assert row["ratio"] == pytest.approx(0.5)
    assert row["better"] == "a"


@pytest.mark.parametrize(
    ("rounds", "reason"),
    [
        ([ALIKE] * 2, FEW_ROUNDS),
        ([{1000: 700}] * 5, FEW_IOS),
        ([{1000: 100_000}] * 4 + [{1000: 99_600, 9000: 400}], APART),
    ],
)
def test_percentile_that_nothing_bounds_towards_the_other_is_not_compared(
    rounds: Sequence[Histogram], reason: str
) -> None:
    row = compare(a=[ALIKE] * 5, b=rounds)
    assert (row["verdict"], row["reason"]) == ("not comparable", f"{reason}: b")


def test_open_end_counts_among_the_comparisons_and_earns_nothing() -> None:
    row = compare(a=[ALIKE] * 5, b=[{1000: 100_000}] * 4 + [{1000: 99_600, 9000: 400}])
    assert (row["p_runs"], row["p_runs_adjusted"], row["better"]) == (1.0, 1.0, "")
    assert math.isnan(row["p_drives"])


def test_slower_percentile_needs_no_upper_end_to_be_shown_slower() -> None:
    row = compare(
        a=[ALIKE] * 5, b=[{8000: 100_000}] * 4 + [{8000: 99_600, 90_000: 400}]
    )
    assert row["ratio"] == pytest.approx(0.25)
    assert row["low"] == 0
    assert row["high"] == pytest.approx(0.25, rel=0.01)
    assert (row["better"], row["claim"], row["reason"]) == ("a", "runs", "")


def test_run_without_histograms_is_missing_and_the_reason_says_so() -> None:
    row = compare(a=[ALIKE] * 5, b=[{}] * 5)
    assert row["verdict"] == "missing"
    assert row["reason"] == "not measured with histograms: b"


def test_percentile_of_repeated_runs_is_the_geometric_mean_of_theirs() -> None:
    slower = {4 * lat: count for lat, count in ALIKE.items()}
    cells = tabulate(a=[ALIKE] * 5, again=[slower] * 5)
    sides = pd.DataFrame({"run_id": ["a", "again"], "side": ["A", "A"]})
    found = find_cells(cells, sides, findings=NO_FINDINGS)
    one = found["lat", LEVEL, "RND 4 KiB 0/100"]["A"]
    assert (one.unit, one.n_runs) == ("runs", 2)
    assert one.value == pytest.approx(math.sqrt(2000 * 8000))

"""The key results of a run: what its windows report, and loads without one."""

import pandas as pd
import pytest

from ssdlab.stats.key_results import COLUMNS, summarise_results

CELL = {"direction": "total", "kind": "cell", "access": "rnd", "read_percent": 0}
WINDOW = {
    "test": "lat",
    "phase": "rounds",
    "average": 1.0,
    "is_final": True,
    "tracking": "RND 4 KiB 0/100",
    "metric": "lat_mean_ns",
    "window_first_round": 2,
    "window_last_round": 6,
    "is_round_steady": True,
}


def measured(*rows: dict[str, object]) -> pd.DataFrame:
    return pd.DataFrame([CELL | {"block_size_bytes": 4096} | row for row in rows])


def judged(*rows: dict[str, object]) -> pd.DataFrame:
    return pd.DataFrame([WINDOW | row for row in rows])


def test_test_with_windows_reports_their_averages_in_its_order() -> None:
    measurements = measured(
        {"test": "wsat", "phase": "saturation", "iops": 9.0},
        {"test": "lat", "phase": "rounds", "iops": 5.0},
    )
    windows = judged(
        {"phase": "rounds", "average": 70.0, "is_final": False},
        {"phase": "rounds", "average": 80.0, "is_final": True},
        {"phase": "wdpc", "average": 1.0, "is_final": True},
    )
    found = summarise_results(measurements, windows)
    assert list(found.columns) == COLUMNS
    assert found["test"].tolist() == ["wsat", "lat"]
    assert found["value"].tolist() == [9.0, 80.0]
    assert found["rounds"].tolist() == ["1", "2 - 6"]
    assert found["is_steady"].tolist() == [pd.NA, True]


def test_load_without_a_window_has_the_mean_of_its_rounds() -> None:
    place = {"test": "peak", "phase": "jobs"}
    measurements = measured(
        place | {"iops": 10.0},
        place | {"iops": 20.0},
        place | {"iops": float("nan")},
        place | {"iops": 7.0, "read_percent": 100},
        place | {"iops": 99.0, "direction": "write"},
    )
    found = summarise_results(
        measurements, judged({"phase": "x", "is_final": None})[:0]
    )
    assert found["tracking"].tolist() == ["RND 4 KiB 0/100", "RND 4 KiB 100/0"]
    assert found["value"].tolist() == [pytest.approx(15.0), 7.0]
    assert found["rounds"].tolist() == ["2", "1"]


def test_run_that_measured_nothing_has_no_results() -> None:
    nothing = measured({"test": "x", "phase": "y", "iops": 1.0})[:0]
    assert summarise_results(nothing, judged({})[:0]).empty

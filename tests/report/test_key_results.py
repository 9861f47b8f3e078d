"""The key results of a run as a frame: those of its report, in stored units."""

from pathlib import Path

import pandas as pd
import pytest

import ssdlab
from tests.made_run import Recipe, make_run
from tests.paths import ROOT

SAMPLES = ROOT / "data" / "samples"


def test_results_are_the_averages_that_the_run_reports() -> None:
    run = ssdlab.open_run(SAMPLES / "virtual-b")
    found = ssdlab.summarise_results(run)
    assert found["test"].unique().tolist() == list(run.record.tests)
    final = run.windows[run.windows["is_final"].astype(bool)]
    writes = final[(final["tracking"] == "RND 4 KiB 0/100") & (final["test"] == "iops")]
    row = found[(found["test"] == "iops") & (found["read_percent"] == 0)].iloc[0]
    assert row["value"] == pytest.approx(writes["average"].iloc[0])
    assert row["low"] < row["value"] < row["high"]
    ends = ["window_first_round", "window_last_round"]
    assert row[["first_round", "last_round"]].tolist() == writes[ends].iloc[0].tolist()
    assert row["is_steady"]


def test_run_that_measured_nothing_yet_has_the_same_columns(tmp_path: Path) -> None:
    full = ssdlab.summarise_results(SAMPLES / "virtual-b")
    run = make_run(tmp_path / "bare", Recipe(tests=("lat",), steps=1))
    empty = ssdlab.summarise_results(run)
    assert empty.empty
    pd.testing.assert_series_equal(
        empty.dtypes[["first_round", "is_steady"]],
        full.dtypes[["first_round", "is_steady"]],
    )
    assert list(empty) == list(full)

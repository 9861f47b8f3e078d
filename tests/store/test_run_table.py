"""The runs of a folder as a frame: labels, outcomes and key numbers."""

from pathlib import Path

import pandas as pd
import pytest

import ssdlab
from ssdlab.store.run_table import NUMBERS
from tests.made_run import Recipe
from tests.made_run import make_run as make_measured
from tests.paths import ROOT
from tests.store.folders import make_run

SAMPLES = ROOT / "data" / "samples"


def test_numbers_are_those_that_the_run_reports() -> None:
    table = ssdlab.summarise_runs(SAMPLES).set_index("run")
    run = ssdlab.open_run(SAMPLES / "virtual-b")
    final = run.windows[run.windows["is_final"].astype(bool)]
    writes = final[(final["tracking"] == "RND 4 KiB 0/100") & (final["test"] == "iops")]
    row = table.loc["virtual-b"]
    assert row["random_write_iops"] == pytest.approx(writes["average"].iloc[0])
    assert row["label"] == run.record.label == "make B"
    assert row["is_steady"] is True or row["is_steady"] == True  # noqa: E712 - numpy
    assert list(table["started_at"]) == sorted(table["started_at"], reverse=True)


def test_run_without_tables_and_damaged_run_have_no_numbers(tmp_path: Path) -> None:
    make_run(tmp_path / "bare")
    broken = make_run(tmp_path / "broken")
    (broken / "state.json").write_text("{")
    table = ssdlab.summarise_runs(tmp_path).set_index("run")
    assert table.loc["bare", "status"] == "interrupted"
    assert "damaged" in str(table.loc["broken", "trouble"])
    assert table[list(NUMBERS)].isna().all(axis=None)
    assert table["is_steady"].isna().all()


def test_run_that_was_not_steady_is_told_so(tmp_path: Path) -> None:
    make_measured(tmp_path / "one", Recipe(tests=("lat",), steady=False))
    table = ssdlab.summarise_runs(tmp_path)
    assert table["is_steady"].tolist() == [False]
    assert pd.notna(table["write_lat_mean_ns"].iloc[0])

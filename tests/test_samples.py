"""The sample runs open, are small, and do not tell whose machine they are of."""

import json
from pathlib import Path

import pytest

import ssdlab
from ssdlab.model.schema import TABLES
from tests.paths import ROOT
from tools.make_samples import HOST, IMPORTS, RECIPES

SAMPLES = ROOT / "data" / "samples"
RECORDED = [name for name in RECIPES if (SAMPLES / name).is_dir()]
WITH_TABLES = [*RECORDED, *IMPORTS]
MOST_BYTES = 1_600_000


def test_all_samples_are_listed_without_trouble() -> None:
    entries = ssdlab.list_runs(SAMPLES)
    assert {Path(entry.path).name for entry in entries} >= set(WITH_TABLES)
    assert [entry.trouble for entry in entries if entry.trouble] == []


@pytest.mark.parametrize("name", WITH_TABLES)
def test_sample_has_every_table_of_this_version(name: str) -> None:
    run = ssdlab.open_run(SAMPLES / name)
    assert [table for table in TABLES if getattr(run, table) is None] == []
    assert len(run.measurements) > 0


@pytest.mark.parametrize("name", WITH_TABLES)
def test_sample_is_small(name: str) -> None:
    files = [path for path in (SAMPLES / name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_sample_is_of_a_test_machine(name: str) -> None:
    host = json.loads((SAMPLES / name / "run.json").read_bytes())["host"]
    run = ssdlab.open_run(SAMPLES / name)
    for key, words in HOST.items():
        assert {host[key], run.runs.loc[0, key]} == {words}


@pytest.mark.parametrize("name", IMPORTS)
def test_imported_sample_says_of_its_host_what_its_report_says(name: str) -> None:
    host = json.loads((SAMPLES / name / "run.json").read_bytes())["host"]
    row = ssdlab.open_run(SAMPLES / name).runs.iloc[0]
    assert host["platform"] == row["platform"] == ""
    assert host["kernel"] == row["kernel"]
    assert host["kernel"].endswith("-generic")


@pytest.mark.parametrize("name", RECORDED)
def test_sample_has_raw_output_of_histograms_and_of_a_round(name: str) -> None:
    run = ssdlab.open_run(SAMPLES / name)
    kept = {path.name for path in (SAMPLES / name / "steps").iterdir()}
    assert kept <= set(run.steps["step_id"])
    assert [step for step in kept if step.endswith("lat-histogram")]
    cell = next(step for step in sorted(kept) if "iops-rounds-r" in step)
    assert "ioengine" in run.job_file(cell)
    assert b'"jobs"' in run.raw_output(cell)


def test_saturation_in_a_comparison_is_the_average_of_its_determination() -> None:
    found = ssdlab.compare_runs([SAMPLES / "virtual-b", SAMPLES / "virtual-c"])
    table = found.summary[found.summary["test"] == "wsat"]
    windows = found.windows[found.windows["is_final"].fillna(value=False)]
    averages = windows[windows["test"] == "wsat"]["average"]
    assert table["value"].tolist() == pytest.approx(averages.tolist(), rel=1e-12)

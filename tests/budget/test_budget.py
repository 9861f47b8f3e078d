"""The uncertainty budget of a result."""

import json
import math
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import ssdlab
from ssdlab.budget.budget import Budget, judge_entries
from ssdlab.budget.entries import (
    Entry,
    ceiling_entry,
    drift_entry,
    mean_entry,
    population_entries,
    temperature_entry,
    temperatures_of,
)
from ssdlab.budget.pages import (
    answer_texts,
    basis_table,
    budget_as_dict,
    budget_document,
    budget_table,
)
from ssdlab.budget.result import choose_result
from ssdlab.fleet.delta import create_tables, open_table, schema_of
from ssdlab.fleet.place import place_of
from ssdlab.fleet.tables import FLEET_TABLES
from ssdlab.model.errors import NoHistogramError, ParameterError, UnknownNameError
from ssdlab.model.records import CeilingPoint
from ssdlab.paper.document import render_document
from ssdlab.stats.trend import estimate_mean
from ssdlab.stats.uncertainty import combine_contributions
from ssdlab.store.run import Run
from tests.cli.called import call
from tests.fleet.made_rows import rows_of_sample
from tests.paths import ROOT

SAMPLE = ROOT / "data" / "samples" / "virtual-b"
ROUNDS = np.array([100.0, 102.0, 101.0, 103.0, 104.0])


@pytest.fixture(scope="module")
def run() -> Run:
    return ssdlab.open_run(SAMPLE)


@pytest.fixture(scope="module")
def budget(run: Run) -> Budget:
    return ssdlab.summarise_budget(run)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store of three drives like that of the sample, each run twice."""
    folder = tmp_path_factory.mktemp("fleet") / "store"
    place = place_of(folder, is_new=True)
    create_tables(place)
    made: dict[str, list[dict[str, Any]]] = {name: [] for name in FLEET_TABLES}
    for number, name in product(range(6), made):
        names = {"run_id": f"r{number}", "ingest_id": f"i{number}"}
        factor = 1 + 0.01 * (number // 2) + 0.002 * (number % 2)
        for row in rows_of_sample(SAMPLE).rows[name]:
            own = row | names
            if name != "histograms":
                own["device_serial"] = f"S{number // 2}"
            if own.get("iops") is not None:
                own["iops"] *= factor
            made[name].append(own)
    for name, rows in made.items():
        content = pa.Table.from_pylist(rows, schema=schema_of(FLEET_TABLES[name]))
        open_table(place, name).append(content, "made")
    return folder


def by_source(found: Budget) -> dict[str, Entry]:
    return {one.source: one for one in found.entries}


def test_drift_equals_the_line_computed_by_hand() -> None:
    """Slope (-200 - 102 + 103 + 208) / 10 = 0.9: half of 4 x 0.9, over root 3."""
    found = drift_entry(ROUNDS).contribution
    assert found is not None
    assert found.standard == pytest.approx(1.8 / math.sqrt(3))
    assert found.freedom == 3


def test_rounds_alone_expand_to_the_interval_of_the_report() -> None:
    found = mean_entry(ROUNDS).contribution
    assert found is not None
    alone = combine_contributions([found])
    assert alone is not None
    known = estimate_mean(ROUNDS)
    assert alone.expanded == pytest.approx((known.high - known.low) / 2)
    assert mean_entry(ROUNDS[:2]).contribution is None
    assert mean_entry(np.full(5, 7.0)).contribution is None
    assert drift_entry(ROUNDS[:2]).contribution is None


def test_temperature_counts_only_where_a_slope_is_shown() -> None:
    """Exactly 2 per degree over 4 degrees: half of it over root 3, times 2."""
    degrees = [40.0, 41.0, 42.0, 43.0, 44.0]
    shown = temperature_entry(2 * np.array(degrees), degrees).contribution
    assert shown is not None
    assert shown.of_result == pytest.approx(2 * 2 / math.sqrt(3))
    assert shown.unit == "°C"
    scattered = np.array([100.0, 90.0, 105.0, 95.0, 101.0])
    for rounds, temperatures in (
        (scattered, degrees), (scattered, [40.0] * 5), (scattered, []),
        (scattered[:2], [40.0, 41.0]),
    ):  # fmt: skip
        assert temperature_entry(rounds, temperatures).contribution is None


def test_temperature_is_that_of_each_step_or_none() -> None:
    steps = pd.DataFrame({"started_s": [0.0, 10.0], "ended_s": [5.0, 15.0]})
    read = pd.DataFrame({
        "source": "block", "name": "temperature_celsius",
        "time_s": [1.0, 3.0, 12.0], "value": [40.0, 42.0, 45.0],
    })  # fmt: skip
    assert temperatures_of(steps, read) == [41.0, 45.0]
    assert temperatures_of(steps, read.head(2)) == []


def test_host_ceiling_is_never_a_number(run: Run) -> None:
    result = choose_result(run, direction="total")
    point = CeilingPoint(threads=8, queue_depth=64, block_size_bytes=4096, iops=1e7)
    far = replace(point, read_percent=0)
    near = replace(far, iops=result.value * 1.05)
    small = replace(far, threads=1, queue_depth=1)
    entries = [ceiling_entry(result, (one,)) for one in (far, near, small)]
    entries.append(ceiling_entry(result, ()))
    assert not any(one.contribution for one in entries)
    assert [one.applies for one in entries] == [False, True, True, True]


def test_scatter_of_runs_and_drives_equals_the_hand_computed_one() -> None:
    """Drives at ln 0 and 0.04 with runs ±0.01 about them: run 0.0002.

    Mean squares: drives 2 (0.0004 + 0.0004) = 0.0016, runs 4 x 0.0001 / 2 = 0.0002, so
    drives (0.0016 - 0.0002) / 2 = 0.0007.
    """
    runs = pd.DataFrame({"drive": list("aabb"), "log": [-0.01, 0.01, 0.03, 0.05]})
    of_runs, of_drives = (one.contribution for one in population_entries(1000.0, runs))
    assert of_runs is not None
    assert of_drives is not None
    assert of_runs.of_result == pytest.approx(1000 * math.sqrt(0.0002))
    assert of_drives.of_result == pytest.approx(1000 * math.sqrt(0.0007))
    assert of_runs.freedom == pytest.approx(2)


@pytest.mark.parametrize(
    ("drives", "told"),
    [("", []), ("ab", []), ("aa", ["run to run"]), ("aabb", ["run to run"])],
)
def test_what_was_not_sampled_is_not_evaluated(drives: str, told: list[str]) -> None:
    log = [0.0, 0.05, 0.01, 0.06][: len(drives)]
    runs = pd.DataFrame({"drive": list(drives), "log": log})
    found = list(population_entries(100.0, runs, why="why"))
    assert [one.source for one in found if one.contribution] == told
    assert all(one.basis and one.applies for one in found)
    assert len(found) == 2


def test_budget_of_a_run_names_every_source_and_what_it_lacks(budget: Budget) -> None:
    assert budget.scope == "run"
    assert budget.combined is not None
    assert len(budget.entries) == 9
    lacking = [*answer_texts(budget)][-1]
    assert all(
        one.source in lacking
        for one in budget.entries
        if one.applies and one.contribution is None
    )
    clock = by_source(budget)["resolution of times"].contribution
    runtime_s = budget.result.steps["runtime_s"].mean()
    assert clock is not None
    assert clock.of_result == pytest.approx(
        budget.result.value * 0.001 / runtime_s / math.sqrt(3)
    )
    assert len(basis_table(budget).rows) == 9
    shares = budget_table(budget).column("Of variance [%]")
    assert sum(float(one) for one in shares[:-2] if "<" not in one) == pytest.approx(
        100, abs=0.5
    )


def test_percentile_counts_half_of_its_bin(run: Run) -> None:
    found = ssdlab.summarise_budget(run, test="lat", metric="p99")
    result = found.result
    bins = by_source(found)["histogram bin"].contribution
    assert bins is not None
    assert bins.of_result == pytest.approx(result.bin_width / 2 / math.sqrt(3))
    assert result.bin_width / result.value < 1 / 32
    assert found.combined is not None
    never = ssdlab.summarise_budget(run, test="iops", metric="p99.999")
    assert never.combined is None
    assert never.reason == "no-scatter"
    assert never.result.workload.startswith("RND 4 KiB 0/100")


def test_result_without_steady_state_has_no_uncertainty(budget: Budget) -> None:
    for is_steady, reason in ((False, "not-steady"), (None, "not-judged")):
        result = replace(budget.result, is_steady=is_steady)
        combined, why = judge_entries(result, budget.entries, confidence_percent=95)
        assert (combined, why) == (None, reason)
        untold = replace(budget, result=result, combined=combined, reason=why)
        assert "CANNOT BE TOLD" in next(answer_texts(untold))
        assert render_document(budget_document(untold))
        plain = budget_as_dict(untold)
        assert plain["combined"] is None
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_store_adds_the_scatter_of_runs_and_drives(run: Run, store: Path) -> None:
    found = ssdlab.summarise_budget(run, store=store)
    alone = ssdlab.summarise_budget(run)
    assert found.scope == "model"
    assert found.combined is not None
    assert alone.combined is not None
    assert found.combined.standard > alone.combined.standard
    other = ssdlab.summarise_budget(run, store=store, where=["device_serial=S9"])
    assert other.scope == "run"
    assert "no run has" in by_source(other)["run to run"].basis
    one = ssdlab.summarise_budget(run, store=store, where=["device_serial=S1"])
    assert one.scope == "drive"


def test_wrong_requests_are_refused(run: Run) -> None:
    wrongs: tuple[dict[str, Any], ...] = (
        {"cell": "RND 3KiB"}, {"test": "fun"}, {"metric": "speed"},
        {"metric": "p99", "test": "fun"},
    )  # fmt: skip
    for wrong in wrongs:
        with pytest.raises(UnknownNameError):
            ssdlab.summarise_budget(run, **wrong)
    with pytest.raises(ParameterError):
        ssdlab.summarise_budget(run, confidence_percent=100)
    imported = ROOT / "data" / "samples" / "tkperf-intel-s3510"
    with pytest.raises(NoHistogramError):
        ssdlab.summarise_budget(imported, metric="p99")


def test_command_shows_a_budget_or_why_not(tmp_path: Path) -> None:
    page = tmp_path / "budget.html"
    done = call("budget", SAMPLE, "-o", page)
    assert done.returncode == 0
    assert "not evaluated" in done.stdout
    assert "Uncertainty budget" in page.read_text("utf-8")
    found = json.loads(call("budget", SAMPLE, "--test", "lat", "--json").stdout)
    assert found["combined"]["expanded"] > 0
    assert call("budget", ROOT / "data" / "samples" / "file").returncode == 4
    assert call("budget", SAMPLE, "--confidence", "x").returncode == 2

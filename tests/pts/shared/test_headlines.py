"""The key results of runs whose truth is known, and of all samples."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import ssdlab
from ssdlab.paper.context import Context, read_context
from ssdlab.pts.shared.headlines import Headline, cell_headline
from ssdlab.report.view import headlines_of
from ssdlab.stats.matrix import (
    select_window,
    summarise_iops_matrix,
    summarise_throughput,
)
from ssdlab.store.catalog import list_runs
from tests.cli.called import call
from tests.made_run import Recipe, make_run
from tests.paths import ROOT

WRITE = Headline(
    test="iops",
    metric="iops",
    access="rnd",
    block_size_bytes=4096,
    read_percent=0,
    threads=2,
    queue_depth=16,
    value=4000.0,
)


def found(context: Context) -> dict[tuple[str, str], Headline]:
    return {(one.test, one.name): one for one in headlines_of(context)}


def test_headline_is_the_mean_of_the_window_with_its_interval(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Recipe(tests=("iops", "tp"), rounds=6))
    context = read_context(run)
    headlines = found(context)
    matrix = summarise_iops_matrix(run.measurements, run.windows)
    cells = matrix[matrix["block_size_bytes"] == 4096].set_index("read_percent")
    for mix, name in ((0, "Random write"), (100, "Random read")):
        one = headlines["iops", name]
        assert one.value == pytest.approx(cells.loc[mix, "iops"])
        assert one.rounds == (2, 6)
        assert one.is_steady
        assert len(one.series) == 6
        assert one.low is not None
        assert one.high is not None
        assert one.low <= one.value <= one.high
    rates = summarise_throughput(run.measurements, run.windows)
    largest = rates[rates["block_size_bytes"] == rates["block_size_bytes"].max()]
    wanted = largest.set_index("read_percent").loc[0, "bw_bytes_per_s"]
    assert headlines["tp", "Sequential write"].value == pytest.approx(wanted)


def test_saturation_tells_how_far_a_drive_falls_from_fresh(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Recipe(tests=("wsat",), saturation_rounds=60))
    (one,) = headlines_of(read_context(run))
    assert one.fresh == one.series[0]
    assert one.change_ratio == pytest.approx(one.value / one.series[0] - 1)


def test_unsteady_window_is_not_called_steady(tmp_path: Path) -> None:
    recipe = Recipe(tests=("iops",), rounds=5, steady=False)
    run = make_run(tmp_path / "run", recipe)
    assert {one.is_steady for one in headlines_of(read_context(run))} == {False}


def test_test_without_a_window_has_no_headline(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Recipe(tests=("lat",), steps=2 + 3 * 9))
    assert headlines_of(read_context(run)) == ()


@pytest.mark.parametrize(
    "sample", [one.path for one in list_runs(ROOT / "data/samples")]
)
def test_interval_of_a_sample_holds_its_value_and_what_is_unknown_is_absent(
    sample: str,
) -> None:
    headlines = headlines_of(read_context(ssdlab.open_run(sample)))
    assert headlines
    for one in headlines:
        assert math.isfinite(one.value)
        assert one.value > 0
        assert one.low is None or one.low <= one.value
        assert one.high is None or one.value <= one.high
        assert one.value_text
    shown = json.loads(call("show", sample, "--json").stdout)
    assert [one["value"] for one in shown["results"]] == [
        one.value for one in headlines
    ]


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((3900.0, 4100.0), "3,900 to 4,100"),
        ((3900.0, None), "at least 3,900"),
        ((None, 4100.0), "at most 4,100"),
        ((None, None), ""),
    ],
)
def test_interval_is_written_as_far_as_it_is_known(
    ends: tuple[float | None, float | None], text: str
) -> None:
    low, high = ends
    one = replace(WRITE, low=low, high=high)
    assert one.interval_text == text


def test_interval_across_units_names_them() -> None:
    one = replace(
        WRITE, test="lat", metric="lat_mean_ns", value=9e5, low=8e5, high=1.1e6
    )
    assert one.name == "Latency, random write"
    assert one.interval_text == "800.0 μs to 1.100 ms"


def test_load_is_named_by_size_and_outstanding_ios() -> None:
    assert (WRITE.name, WRITE.load, WRITE.value_text) == (
        "Random write",
        "4 KiB T2/Q16",
        "4,000 IOPS",
    )


@pytest.mark.parametrize(("rises", "is_shown"), [(True, True), (False, False)])
def test_change_from_fresh_is_claimed_only_beyond_the_scatter_of_a_round(
    tmp_path: Path, *, rises: bool, is_shown: bool
) -> None:
    run = make_run(tmp_path / "run", Recipe(tests=("wsat",), saturation_rounds=60))
    (one,) = headlines_of(read_context(run))
    context = read_context(run)
    rows = select_window(context.totals, context.windows, "wsat").copy()
    rows["iops"] = [100.0, 99.0, 101.0, 98.0, 102.0]
    totals = context.totals.copy()
    first = totals["step_id"] == totals[totals["round"] == 1]["step_id"].iloc[0]
    totals.loc[first, "iops"] = 120.0 if rises else 103.0
    (line,) = cell_headline(replace(context, totals=totals), rows, "iops")
    assert line.fresh in {103.0, 120.0}
    assert line.is_change_shown is is_shown
    assert one.is_change_shown

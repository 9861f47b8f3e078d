"""One quantity has one number and one mark, on whichever page it is shown."""

import html
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ssdlab
from ssdlab.compare.merged_levels import summarise_merged_levels
from ssdlab.explorer.cells import (
    find_cell_axes,
    select_rounds,
    summarise_cells,
    tabulate_cells,
)
from ssdlab.model.errors import NoHistogramError, UnknownNameError
from ssdlab.pts.wsat.summary import summarise_saturation
from ssdlab.qos.confidence import summarise_confidence
from ssdlab.qos.curves import summarise_load
from ssdlab.qos.load import Load
from ssdlab.qos.loads import select_loads
from ssdlab.qos.percentiles import summarise_qos
from ssdlab.qos.rounds import summarise_percentile_rounds
from ssdlab.qos.text import tabulate_qos
from ssdlab.report import render_report
from ssdlab.stats.latency import is_supported
from ssdlab.stats.matrix import (
    select_window,
    summarise_iops_matrix,
    summarise_latency_table,
    summarise_throughput,
)
from ssdlab.steadiness.precision import summarise_precision
from ssdlab.steadiness.series import take_round_series
from ssdlab.text.numbers import exact_text
from ssdlab.text.table import UNSUPPORTED_MARK
from tests.paths import ROOT

SAMPLES = ROOT / "data" / "samples"
RUNS = sorted(path.parent for path in SAMPLES.glob("*/tables"))
_SIDE = ["step_id", "direction"]
_SAME = 1e-12
_OF_THE_FOUR = ("iops", "tp", "lat", "wsat")


@pytest.fixture(scope="module", params=RUNS, ids=lambda path: path.name)
def run(request: pytest.FixtureRequest) -> ssdlab.Run:
    return opened(request.param)


@cache
def opened(path: Path) -> ssdlab.Run:
    return ssdlab.open_run(path)


@cache
def _selected(path: Path, test: str) -> tuple[Load, ...]:
    run = opened(path)
    try:
        return select_loads(run.measurements, run.bins, run.windows, test=test)
    except (NoHistogramError, UnknownNameError):
        return ()


def loads_of(run: ssdlab.Run, test: str) -> tuple[Load, ...]:
    """Return what `ssdlab qos` shows of a test; nothing where it has no histogram."""
    return _selected(run.path, test)


def matrix_of(run: ssdlab.Run, test: str, metric: str) -> pd.DataFrame:
    """Return the explorer's matrix of a test, of the measurement window."""
    cells = tabulate_cells(run.measurements, run.percentiles, run.windows)
    is_mean = metric in {"iops", "bw_bytes_per_s", "lat_mean_ns"}
    rows = select_rounds(cells, test=test, rounds="samples" if is_mean else "window")
    bins = run.bins[run.bins["direction"] == "total"]
    return summarise_cells(rows, metric, axes=find_cell_axes(rows), bins=bins)


def by_cell(frame: pd.DataFrame, column: str) -> dict[tuple[int, int], float]:
    rows = zip(
        frame["block_size_bytes"], frame["read_percent"], frame[column], strict=True
    )
    return {(int(size), int(mix)): float(value) for size, mix, value in rows}


def cell_of(load: Load) -> tuple[int, int]:
    first = load.steps.iloc[0]
    return int(first["block_size_bytes"]), int(first["read_percent"])


def test_no_stored_percentile_is_beyond_the_extremes_of_its_step(
    run: ssdlab.Run,
) -> None:
    ends = run.measurements[[*_SIDE, "lat_min_ns", "lat_max_ns"]]
    joined = run.percentiles.merge(ends, on=_SIDE)
    assert len(joined) == len(run.percentiles)
    assert (joined["lat_ns"] <= joined["lat_max_ns"]).all()
    assert (joined["lat_ns"] >= joined["lat_min_ns"]).all()


def test_stored_percentiles_are_supported_by_the_one_rule(run: ssdlab.Run) -> None:
    counted = run.bins.groupby(_SIDE, as_index=False)["count"].sum()
    joined = run.percentiles.merge(counted, on=_SIDE)
    assert len(joined) == len(run.percentiles)
    for count, rows in joined.groupby("count"):
        wanted = is_supported(rows["percentile"], int(str(count)))
        assert rows["is_supported"].tolist() == wanted.tolist()


def test_intervals_of_each_load_rise_with_the_level(run: ssdlab.Run) -> None:
    for test in run.record.tests:
        for load in loads_of(run, test):
            levels = summarise_qos(load).query("percentile.notna()")
            for name in ("lat_ns", "low_ns", "high_ns"):
                assert levels[name].is_monotonic_increasing
            assert levels["is_supported"].is_monotonic_decreasing
            assert (levels["low_ns"] <= levels["lat_ns"]).all()
            assert (levels["lat_ns"] <= levels["high_ns"]).all()
            assert (levels["lat_ns"] <= load.greatest_ns).all()
            assert (levels["is_supported"] == np.isfinite(levels["high_ns"])).all()


@pytest.mark.parametrize(
    ("test", "metric"), [("iops", "iops"), ("tp", "bw_bytes_per_s")]
)
def test_matrix_of_the_explorer_is_the_report_s(
    run: ssdlab.Run, test: str, metric: str
) -> None:
    summarise = summarise_iops_matrix if test == "iops" else summarise_throughput
    report = by_cell(summarise(run.measurements, run.windows), metric)
    if not report:
        pytest.skip(f"{test} is not in this run")
    assert by_cell(matrix_of(run, test, metric), metric) == report


def test_average_of_each_window_is_the_mean_that_is_shown_elsewhere(
    run: ssdlab.Run,
) -> None:
    finals = run.windows[run.windows["is_final"].fillna(value=False)]
    other = "virtual-b" if run.path.name != "virtual-b" else "virtual-c"
    comparison = ssdlab.compare_runs([run.path, SAMPLES / other])
    mine = comparison.cells[comparison.cells["run_id"] == run.record.run_id]
    for _, window in finals.iterrows():
        test, metric = str(window["test"]), str(window["metric"])
        cells = select_window(run.measurements, run.windows, test)
        own = cells[(cells["phase"] == window["phase"]) & (cells["kind"] == "cell")]
        for name in ("block_size_bytes", "read_percent", "threads", "queue_depth"):
            if not pd.isna(window[name]):
                own = own[own[name] == window[name]]
        assert own[metric].mean() == pytest.approx(window["average"], rel=_SAME)
        compared = mine[(mine["test"] == test) & (mine["metric"] == metric)]
        size, mix = own.iloc[0][["block_size_bytes", "read_percent"]]
        is_cell = compared["read_percent"] == mix
        if not pd.isna(size):
            is_cell &= compared["block_size_bytes"] == size
        if test in _OF_THE_FOUR and len(own) > 0:
            rounds = compared[is_cell & compared["round"].notna()]
            assert rounds["value"].mean() == pytest.approx(window["average"], rel=_SAME)
            series = take_round_series(
                *(run.measurements, run.windows, run.steps),
                test=test,
                tracking=str(window["tracking"]),
            )
            precision = summarise_precision(series, "pts-2.0.2")
            shown = precision[
                precision["rounds"].str.contains("the window")
                & (precision["quantity"] == "average")
            ]
            averages = shown["estimate"].tolist()
            assert averages == pytest.approx([window["average"]] * len(averages))
            assert averages or not window["is_round_steady"]


def test_latency_table_has_the_numbers_and_marks_of_qos_explorer_and_comparison(
    run: ssdlab.Run,
) -> None:
    loads = [load for load in loads_of(run, "lat") if load.kind == "cell"]
    if not loads:
        pytest.skip("the run has no rounds of LAT with bins")
    table = summarise_latency_table(
        run.measurements, run.windows, percentiles=run.percentiles, bins=run.bins
    )
    levels = {cell_of(load): summarise_qos(load).set_index("marker") for load in loads}
    nines = {cell: own.loc["99.999 %"] for cell, own in levels.items()}
    shown = by_cell(table, "lat_five_nines_ns")
    marked = by_cell(table, "is_five_nines_supported")
    assert shown == {cell: one["lat_ns"] for cell, one in nines.items()}
    assert marked == {cell: one["is_supported"] for cell, one in nines.items()}
    greatest = {cell: own.loc["max", "lat_ns"] for cell, own in levels.items()}
    assert by_cell(table, "lat_max_ns") == greatest
    assert by_cell(matrix_of(run, "lat", "lat_max_ns"), "lat_max_ns") == greatest
    rates = {cell_of(load): summarise_load(load)["iops"] for load in loads}
    assert by_cell(table, "iops") == pytest.approx(rates, rel=_SAME)
    for marker, metric in (("99 %", "lat_p99_ns"), ("99.9 %", "lat_p999_ns")):
        known = {cell: own.loc[marker] for cell, own in levels.items()}
        supported = {
            c: one["lat_ns"] for c, one in known.items() if one["is_supported"]
        }
        assert by_cell(matrix_of(run, "lat", metric), metric) == supported
    compared = summarise_merged_levels(
        run.measurements,
        run.bins,
        run.windows,
        test="lat",
        kind="cell",
        levels=[99.9],
    )
    for name in ("lat_ns", "low_ns", "high_ns"):
        own = {cell: one.loc["99.9 %", name] for cell, one in levels.items()}
        assert by_cell(compared, name) == own


@pytest.mark.parametrize("test", ["lat", "wsat"])
def test_histogram_has_the_levels_of_qos(run: ssdlab.Run, test: str) -> None:
    loads = [load for load in loads_of(run, test) if load.kind == "histogram"]
    if not loads:
        pytest.skip(f"the run has no histogram of {test}")
    markers = summarise_confidence(run.bins, run.measurements, test=test)
    levels = summarise_qos(loads[0]).set_index("marker")
    for _, marker in markers.iterrows():
        own = levels.loc[marker["marker"]]
        assert marker["lat_ns"] == pytest.approx(own["lat_ns"], rel=_SAME)
        assert bool(marker["is_supported"]) == bool(own["is_supported"])


def test_rounds_of_write_saturation_have_one_percentile(run: ssdlab.Run) -> None:
    loads = [
        load
        for load in select_all_rounds(run, "wsat")
        if load.kind == "cell" and load.test == "wsat"
    ]
    if not loads:
        pytest.skip("the run has no rounds of WSAT with bins")
    table = summarise_saturation(
        run.measurements, run.steps, percentiles=run.percentiles
    ).set_index("round")
    cells = tabulate_cells(run.measurements, run.percentiles).set_index("step_id")
    for marker, name in (("99.9 %", "three_nines"), ("99.99 %", "four_nines")):
        rounds = summarise_percentile_rounds(loads[0], levels=[99.9, 99.99])
        own = rounds[rounds["marker"] == marker].set_index("round")
        assert own["lat_ns"].tolist() == table[f"lat_{name}_ns"].tolist()
        supported = table[f"is_{name}_supported"].astype(bool)
        assert own["is_supported"].tolist() == supported.tolist()
        explored = cells.loc[
            loads[0].steps["step_id"], f"lat_p{marker[:-2].replace('.', '')}_ns"
        ]
        wanted = own["lat_ns"].where(supported)
        assert explored.tolist() == pytest.approx(wanted.tolist(), nan_ok=True)


def select_all_rounds(run: ssdlab.Run, test: str) -> Iterator[Load]:
    try:
        yield from select_loads(run.measurements, run.bins, test=test)
    except (NoHistogramError, UnknownNameError):
        return


def test_report_and_terminal_write_one_number_with_one_mark() -> None:
    run = opened(SAMPLES / "virtual-b")
    page = html.unescape(render_report(run))
    (load,) = [one for one in loads_of(run, "lat") if one.kind == "histogram"]
    levels = summarise_qos(load)
    said = tabulate_qos(levels).set_index("Level")["Response time [ms]"]
    table = page[page.index("Confidence levels of") :]
    rows: dict[str, Any] = dict(
        re.findall(r'<th scope="row">([\d.]+ %)</th><td>([^<]*)</td>', table)[:4]
    )
    assert list(rows) == ["99 %", "99.9 %", "99.99 %", "99.999 %"]
    for marker, text in rows.items():
        own = levels[levels["marker"] == marker].iloc[0]
        mark = "" if own["is_supported"] else f" {UNSUPPORTED_MARK}"
        assert text == f"{exact_text(own['lat_ns'] / 1e6)}{mark}"
        assert said[marker].endswith(UNSUPPORTED_MARK) == bool(mark)

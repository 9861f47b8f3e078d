"""What is drawn for a selection, and that the code cell draws the same."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from ssdlab.explorer.fitting import SelectionFitter
from ssdlab.explorer.run_cache import RunCache
from ssdlab.explorer.selection import Selection, find_choices, fit_selection
from ssdlab.explorer.views import (
    Picture,
    Place,
    draw_histogram,
    draw_map,
    draw_nothing,
    draw_rounds,
    draw_time,
    frame_of_map,
    histogram_runs,
    rows_of_cell,
    series_of,
    shown_round,
)
from ssdlab.model.schema import TABLES
from ssdlab.store.run import Run
from ssdlab.store.tables import write_table
from tests.made_run import Recipe, make_run


@pytest.fixture(scope="module")
def run_cache(tmp_path_factory: pytest.TempPathFactory) -> RunCache:
    folder: Path = tmp_path_factory.mktemp("runs")
    short = Recipe(tests=("iops", "lat", "wsat"), saturation_rounds=8)
    forget_bins(make_run(folder / "one", short), test="iops")
    make_run(folder / "two <b>", replace(short, serial="MADE0002"))
    run_cache = RunCache(folder)
    for name in run_cache.listed:
        for table in ("cells", "bins", "series", "steps"):
            run_cache.load((name, table, "total"))
    return run_cache


@pytest.fixture(scope="module")
def places(run_cache: RunCache) -> dict[str, Place]:
    return {
        name: Place(path=one.path, drive=one.drive)
        for name, one in run_cache.listed.items()
    }


def forget_bins(run: Run, *, test: str) -> None:
    """Take the histograms of a test from a run, as imports have none of it."""
    own = run.steps.loc[run.steps["test"] == test, "step_id"]
    bins = run.bins[~run.bins["step_id"].isin(own)]
    columns = {str(name): bins[name].tolist() for name in bins}
    write_table(run.folder / "tables", TABLES["bins"], columns)


def ios_of_wsat(run_cache: RunCache, name: str, kind: str) -> int:
    """Return the IOs of its histogram run, or of all its rounds."""
    cells = run_cache.cells((name,))
    wsat = cells[(cells["test"] == "wsat") & (cells["kind"] == kind)]
    return int(wsat["total_ios"].sum())


def fitted(run_cache: RunCache, **wanted: Any) -> Selection:
    asked = Selection(**({"runs": tuple(sorted(run_cache.listed))} | wanted))
    cells = run_cache.cells(asked.runs)
    choices = find_choices(cells, test=asked.test, phase=asked.phase)
    return fit_selection(asked, choices)


def run_cell(code: str) -> go.Figure:
    """Run a code cell as a notebook would, and return what it ends with."""
    names: dict[str, Any] = {}
    exec(code, names)
    assert code.rstrip().endswith("\nfigure")
    figure: go.Figure = names["figure"]
    return figure


def assert_same(picture: Picture) -> None:
    again = run_cell(picture.code)
    assert json.loads(again.to_json()) == json.loads(picture.figure.to_json())


def test_first_selection_is_the_cell_that_the_pts_tracks(run_cache: RunCache) -> None:
    chosen = fitted(run_cache)
    assert (chosen.run, chosen.test, chosen.metric) == ("one", "iops", "iops")
    assert dict(chosen.cell) == {"read_percent": 0, "block_size_bytes": 4096}
    assert chosen.rounds == "window"


def test_what_the_runs_do_not_have_becomes_what_they_have(run_cache: RunCache) -> None:
    chosen = fitted(
        run_cache, test="hir", run="three", metric="unknown", rounds=(90, 95)
    )
    assert (chosen.test, chosen.run, chosen.rounds) == ("iops", "one", None)
    assert chosen.metric == "iops"
    wsat = fitted(run_cache, test="wsat", rounds=(2, 99))
    assert wsat.rounds == (2, 8)


def test_nothing_chosen_gives_nothing(run_cache: RunCache) -> None:
    chosen = fitted(run_cache, runs=())
    assert (chosen.run, chosen.cell) == ("", ())


@pytest.mark.parametrize("metric", ["iops", "lat_max_ns"])
def test_matrix_marks_the_cell_and_its_code_draws_the_same(
    run_cache: RunCache, places: dict[str, Place], metric: str
) -> None:
    chosen = fitted(run_cache, metric=metric, rounds=(3, 5), run="two <b>")
    cells, bins = run_cache.cells(chosen.runs), run_cache.table("two <b>", "bins")
    own = cells[cells["run_id"] == chosen.run]
    picture = draw_map(chosen, frame_of_map(chosen, own, bins), places=places)
    assert picture.frame["n_rounds"].dropna().unique().tolist() == [3]
    assert len(picture.figure.layout.shapes) == 2
    assert "two &lt;b&gt;" in picture.figure.layout.title.subtitle.text
    assert_same(picture)


@pytest.mark.parametrize(
    ("rounds", "n_rounds"), [("window", 5), (None, 6), ((3, 5), 3)]
)
@pytest.mark.parametrize("metric", ["iops", "lat_max_ns"])
def test_matrix_is_of_the_measurement_window_unless_others_are_chosen(
    run_cache: RunCache,
    places: dict[str, Place],
    metric: str,
    *,
    rounds: Any,
    n_rounds: int,
) -> None:
    chosen = fitted(run_cache, metric=metric, rounds=rounds)
    cells, bins = run_cache.cells(chosen.runs), run_cache.table("one", "bins")
    own = cells[cells["run_id"] == chosen.run]
    picture = draw_map(chosen, frame_of_map(chosen, own, bins), places=places)
    assert picture.frame["n_rounds"].dropna().unique().tolist() == [n_rounds]
    assert_same(picture)


def test_window_is_shaded_in_the_rounds(
    run_cache: RunCache, places: dict[str, Place]
) -> None:
    chosen = fitted(run_cache)
    rows = rows_of_cell(chosen, run_cache.cells(chosen.runs))
    (shade,) = draw_rounds(chosen, rows, places=places).figure.layout.shapes
    assert (shade.x0, shade.x1) == (1.5, 6.5)


def test_rounds_of_both_runs_are_drawn_and_the_shown_one_is_ringed(
    run_cache: RunCache, places: dict[str, Place]
) -> None:
    chosen = fitted(run_cache, point=2)
    cells = run_cache.cells(chosen.runs)
    rows = rows_of_cell(chosen, cells)
    picture = draw_rounds(chosen, rows, places=places)
    *lines, ring = picture.figure.data
    assert [line.name for line in lines] == ["MADE0001", "MADE0002"]
    assert [len(line.x) for line in lines] == [6, 6]
    assert list(ring.x) == [2]
    assert shown_round(replace(chosen, point=None), rows) == 6
    assert_same(picture)


@pytest.mark.parametrize(
    ("rounds", "kind"),
    [("window", "histogram"), (None, "histogram"), ((1, 99), "cell")],
)
def test_histogram_is_of_the_long_run_or_of_the_rounds_named(
    run_cache: RunCache, places: dict[str, Place], rounds: Any, kind: str
) -> None:
    chosen = replace(fitted(run_cache, test="wsat"), rounds=rounds)
    bins = [run_cache.table(name, "bins") for name in chosen.runs]
    known = [frame for frame in bins if frame is not None]
    picture = draw_histogram(
        chosen,
        rows_of_cell(chosen, run_cache.cells(chosen.runs)),
        bins=known,
        places=places,
    )
    assert [line.name for line in picture.figure.data] == ["MADE0001", "MADE0002"]
    assert picture.frame.groupby("run_id")["count"].sum().to_dict() == {
        name: ios_of_wsat(run_cache, name, kind) for name in ("one", "two <b>")
    }
    title = picture.figure.layout.title
    assert ("long histogram run" in f"{title}") == (kind == "histogram")
    assert_same(picture)


def test_a_cell_without_bins_says_so(
    run_cache: RunCache, places: dict[str, Place]
) -> None:
    chosen = fitted(run_cache, runs=("one",))
    bins = run_cache.table("one", "bins")
    assert bins is not None
    picture = draw_histogram(
        chosen,
        rows_of_cell(chosen, run_cache.cells(chosen.runs)),
        bins=[bins],
        places=places,
    )
    words = picture.figure.layout.annotations[0].text
    assert words == "no histogram was kept of this cell"
    assert_same(picture)


@pytest.mark.parametrize("span", [None, (3.0, 50.0)])
def test_series_over_time_is_drawn_and_its_code_draws_the_same(
    run_cache: RunCache, places: dict[str, Place], span: tuple[float, float] | None
) -> None:
    chosen = fitted(run_cache, test="wsat", over="time", metric="lat_max_ns")
    series, steps = run_cache.table("one", "series"), run_cache.table("one", "steps")
    assert series is not None
    assert steps is not None
    joined = series_of(chosen, series, steps)
    picture = draw_time(chosen, joined, places=places, span=span)
    if joined.empty:
        words = picture.figure.layout.annotations[0].text
        assert words == "this test kept no intervals"
    assert_same(picture)


def test_only_eight_histograms_are_drawn_and_the_shown_run_is_one_of_them() -> None:
    names = tuple(f"r{number}" for number in range(200))
    assert histogram_runs(Selection(runs=names, run="r150")) == (*names[:7], "r150")


def test_reads_of_a_mixed_cell_are_drawn_alone_where_they_were_kept(
    run_cache: RunCache, places: dict[str, Place]
) -> None:
    chooser = SelectionFitter(run_cache)
    mixed = (("read_percent", 65), ("block_size_bytes", 8192))
    asked = Selection(runs=("one",), test="iops", cell=mixed, direction="read")
    for wanted in chooser.wanted(asked):
        run_cache.load(wanted)
    chosen, choices, cells = chooser.fit(asked)
    whole, _, both = chooser.fit(replace(asked, direction="total"))
    assert choices.directions == ("total", "read", "write")
    assert (chosen.direction, chosen.cell) == ("read", mixed)
    assert 0 not in choices.downs
    reads = draw_rounds(chosen, rows_of_cell(chosen, cells), places=places)
    total = draw_rounds(whole, rows_of_cell(whole, both), places=places)
    share = reads.frame["iops"].to_numpy() / total.frame["iops"].to_numpy()
    assert share == pytest.approx(0.65, abs=0.02)
    assert reads.figure.layout.title.subtitle.text == (
        "R/W 65/35, 8 KiB, reads only<br>Model SSD 480 MADE0001"
    )
    assert_same(reads)
    frame = frame_of_map(chosen, cells, None)
    assert_same(draw_map(chosen, frame, places=places))


def test_a_test_without_mixes_has_no_directions_to_choose(run_cache: RunCache) -> None:
    asked = Selection(runs=("one",), test="wsat", direction="write")
    run_cache.load(("one", "cells", "write"))
    chosen, choices, _ = SelectionFitter(run_cache).fit(asked)
    assert (chosen.direction, choices.directions) == ("total", ("total",))


def test_what_has_no_cell_says_so_and_shows_nothing_else() -> None:
    picture = draw_nothing(Selection(runs=("a <b>",), run="a <b>", test="hir"))
    words = picture.figure.layout.title.subtitle.text
    assert words == "a &lt;b&gt;, hir: no cell to draw"
    assert len(picture.figure.data) == 0


def test_of_many_runs_only_the_shown_one_has_points(
    run_cache: RunCache, places: dict[str, Place]
) -> None:
    chosen = fitted(run_cache)
    rows = rows_of_cell(chosen, run_cache.cells(chosen.runs))
    names = [f"copy {number}" for number in range(30)]
    own = rows[rows["run_id"] == "one"]
    many = pd.concat([own.assign(run_id=name) for name in names])
    crowd = replace(chosen, runs=tuple(names), run="copy 7")
    at = dict.fromkeys(names, places["one"])
    *lines, shown, ring = draw_rounds(crowd, many, places=at).figure.data
    assert {line.mode for line in lines} == {"lines"}
    assert sum(np.isfinite(line.y).sum() for line in lines) == 180
    assert (shown.mode, len(shown.x), shown.hovertext[0]) == (
        "lines+markers",
        6,
        "copy 7",
    )
    assert list(ring.x) == [6]

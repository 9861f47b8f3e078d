"""What is drawn for a selection, and that the code cell draws the same."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from ssdlab.explorer.choosing import Chooser
from ssdlab.explorer.selection import Selection, find_choices, fit_selection
from ssdlab.explorer.shelf import Shelf
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
from tests.made_run import Recipe, make_run


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    folder: Path = tmp_path_factory.mktemp("runs")
    short = Recipe(tests=("iops", "lat", "wsat"), saturation_rounds=8)
    make_run(folder / "one", replace(short, histogram_ios=20_000))
    make_run(folder / "two <b>", replace(short, serial="MADE0002", histogram_ios=9_000))
    shelf = Shelf(folder)
    for name in shelf.listed:
        for table in ("cells", "bins", "series", "steps"):
            shelf.load((name, table, "total"))
    return shelf


@pytest.fixture(scope="module")
def places(shelf: Shelf) -> dict[str, Place]:
    return {
        name: Place(path=one.path, drive=one.drive)
        for name, one in shelf.listed.items()
    }


def fitted(shelf: Shelf, **wanted: Any) -> Selection:
    asked = Selection(**({"runs": tuple(sorted(shelf.listed))} | wanted))
    cells = shelf.cells(asked.runs)
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


def test_first_selection_is_the_cell_that_the_pts_tracks(shelf: Shelf) -> None:
    chosen = fitted(shelf)
    assert (chosen.run, chosen.test, chosen.metric) == ("one", "iops", "iops")
    assert dict(chosen.cell) == {"read_percent": 0, "block_size_bytes": 4096}
    assert chosen.rounds == "window"


def test_what_the_runs_do_not_have_becomes_what_they_have(shelf: Shelf) -> None:
    chosen = fitted(
        shelf, test="hir", run="three", metric="lat_p99999_ns", rounds=(90, 95)
    )
    assert (chosen.test, chosen.run, chosen.rounds) == ("iops", "one", None)
    assert chosen.metric == "iops"
    wsat = fitted(shelf, test="wsat", rounds=(2, 99))
    assert wsat.rounds == (2, 8)


def test_nothing_chosen_gives_nothing(shelf: Shelf) -> None:
    chosen = fitted(shelf, runs=())
    assert (chosen.run, chosen.cell) == ("", ())


@pytest.mark.parametrize("metric", ["iops", "lat_max_ns"])
def test_matrix_marks_the_cell_and_its_code_draws_the_same(
    shelf: Shelf, places: dict[str, Place], metric: str
) -> None:
    chosen = fitted(shelf, metric=metric, rounds=(3, 5), run="two <b>")
    cells, bins = shelf.cells(chosen.runs), shelf.table("two <b>", "bins")
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
    shelf: Shelf, places: dict[str, Place], metric: str, *, rounds: Any, n_rounds: int
) -> None:
    chosen = fitted(shelf, metric=metric, rounds=rounds)
    cells, bins = shelf.cells(chosen.runs), shelf.table("one", "bins")
    own = cells[cells["run_id"] == chosen.run]
    picture = draw_map(chosen, frame_of_map(chosen, own, bins), places=places)
    assert picture.frame["n_rounds"].dropna().unique().tolist() == [n_rounds]
    assert_same(picture)


def test_window_is_shaded_in_the_rounds(shelf: Shelf, places: dict[str, Place]) -> None:
    chosen = fitted(shelf)
    rows = rows_of_cell(chosen, shelf.cells(chosen.runs))
    (shade,) = draw_rounds(chosen, rows, places=places).figure.layout.shapes
    assert (shade.x0, shade.x1) == (1.5, 6.5)


def test_rounds_of_both_runs_are_drawn_and_the_shown_one_is_ringed(
    shelf: Shelf, places: dict[str, Place]
) -> None:
    chosen = fitted(shelf, point=2)
    cells = shelf.cells(chosen.runs)
    rows = rows_of_cell(chosen, cells)
    picture = draw_rounds(chosen, rows, places=places)
    *lines, ring = picture.figure.data
    assert [line.name for line in lines] == ["MADE0001", "MADE0002"]
    assert [len(line.x) for line in lines] == [6, 6]
    assert list(ring.x) == [2]
    assert shown_round(replace(chosen, point=None), rows) == 6
    assert_same(picture)


def test_histogram_is_of_the_runs_compared(
    shelf: Shelf, places: dict[str, Place]
) -> None:
    chosen = fitted(shelf, test="wsat")
    bins = [shelf.table(name, "bins") for name in chosen.runs]
    known = [frame for frame in bins if frame is not None]
    picture = draw_histogram(
        chosen,
        rows_of_cell(chosen, shelf.cells(chosen.runs)),
        bins=known,
        places=places,
    )
    assert [line.name for line in picture.figure.data] == ["one", "two &lt;b&gt;"]
    assert picture.frame.groupby("run_id")["count"].sum().to_dict() == {
        "one": 20_000,
        "two <b>": 9_000,
    }
    assert_same(picture)


def test_a_cell_without_bins_says_so(shelf: Shelf, places: dict[str, Place]) -> None:
    chosen = fitted(shelf, runs=("one",))
    bins = shelf.table("one", "bins")
    assert bins is not None
    picture = draw_histogram(
        chosen,
        rows_of_cell(chosen, shelf.cells(chosen.runs)),
        bins=[bins],
        places=places,
    )
    words = picture.figure.layout.annotations[0].text
    assert words == "no histogram was kept of this cell"
    assert_same(picture)


@pytest.mark.parametrize("span", [None, (3.0, 50.0)])
def test_series_over_time_is_drawn_and_its_code_draws_the_same(
    shelf: Shelf, places: dict[str, Place], span: tuple[float, float] | None
) -> None:
    chosen = fitted(shelf, test="wsat", over="time", metric="lat_max_ns")
    series, steps = shelf.table("one", "series"), shelf.table("one", "steps")
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
    shelf: Shelf, places: dict[str, Place]
) -> None:
    chooser = Chooser(shelf)
    mixed = (("read_percent", 65), ("block_size_bytes", 8192))
    asked = Selection(runs=("one",), test="iops", cell=mixed, direction="read")
    for wanted in chooser.wanted(asked):
        shelf.load(wanted)
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
        "R/W 65/35, 8 KiB, its reads<br>Model SSD 480 MADE0001"
    )
    assert_same(reads)
    frame = frame_of_map(chosen, cells, None)
    assert_same(draw_map(chosen, frame, places=places))


def test_a_test_without_mixes_has_no_directions_to_choose(shelf: Shelf) -> None:
    asked = Selection(runs=("one",), test="wsat", direction="write")
    shelf.load(("one", "cells", "write"))
    chosen, choices, _ = Chooser(shelf).fit(asked)
    assert (chosen.direction, choices.directions) == ("total", ("total",))


def test_what_has_no_cell_says_so_and_shows_nothing_else() -> None:
    picture = draw_nothing(Selection(runs=("a <b>",), run="a <b>", test="hir"))
    words = picture.figure.layout.title.subtitle.text
    assert words == "a &lt;b&gt;, hir: no cell of it can be drawn"
    assert len(picture.figure.data) == 0


def test_of_many_runs_only_the_shown_one_has_points(
    shelf: Shelf, places: dict[str, Place]
) -> None:
    chosen = fitted(shelf)
    rows = rows_of_cell(chosen, shelf.cells(chosen.runs))
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

"""What is drawn for a selection, and that the code cell draws the same."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from ssdlab.explorer.selection import Selection, find_choices, fit_selection
from ssdlab.explorer.shelf import Shelf
from ssdlab.explorer.views import (
    Picture,
    Place,
    draw_histogram,
    draw_map,
    draw_rounds,
    draw_time,
    histogram_runs,
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
            shelf.load((name, table))
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
    assert chosen.rounds is None


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
    picture = draw_map(chosen, cells, bins=bins, places=places)
    assert picture.frame["n_rounds"].dropna().unique().tolist() == [3]
    assert len(picture.figure.layout.shapes) == 2
    assert "two &lt;b&gt;" in picture.figure.layout.title.subtitle.text
    assert_same(picture)


def test_rounds_of_both_runs_are_drawn_and_the_shown_one_is_ringed(
    shelf: Shelf, places: dict[str, Place]
) -> None:
    chosen = fitted(shelf, point=2)
    cells = shelf.cells(chosen.runs)
    picture = draw_rounds(chosen, cells, places=places)
    *lines, ring = picture.figure.data
    assert [line.name for line in lines] == ["MADE0001", "MADE0002"]
    assert [len(line.x) for line in lines] == [6, 6]
    assert list(ring.x) == [2]
    assert shown_round(replace(chosen, point=None), cells) == 6
    assert_same(picture)


def test_histogram_is_of_the_runs_compared(
    shelf: Shelf, places: dict[str, Place]
) -> None:
    chosen = fitted(shelf, test="wsat")
    bins = [shelf.table(name, "bins") for name in chosen.runs]
    known = [frame for frame in bins if frame is not None]
    picture = draw_histogram(
        chosen,
        shelf.cells(chosen.runs),
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
        chosen, shelf.cells(chosen.runs), bins=[bins], places=places
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

"""Figures are plain data until somebody looks at them, and then plotly's own."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import orjson
import plotly.graph_objects as go
import pytest

import ssdlab
import ssdlab.paper.html
from ssdlab.plots.figure import Figure, figure_json, plain_of
from ssdlab.plots.labels import lay_out, new_figure
from ssdlab.report import render_report
from tests.paths import ROOT

ADDITIONS: dict[str, Callable[[go.Figure], object]] = {
    "line": lambda figure: figure.add_scatter(x=[1], y=[2.5], text=None),
    "bars": lambda figure: figure.add_bar(x=["a"], y=[None]),
    "heat": lambda figure: figure.add_heatmap(z=[[1, None]]),
    "body": lambda figure: figure.add_mesh3d(x=(0, 1), y=(0, 1), z=(0, 1)),
    "shape": lambda figure: figure.add_shape(type="rect", x0=0, x1=1, y0=0, y1=1),
    "text": lambda figure: figure.add_annotation(text="<b>", x=0, y=0),
    "vline": lambda figure: figure.add_vline(x=1, line={"width": 1}),
    "hline": lambda figure: figure.add_hline(y=1, name="limit", showlegend=True),
    "vrect": lambda figure: figure.add_vrect(x0=1, x1=2, layer="below"),
    "hrect": lambda figure: figure.add_hrect(y0=1, y1=2, fillcolor="red"),
    "layout": lambda figure: lay_out(figure, xaxis={"title": {"text": "Round"}}),
}


def validated(figure: Figure) -> dict[str, Any]:
    """Return what plotly makes of the plain data of a figure."""
    plain = plain_of(figure)
    assert plain is not None, "somebody looked at it"
    made = go.Figure(plain["data"], plain["layout"])
    found: dict[str, Any] = orjson.loads(made.to_json())
    return found


@pytest.mark.parametrize("name", ADDITIONS)
def test_what_is_added_is_what_plotly_would_have_made(name: str) -> None:
    own, theirs = new_figure("IOPS"), go.Figure(new_figure("IOPS"))

    for figure in (own, theirs):
        ADDITIONS[name](figure)

    assert plain_of(theirs) is None
    assert figure_json(own) == orjson.loads(theirs.to_json()) == validated(own)


def test_figure_becomes_that_of_plotly_when_it_is_read() -> None:
    figure = new_figure("IOPS").add_scatter(x=[1], y=[2])
    assert plain_of(figure) is not None

    assert (figure.data[0].type, figure.layout.title.text) == ("scatter", "IOPS")

    assert isinstance(figure, go.Figure)
    assert plain_of(figure) is None


def test_figure_that_was_read_can_be_added_to() -> None:
    figure = new_figure("IOPS")
    figure.update_xaxes(title_text="Round")

    for add in ADDITIONS.values():
        add(figure)

    assert [trace.type for trace in figure.data] == [
        "scatter", "bar", "heatmap", "mesh3d",
    ]  # fmt: skip
    assert len(figure.layout.shapes) == 5
    assert figure_json(figure) == orjson.loads(figure.to_json())


def test_what_plotly_would_refuse_is_refused_when_it_is_read() -> None:
    figure = new_figure("IOPS").add_scatter(x=[1], y=[2], mode="nonsense")

    with pytest.raises(ValueError, match="nonsense"):
        figure.to_json()


def test_what_needs_a_panel_or_a_place_for_its_words_is_left_to_plotly() -> None:
    figure = new_figure("IOPS")

    figure.add_hline(y=1, annotation_text="limit")

    assert figure.layout.annotations[0].text == "limit"


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)), go.Figure]
)
def test_copy_is_equal_and_apart(copied: Callable[[go.Figure], go.Figure]) -> None:
    figure = new_figure("IOPS").add_scatter(x=[1], y=[2])

    other = copied(figure)

    assert other == figure
    other.layout.title.text = "another"
    assert figure.layout.title.text == "IOPS"


def test_what_json_does_not_know_is_left_to_plotly() -> None:
    figure = new_figure("IOPS").add_scatter(x=np.array([1.5, 2.5]), y=(np.int64(3),))

    assert figure_json(figure) == orjson.loads(go.Figure(figure).to_json())


def test_json_of_a_figure_is_apart_from_it() -> None:
    figure = new_figure("IOPS").add_scatter(x=[1], y=[2])

    figure_json(figure)["layout"].pop("title")

    assert figure.layout.title.text == "IOPS"


def test_unknown_attribute_is_an_error_before_and_after_it_is_read() -> None:
    figure = new_figure("IOPS")

    for _ in range(2):
        with pytest.raises(AttributeError, match="nothing"):
            figure.nothing  # noqa: B018 - asked for on purpose


@pytest.mark.parametrize("run", ["virtual-all", "virtual-lat", "tkperf-intel-s3510"])
def test_figures_of_a_report_are_valid_though_nobody_looks(
    run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []

    def keep(figure: Figure) -> dict[str, Any]:
        drawn.append((figure_json(figure), figure))
        return figure_json(figure)

    monkeypatch.setattr(ssdlab.paper.html, "figure_json", keep)
    render_report(ssdlab.open_run(ROOT / "data" / "samples" / run))

    assert len(drawn) > 10
    for written, figure in drawn:
        assert written == validated(figure)

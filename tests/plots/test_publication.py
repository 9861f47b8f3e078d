"""Figures for papers: sized in mm, in small type, told apart without colour."""

from itertools import pairwise
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest

from ssdlab.figures import plot_columns_3d, publication
from ssdlab.plots.labels import linear_axis, new_figure


def drawn(*traces: Any) -> go.Figure:
    figure = new_figure("A title", subtitle="and more")
    figure.update_xaxes(**linear_axis("Round"))
    figure.add_traces(traces)
    return figure


def line(color: str, **more: Any) -> go.Scatter:
    given = {"mode": "lines+markers", "name": color} | more
    return go.Scatter(
        x=[1, 2], y=[3, 4], line={"color": color}, marker={"color": color}, **given
    )


@pytest.mark.parametrize(("columns", "width_mm"), [(1, 88.9), (2, 181.9)])
def test_width_is_that_of_columns(columns: Any, width_mm: float) -> None:
    printed = publication(drawn(line("#111111")), columns)
    assert printed.layout.width / 96 * 25.4 == pytest.approx(width_mm)
    printed = publication(drawn(), columns, height_mm=40)
    assert printed.layout.height / 96 * 25.4 == pytest.approx(40)


def test_type_is_8_pt_and_the_title_is_the_captions() -> None:
    printed = publication(drawn(line("#111111")))
    assert printed.layout.font.size * 72 / 96 == pytest.approx(8)
    assert printed.layout.xaxis.title.font.size * 72 / 96 == pytest.approx(8)
    assert printed.layout.xaxis.tickfont.size * 72 / 96 == pytest.approx(7)
    assert printed.layout.title.text is None
    assert printed.layout.xaxis.title.text == "Round"


def test_figure_given_stays_as_it_is() -> None:
    figure = drawn(line("#111111"), line("#222222"))
    before = figure.to_json()
    publication(figure)
    assert figure.to_json() == before


def test_each_colour_has_a_dash_and_a_marker_of_its_own() -> None:
    colors = [f"#{n}{n}{n}{n}{n}{n}" for n in range(6)]
    printed = publication(drawn(*map(line, colors), line(colors[0])))
    dashes = [trace.line.dash for trace in printed.data]
    symbols = [trace.marker.symbol for trace in printed.data]
    assert len(set(dashes[:6])) == len(set(symbols[:6])) == 6
    assert (dashes[6], symbols[6]) == (dashes[0], symbols[0])


def test_dash_and_marker_that_mean_something_are_kept() -> None:
    limit = line("#111111")
    limit.line.dash, limit.marker.symbol = "dot", "star"
    printed = publication(drawn(line("#222222"), limit)).data[1]
    assert (printed.line.dash, printed.marker.symbol) == ("dot", "star")


def test_bars_are_hatched() -> None:
    bars = (go.Bar(y=[1], marker={"color": color}) for color in ("#111111", "#222222"))
    first, second = publication(drawn(*bars)).data
    assert first.marker.pattern.shape != second.marker.pattern.shape


def test_height_grows_with_a_legend_of_long_names() -> None:
    short = [line(f"#11111{n}", name=f"{n}") for n in range(6)]
    long = [line(f"#11111{n}", name=f"{n}: a long name of a limit") for n in range(6)]
    heights = [publication(drawn(*traces)).layout.height for traces in (short, long)]
    assert heights[0] < heights[1]


def test_paper_of_three_columns_is_refused() -> None:
    three: Any = 3
    with pytest.raises(ValueError, match="1 or 2 columns wide, not 3"):
        publication(drawn(), three)


def test_height_of_columns_is_named_above_them() -> None:
    figure = drawn(go.Mesh3d(x=[0, 1, 0, 0], y=[0, 0, 1, 0], z=[0, 0, 0, 1]))
    figure.update_scenes(zaxis_title_text="Average latency [ms]")
    printed = publication(figure)
    assert printed.layout.annotations[-1].text == "vertical: Average latency [ms]"
    assert printed.layout.scene.zaxis.title.text == ""
    assert figure.layout.scene.zaxis.title.text == "Average latency [ms]"


def test_flat_figure_gets_no_scene() -> None:
    assert "scene" not in publication(drawn(line("#111111"))).layout.to_plotly_json()


def test_rows_of_columns_are_greys_with_edges_light_in_front() -> None:
    cells = pd.DataFrame({"block_size_bytes": [4096] * 3, "read_percent": [0, 65, 100]})
    figure = plot_columns_3d(cells.assign(iops=[1.0, 2.0, 3.0]))
    printed = publication(figure)
    rows, edges = printed.data[:3], printed.data[3:]
    greys = [int(row.color[1:3], 16) for row in rows]
    assert greys == sorted(greys, reverse=True)
    assert min(a - b for a, b in pairwise(greys)) > 50
    assert all(
        row.color == f"#{grey:02x}" + f"{grey:02x}" * 2
        for row, grey in zip(rows, greys, strict=True)
    )
    assert [edge.mode for edge in edges] == ["lines"] * 3
    assert max(z for z in edges[2].z if z is not None) == 3.0
    assert figure.data[0].color != rows[0].color


def test_no_colour_gets_a_look_that_another_had_of_its_own() -> None:
    own = line("#111111")
    own.line.dash, own.marker.symbol = "dash", "square"
    printed = publication(drawn(own, line("#222222"), line("#333333"))).data
    assert len({trace.line.dash for trace in printed}) == 3
    assert len({trace.marker.symbol for trace in printed}) == 3


def test_figure_of_many_rows_stays_tall() -> None:
    figure = drawn(line("#111111")).update_layout(height=1600)
    assert publication(figure).layout.height > 1200

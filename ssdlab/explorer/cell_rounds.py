"""One cell of several runs: over rounds, over time, and its response times."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from ssdlab.explorer.cell_map import new_cell_figure
from ssdlab.plots.axes import name_times
from ssdlab.plots.labels import COLORS, axis, decades_axis, linear_axis
from ssdlab.plots.lines import (
    Across,
    Line,
    add_lines,
    draw_lines,
    finely,
    say,
    shade,
)
from ssdlab.plots.looks import drive_colors
from ssdlab.plots.names import brief_texts, figure_text
from ssdlab.text.quantities import Quantity, metric_quantity

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.stats.downsample import ReducedSeries

_SUBTITLE_LETTERS = 50  # a line of them fits above a figure of 400 pixels
_MOST_MARKED = 24  # runs whose points are drawn, beside their lines
_MOST_NAMED = 8  # drives with a line and a name each; colours do not repeat up to there

Drives = Mapping[str, str]


def plot_cell_rounds(
    frame: "pd.DataFrame",
    metric: str,
    *,
    drives: Drives,
    title: str = "",
    subtitle: str = "",
    marked: tuple[str, int] | None = None,
) -> go.Figure:
    """Draw a metric of one cell over the rounds, a line a run and a colour a drive.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a run and round, as `ssdlab.analysis.select_cell` returns them:
        ``run_id``, ``phase``, ``round``, ``total_ios`` and the metric as stored;
        where it has ``is_in_window``, the measurement window of the marked run is
        shaded.
    metric : str
        The column that is drawn.
    drives : mapping of str to str
        The drive of each run.
    title : str, optional
        Title of the figure; without it the name of the metric.
    subtitle : str, optional
        What stands below it.
    marked : tuple of str and int, optional
        The run and round that get a ring.

    Returns
    -------
    plotly.graph_objects.Figure
        One trace a drive, or one a colour where there are more than eight; the lines
        of its runs are apart. Of more than 24 runs only the marked one has points,
        and is drawn above the others.

    Examples
    --------
    >>> import pandas as pd
    >>> rounds = {"run_id": ["a", "a"], "phase": "rounds", "round": [1, 2]}
    >>> frame = pd.DataFrame(rounds | {"iops": [9.0, 5.0], "total_ios": [90, 50]})
    >>> plot_cell_rounds(frame, "iops", drives={"a": "X"}).data[0].name
    'X'
    """
    quantity = metric_quantity(metric)
    figure = new_cell_figure(title or quantity.title, subtitle)
    known = frame[frame[metric].notna() & frame["round"].notna()]
    across = Across.rounds(known)
    places = {str(run): place for place, run in enumerate(frame["run_id"].unique())}
    hover = f"%{{hovertext}}<br>round %{{x}}: {finely(metric).hover('y')}"
    look = {
        "mode": "lines+markers",
        "marker": {"size": 5},
        "hovertemplate": f"{hover}<br>%{{customdata[0]:,}} IOs<extra></extra>",
    }
    is_crowd = len(places) > _MOST_MARKED
    lines = _lines(known, drives)
    points = _points(known, metric, places=places)
    for name, color, runs in lines:
        figure.add_scatter(
            **_apart(points, [places[run] for run in runs], quantity.divisor),
            **(look | {"mode": "lines", "opacity": 0.6} if is_crowd else look),
            name=name,
            line={"color": color, "width": 1 if is_crowd else 1.5},
        )
    if marked is not None and is_crowd:
        figure.add_scatter(
            **_apart(points, [places[marked[0]]], quantity.divisor),
            **look,
            name="shown run",
            line={"color": COLORS["fit"], "width": 2.5},
        )
    if marked is not None:
        run, number = marked
        is_point = (known["run_id"] == run) & (known["round"] == number).astype(bool)
        fit = COLORS["fit"]
        ring = {"line": {"width": 2.5, "color": fit}}
        ringed = Line(
            rows=[known[is_point]], column=metric, name="shown below", color=fit,
            width=0, size=13, symbol="circle-open", marker=ring,
            more={"hoverinfo": "skip", "hovertemplate": None, "showlegend": False},
        )  # fmt: skip
        add_lines(figure, across, [ringed])
    figure.layout.xaxis = across.axis
    figure.layout.yaxis = linear_axis(quantity.title)
    if marked is not None:
        _shade_window(figure, known, run=marked[0])
    figure.layout.showlegend = len(figure.data) > (2 if marked else 1)
    figure.layout.legend.font.size = 11
    if known.empty:
        say(figure, "no rounds were measured of this")
    return figure


def _shade_window(figure: go.Figure, frame: "pd.DataFrame", *, run: str) -> None:
    """Shade the measurement window of a run, each part of it that was measured."""
    if "is_in_window" not in frame:
        return
    own = frame[(frame["run_id"] == run) & frame["is_in_window"].fillna(value=False)]
    for _, rounds in own.groupby("phase", sort=False):
        shade(
            figure,
            int(rounds["round"].min()) - 0.5,
            int(rounds["round"].max()) + 0.5,
            annotation={"text": "measurement window", "font": {"size": 10}},
            annotation_position="top left",
        )


def _lines(
    frame: "pd.DataFrame", drives: Drives
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the name, colour and runs of each trace."""
    runs = [str(run) for run in frame["run_id"].unique()]
    colors = drive_colors(drives.get(run, run) for run in runs)
    by_name: dict[tuple[str, str], list[str]] = {}
    brief = brief_texts(colors, kept=1)
    for run in runs:
        drive = drives.get(run, run)
        shown = escape(brief[drive], quote=False) if len(colors) <= _MOST_NAMED else ""
        by_name.setdefault((shown, colors[drive]), []).append(run)
    for (drive, color), members in by_name.items():
        count = len({drives.get(run, run) for run in members})
        yield drive or f"{count} drives", color, members


@dataclass(frozen=True, kw_only=True, slots=True)
class _Points:
    """The points of all lines, by run, and for each the place of its run."""

    x: np.ndarray
    y: np.ndarray
    ios: np.ndarray
    run: np.ndarray
    line: np.ndarray
    names: tuple[str, ...]


def _points(rows: "pd.DataFrame", metric: str, *, places: Mapping[str, int]) -> _Points:
    keys = rows["run_id"].astype(str) + "\0" + rows["phase"].astype(str)
    _, line = np.unique(keys.to_numpy(dtype=str), return_inverse=True)
    return _Points(
        x=rows["round"].to_numpy(dtype=float, na_value=np.nan),
        y=rows[metric].to_numpy(dtype=float, na_value=np.nan),
        ios=rows["total_ios"].to_numpy(dtype=float, na_value=np.nan),
        run=np.array([places[str(run)] for run in rows["run_id"]], dtype=np.intp),
        line=line,
        names=tuple(map(figure_text, places)),
    )


def _apart(points: _Points, runs: list[int], divisor: float) -> dict[str, object]:
    """Return the lines of some runs as one, with a gap between any two."""
    own = np.isin(points.run, runs)
    x, y, line = points.x[own], points.y[own] / divisor, points.line[own]
    run = points.run[own]
    breaks = np.flatnonzero(np.diff(line)) + 1
    more = np.column_stack([points.ios[own], run])
    names = [points.names[place] for place in np.insert(run, breaks, 0)]
    return {
        "x": np.insert(x, breaks, np.nan),
        "y": np.insert(y, breaks, np.nan),
        "customdata": np.insert(more, breaks, 0.0, axis=0),
        "hovertext": names,
    }


def plot_cell_histogram(
    frame: "pd.DataFrame", *, drives: Drives, title: str = "", subtitle: str = ""
) -> go.Figure:
    """Draw how response times of one cell are spread, a line a run.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a run and bin, as `ssdlab.analysis.merge_cell_bins` returns them.
    drives : mapping of str to str
        The drive of each run.
    title : str, optional
        Title of the figure.
    subtitle : str, optional
        What stands below it.

    Returns
    -------
    plotly.graph_objects.Figure
        Steps of the share of IOs in each of fio's bins, both axes logarithmic; the
        hover text tells the IOs of the bin and the share that is within it.

    Examples
    --------
    >>> import pandas as pd
    >>> bins = {"run_id": ["a"], "lat_lower_ns": [1000], "lat_upper_ns": [1016]}
    >>> frame = pd.DataFrame(bins | {"count": [7], "confidence_percent": [100.0]})
    >>> plot_cell_histogram(frame, drives={"a": "X"}).data[0].y.tolist()
    [100.0]
    """
    figure = new_cell_figure(title or "Response time", subtitle)
    runs = [str(run) for run in frame["run_id"].unique()] if len(frame) else []
    colors = drive_colors(drives.get(run, run) for run in runs)
    brief = brief_texts(colors, kept=1)
    named: set[str] = set()
    edges: list[float | None] = []
    shares: list[float | None] = []
    for run in runs:
        drive = drives.get(run, run)
        rows = frame[frame["run_id"] == run]
        count = rows["count"].to_numpy(dtype=float)
        x = rows["lat_lower_ns"].to_numpy(dtype=float)
        x = (x + rows["lat_upper_ns"].to_numpy(dtype=float)) / 2e6
        y = 100 * count / count.sum()
        more = np.column_stack([count, rows["confidence_percent"].astype(float)])
        figure.add_scatter(
            x=x,
            y=y,
            customdata=more,
            name=escape(brief[drive], quote=False),
            legendgroup=drive,
            showlegend=drive not in named,
            mode="lines",
            line={"color": colors[drive], "width": 1.5, "shape": "hvh"},
            hovertext=figure_text(run),
            hovertemplate="%{hovertext}<br>%{x:.4~g} ms: "
            "%{customdata[0]:,} IOs, %{y:.3~g} %<br>"
            "%{customdata[1]:.6~g} % are within<extra></extra>",
        )
        named.add(drive)
        edges += [float(value) for value in (x.min(), x.max())]
        shares += [float(value) for value in (y.min(), y.max())]
    figure.layout.xaxis = name_times(decades_axis("Response time [ms]", edges))
    figure.layout.yaxis = decades_axis("Share of IOs [%]", shares)
    figure.layout.showlegend = len(runs) > 1
    if not runs:
        say(figure, "no histogram was kept of this cell")
    return figure


def plot_time_series(
    drawn: "ReducedSeries",
    metric: str,
    *,
    color: str = COLORS["measured"],
    title: str = "",
    subtitle: str = "",
) -> go.Figure:
    """Draw a long series by the least and greatest point of each pixel column.

    Parameters
    ----------
    drawn : ReducedSeries
        What `ssdlab.analysis.reduce_series` left of times [s] and the metric as stored.
    metric : str
        The column that is drawn.
    color : str, optional
        Colour of the line, such as that of the drive.
    title : str, optional
        Title of the figure; without it the name of the metric.
    subtitle : str, optional
        What stands below it; what was left out is told after it.

    Returns
    -------
    plotly.graph_objects.Figure
        One line, broken where nothing was measured.

    Examples
    --------
    >>> from ssdlab.analysis import reduce_series
    >>> figure = plot_time_series(reduce_series([0, 1], [5.0, 6.0]), "iops")
    >>> figure.data[0].y
    (5.0, 6.0)
    """
    quantity = metric_quantity(metric)
    lines = [subtitle, *wrap(drawn.note, _SUBTITLE_LETTERS)]
    words = "<br>".join(line for line in lines if line)
    figure = new_cell_figure(title or quantity.title, words)
    time = Quantity(name="Time", unit="s", divisor=1.0, digits=",.5~g")
    across = replace(
        Across.of("time_s", time),
        axis=axis(time.title, autorange=True, tickformat=",~r"),
    )
    line = Line(
        rows=[{"time_s": drawn.x.tolist(), "value": drawn.y.tolist()}], column="value",
        of=finely(metric), name=quantity.name, color=color, width=1,
    )  # fmt: skip
    draw_lines(figure, across, [line], is_log=False)
    if not drawn.total:
        say(figure, "this test kept no intervals")
    return figure

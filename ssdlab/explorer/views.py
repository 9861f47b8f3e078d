"""Selection and frames in, figures and the code that makes them out. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
import plotly.graph_objects as go

from ssdlab.analysis.downsample import reduce_series
from ssdlab.analysis.exploration import (
    join_series,
    merge_cell_bins,
    select_cell,
    select_rounds,
    summarise_cells,
)
from ssdlab.explorer.code import (
    code_of_histogram,
    code_of_map,
    code_of_rounds,
    code_of_time,
)
from ssdlab.explorer.selection import Selection
from ssdlab.figures.cell_map import axis_label, plot_cell_map
from ssdlab.figures.cell_rounds import (
    plot_cell_histogram,
    plot_cell_rounds,
    plot_time_series,
)
from ssdlab.figures.drive_colors import drive_colors
from ssdlab.figures.labels import metric_quantity, mix_name
from ssdlab.figures.names import figure_text

if TYPE_CHECKING:
    from ssdlab.analysis.downsample import ReducedSeries

MOST_HISTOGRAMS = 8  # runs whose bins are read and drawn at once
SERIES_METRICS = ("iops", "bw_bytes_per_s", "lat_mean_ns")
COLUMNS = 1000

Span = tuple[float, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a run lies and which drive it is of."""

    path: str
    drive: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """A figure, the frame behind it, and the code cell that makes it again."""

    figure: go.Figure
    frame: pd.DataFrame
    code: str


Places = Mapping[str, Place]


def draw_map(
    selection: Selection,
    cells: pd.DataFrame,
    *,
    bins: pd.DataFrame | None,
    places: Places,
) -> Picture:
    """Draw the matrix of the run that is looked at."""
    own = cells[cells["run_id"] == selection.run]
    here = select_rounds(
        own, test=selection.test, phase=selection.phase, rounds=selection.rounds
    )
    axes = selection.axes
    frame = summarise_cells(here, selection.metric, axes=axes, bins=bins)
    shown = {
        "axes": axes,
        "marked": dict(selection.cell),
        "subtitle": f"{figure_text(selection.run)}, {_rounds_words(selection)}",
    }
    figure = plot_cell_map(frame, selection.metric, **shown)  # type: ignore[arg-type] # named above
    code = code_of_map(selection, places[selection.run].path, shown)
    return Picture(figure=figure, frame=frame, code=code)


def draw_rounds(
    selection: Selection, cells: pd.DataFrame, *, places: Places
) -> Picture:
    """Draw the rounds of the chosen cell, of every run that is compared."""
    rows = select_rounds(
        select_cell(cells, dict(selection.cell)),  # the few of many first
        test=selection.test,
        phase=selection.phase,
        rounds=selection.rounds,
    )
    frame = rows[rows["round"].notna()]
    runs = [run for run in selection.runs if run in set(frame["run_id"])]
    drives = {run: places[run].drive for run in runs}
    count = f", {len(runs)} runs" if len(runs) > 1 else ""
    shown: dict[str, object] = {
        "drives": drives,
        "title": f"{metric_quantity(selection.metric).name} over rounds",
        "subtitle": f"{cell_words(selection)}{count}",
    }
    point = shown_round(selection, cells)
    if point is not None:
        shown["marked"] = (selection.run, point)
    figure = plot_cell_rounds(frame, selection.metric, **shown)  # type: ignore[arg-type] # named above
    paths = {run: places[run].path for run in runs}
    return Picture(
        figure=figure, frame=frame, code=code_of_rounds(selection, paths, shown)
    )


def draw_time(
    selection: Selection,
    series: pd.DataFrame,
    *,
    places: Places,
    span: Span | None = None,
    columns: int = COLUMNS,
) -> Picture:
    """Draw the intervals of a test over time; ``series`` is of `series_of`."""
    metric = series_metric(selection)
    drawn = reduce_series(series["time_s"], series[metric], columns=columns, span=span)
    shown = {
        "color": drive_colors([places[selection.run].drive])[
            places[selection.run].drive
        ],
        "title": f"{metric_quantity(metric).name} over time",
        "subtitle": f"{figure_text(selection.run)}, {selection.test}",
    }
    figure = plot_time_series(drawn, metric, **shown)
    if span is not None:
        figure.update_xaxes(range=list(span), autorange=False)
    cut = {"columns": columns, "span": span}
    code = code_of_time(
        selection, places[selection.run].path, metric, cut=cut, shown=shown
    )
    return Picture(figure=figure, frame=_frame_of(drawn, metric), code=code)


def draw_histogram(
    selection: Selection,
    cells: pd.DataFrame,
    *,
    bins: Sequence[pd.DataFrame],
    places: Places,
) -> Picture:
    """Draw the response times of the chosen cell, of the first runs compared."""
    steps = select_rounds(
        select_cell(cells, dict(selection.cell)),
        test=selection.test,
        phase=selection.phase,
        rounds=selection.rounds,
    )
    runs = histogram_runs(selection)
    steps = steps[steps["run_id"].isin(runs)]
    parts_of_bins = [rows[rows["step_id"].isin(steps["step_id"])] for rows in bins]
    few = pd.concat(parts_of_bins, ignore_index=True)
    frame = merge_cell_bins(few, steps)
    left = len(selection.runs) - len(runs)
    words = f"{len(runs)} of {len(selection.runs)} runs" if left else ""
    parts = (cell_words(selection), _rounds_words(selection), words)
    shown: dict[str, object] = {
        "drives": {run: places[run].drive for run in runs},
        "title": "Response times",
        "subtitle": ", ".join(part for part in parts if part),
    }
    figure = plot_cell_histogram(frame, **shown)  # type: ignore[arg-type] # named above
    paths = {run: places[run].path for run in runs}
    code = code_of_histogram(selection, paths, shown)
    return Picture(figure=figure, frame=frame, code=code)


def series_of(
    selection: Selection, series: pd.DataFrame, steps: pd.DataFrame
) -> pd.DataFrame:
    """Return the series of the test that is looked at, on one axis of time."""
    return join_series(
        series, steps, test=selection.test, metric=series_metric(selection)
    )


def series_metric(selection: Selection) -> str:
    """Return the metric that a series has; latencies other than the mean have none."""
    if selection.metric in SERIES_METRICS:
        return selection.metric
    return "lat_mean_ns"


def histogram_runs(selection: Selection) -> tuple[str, ...]:
    """Return the runs whose histograms are drawn: the one looked at is among them."""
    others = [run for run in selection.runs if run != selection.run]
    chosen = {selection.run, *others[: MOST_HISTOGRAMS - 1]}
    return tuple(run for run in selection.runs if run in chosen)


def shown_round(selection: Selection, cells: pd.DataFrame) -> int | None:
    """Return the round whose job is shown: the one clicked at, else the last."""
    step = shown_step(selection, cells)
    return None if step is None or pd.isna(step["round"]) else int(step["round"])


def shown_step(selection: Selection, cells: pd.DataFrame) -> "pd.Series[Any] | None":
    """Return the cell whose job and output are shown, a row of ``cells``."""
    here = select_rounds(
        cells[cells["run_id"] == selection.run],
        test=selection.test,
        phase=selection.phase,
        rounds=selection.rounds,
    )
    rows = select_cell(here, dict(selection.cell)).sort_values(
        "round", na_position="first", kind="stable"
    )
    if rows.empty:
        return None
    at_point = rows[(rows["round"] == selection.point).fillna(value=False)]
    return (rows if at_point.empty else at_point).iloc[-1]


def cell_words(selection: Selection) -> str:
    """Return the chosen cell in the words of the PTS, such as ``R/W 0/100, 4 KiB``."""
    names = {"threads": "TC ", "queue_depth": "QD "}
    return ", ".join(
        mix_name(value)
        if name == "read_percent"
        else names.get(name, "") + axis_label(name, value)
        for name, value in selection.cell
    )


def _rounds_words(selection: Selection) -> str:
    if selection.rounds is None:
        return "all rounds"
    first, last = selection.rounds
    return f"rounds {first}–{last}" if first < last else f"round {first}"  # noqa: RUF001 - a range


def _frame_of(drawn: "ReducedSeries", metric: str) -> pd.DataFrame:
    return pd.DataFrame({"time_s": drawn.x, metric: drawn.y})

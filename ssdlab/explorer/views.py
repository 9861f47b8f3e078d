"""Selection and frames in, figures and the code that reproduces them out. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
import plotly.graph_objects as go

from ssdlab.explorer.cell_map import axis_label, plot_cell_map
from ssdlab.explorer.cell_rounds import (
    plot_cell_histogram,
    plot_cell_rounds,
    plot_time_series,
)
from ssdlab.explorer.cells import (
    merge_cell_bins,
    select_cell,
    select_histogram,
    select_rounds,
    summarise_cells,
)
from ssdlab.explorer.code import (
    code_of_histogram,
    code_of_map,
    code_of_rounds,
    code_of_time,
)
from ssdlab.explorer.joined_series import join_series
from ssdlab.explorer.selection import Selection
from ssdlab.plots.labels import mix_name
from ssdlab.plots.looks import drive_colors
from ssdlab.plots.names import figure_text
from ssdlab.stats.downsample import reduce_series
from ssdlab.text.quantities import metric_quantity

if TYPE_CHECKING:
    from ssdlab.stats.downsample import ReducedSeries

MOST_HISTOGRAMS = 8  # runs whose bins are read and drawn at once
SERIES_METRICS = ("iops", "bw_bytes_per_s", "lat_mean_ns")
COLUMNS = 1000
_LONGEST_DRIVE = 32  # characters in a subtitle

Span = tuple[float, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """The folder of a run and its drive."""

    path: str
    drive: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """A figure, the frame behind it, and the code cell that reproduces it."""

    figure: go.Figure
    frame: pd.DataFrame
    code: str


Places = Mapping[str, Place]


def frame_of_map(
    selection: Selection, own: pd.DataFrame, bins: pd.DataFrame | None
) -> pd.DataFrame:
    """Return the cells of the matrix; ``own`` are those of the run that is shown."""
    here = select_rounds(
        own, test=selection.test, phase=selection.phase, rounds=selection.counted
    )
    return summarise_cells(
        here,
        selection.metric,
        axes=selection.axes,
        bins=bins,
        direction=selection.direction,
    )


def draw_map(selection: Selection, frame: pd.DataFrame, *, places: Places) -> Picture:
    """Draw the matrix of the run shown; ``frame`` comes from `frame_of_map`."""
    words = (
        figure_text(selection.run),
        _rounds_words(selection),
        _direction_words(selection),
    )
    shown = {
        "axes": selection.axes,
        "marked": dict(selection.cell),
        "subtitle": f"{_listed(*words)}<br>{_drive(selection, places)}",
    }
    figure = plot_cell_map(frame, selection.metric, **shown)  # type: ignore[arg-type] # named above
    code = code_of_map(selection, places[selection.run].path, shown)
    return Picture(figure=figure, frame=frame, code=code)


def rows_of_cell(selection: Selection, cells: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the selected cell, of every run compared.

    They include all rounds if the measurement window counts, which is highlighted.
    """
    return select_rounds(
        select_cell(cells, dict(selection.cell)),  # first, as it leaves few rows
        test=selection.test,
        phase=selection.phase,
        rounds=None if selection.rounds == "window" else selection.rounds,
    )


def draw_rounds(selection: Selection, rows: pd.DataFrame, *, places: Places) -> Picture:
    """Draw the rounds of the selected cell; ``rows`` come from `rows_of_cell`."""
    frame = rows[rows["round"].notna()]
    known = set(frame["run_id"])
    runs = [run for run in selection.runs if run in known]
    whose = f"{len(runs)} runs" if len(runs) > 1 else _drive(selection, places)
    shown: dict[str, object] = {
        "drives": {run: places[run].drive for run in runs},
        "title": f"{metric_quantity(selection.metric).name} over rounds",
        "subtitle": f"{cell_words(selection)}<br>{whose}",
    }
    point = shown_round(selection, rows)
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
    """Draw the intervals of a test over time; ``series`` comes from `series_of`."""
    metric = series_metric(selection)
    drawn = reduce_series(series["time_s"], series[metric], columns=columns, span=span)
    run = figure_text(selection.run)
    words = (run, figure_text(selection.test), _direction_words(selection))
    colors = drive_colors(places[name].drive for name in selection.runs)
    shown = {
        "color": colors[places[selection.run].drive],
        "title": f"{metric_quantity(metric).name} over time",
        "subtitle": f"{_listed(*words)}<br>{_drive(selection, places)}",
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
    rows: pd.DataFrame,
    *,
    bins: Sequence[pd.DataFrame],
    places: Places,
) -> Picture:
    """Draw the response times of the selected cell, of the first runs compared."""
    runs = histogram_runs(selection)
    counted = select_rounds(rows, test=selection.test, rounds=selection.rounds)
    counted = select_histogram(counted, rounds=selection.rounds)
    steps = counted[counted["run_id"].isin(runs)]
    few = pd.concat(
        [own[own["step_id"].isin(steps["step_id"])] for own in bins], ignore_index=True
    )
    frame = merge_cell_bins(few, steps, direction=selection.direction)
    known, asked = frame["run_id"].nunique(), len(selection.runs)
    whose = f"{known} runs" if known == asked else f"{known} of {asked} runs"
    if asked == 1:
        whose = _drive(selection, places)
    is_long = steps["kind"] == "histogram"
    rounds = "" if is_long.all() and len(is_long) else _rounds_words(selection)
    long_run = "long histogram run" if is_long.any() else ""
    what = _listed(cell_words(selection), " or ".join(filter(None, (long_run, rounds))))
    shown: dict[str, object] = {
        "drives": {run: places[run].drive for run in runs},
        "title": "Response times",
        "subtitle": f"{what}<br>{whose}",
    }
    figure = plot_cell_histogram(frame, **shown)  # type: ignore[arg-type] # named above
    paths = {run: places[run].path for run in runs}
    code = code_of_histogram(selection, paths, shown)
    return Picture(figure=figure, frame=frame, code=code)


def draw_nothing(selection: Selection) -> Picture:
    """Draw an empty figure that says so."""
    what = _listed(figure_text(selection.run), figure_text(selection.test))
    words = f"{what}: no cell to draw"
    figure = plot_cell_histogram(pd.DataFrame(), drives={}, subtitle=words)
    return Picture(figure=figure, frame=pd.DataFrame(), code="")


def series_of(
    selection: Selection, series: pd.DataFrame, steps: pd.DataFrame
) -> pd.DataFrame:
    """Return the series of the selected test on one time axis."""
    return join_series(
        series,
        steps,
        test=selection.test,
        metric=series_metric(selection),
        direction=selection.direction,
    )


def series_metric(selection: Selection) -> str:
    """Return the metric of the series; for any latency, that is the mean."""
    if selection.metric in SERIES_METRICS:
        return selection.metric
    return "lat_mean_ns"


def histogram_runs(selection: Selection) -> tuple[str, ...]:
    """Return the runs whose histograms are drawn, including the one shown."""
    others = [run for run in selection.runs if run != selection.run]
    chosen = {selection.run, *others[: MOST_HISTOGRAMS - 1]}
    return tuple(run for run in selection.runs if run in chosen)


def shown_round(selection: Selection, rows: pd.DataFrame) -> int | None:
    """Return the round whose job is shown: the clicked one, otherwise the last."""
    step = shown_step(selection, rows)
    return None if step is None or pd.isna(step["round"]) else int(step["round"])


def shown_step(selection: Selection, rows: pd.DataFrame) -> "pd.Series[Any] | None":
    """Return the row of the cell whose job and output are shown."""
    own = rows[rows["run_id"] == selection.run].sort_values(
        "round", na_position="first", kind="stable"
    )
    if own.empty:
        return None
    at_point = own[(own["round"] == selection.point).fillna(value=False)]
    return (own if at_point.empty else at_point).iloc[-1]


def cell_words(selection: Selection) -> str:
    """Return the selected cell in PTS terms, such as ``R/W 0/100, 4 KiB``."""
    names = {"threads": "TC ", "queue_depth": "QD "}
    words = [
        mix_name(value)
        if name == "read_percent"
        else names.get(name, "") + axis_label(name, value)
        for name, value in selection.cell
    ]
    return _listed(*words, _direction_words(selection))


def _listed(*words: str) -> str:
    return ", ".join(word for word in words if word)


def _drive(selection: Selection, places: Places) -> str:
    return figure_text(places[selection.run].drive, longest=_LONGEST_DRIVE)


def _direction_words(selection: Selection) -> str:
    side = selection.direction
    return "" if side == "total" else f"{side}s only"


def _rounds_words(selection: Selection) -> str:
    if selection.rounds is None:
        return "all rounds"
    if selection.rounds == "window":
        return "measurement window, or all rounds if there is none"
    first, last = selection.rounds
    return f"rounds {first}–{last}" if first < last else f"round {first}"  # noqa: RUF001 - a range


def _frame_of(drawn: "ReducedSeries", metric: str) -> pd.DataFrame:
    return pd.DataFrame({"time_s": drawn.x, metric: drawn.y})

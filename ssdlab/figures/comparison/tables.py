"""Several drives in one figure: cells with their intervals, ratios, and differences."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.figures.classes.looks import RunLook, level_axis
from ssdlab.figures.labels import (
    COLORS,
    QUANTITIES,
    axis,
    new_figure,
    number_text,
    scaled,
)
from ssdlab.figures.names import figure_text
from ssdlab.model.units import block_size_label, mix_label

if TYPE_CHECKING:
    import pandas as pd

_ROW_PX = 26
_HEAD_PX = 150
_PANEL_PX = 300
# Brown to green: told apart with every common form of colour blindness.
_BETTER = ((0.0, "#8c510a"), (0.5, "#f5f5f5"), (1.0, "#01665e"))
_LEAST_RATIO = 1.05  # of the ends of a scale: noise must not look like a difference


def plot_compared_cells(
    summary: "pd.DataFrame",
    *,
    metric: str,
    looks: Mapping[str, RunLook],
    title: str,
    per_watt: bool = False,
) -> go.Figure:
    """Draw one metric of every cell of several drives, with its intervals.

    Parameters
    ----------
    summary : pandas.DataFrame
        What `ssdlab.analysis.summarise_sides` returned, of one test; of efficiency
        what `ssdlab.analysis.summarise_efficiency` returned.
    metric : str
        The metric, such as ``iops``.
    looks : mapping of str to RunLook
        By side its look.
    title : str
        Title of the figure.
    per_watt : bool, default False
        Whether the values are by watt.

    Returns
    -------
    plotly.graph_objects.Figure
        One row a cell, one mark a drive, on a logarithmic axis where the values span
        a decade.
    """
    rows = summary[summary["metric"] == metric]
    cells = list(dict.fromkeys(str(cell) for cell in rows["cell"]))[::-1]
    height = _HEAD_PX + _ROW_PX * max(3, len(cells))
    subtitle = "mean, and where it lies with 95 % confidence"
    figure = new_figure(title, subtitle=subtitle, height=height)
    drawn: list[float | None] = []
    names = [name for name in looks if (rows["side"] == name).any()]
    for place, name in enumerate(names):
        own = rows[rows["side"] == name]
        drawn += _add_side(
            figure, own, looks[name], place=(place, len(names), cells, metric)
        )
    quantity = QUANTITIES.get(metric, QUANTITIES["lat_ns"])
    words = quantity.title
    if per_watt:
        words = f"{quantity.name} by watt [{quantity.unit or '1/s'}/W]"
    figure.update_layout(
        xaxis=_value_axis(words, drawn),
        yaxis=axis(
            "",
            tickvals=list(range(len(cells))),
            ticktext=[figure_text(cell, longest=34) for cell in cells],
            range=[-0.6, len(cells) - 0.4],
        ),
        showlegend=True,
    )
    return figure


def _add_side(
    figure: go.Figure,
    own: "pd.DataFrame",
    look: RunLook,
    *,
    place: tuple[int, int, Sequence[str], str],
) -> list[float | None]:
    number, count, cells, metric = place
    column = metric if metric in QUANTITIES else "lat_ns"
    values, low, high = (scaled(own[name], column) for name in ("value", "low", "high"))
    shift = (count - 1) / 2 - number
    figure.add_scatter(
        x=values,
        y=[cells.index(str(cell)) + shift * 0.7 / count for cell in own["cell"]],
        error_x={
            "type": "data",
            "symmetric": False,
            "array": _reach(high, values),
            "arrayminus": _reach(values, low),
            "thickness": 1.5,
            "width": 3,
        },
        text=[_cell_text(look, row, column) for row in rows_of(own)],
        name=look.text,
        mode="markers",
        marker={"symbol": look.symbol, "size": 9, "color": look.color},
        hovertemplate="%{text}<extra></extra>",
    )
    return [*values, *low, *high]


def _reach(far: Sequence[float | None], near: Sequence[float | None]) -> list[float]:
    pairs = zip(far, near, strict=True)
    return [0.0 if None in (a, b) else abs(a - b) for a, b in pairs]  # type: ignore[operator] # None is out


def _cell_text(look: RunLook, row: Any, column: str) -> str:
    quantity = QUANTITIES[column]
    value, low, high = (number / quantity.divisor for number in _numbers(row))
    unit = quantity.unit or quantity.name
    interval = "no interval: nothing was repeated"
    if math.isfinite(low):
        interval = f"95 %: {number_text(low)} to {number_text(high)}"
    return (
        f"{look.text}<br>{row.cell}<br>{number_text(value)} {unit}<br>{interval}"
        f"<br>n = {row.n} {row.unit}"
    )


def _numbers(row: Any) -> tuple[float, float, float]:
    return float(row.value), float(row.low), float(row.high)


def _value_axis(title: str, values: Iterable[float | None]) -> dict[str, Any]:
    known = [value for value in values if value is not None and value > 0]
    if known and max(known) > 10 * min(known):
        return level_axis(title, known)
    return axis(title, tickformat=",~r", rangemode="tozero")


def plot_iops_heat_maps(
    summary: "pd.DataFrame", cells: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw the IOPS matrix of each drive as a heat map, all on one scale.

    Parameters
    ----------
    summary : pandas.DataFrame
        What `ssdlab.analysis.summarise_sides` returned, of the test IOPS.
    cells : pandas.DataFrame
        Block size and mix of a cell, as `ssdlab.analysis.tabulate_window_cells`
        returned them.
    looks : mapping of str to RunLook
        By side its look.

    Returns
    -------
    plotly.graph_objects.Figure
        One panel a drive; a cell that was not measured is empty.
    """
    table = _with_axes(summary, cells)
    names = [name for name in looks if (table["side"] == name).any()]
    logs = [math.log10(float(value)) for value in table["value"]]
    figure = _panels(
        "IOPS by block size and R/W mix",
        "mean over the measurement window; one colour scale for all",
        names=[looks[name].text for name in names],
    )
    for place, name in enumerate(names):
        own = table[table["side"] == name]
        _add_heat(
            figure,
            own.assign(shown=[_short_number(float(value)) for value in own["value"]]),
            place,
            colors={
                "colorscale": "Viridis",
                "zmin": min(logs),
                "zmax": max(logs),
                "showscale": False,
            },
        )
    return figure


def plot_ratio_heat_maps(
    differences: "pd.DataFrame", cells: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw the ratio of two IOPS matrices, for each pair of drives.

    Parameters
    ----------
    differences : pandas.DataFrame
        What `ssdlab.analysis.compare_cells` returned, of the test IOPS.
    cells : pandas.DataFrame
        Block size and mix of a cell, as `ssdlab.analysis.tabulate_window_cells`
        returned them.
    looks : mapping of str to RunLook
        By side its look.

    Returns
    -------
    plotly.graph_objects.Figure
        One panel a pair, the first by the second drive. A star marks a difference that
        is shown; a cell that one of them lacks is empty.
    """
    table = _with_axes(differences[differences["ratio"] > 0], cells)
    pairs = list(dict.fromkeys(zip(table["a"], table["b"], strict=True)))
    figure = _panels(
        "IOPS, ratio of two drives",
        "* a difference that is shown; green: the first has more",
        names=[f"{looks[a].text} / {looks[b].text}" for a, b in pairs],
    )
    ends = [_LEAST_RATIO, *(float(max(r, 1 / r)) for r in table["ratio"])]
    reach = math.log10(max(ends))
    for place, (a, b) in enumerate(pairs):
        own = table[(table["a"] == a) & (table["b"] == b)]
        shown = [f"{row.ratio:.2f}{'*' if row.better else ''}" for row in rows_of(own)]
        _add_heat(
            figure,
            own.assign(value=own["ratio"], shown=shown),
            place,
            colors={
                "colorscale": [list(step) for step in _BETTER],
                "zmin": -reach,
                "zmax": reach,
                "showscale": False,
            },
        )
    return figure


def _with_axes(table: "pd.DataFrame", cells: "pd.DataFrame") -> "pd.DataFrame":
    names = ["test", "metric", "cell", "block_size_bytes", "read_percent"]
    places = cells[names].drop_duplicates(["test", "metric", "cell"]).dropna()
    return table.merge(places, on=["test", "metric", "cell"])


def _panels(title: str, subtitle: str, *, names: Sequence[str]) -> go.Figure:
    """Return a figure with a named panel for each, one under the other."""
    down = max(1, len(names))
    figure = new_figure(title, subtitle=subtitle, height=120 + _PANEL_PX * down)
    for place, name in enumerate(names):
        number = str(place + 1) if place else ""
        top = 1 - place / down
        bottom, head = top - 1 / down + 0.14 / down, top - 0.12 / down
        figure.update_layout({
            f"xaxis{number}": axis(
                "R/W mix" if place == down - 1 else "",
                type="category", showgrid=False, anchor=f"y{number}", tickangle=0,
            ),
            f"yaxis{number}": axis(
                "Block size", type="category", showgrid=False, anchor=f"x{number}",
                domain=[bottom, head],
            ),
        })  # fmt: skip
        figure.add_annotation(
            text=name, x=0, y=head, xref="paper", yref="paper",
            xanchor="left", yanchor="bottom", showarrow=False, font={"size": 13},
        )  # fmt: skip
    return figure


def _short_number(value: float) -> str:
    """Return a number with three digits and the sign of its thousands.

    >>> _short_number(1_626_464), _short_number(61_928), _short_number(21.95)
    ('1.63M', '61.9k', '21.9')
    """
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{sign}"
    return f"{value:.3g}"


def _add_heat(
    figure: go.Figure, own: "pd.DataFrame", place: int, *, colors: Mapping[str, Any]
) -> None:
    sizes = sorted({int(size) for size in own["block_size_bytes"]}, reverse=True)
    mixes = sorted({int(mix) for mix in own["read_percent"]}, reverse=True)
    known = {
        (int(row.block_size_bytes), int(row.read_percent)): row for row in rows_of(own)
    }
    rows = [[known.get((size, mix)) for mix in mixes] for size in sizes]
    number = str(place + 1) if place else ""
    figure.add_heatmap(
        x=[mix_label(mix) for mix in mixes],
        y=[block_size_label(size) for size in sizes],
        z=[
            [None if row is None else math.log10(float(row.value)) for row in line]
            for line in rows
        ],
        text=[["" if row is None else row.shown for row in line] for line in rows],
        texttemplate="%{text}",
        textfont={"size": 11},
        hovertemplate="%{y}, R/W %{x}: %{text}<extra></extra>",
        xaxis=f"x{number}",
        yaxis=f"y{number}",
        xgap=1,
        ygap=1,
        **colors,
    )


def plot_differences(
    differences: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw by how much one drive leads another in each cell, with the interval.

    Parameters
    ----------
    differences : pandas.DataFrame
        What `ssdlab.analysis.compare_cells` returned, of one pair; cells without an
        interval are left out.
    looks : mapping of str to RunLook
        By side its look.

    Returns
    -------
    plotly.graph_objects.Figure
        One row a cell: to the right of 0 the first drive is better, to the left the
        second. Full marks in the colour of who is better are differences that are
        shown, open grey ones are not.
    """
    rows = differences[differences["low"] > 0]
    labels = [f"{str(row.test).upper()} {row.cell}" for row in rows_of(rows)]
    words = [_metric_tail(row) for row in rows_of(rows)]
    names = [f"{a}{b}" for a, b in zip(labels, words, strict=True)][::-1]
    figure = new_figure(
        "Who is better, cell by cell",
        subtitle="ratio as a gain [%], 95 % interval of each cell; full: shown over "
        "all cells",
        height=_HEAD_PX + 20 * max(4, len(rows)),
    )
    for place, row in enumerate(list(rows_of(rows))[::-1]):
        _add_difference(figure, row, place=place, looks=looks)
    figure.add_vline(x=0, line={"color": COLORS["axis"], "width": 1})
    first, second = (
        (looks[str(rows[side].iloc[0])].text for side in ("a", "b"))
        if len(rows)
        else ("", "")
    )
    figure.update_layout(
        xaxis=axis(f"← {second} better   [%]   {first} better →", tickformat=",~r"),
        yaxis=axis(
            "",
            tickvals=list(range(len(names))),
            ticktext=[figure_text(name, longest=44) for name in names],
            range=[-0.7, len(names) - 0.3],
        ),
        showlegend=False,
    )
    return figure


def _metric_tail(row: Any) -> str:
    metric = str(row.metric)
    if not metric.startswith("lat_"):
        return ""
    levels = {
        "lat_mean_ns": "mean",
        "lat_three_nines_ns": "99.9 %",
        "lat_four_nines_ns": "99.99 %",
        "lat_five_nines_ns": "99.999 %",
    }
    return f" {levels[metric]}"


def _add_difference(
    figure: go.Figure, row: Any, *, place: int, looks: Mapping[str, RunLook]
) -> None:
    leads = (row.ratio >= 1) == (not str(row.metric).startswith("lat_"))
    sign = 1 if leads else -1
    value, low, high = (
        sign * float(part) for part in (row.percent, row.percent_low, row.percent_high)
    )
    is_shown = bool(row.better)
    color = looks[str(row.better)].color if is_shown else COLORS["axis"]
    figure.add_scatter(
        x=[value],
        y=[place],
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [max(low, high) - value],
            "arrayminus": [value - min(low, high)],
            "color": color,
            "thickness": 1.5,
            "width": 3,
        },
        text=[_difference_text(row)],
        mode="markers",
        marker={
            "symbol": "circle" if is_shown else "circle-open",
            "size": 8,
            "color": color,
        },
        hovertemplate="%{text}<extra></extra>",
    )


def _difference_text(row: Any) -> str:
    verdict = figure_text(str(row.verdict), longest=90)
    reason = figure_text(str(row.reason), longest=90) if row.reason else ""
    return (
        f"{str(row.test).upper()} {row.cell}{_metric_tail(row)}<br>{verdict}"
        f"{'<br>' + reason if reason else ''}<br>ratio {row.ratio:.4g} "
        f"({row.low:.4g} to {row.high:.4g})<br>n = {row.n_a} and {row.n_b} {row.unit}"
    )

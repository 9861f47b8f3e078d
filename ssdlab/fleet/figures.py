"""Figures of a fleet: each a function of frames."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import plotly.graph_objects as go

from ssdlab.plots.axes import level_axis, named_axis
from ssdlab.plots.heat import FROM_LITTLE_TO_MUCH, add_heat
from ssdlab.plots.labels import COLORS, axis, lay_out, new_figure
from ssdlab.plots.lines import add_points, add_tie, error_bars
from ssdlab.plots.looks import RunLook, make_run_looks
from ssdlab.plots.names import distinct_texts, figure_text, full_text
from ssdlab.text.numbers import metric_text
from ssdlab.text.quantities import Quantity, scaled, suited_quantity

if TYPE_CHECKING:
    import pandas as pd

MOST_NAMED: Final = 60  # rows whose drives are named at the axis
_MOST_DATED: Final = 40  # rows of coverage whose cells have their date
_ROW_PX, _TALL_PX = 15, 640
_GAP = 0.025  # of all rows, between two groups; one at least
_LONGEST_NAME, _LONGEST_GROUP, _LONGEST_TITLE = 22, 30, 120
_DECADE = 10.0
_LABEL_ROOM = 0.16  # of the width of the axis, for the names of outliers
_SIZES = ((60, 8.0), (200, 5.0), (math.inf, 3.5))  # of points, by how many


def group_looks(groups: Iterable[str]) -> dict[str, RunLook]:
    """Return the colour and the marker of each group, in the order of their names."""
    looks = make_run_looks((group, group) for group in sorted(set(groups)))
    return {look.run_id: look for look in looks}


def plot_drives(
    drives: "pd.DataFrame", odd: "pd.DataFrame", *, metric: str, title: str
) -> go.Figure:
    """Draw the level of each drive with its interval, by group, in their order.

    Up to 60 drives are named at the axis, of more only the outliers. A line marks the
    median of each group.
    """
    ordered = drives.sort_values(["group", "value", "drive"], kind="stable")
    quantity = suited_quantity(metric, ordered["value"])
    groups = list(dict.fromkeys(ordered["group"]))
    is_named = len(ordered) <= MOST_NAMED
    places = _places(ordered["group"])
    rows = ordered.assign(place=places)
    subtitle = "geometric mean of the runs; 95 % interval; dotted: median"
    tall_px = 170 + _ROW_PX * math.ceil(max(places, default=0))
    figure = new_figure(
        figure_text(title, longest=_LONGEST_TITLE),
        subtitle=subtitle,
        height=tall_px if is_named else _TALL_PX,
    )
    looks = group_looks(groups)
    size = next(size for most, size in _SIZES if len(rows) <= most)
    for group in groups:
        own = rows[rows["group"] == group]
        middle = scaled([own["value"].median()], quantity) * 2
        ends = [own["place"].min() - 0.5, own["place"].max() + 0.5]
        look = {"color": COLORS["ink"], "width": 1, "dash": "dot"}
        add_tie(figure, middle, ends, line=look)
        values, low, high = (scaled(own[name], quantity) for name in _ENDS)
        add_points(
            figure, values, list(own["place"]), text=[
                _drive_text(row, metric) for row in own.to_dict("records")
            ],
            name=f"{figure_text(group, longest=60)} (n = {len(own)})",
            marker={
                "size": size, "color": looks[group].color, "symbol": looks[group].symbol
            },
            error_x=error_bars(values, low, high, thickness=size / 6, width=0),
        )  # fmt: skip
    far = odd[(odd["of"] == "drive") & odd["is_outlier"].astype(bool)]
    marked = rows.merge(far[["group", "drive", "ratio"]])
    _mark_outliers(figure, marked, quantity, is_named=is_named)
    across = _value_axis(rows, quantity, has_room=bool(len(marked)) and not is_named)
    up = _drive_axis(rows) if is_named else _group_axis(rows)
    pad = max(1.0, _GAP * len(rows))
    up |= {"range": [max(places, default=0) + pad, -pad], "tickfont": {"size": 11}}
    lay_out(figure, xaxis=across, yaxis=up, showlegend=len(groups) > 1)
    return figure


_ENDS = ("value", "low", "high")


def _drive_axis(rows: "pd.DataFrame") -> dict[str, Any]:
    """Return an axis that names each drive."""
    names = distinct_texts(rows["drive"], longest=_LONGEST_NAME)
    texts = [figure_text(names[one], longest=99) for one in rows["drive"]]
    return axis("", tickvals=list(rows["place"]), ticktext=texts, showgrid=False)


def _group_axis(rows: "pd.DataFrame") -> dict[str, Any]:
    """Return an axis that names each group in the middle of its drives."""
    middle = rows.groupby("group", sort=False)["place"].mean()
    texts = distinct_texts(middle.index, longest=_LONGEST_GROUP)
    shown = [_broken(texts[one]) for one in middle.index]
    return axis("", tickvals=list(middle), ticktext=shown, showgrid=False, ticks="")


def _broken(name: str) -> str:
    """Return a name in lines at its commas, escaped."""
    return "<br>".join(figure_text(part, longest=99) for part in name.split(", "))


def _places(groups: "pd.Series[Any]") -> list[float]:
    """Return where each row is, with a gap between groups.

    >>> import pandas as pd
    >>> _places(pd.Series(["A", "A", "B"]))
    [0.0, 1.0, 3.0]
    """
    order = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    gap = max(1.0, _GAP * len(groups))
    return [row + gap * order[group] for row, group in enumerate(groups)]


def _drive_text(row: Mapping[Any, Any], metric: str) -> str:
    lines = [
        full_text(row["drive"]),
        full_text(row["group"]),
        metric_text(row["value"], metric),
    ]
    if row["basis"]:
        low, high = (
            "no limit" if math.isnan(one) else metric_text(one, metric)
            for one in (row["low"], row["high"])
        )
        lines.append(f"95 %: {low} to {high}, by {row['basis']}")
    lines.append(f"n = {row['runs']} run{'s' * (row['runs'] > 1)}")
    return "<br>".join(lines)


def _mark_outliers(
    figure: go.Figure, marked: "pd.DataFrame", quantity: Quantity, *, is_named: bool
) -> None:
    """Put a ring about each outlier; its name too where the axis has none."""
    if marked.empty:
        return
    values, low, high = (scaled(marked[name], quantity) for name in _ENDS)
    ring = {"symbol": "circle-open", "size": 13, "color": COLORS["fit"]}
    ring |= {"line": {"width": 2}}
    places = list(marked["place"])
    add_points(figure, values, places, name="outlier", marker=ring)
    if is_named:
        return
    for value, bottom, top, row in zip(
        values, low, high, marked.to_dict("records"), strict=True
    ):
        is_left = row["ratio"] < 1
        end = bottom if is_left else top
        figure.add_annotation(
            x=value if end is None else end,
            y=row["place"],
            text=figure_text(row["drive"], longest=_LONGEST_NAME),
            showarrow=False,
            xanchor="right" if is_left else "left",
            xshift=-9 if is_left else 9,
            font={"size": 11},
        )


def _value_axis(
    rows: "pd.DataFrame", quantity: Quantity, *, has_room: bool
) -> dict[str, Any]:
    """Return the axis of a metric: not from zero, as it is read by differences."""
    known = [
        value
        for name in _ENDS
        for value in scaled(rows[name], quantity)
        if value is not None and value > 0
    ]
    if known and max(known) > _DECADE * min(known):
        return level_axis(quantity.title, known)
    made = axis(quantity.title, tickformat=",~r", nticks=6)
    if known:
        span = (max(known) - min(known)) or max(known)
        room = span * (_LABEL_ROOM if has_room else 0.04)
        made |= {"range": [min(known) - room, max(known) + room]}
    return made


def plot_coverage(coverage: "pd.DataFrame", tests: Sequence[str]) -> go.Figure:
    """Draw when each drive was last measured by each test, as a map."""
    drives = list(dict.fromkeys(coverage["drive"]))
    is_named = len(drives) <= _MOST_DATED
    figure = new_figure(
        "When each drive was last measured",
        subtitle="the darker, the longer ago; empty: never",
        height=130 + 20 * len(drives) if is_named else _TALL_PX,
    )
    rows = {drive: place for place, drive in enumerate(drives)}
    columns = {test: place for place, test in enumerate(tests)}
    cells = {
        (rows[row["drive"]], columns[row["test"]]): (
            float(row["days_before"]) + 1,
            f"{row['last']:%Y-%m-%d}" if is_named else "",
            _last_text(row),
        )
        for row in coverage.to_dict("records")
        if not math.isnan(float(row["days_before"]))
    }
    names = distinct_texts(drives, longest=_LONGEST_NAME)
    down = {place: str(place) for place in rows.values()}
    across = {n: figure_text(test.upper()) for test, n in columns.items()}
    most = max([1.0, *(math.log10(cell[0]) for cell in cells.values())])
    add_heat(
        figure, cells, (down, across), gap=int(is_named),
        colorscale=FROM_LITTLE_TO_MUCH, zmin=0, zmax=most,
    )  # fmt: skip
    texts = [figure_text(names[one], longest=99) for one in drives]
    up = named_axis("", texts, range=[len(drives) - 0.5, -0.5], showgrid=False)
    if not is_named:
        up = _model_axis(coverage, rows)
    lay_out(figure, xaxis=axis("", side="top", showgrid=False), yaxis=up)
    return figure


def _last_text(row: Mapping[Any, Any]) -> str:
    return (
        f"{full_text(row['drive'])}<br>{full_text(row['model'])}<br>"
        f"{full_text(row['test'].upper())}: {row['last']:%Y-%m-%d}<br>"
        f"n = {row['runs']} run{'s' * (row['runs'] > 1)}"
    )


def _model_axis(coverage: "pd.DataFrame", rows: Mapping[str, int]) -> dict[str, Any]:
    """Return an axis that names the model in the middle of its drives."""
    own = coverage.drop_duplicates("drive")
    middle = own.assign(place=own["drive"].map(rows)).groupby("model")["place"].mean()
    texts = [figure_text(str(one), longest=_LONGEST_GROUP) for one in middle.index]
    return axis(
        "", tickvals=list(middle), ticktext=texts, showgrid=False, ticks="",
        range=[len(rows) - 0.5, -0.5],
    )  # fmt: skip

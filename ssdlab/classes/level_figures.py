"""The storage classes and runs row by row: IOPS, throughput and response times."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.classes.metrics import DRAWN_BY_NAME, add_class_responses
from ssdlab.plots.axes import level_axis, named_axis
from ssdlab.plots.labels import lay_out, new_figure
from ssdlab.plots.lines import add_points, add_tie
from ssdlab.plots.looks import RunLook, group_look
from ssdlab.text.numbers import number_text

if TYPE_CHECKING:
    import pandas as pd

_ROW_PX = 30
_APART_ROWS = 0.27  # between the marks of a row: equal values must not hide each other
_LEGEND_COLOR = "#64748b"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Row:
    """One line of the plot: a class, a run, or the title of a group."""

    label: str
    name: str = ""
    color: str = ""
    key: str = ""
    is_class: bool = False


@dataclass(frozen=True, slots=True)
class _Mark:
    """One column of the published table: its words and its marker."""

    column: str
    words: str
    symbol: str

    @property
    def unit(self) -> str:
        """The unit of its values."""
        return DRAWN_BY_NAME[self.column].unit

    @property
    def is_average(self) -> bool:
        """Whether it is an average response time."""
        return DRAWN_BY_NAME[self.column].column == "lat_mean_ns"

    @property
    def panel(self) -> str:
        """The axis that it is drawn on: response times have the second."""
        return "x2" if self.unit == "ms" else "x"


_IOPS = (
    _Mark("write_iops", "R/W 0/100", "square"),
    _Mark("mixed_iops", "R/W 65/35", "triangle-up"),
    _Mark("read_iops", "R/W 100/0", "circle"),
    _Mark("write_art_ms", "ART 0/100", "square"),
    _Mark("mixed_art_ms", "ART 65/35", "triangle-up"),
    _Mark("read_art_ms", "ART 100/0", "circle"),
)
_THROUGHPUT = (
    _Mark("tp_write_mb_per_s", "R/W 0/100", "square"),
    _Mark("tp_read_mb_per_s", "R/W 100/0", "circle"),
    _Mark("tp_write_art_ms", "ART 0/100", "square"),
    _Mark("tp_read_art_ms", "ART 100/0", "circle"),
    _Mark("tp_write_mrt_ms", "MRT 0/100", "diamond"),
    _Mark("tp_read_mrt_ms", "MRT 100/0", "triangle-down"),
)
_COMPUTED = "ART of a class: computed as TC x QD / IOPS"


def plot_class_iops(
    classes: "pd.DataFrame", values: "pd.DataFrame", *, looks: Sequence[RunLook]
) -> go.Figure:
    """Draw IOPS, and the response times of the same cells, of each class and run.

    Two panels of the same rows on logarithmic axes: steady IOPS of RND 4 KiB by
    R/W mix, and their average response times (ART). The source has none of its
    classes: they are computed, see `add_class_responses`.

    References
    ----------
    .. [1] Calypso Systems, "Performance Comparison by Storage Class", August 2014.
    """
    return _plot(
        "IOPS and response times by class",
        _IOPS,
        (classes, values, looks),
        titles=("IOPS", "ART [ms]"),
        words=f"RND 4 KiB, steady state of the test IOPS; {_COMPUTED}",
    )


def plot_class_throughput(
    classes: "pd.DataFrame", values: "pd.DataFrame", *, looks: Sequence[RunLook]
) -> go.Figure:
    """Draw throughput, and the response times of the same cells, of each class and run.

    Two panels of the same rows on logarithmic axes: throughput of SEQ 1024 KiB
    [MB/s], and average (ART) and maximum response times (MRT) [ms]. The source has
    none of its classes: ART is computed, see `add_class_responses`.

    References
    ----------
    .. [1] Calypso Systems, "Performance Comparison by Storage Class", August 2014.
    """
    return _plot(
        "Bandwidth and response times by class",
        _THROUGHPUT,
        (classes, values, looks),
        titles=("MB/s", "Time [ms]"),
        words=f"SEQ 1024 KiB of TP, T1/Q32: throughput, ART and MRT; {_COMPUTED}",
    )


def _plot(
    title: str,
    marks: Sequence[_Mark],
    data: tuple["pd.DataFrame", "pd.DataFrame", Sequence[RunLook]],
    *,
    titles: tuple[str, str],
    words: str,
) -> go.Figure:
    classes, values, looks = data
    classes = add_class_responses(classes)
    numbers = _numbers(classes, values, columns=[mark.column for mark in marks])
    found = {key for key, _ in numbers}
    shown = [look for look in looks if look.run_id in found]
    rows = [*_class_rows(classes), *_run_rows(shown)]
    figure = new_figure(
        title,
        subtitle=words,
        height=_ROW_PX * len(rows) + 130,
    )
    axes = {}
    for panel, axis_title, domain in zip(
        ("x", "x2"), titles, ([0, 0.54], [0.6, 1]), strict=True
    ):
        group = [mark for mark in marks if mark.panel == panel]
        middle = (len(group) - 1) / 2
        asides = [(place - middle) * _APART_ROWS for place in range(len(group))]
        placed = list(zip(group, asides, strict=True))
        for place, row in enumerate(rows):
            held = [
                (numbers[row.key, mark.column], place + aside)
                for mark, aside in placed
                if (row.key, mark.column) in numbers
            ]
            if len(held) > 1:
                line = {"color": row.color, "width": 1.5}
                x, y = zip(*held, strict=True)
                add_tie(figure, x, y, xaxis=panel, line=line, opacity=0.5)
        for mark, aside in placed:
            _add_mark(figure, rows, (mark, aside), numbers=numbers)
        columns = {mark.column for mark in group}
        drawn = [value for (_, name), value in numbers.items() if name in columns]
        axes[f"{panel[0]}axis{panel[1:]}"] = level_axis(axis_title, drawn) | {
            "domain": domain
        }
    ends = [len(rows) - 0.4, -0.6]
    labels = [row.label for row in rows]
    names = named_axis("", labels, range=ends, ticks="", showgrid=True)
    lay_out(figure, **axes, yaxis=names)
    return figure


def _class_rows(classes: "pd.DataFrame") -> list[_Row]:
    """Return a row for each class under the title of its group."""
    rows: list[_Row] = []
    for group, members in classes.groupby("group", sort=False):
        rows.append(_Row(label=f"<b>{_safe(group)}</b>"))
        rows += [
            _Row(
                label=_safe(row["storage_class"]),
                name=_safe(row["storage_class"]),
                color=group_look(str(group))[0],
                key=f"class {row['row']}",
                is_class=True,
            )
            for _, row in members.iterrows()
        ]
    return rows


def _safe(text: object) -> str:
    return str(text).replace("&", "&amp;").replace("<", "&lt;")


def _run_rows(looks: Sequence[RunLook]) -> list[_Row]:
    """Return a row for each run under a title; none without runs."""
    rows = [
        _Row(
            label=f'<span style="color:{look.color}">{look.text}</span>',
            name=look.full,
            color=look.color,
            key=look.run_id,
        )
        for look in looks
    ]
    return [_Row(label="<b>Runs</b>"), *rows] if rows else []


def _numbers(
    classes: "pd.DataFrame", values: "pd.DataFrame", *, columns: Collection[str]
) -> dict[tuple[str, str], float]:
    """Return each value above zero of some columns, by the key of its row."""
    found = {
        (f"class {row['row']}", column): float(row[column])
        for _, row in classes.iterrows()
        for column in columns
        if column in classes
    }
    found |= {
        (str(row["run_id"]), str(row["metric"])): float(row["value"])
        for _, row in values.iterrows()
        if row["metric"] in columns
    }
    return {key: value for key, value in found.items() if value > 0}


def _add_mark(
    figure: go.Figure,
    rows: Sequence[_Row],
    placed: tuple[_Mark, float],
    *,
    numbers: dict[tuple[str, str], float],
) -> None:
    mark, aside = placed
    shown = [
        (place, row, numbers[row.key, mark.column])
        for place, row in enumerate(rows)
        if (row.key, mark.column) in numbers
    ]
    is_time = mark.panel == "x2"
    add_points(
        figure, [value for _, _, value in shown], [at + aside for at, _, _ in shown],
        xaxis=mark.panel, name=mark.words, showlegend=False,
        text=[
            f"{row.name}<br>{mark.words}: {number_text(value)} {mark.unit}"
            + ("<br>computed as TC x QD / IOPS" if is_time and row.is_class else "")
            for _, row, value in shown
        ],
        marker={
            "symbol": mark.symbol, "color": [row.color for _, row, _ in shown],
            "size": 11, "line": {"width": 1.2, "color": "white"},
        },
    )  # fmt: skip
    if mark.is_average:  # its marker is that of the rate beside it
        return
    figure.add_scatter(
        x=[None], y=[None], name=mark.words, mode="markers",
        marker={"symbol": mark.symbol, "color": _LEGEND_COLOR, "size": 10},
    )  # fmt: skip

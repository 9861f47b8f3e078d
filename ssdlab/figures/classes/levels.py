"""The storage classes and runs row by row: IOPS, throughput and response times."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.analysis.classes.metrics import METRICS_BY_NAME
from ssdlab.figures.classes.looks import RunLook, level_axis
from ssdlab.figures.classes.rows import LevelRow, class_rows, row_numbers, run_rows
from ssdlab.figures.labels import axis, lay_out, new_figure, number_text

if TYPE_CHECKING:
    import pandas as pd

_ROW_PX = 30
_APART_ROWS = 0.27  # between the marks of a row: equal values must not hide each other
_LEGEND_COLOR = "#64748b"


@dataclass(frozen=True, slots=True)
class _Mark:
    """One column of the published table: its words and its marker."""

    column: str
    words: str
    symbol: str

    @property
    def unit(self) -> str:
        """The unit of its values."""
        return METRICS_BY_NAME[self.column].unit

    @property
    def panel(self) -> str:
        """The axis that it is drawn on: response times have the second."""
        return "x2" if METRICS_BY_NAME[self.column].test == "lat" else "x"


_MEAN = _Mark("lat_mean_ms", "average latency", "diamond")
_IOPS = (
    _Mark("write_iops", "R/W 0/100", "square"),
    _Mark("mixed_iops", "R/W 65/35", "triangle-up"),
    _Mark("read_iops", "R/W 100/0", "circle"),
    _MEAN,
)
_THROUGHPUT = (
    _Mark("tp_write_mb_per_s", "R/W 0/100", "square"),
    _Mark("tp_read_mb_per_s", "R/W 100/0", "circle"),
    _MEAN,
    _Mark("lat_max_ms", "maximum latency", "triangle-down"),
)


def plot_class_iops(
    classes: "pd.DataFrame", values: "pd.DataFrame", *, looks: Sequence[RunLook]
) -> go.Figure:
    """Draw IOPS and average latency of each storage class and run.

    Two panels of the same rows on logarithmic axes: steady IOPS of RND 4 KiB by
    R/W mix, and the average latency of RND 4 KiB writes at T1/Q1.

    References
    ----------
    .. [1] Calypso Systems, "Performance Comparison by Storage Class", August 2014.
    """
    return _plot(
        "IOPS and response times by class",
        _IOPS,
        (classes, values, looks),
        titles=("IOPS, steady state", "Latency [ms]"),
        words="RND 4 KiB; latency of writes at T1/Q1",
    )


def plot_class_throughput(
    classes: "pd.DataFrame", values: "pd.DataFrame", *, looks: Sequence[RunLook]
) -> go.Figure:
    """Draw throughput and response times of each storage class and run.

    Two panels of the same rows on logarithmic axes: throughput of SEQ 1024 KiB
    [MB/s], and average and maximum latency of RND 4 KiB writes at T1/Q1 [ms].

    References
    ----------
    .. [1] Calypso Systems, "Performance Comparison by Storage Class", August 2014.
    """
    return _plot(
        "Bandwidth and response times by class",
        _THROUGHPUT,
        (classes, values, looks),
        titles=("Throughput [MB/s]", "Latency [ms]"),
        words="SEQ 1024 KiB; latency of RND 4 KiB writes at T1/Q1",
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
    numbers = row_numbers(classes, values, columns=[mark.column for mark in marks])
    found = {key for key, _ in numbers}
    shown = [look for look in looks if look.run_id in found]
    rows = [*class_rows(classes), *run_rows(shown)]
    has_doubt = classes["doubtful"].str.len().gt(0).any()
    note = "; empty: the printed value cannot be right"
    figure = new_figure(
        title,
        subtitle=words + (note if has_doubt else ""),
        height=_ROW_PX * len(rows) + 130,
    )
    _add_spans(figure, rows, marks, numbers=numbers)
    offsets = _offsets(marks)
    for mark in marks:
        _add_mark(figure, rows, (mark, offsets[mark]), numbers=numbers)
    _set_axes(figure, rows, titles=titles)
    return figure


def _offsets(marks: Sequence[_Mark]) -> dict[_Mark, float]:
    """Return how far below the middle of its row each mark stands [rows]."""
    offsets: dict[_Mark, float] = {}
    for panel in ("x", "x2"):
        group = [mark for mark in marks if mark.panel == panel]
        middle = (len(group) - 1) / 2
        offsets |= {
            mark: (place - middle) * _APART_ROWS for place, mark in enumerate(group)
        }
    return offsets


def _set_axes(
    figure: go.Figure, rows: Sequence[LevelRow], *, titles: tuple[str, str]
) -> None:
    drawn: dict[str, list[float]] = {"x": [], "x2": []}
    for trace in figure.data:
        drawn[trace.xaxis or "x"] += [float(x) for x in trace.x if x is not None]
    panels = []
    for title, panel, domain in zip(
        titles, ("x", "x2"), ([0, 0.54], [0.6, 1]), strict=True
    ):
        panels.append(level_axis(title, drawn[panel]) | {"domain": domain})
    lay_out(
        figure,
        xaxis=panels[0],
        xaxis2=panels[1],
        yaxis=axis(
            "",
            tickvals=list(range(len(rows))),
            ticktext=[row.label for row in rows],
            range=[len(rows) - 0.4, -0.6],
            ticks="",
            showgrid=True,
        ),
    )


def _add_spans(
    figure: go.Figure,
    rows: Sequence[LevelRow],
    marks: Sequence[_Mark],
    *,
    numbers: dict[tuple[str, str], float],
) -> None:
    """Tie the marks of a row in each panel by a thin line."""
    offsets = _offsets(marks)
    for panel in ("x", "x2"):
        group = [mark for mark in marks if mark.panel == panel]
        for place, row in enumerate(rows):
            held = [mark for mark in group if (row.key, mark.column) in numbers]
            if len(held) < 2:
                continue
            figure.add_scatter(
                x=[numbers[row.key, mark.column] for mark in held],
                y=[place + offsets[mark] for mark in held], xaxis=panel,
                mode="lines", line={"color": row.color, "width": 1.5}, opacity=0.5,
                hoverinfo="skip", showlegend=False,
            )  # fmt: skip


def _add_mark(
    figure: go.Figure,
    rows: Sequence[LevelRow],
    placed: tuple[_Mark, float],
    *,
    numbers: dict[tuple[str, str], float],
) -> None:
    mark, offset = placed
    shown = [
        (place, row, numbers[row.key, mark.column])
        for place, row in enumerate(rows)
        if (row.key, mark.column) in numbers
    ]
    doubts = [mark.column in row.doubtful.split() for _, row, _ in shown]
    edges = [
        row.color if doubt else "white"
        for (_, row, _), doubt in zip(shown, doubts, strict=True)
    ]
    marker: dict[str, Any] = {
        "symbol": [f"{mark.symbol}-open" if doubt else mark.symbol for doubt in doubts],
        "color": [row.color for _, row, _ in shown],
        "size": 11,
        "line": {"width": 1.2, "color": edges},
    }
    figure.add_scatter(
        x=[value for _, _, value in shown],
        y=[place + offset for place, _, _ in shown],
        xaxis=mark.panel,
        text=[
            f"{row.name}<br>{mark.words}: {number_text(value)} {mark.unit}"
            + ("<br>cannot be right" if doubt else "")
            for (_, row, value), doubt in zip(shown, doubts, strict=True)
        ],
        name=mark.words,
        mode="markers",
        marker=marker,
        showlegend=False,
        hovertemplate="%{text}<extra></extra>",
    )
    figure.add_scatter(
        x=[None], y=[None], name=mark.words, mode="markers",
        marker={"symbol": mark.symbol, "color": _LEGEND_COLOR, "size": 10},
    )  # fmt: skip

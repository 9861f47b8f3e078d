"""Figures of drives over time: firmware, ageing, history."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import plotly.graph_objects as go

from ssdlab.fleet.figures import group_looks
from ssdlab.plots.axes import named_axis
from ssdlab.plots.labels import COLORS, axis, lay_out, new_figure
from ssdlab.plots.lines import add_points, add_tie, error_bars
from ssdlab.plots.names import distinct_texts, figure_text, full_text
from ssdlab.text.numbers import metric_text, number_text
from ssdlab.text.quantities import Quantity, scaled, suited_quantity

if TYPE_CHECKING:
    import pandas as pd

READINGS: Final = {
    "written_before_bytes": Quantity(
        name="Written before the run", unit="TB", divisor=1e12
    ),
    "power_on_hours": Quantity(name="Power-on hours", unit="h", divisor=1.0),
}
_SMALLER = (("GB", 1e9), ("MB", 1e6))
_MANY_LINES = 30  # of a group; more are thin and pale
_LONGEST_TITLE, _LONGEST_PAIR = 120, 40
_CLAIMS = ((True, "shown", "circle"), (False, "not shown", "circle-open"))


def suited_reading(reading: str, greatest: float) -> Quantity:
    """Return what the axis of a reading shows, bytes in the unit that suits them.

    >>> suited_reading("written_before_bytes", 5e10).title
    'Written before the run [GB]'
    """
    known = READINGS[reading]
    if known.unit == "TB" and greatest < known.divisor:
        unit, size = next((one for one in _SMALLER if greatest >= one[1]), _SMALLER[-1])
        return Quantity(name=known.name, unit=unit, divisor=size)
    return known


def plot_firmwares(contrasts: "pd.DataFrame", *, title: str) -> go.Figure:
    """Draw the ratio of each firmware to the first of its model, with its interval."""
    names = [
        f"{row['model']}: {row['candidate_firmware']} / {row['baseline_firmware']}"
        for row in contrasts.to_dict("records")
    ]
    figure = new_figure(
        figure_text(title, longest=_LONGEST_TITLE),
        subtitle="ratio of the geometric means over drives; 95 % interval of each",
        height=170 + 30 * len(contrasts),
    )
    figure.add_vline(x=1, line={"color": COLORS["axis"], "width": 1, "dash": "dot"})
    rows = contrasts.assign(place=range(len(contrasts)), words=names)
    for is_shown, words, symbol in _CLAIMS:
        own = rows[rows["is_shown"] == is_shown]
        if len(own):
            parts = [list(own[name]) for name in ("ratio", "low", "high")]
            add_points(
                figure, parts[0], list(own["place"]), name=words,
                text=[_contrast_text(row) for row in own.to_dict("records")],
                marker={"symbol": symbol, "size": 10, "color": "#0072B2"},
                error_x=error_bars(*parts, thickness=1.5, width=3),
            )  # fmt: skip
    ends = contrasts[["ratio", "low", "high"]].to_numpy(float)
    known = [1.0, *ends[np.isfinite(ends)]]
    pad = 0.06 * (max(known) - min(known)) or 0.01
    texts = distinct_texts(names, longest=_LONGEST_PAIR)
    shown = [figure_text(texts[one], longest=99) for one in names]
    lay_out(
        figure,
        xaxis=axis(
            "Times the first firmware",
            tickformat=",.4~g",
            nticks=6,
            range=[min(known) - pad, max(known) + pad],
        ),
        yaxis=named_axis("", shown, range=[len(names) - 0.4, -0.6], showgrid=False),
        showlegend=True,
    )
    return figure


def _contrast_text(row: Mapping[Any, Any]) -> str:
    interval = row["reason"]
    if not interval:
        interval = f"95 %: {row['low']:.4g} to {row['high']:.4g}"
    drives = f"{row['baseline_drives']} and {row['candidate_drives']}"
    return (
        f"{full_text(row['words'])}<br>{row['ratio']:.4g} ({interval})<br>"
        f"n = {drives} drives{', the same' * bool(row['is_paired'])}"
    )


def plot_ageing(
    runs: "pd.DataFrame", ageing: "pd.DataFrame", *, reading: str, metric: str
) -> go.Figure:
    """Draw a metric over a reading, one line per drive and firmware.

    `runs` are those of `repeated_runs`: values relative to the mean of each line. A
    thick line has the slope of the model, as `ageing` has it.
    """
    quantity = suited_reading(reading, float(runs[reading].max()))
    figure = new_figure(
        f"{suited_quantity(metric, ()).name} over "
        f"{quantity.name[0].lower()}{quantity.name[1:]}",
        subtitle="one line per drive and firmware; thick: the slope of a model",
        height=460,
    )
    looks = group_looks(runs["model"])
    for model, own in runs.groupby("model", sort=True):
        x: list[Any] = []
        y: list[Any] = []
        texts: list[str] = []
        look = looks[str(model)]
        lines = own.groupby(["drive", "firmware"], sort=True)
        for _, line in lines:
            x += [*scaled(line[reading], quantity), None]
            y += [*line["relative"], None]
            texts += [_run_text(row, metric) for row in line.to_dict("records")] + [""]
        is_pale = len(lines) > _MANY_LINES
        figure.add_scatter(
            x=x[:-1],
            y=y[:-1],
            text=texts[:-1],
            mode="lines+markers",
            name=f"{figure_text(str(model), longest=60)} (n = {len(lines)})",
            line={"color": look.color, "width": 0.8 if is_pale else 1.5},
            marker={"size": 3 if is_pale else 6, "symbol": look.symbol},
            opacity=0.3 if is_pale else 1,
            hovertemplate="%{text}<extra></extra>",
        )
    for row in ageing[ageing["reading"] == reading].to_dict("records"):
        own = runs[runs["model"] == row["model"]][reading]
        ends = [float(own.min()), float(own.max())]
        per_one = math.log1p(row["change_percent"] / 100) / row["unit"]
        level = [math.exp(per_one * (end - own.mean())) for end in ends]
        look = looks[row["model"]]
        add_tie(
            figure, scaled(ends, quantity), level,
            line={"color": look.color, "width": 3},
        )  # fmt: skip
    lay_out(
        figure,
        xaxis=axis(quantity.title, tickformat=",~r", nticks=7),
        yaxis=axis("Relative to the mean of the line", tickformat=".4~g"),
        showlegend=True,
    )
    return figure


def _run_text(row: Mapping[Any, Any], metric: str) -> str:
    parts = [full_text(row["drive"]), full_text(f"firmware {row['firmware']}")]
    parts.append(metric_text(row["value"], metric))
    if not _is_missing(row["time"]):
        parts.append(f"{row['time']:%Y-%m-%d}")
    return "<br>".join(parts)


def _is_missing(moment: Any) -> bool:
    return bool(moment != moment)  # noqa: PLR0124 - only NaT is not itself


def plot_history(
    runs: "pd.DataFrame", changes: "pd.DataFrame", *, metric: str, title: str
) -> go.Figure:
    """Draw the runs of a series over time by firmware, its levels and changes.

    `changes` are those of the series. A line is the geometric mean between changes.
    """
    quantity = suited_quantity(metric, runs["value"])
    figure = new_figure(
        figure_text(title, longest=_LONGEST_TITLE),
        subtitle="each run; lines: geometric means between changes of level",
        height=420,
    )
    looks = group_looks(runs["firmware"])
    size = 5 if len(runs) > _MANY_LINES else 8
    for firmware, own in runs.groupby("firmware", sort=True):
        add_points(
            figure, [_moment(one) for one in own["time"]],
            scaled(own["value"], quantity),
            text=[_run_text(row, metric) for row in own.to_dict("records")],
            name=figure_text(f"firmware {str(firmware) or 'not recorded'}", longest=40)
            + f" (n = {len(own)})",
            marker={
                "size": size, "color": looks[str(firmware)].color,
                "symbol": looks[str(firmware)].symbol,
            },
        )  # fmt: skip
    begins = [runs["time"].iloc[0], *changes["first_after"]]
    ends = [*changes["last_before"], runs["time"].iloc[-1]]
    place = 0
    for begin, end, count in zip(
        begins, ends, _counts(len(runs), changes), strict=True
    ):
        values = runs["value"].to_numpy(float)[place : place + count]
        place += count
        level = math.exp(float(np.log(values).mean()))
        add_tie(
            figure, [_moment(begin), _moment(end)], scaled([level] * 2, quantity),
            line={"color": COLORS["ink"], "width": 2},
        )  # fmt: skip
    for moment in changes["first_after"]:
        line = {"color": COLORS["fit"], "width": 1.2, "dash": "dot"}
        figure.add_vline(x=_moment(moment), line=line)
    lay_out(
        figure,
        xaxis=axis("Date", type="date"),
        yaxis=axis(quantity.title, tickformat=",~r"),
        showlegend=True,
    )
    return figure


def _moment(time: Any) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S}"


def _counts(runs: int, changes: "pd.DataFrame") -> list[int]:
    """Return how many runs are between changes.

    >>> import pandas as pd
    >>> _counts(9, pd.DataFrame({"runs_before": [4], "runs_after": [5]}))
    [4, 5]
    """
    if changes.empty:
        return [runs]
    return [*map(int, changes["runs_before"]), int(changes["runs_after"].iloc[-1])]


def unit_text(reading: str, unit: float) -> str:
    """Return an amount of a reading in words.

    >>> unit_text("written_before_bytes", 1e14), unit_text("power_on_hours", 1000.0)
    ('100 TB', '1,000 h')
    """
    known = suited_reading(reading, unit)
    amount = unit / known.divisor
    text = f"{amount:,.0f}" if amount >= 1 else number_text(amount)
    return f"{text} {known.unit}"

"""Figures of a gauge R&R study: its parts, and its measurements by drive and host."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import plotly.graph_objects as go

from ssdlab.fleet.figures import MOST_NAMED, group_looks
from ssdlab.plots.axes import named_axis
from ssdlab.plots.labels import COLORS, axis, lay_out, new_figure
from ssdlab.plots.lines import add_points, error_bars
from ssdlab.plots.names import distinct_texts, figure_text, full_text
from ssdlab.plots.share_bars import plot_shares
from ssdlab.stats.interval import Interval
from ssdlab.text.numbers import metric_text, rounded_text
from ssdlab.text.quantities import scaled, suited_quantity

if TYPE_CHECKING:
    import pandas as pd

_Name = TypeVar("_Name", bound=str)
_SYMBOLS = ("circle", "square", "triangle-up", "x", "star", "triangle-down")
_ROW_PX, _TALL_PX = 18, 640
_LONGEST_NAME, _LONGEST_TITLE, _LONGEST_HOST = 22, 120, 60


def plot_gauge_parts(
    shares: Mapping[_Name, Interval], limits: Sequence[float], *, title: str
) -> go.Figure:
    """Draw what each part is of the total variation, with its interval.

    ``shares`` are in percent of the standard deviation of all, by the words of the
    part; dotted lines are at ``limits``.
    """
    found = list(shares.values())
    parts = [[getattr(one, name) for one in found] for name in _ENDS]
    figure = plot_shares(
        dict(zip(shares, parts[0], strict=True)),
        title=title,
        subtitle="standard deviation to that of all; 95 % interval; shares add as "
        "squares",
        along="Of the total variation [%]",
        most=103,
        text=[
            f"{name}: {rounded_text(one.estimate)} % "
            f"({rounded_text(one.low)} to {rounded_text(one.high)} %)"
            for name, one in shares.items()
        ],
        textposition="none",
        error_x=error_bars(*parts, thickness=1.5, width=4),
    )
    for limit in limits:
        line = {"color": COLORS["axis"], "width": 1, "dash": "dot"}
        figure.add_vline(x=limit, line=line)
    return figure


_ENDS: Final = ("estimate", "low", "high")


def plot_gauge_runs(runs: "pd.DataFrame", *, metric: str, title: str) -> go.Figure:
    """Draw every run by its drive, those of a host in one colour and marker."""
    means = runs.groupby("drive")["log"].mean().sort_values()
    places = {drive: place for place, drive in enumerate(means.index)}
    quantity = suited_quantity(metric, runs["value"])
    is_named = len(places) <= MOST_NAMED
    looks = group_looks(runs["host"])
    figure = new_figure(
        figure_text(title, longest=_LONGEST_TITLE),
        subtitle="each run; drives in the order of their means",
        height=180 + _ROW_PX * len(places) if is_named else _TALL_PX,
    )
    spread = 0.5 / max(1, len(looks))
    for at, (host, look) in enumerate(looks.items()):
        own = runs[runs["host"] == host]
        shift = spread * (at - (len(looks) - 1) / 2)
        add_points(
            figure,
            scaled(own["value"], quantity),
            [places[drive] + shift for drive in own["drive"]],
            name=f"{figure_text(host, longest=_LONGEST_HOST)} (n = {len(own)})",
            text=[_run_text(row, metric) for row in own.to_dict("records")],
            marker={
                "size": 8,
                "color": look.color,
                "symbol": _SYMBOLS[at % len(_SYMBOLS)],
            },
        )
    names = distinct_texts(places, longest=_LONGEST_NAME)
    texts = [figure_text(names[one], longest=99) for one in places]
    up: dict[str, Any] = {"range": [len(places) - 0.4, -0.6], "showgrid": is_named}
    if not is_named:
        texts = [""] * len(texts)
    known = [one for one in scaled(runs["value"], quantity) if one is not None]
    span = (max(known) - min(known)) or max(known)
    ends = [min(known) - 0.04 * span, max(known) + 0.04 * span]
    lay_out(
        figure,
        xaxis=axis(quantity.title, tickformat=",~r", nticks=6, range=ends),
        yaxis=named_axis("" if is_named else "Drives", texts, **up),
        showlegend=True,
    )
    return figure


def _run_text(row: Mapping[Any, Any], metric: str) -> str:
    value = row["value"]
    text = metric_text(value, metric) if math.isfinite(value) else ""
    return "<br>".join([full_text(row["drive"]), full_text(row["host"]), text])

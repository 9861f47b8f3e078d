"""Curves of several drives: demand, recovery from idle time and another stimulus."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.compare.cells import rows_of
from ssdlab.plots.axes import level_axis
from ssdlab.plots.labels import COLORS, axis, linear_axis, new_figure
from ssdlab.plots.lines import Across, Line, draw_lines, error_bars
from ssdlab.plots.looks import RunLook, run_line
from ssdlab.text.numbers import number_text, time_text
from ssdlab.text.quantities import QUANTITIES, Quantity, scaled

if TYPE_CHECKING:
    import pandas as pd

_HEIGHT = 460
_REST = Quantity(name="Rest before each access", unit="s", divisor=1.0)
_ENDS = ("iops_ratio", "iops_ratio_low", "iops_ratio_high")


def plot_iops_response(
    points: "pd.DataFrame", *, looks: Mapping[str, RunLook], title: str
) -> go.Figure:
    """Draw IOPS over mean response time of a demand variation, of several drives.

    One mark per TC and QD, on two logarithmic axes, not connected.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 14.
    """
    figure = new_figure(title, subtitle="one mark per TC/QD", height=_HEIGHT)
    known = points[points["run_id"].isin(list(looks))]
    times, rates = scaled(known["lat_mean_ns"], "lat_ns"), scaled(known["iops"], "iops")
    across = Across(
        column="lat_mean_ns", axis=level_axis("Mean response time [ms]", times),
        hover="", quantity=QUANTITIES["lat_ns"],
    )  # fmt: skip
    lines = [
        _line(own, looks[run], mode="markers")
        for run, own in _points_of_runs(points, looks)
    ]
    draw_lines(figure, across, lines, yaxis=level_axis("IOPS", rates), showlegend=True)
    return figure


def plot_compared_demand(
    points: "pd.DataFrame", *, looks: Mapping[str, RunLook], title: str
) -> go.Figure:
    """Draw the demand intensity of several drives: IOPS over outstanding IOs.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 14.
    """
    figure = new_figure(title, subtitle="the best TC/QD of each load", height=_HEIGHT)
    lines = [
        _line(own.drop_duplicates("toio", keep="last"), looks[run])
        for run, own in _points_of_runs(points, looks)
    ]
    loads = [float(load) for line in lines for load in line.rows[0]["toio"]]
    axis = level_axis("Outstanding IOs: TC x QD", loads)
    across = Across(column="toio", axis=axis, hover="")
    draw_lines(figure, across, lines, yaxis=linear_axis("IOPS"), showlegend=True)
    return figure


def _points_of_runs(
    points: "pd.DataFrame", looks: Mapping[str, RunLook]
) -> Iterator[tuple[str, "pd.DataFrame"]]:
    """Yield the points of each run that has any, by load and then by IOPS."""
    for run_id in looks:
        own = points[points["run_id"] == run_id]
        if len(own):
            yield run_id, own.sort_values(["toio", "iops"])


def _line(own: "pd.DataFrame", look: RunLook, **more: Any) -> Line:
    text = [_point_text(look, row) for row in rows_of(own)]
    return run_line(own, "iops", look, text=text, size=8, more=more)


def _point_text(look: RunLook, row: Any) -> str:
    return (
        f"{look.full}<br>T{row.threads}/Q{row.queue_depth}: {row.iops:,.0f} IOPS"
        f"<br>{time_text(float(row.lat_mean_ns))}<br>n = {row.n_rounds} rounds"
    )


def plot_compared_idle_recovery(
    states: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw the gain from rest of several drives: accesses after it over those without.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 11.
    """
    figure = new_figure(
        "HIR: IOPS after rest over IOPS without",
        subtitle="each wait state over its own baseline; 1: no gain; 95 % intervals",
        height=_HEIGHT,
    )
    across = Across.of("wait_s", _REST)
    lines = []
    for run_id, look in looks.items():
        own = states[(states["run_id"] == run_id) & states["iops_ratio"].notna()]
        if own.empty:
            continue
        own = own.sort_values("wait_s")
        text = [
            f"{look.full}<br>rest {number_text(float(row.wait_s))} s: "
            f"{row.iops_ratio:.3f}{_interval_text(row)}<br>{row.iops:,.0f} IOPS / "
            f"{row.iops_baseline:,.0f} IOPS"
            f"<br>n = {row.n_accesses} and {row.n_baseline} accesses"
            for row in rows_of(own)
        ]
        ends = (own[name].astype(float) for name in _ENDS)
        bars = {"error_y": error_bars(*ends, thickness=1.5, width=3)}
        lines.append(
            run_line(own, "iops_ratio", look, of="iops", text=text, size=8, more=bars)
        )
    draw_lines(
        figure, across, lines,
        yaxis=axis("IOPS after rest / IOPS without"), showlegend=True,
    )  # fmt: skip
    figure.add_hline(y=1, line={"color": COLORS["axis"], "width": 1, "dash": "dot"})
    return figure


def _interval_text(row: Any) -> str:
    if not row.iops_ratio_low > 0:
        return ""
    return f" (95 %: {row.iops_ratio_low:.3f} to {row.iops_ratio_high:.3f})"


def plot_compared_cross_stimulus(
    rounds: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw the throughput of several drives over a cross stimulus recovery.

    One line per run over the time under IO, on a logarithmic axis.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 12.
    """
    figure = new_figure(
        "XSR: throughput v time",
        subtitle="large sequential writes, small random ones, large ones again",
        height=_HEIGHT,
    )
    lines = []
    for run_id, look in looks.items():
        own = rounds[rounds["run_id"] == run_id]
        text = [
            f"{look.full}<br>group {row.group}, round {row.round}: "
            f"{number_text(float(row.bw_bytes_per_s) / 1e6)} MB/s"
            for row in rows_of(own)
        ]
        if len(own):
            lines.append(run_line(own, "bw_bytes_per_s", look, text=text))
    drawn = [value for line in lines for value in line.values()]
    rate = level_axis("Throughput [MB/s]", drawn)
    draw_lines(figure, Across.time(rounds), lines, yaxis=rate, showlegend=True)
    return figure

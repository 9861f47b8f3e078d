"""Recovery of several drives: from idle time, and from another stimulus."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.figures.classes.looks import RunLook, level_axis, run_line
from ssdlab.figures.labels import (
    COLORS,
    Quantity,
    axis,
    new_figure,
    number_text,
)
from ssdlab.figures.lines import Across, draw_lines, error_bars

if TYPE_CHECKING:
    import pandas as pd

_HEIGHT = 460
_REST = Quantity(name="Rest before each access", unit="s", divisor=1.0)
_ENDS = ("iops_ratio", "iops_ratio_low", "iops_ratio_high")


def plot_compared_idle_recovery(
    states: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw what rest gains, of several drives: accesses after it by those without.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 11.
    """
    figure = new_figure(
        "HIR: IOPS after rest by IOPS without",
        subtitle="each wait state by its own baseline; 1: no gain; 95 % intervals",
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
            f"{row.iops_ratio:.3f}{_interval_text(row)}<br>{row.iops:,.0f} IOPS by "
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

    One line a run over the time under IO, on a logarithmic axis.

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

"""Recovery of several drives: from idle time, and from another stimulus."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.figures.classes.looks import RunLook, level_axis
from ssdlab.figures.labels import (
    COLORS,
    axis,
    lay_out,
    linear_axis,
    new_figure,
    number_text,
    scaled,
)
from ssdlab.figures.recovery import span_s, time_quantity, times_of

if TYPE_CHECKING:
    import pandas as pd

_HEIGHT = 460


def plot_compared_idle_recovery(
    states: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw what rest gains, of several drives: accesses after it by those without.

    Parameters
    ----------
    states : pandas.DataFrame
        What `ssdlab.analysis.summarise_wait_states` returned, of all runs, joined with
        what `ssdlab.analysis.summarise_rest_gains` did.
    looks : mapping of str to RunLook
        By run its look.

    Returns
    -------
    plotly.graph_objects.Figure
        One line a run over the rest; 1 is no gain.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 11.
    """
    figure = new_figure(
        "HIR: IOPS after rest by IOPS without",
        subtitle="each wait state by its own baseline; 1: no gain; 95 % intervals",
        height=_HEIGHT,
    )
    for run_id, look in looks.items():
        own = states[(states["run_id"] == run_id) & states["iops_ratio"].notna()]
        if own.empty:
            continue
        own = own.sort_values("wait_s")
        figure.add_scatter(
            x=[float(value) for value in own["wait_s"]],
            y=[float(value) for value in own["iops_ratio"]],
            text=[
                f"{look.full}<br>rest {number_text(float(row.wait_s))} s: "
                f"{row.iops_ratio:.3f}{_interval_text(row)}<br>{row.iops:,.0f} IOPS by "
                f"{row.iops_baseline:,.0f} IOPS"
                f"<br>n = {row.n_accesses} and {row.n_baseline} accesses"
                for row in rows_of(own)
            ],
            name=look.text,
            mode="lines+markers",
            line={"color": look.color, "width": 1.8, "dash": look.dash},
            marker={"symbol": look.symbol, "size": 8, "color": look.color},
            error_y=_error_bars(own),
            hovertemplate="%{text}<extra></extra>",
        )
    figure.add_hline(y=1, line={"color": COLORS["axis"], "width": 1, "dash": "dot"})
    lay_out(
        figure,
        xaxis=linear_axis("Rest before each access [s]"),
        yaxis=axis("IOPS after rest / IOPS without"),
        showlegend=True,
    )
    return figure


def _interval_text(row: Any) -> str:
    if not row.iops_ratio_low > 0:
        return ""
    return f" (95 %: {row.iops_ratio_low:.3f} to {row.iops_ratio_high:.3f})"


def _error_bars(own: "pd.DataFrame") -> dict[str, Any]:
    """Return the intervals as bars; no bar where there is none."""
    more = (own["iops_ratio_high"] - own["iops_ratio"]).fillna(0.0)
    less = (own["iops_ratio"] - own["iops_ratio_low"]).fillna(0.0)
    return {
        "type": "data",
        "symmetric": False,
        "array": [float(value) for value in more],
        "arrayminus": [float(value) for value in less],
        "thickness": 1.5,
        "width": 3,
    }


def plot_compared_cross_stimulus(
    rounds: "pd.DataFrame", *, looks: Mapping[str, RunLook]
) -> go.Figure:
    """Draw the throughput of several drives over a cross stimulus recovery.

    Parameters
    ----------
    rounds : pandas.DataFrame
        What `ssdlab.analysis.summarise_cross_stimulus` returned, of all runs.
    looks : mapping of str to RunLook
        By run its look.

    Returns
    -------
    plotly.graph_objects.Figure
        One line a run over the time under IO, on a logarithmic axis.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 12.
    """
    unit = time_quantity(span_s(rounds))
    figure = new_figure(
        "XSR: throughput v time",
        subtitle="large sequential writes, small random ones, large ones again",
        height=_HEIGHT,
    )
    drawn: list[float | None] = []
    for run_id, look in looks.items():
        own = rounds[rounds["run_id"] == run_id]
        if own.empty:
            continue
        values = scaled(own["bw_bytes_per_s"], "bw_bytes_per_s")
        drawn += values
        figure.add_scatter(
            x=times_of(own, unit),
            y=values,
            text=[
                f"{look.full}<br>group {row.group}, round {row.round}: "
                f"{number_text(float(row.bw_bytes_per_s) / 1e6)} MB/s"
                for row in rows_of(own)
            ],
            name=look.text,
            mode="lines",
            line={"color": look.color, "width": 1.8, "dash": look.dash},
            hovertemplate="%{text}<extra></extra>",
        )
    lay_out(
        figure,
        xaxis=linear_axis(unit.title),
        yaxis=level_axis("Throughput [MB/s]", drawn),
        showlegend=True,
    )
    return figure

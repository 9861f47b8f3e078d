"""Recovery from host idle time: preconditioning, IOPS and response times."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from ssdlab.plots.labels import COLORS, new_figure
from ssdlab.plots.lines import RESPONSE_TIMES, Across, Line, draw_lines, shade

if TYPE_CHECKING:
    import pandas as pd

# Okabe and Ito (2008); the marker tells the states apart as well.
_STATES = (
    ("#0072B2", "circle"),
    ("#D55E00", "square"),
    ("#009E73", "diamond"),
    ("#CC79A7", "triangle-up"),
    ("#E69F00", "cross"),
)
_BASELINE = ("#7b8794", "circle-open")


def plot_idle_recovery(accesses: "pd.DataFrame") -> go.Figure:
    """Draw IOPS over time of a host idle recovery test.

    Parameters
    ----------
    accesses : pandas.DataFrame
        One row an access: ``wait_state``, ``is_baseline``, ``time_s`` [s],
        ``runtime_s`` [s], ``wait_s`` [s] and ``iops`` [1/s].

    Returns
    -------
    plotly.graph_objects.Figure
        One series a wait state and one a baseline, in the order of the run. All
        baselines have the same style and share one legend entry.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 11.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"wait_state": [2, 2], "is_baseline": [False, True]})
    >>> frame = frame.assign(time_s=[0.0, 5.0], runtime_s=5.0, wait_s=[10.0, 0.0])
    >>> figure = plot_idle_recovery(frame.assign(iops=[9.0e4, 5.0e4]))
    >>> [series.name for series in figure.data]
    ['Wait state 2: 5/10 s', 'Baseline: 5/0 s']
    """
    figure = new_figure(
        "IOPS vs time, all wait states",
        subtitle="access time / idle time after each access",
        height=460,
    )
    across = Across.time(accesses)
    lines: list[Line] = []
    for place, (state, rows) in enumerate(accesses.groupby("wait_state")):
        is_baseline = rows["is_baseline"].astype(bool)
        series = (
            (rows[~is_baseline], f"Wait state {state}", _STATES[place % len(_STATES)]),
            (rows[is_baseline], "Baseline", _BASELINE),
        )
        for own, name, (color, symbol) in series:
            if own.empty:
                continue
            is_known = any(line.more["legendgroup"] == name for line in lines)
            after = f" after wait state {state}" if name == "Baseline" else ""
            lines.append(
                Line(
                    rows=[own], column="iops", name=f"{name}: {_times_text(own, name)}",
                    color=color, symbol=symbol, width=1, size=5 if len(own) < 60 else 3,
                    hover=f"{name}{after}, {across.hover}: ",
                    marker={"color": color},
                    more={"legendgroup": name, "showlegend": not is_known},
                )
            )  # fmt: skip
    draw_lines(figure, across, lines, showlegend=True)
    return figure


def _times_text(rows: "pd.DataFrame", name: str) -> str:
    """Return access time and idle time as they were asked for: tenths of seconds.

    The first access of each series follows what the one before it asked for.
    """
    waits = rows["wait_s"]
    idle_s = float(waits.min() if name == "Baseline" else waits.max())
    return f"{round(float(rows['runtime_s'].median()), 1):g}/{idle_s:g} s"


def plot_idle_recovery_latency(accesses: "pd.DataFrame") -> go.Figure:
    """Draw response times over time of a host idle recovery test.

    Average and maximum on a logarithmic axis [ms], broken between wait states and
    baselines; the baselines are shaded.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 11.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"phase": ["wait-1", "baseline-1"], "time_s": [0.0, 5.0]})
    >>> frame = frame.assign(is_baseline=[False, True], lat_mean_ns=1e6, lat_max_ns=9e6)
    >>> plot_idle_recovery_latency(frame).data[0].y
    (1.0, None, 1.0)
    """
    figure = new_figure("Response times vs time, all wait states", height=460)
    across = Across.time(accesses)
    parts = [rows for _, rows in accesses.groupby("phase", sort=False)]
    lines = [
        Line(
            rows=parts, column=column, name=f"{name} [ms]", color=COLORS[color],
            width=1, size=4, hover=f"{name}, {across.hover}: ",
        )
        for column, color, name in RESPONSE_TIMES
    ]  # fmt: skip
    titles = ("Response time [ms]", "")
    draw_lines(figure, across, lines, titles=titles, showlegend=True)
    rested = [rows for rows in parts if rows["is_baseline"].astype(bool).any()]
    for place, rows in enumerate(rested):
        times = across.places(rows)
        name = "" if place else "baseline"
        shade(figure, times[0], times[-1], color="rgba(123,135,148,0.16)", name=name)
    return figure

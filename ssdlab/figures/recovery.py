"""Recovery from host idle time: preconditioning, IOPS and response times."""

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.figures.labels import (
    COLORS,
    DIRECTION_COLORS,
    QUANTITIES,
    Quantity,
    decades_axis,
    lay_out,
    linear_axis,
    new_figure,
    scaled,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

_SHORT_S = 600  # below ten minutes a time axis in minutes has nothing but fractions
_SECONDS = Quantity(name="Time", unit="s", divisor=1.0)
# Okabe and Ito (2008); the marker tells the states apart as well.
_STATES = (
    ("#0072B2", "circle"),
    ("#D55E00", "square"),
    ("#009E73", "diamond"),
    ("#CC79A7", "triangle-up"),
    ("#E69F00", "cross"),
)
_BASELINE = ("#7b8794", "circle-open")
RESPONSE_TIMES = (
    ("lat_mean_ns", "average_latency", "Average"),
    ("lat_max_ns", "maximum_latency", "Maximum"),
)


def time_quantity(span_s: float) -> Quantity:
    """Return what a time axis shows: minutes, or seconds of a short trial run.

    >>> time_quantity(55_800.0).title, time_quantity(75.0).title
    ('Time [min]', 'Time [s]')
    """
    return _SECONDS if span_s < _SHORT_S else QUANTITIES["time_s"]


def plot_preconditioning(
    frame: "pd.DataFrame", *, window: tuple[int, int] | None = None
) -> go.Figure:
    """Draw IOPS of workload-dependent preconditioning, and the rounds that are judged.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a round: ``round``, ``iops`` [1/s] and ``is_sample``, whether the round
        is one of those that steady state is judged on.
    window : tuple of int, optional
        First and last round of the measurement window, which is shaded.

    Returns
    -------
    plotly.graph_objects.Figure
        A thin line through all rounds and a marker at each sample.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 11.

    Examples
    --------
    >>> import pandas as pd
    >>> rounds = pd.DataFrame({"round": [1, 2], "iops": [900.0, 500.0]})
    >>> plot_preconditioning(rounds.assign(is_sample=[False, True])).data[1].x
    (2,)
    """
    figure = new_figure("Preconditioning: IOPS by round")
    looks: tuple[tuple[str, pd.DataFrame, dict[str, Any]], ...] = (
        (
            "every round",
            frame,
            {"mode": "lines", "line": {"color": "#9fb3c8", "width": 1.2}},
        ),
        (
            "samples that steady state is judged on",
            frame[frame["is_sample"].astype(bool)],
            {
                "mode": "markers",
                "marker": {"color": DIRECTION_COLORS["write"], "size": 8},
            },
        ),
    )
    for name, rows, look in looks:
        figure.add_scatter(
            x=[int(number) for number in rows["round"]],
            y=scaled(rows["iops"], "iops"),
            name=name,
            hovertemplate="round %{x}: %{y:,.0f} IOPS<extra></extra>",
            **look,
        )
    if window:
        _shade(figure, window, name="measurement window", color=COLORS["window"])
    lay_out(
        figure, xaxis=linear_axis("Round"), yaxis=linear_axis("IOPS"), showlegend=True
    )
    return figure


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
        One series a wait state and one a baseline, in the order of the run. The
        baselines look alike and share one entry of the legend.

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
    unit = time_quantity(span_s(accesses))
    for place, (state, rows) in enumerate(accesses.groupby("wait_state")):
        style = _STATES[place % len(_STATES)]
        is_baseline = rows["is_baseline"].astype(bool)
        series = (
            (rows[~is_baseline], f"Wait state {state}", style),
            (rows[is_baseline], "Baseline", _BASELINE),
        )
        for chosen, name, look in series:
            if not chosen.empty:
                _add_accesses(figure, chosen, unit=unit, name=name, style=look)
    lay_out(
        figure,
        xaxis=linear_axis(unit.title),
        yaxis=linear_axis("IOPS"),
        showlegend=True,
    )
    return figure


def _add_accesses(
    figure: go.Figure,
    rows: "pd.DataFrame",
    *,
    unit: Quantity,
    name: str,
    style: tuple[str, str],
) -> None:
    color, symbol = style
    access_s = _nominal(float(rows["runtime_s"].median()))
    # The first access of each follows what the series before it asked for.
    waits = rows["wait_s"]
    idle = f"{float(waits.min() if name == 'Baseline' else waits.max()):g}"
    known = {series.legendgroup for series in figure.data}
    state = f"after wait state {rows['wait_state'].iloc[0]}"
    figure.add_scatter(
        x=times_of(rows, unit),
        y=scaled(rows["iops"], "iops"),
        name=f"{name}: {access_s}/{idle} s",
        legendgroup=name,
        showlegend=name not in known,
        mode="lines+markers",
        line={"color": color, "width": 1},
        marker={"color": color, "symbol": symbol, "size": 5 if len(rows) < 60 else 3},
        hovertemplate=f"{name}{f' {state}' if name == 'Baseline' else ''}, "
        f"%{{x:,.4~g}} {unit.unit}: %{{y:,.0f}} IOPS<extra></extra>",
    )


def _nominal(seconds: float) -> str:
    """Return the length of an access as it was asked for: tenths of seconds."""
    return f"{round(seconds, 1):g}"


def plot_idle_recovery_latency(accesses: "pd.DataFrame") -> go.Figure:
    """Draw response times over time of a host idle recovery test.

    Parameters
    ----------
    accesses : pandas.DataFrame
        One row an access: ``phase``, ``is_baseline``, ``time_s`` [s],
        ``lat_mean_ns`` and ``lat_max_ns`` [ns].

    Returns
    -------
    plotly.graph_objects.Figure
        Average and maximum on a logarithmic axis [ms], broken between wait states and
        baselines; the baselines are shaded.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 11.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"phase": ["wait-1", "baseline-1"], "time_s": [0.0, 5.0]})
    >>> frame = frame.assign(is_baseline=[False, True], lat_mean_ns=1e6, lat_max_ns=9e6)
    >>> plot_idle_recovery_latency(frame).data[0].y
    (1.0, None, 1.0, None)
    """
    figure = new_figure("Response times vs time, all wait states", height=460)
    unit = time_quantity(span_s(accesses))
    segments = [rows for _, rows in accesses.groupby("phase", sort=False)]
    drawn: list[float | None] = []
    for column, color, name in RESPONSE_TIMES:
        values = [v for rows in segments for v in (*scaled(rows[column], column), None)]
        drawn += values
        figure.add_scatter(
            x=[time for rows in segments for time in (*times_of(rows, unit), None)],
            y=values,
            name=f"{name} [ms]",
            mode="lines+markers",
            line={"color": COLORS[color], "width": 1},
            marker={"size": 4},
            hovertemplate=f"{name}, %{{x:,.4~g}} {unit.unit}: %{{y:,.4~g}} ms"
            "<extra></extra>",
        )
    is_named = False
    for rows in segments:
        if rows["is_baseline"].astype(bool).any():
            times = times_of(rows, unit)
            ends = (times[0], times[-1])
            name = "" if is_named else "baseline"
            _shade(figure, ends, name=name, color="rgba(123,135,148,0.16)")
            is_named = True
    lay_out(
        figure,
        xaxis=linear_axis(unit.title),
        yaxis=decades_axis("Response time [ms]", drawn),
        showlegend=True,
    )
    return figure


def _shade(
    figure: go.Figure, ends: "Sequence[float | None]", *, name: str, color: str
) -> None:
    figure.add_vrect(
        x0=ends[0],
        x1=ends[-1],
        fillcolor=color,
        line_width=0,
        layer="below",
        name=name,
        showlegend=bool(name),
    )


def span_s(frame: "pd.DataFrame") -> float:
    """Return the greatest time of a frame [s], 0 of an empty one."""
    times = frame["time_s"].dropna()
    return float(times.max()) if len(times) else 0.0


def times_of(frame: "pd.DataFrame", unit: Quantity) -> list[float | None]:
    """Return the times of a frame in the unit of its axis."""
    return [
        None if value is None else value * QUANTITIES["time_s"].divisor / unit.divisor
        for value in scaled(frame["time_s"], "time_s")
    ]

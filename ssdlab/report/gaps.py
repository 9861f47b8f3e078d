"""Idle time between steps, in which a drive may collect garbage."""

from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go

from ssdlab.findings.gaps import PART_WORDS, less_waits, split_gaps
from ssdlab.paper.blocks import Plot
from ssdlab.plots.labels import axis, new_figure
from ssdlab.plots.lines import Across, Line, draw_lines
from ssdlab.text.numbers import NOT_MEASURED, seconds_text
from ssdlab.text.table import Table, column, tabulate

_WITHIN = "within a round"
_BETWEEN = "between two rounds"
_OTHER = "before another phase"
LONG_GAP_S: Final = 0.03
_MOST_ROWS: Final = 10
_NOTE = (
    "Gap = start of a step's first IO (its end less fio's runtime) less the end of "
    "the step before; accurate to a few ms, to some tens of ms on a loaded host. "
    "Idle time that HIR requires is not included."
)
_NOTE_OF_IMPORT = (
    "Gap = time at which fio wrote a result less its runtime, less the time of the "
    "result before; fio writes a moment after the last IO. Results without the time of "
    "writing have no gaps."
)


_NOTE_OF_LONG = (
    "Released late: from the last report of the step before until fio was let begin "
    "its IO; ssdlab decides then what comes next and writes raw output. Not ready: "
    "until the last of its threads was ready. Threads apart: between the reports of "
    "its first and last thread. Rest: until its first IO, by fio's own clock. The "
    "parts come from different clocks, so their sum is the gap within some ms. "
    "Started before: how long before its release fio was started, which needs 0.3 "
    "s, and more on a busy host."
)


def classify_gaps(steps: pd.DataFrame) -> "pd.Series[str]":
    """Return what the gap before each step separates: cells, rounds or phases."""
    before = steps.shift(1)
    is_same_phase = (
        (steps["test"] == before["test"])
        & (steps["phase"] == before["phase"])
        & (steps["kind"] == "cell")
    ).fillna(value=False)
    is_same_round = (steps["round"] == before["round"]).fillna(value=False)
    kinds = pd.Series(_OTHER, index=steps.index, dtype="str")
    kinds[is_same_phase.astype(bool)] = _BETWEEN
    kinds[(is_same_phase & is_same_round).astype(bool)] = _WITHIN
    return kinds


def idle_table(steps: pd.DataFrame, *, is_imported: bool = False) -> Table:
    """Summarise the idle gaps of a run: how many, median, greatest."""
    kinds = classify_gaps(steps)
    steps = steps.assign(idle_before_s=less_waits(steps))
    rows = []
    for kind in (_WITHIN, _BETWEEN, _OTHER):
        chosen = steps[kinds == kind]
        gaps = chosen["idle_before_s"].dropna()
        rows.append((kind, *_statistics(gaps), _armed_text(chosen)))
    return Table(
        caption="Idle time from the last IO of a step to the first IO of the next",
        head=("Gap", "Measured", "Median", "99 %", "Greatest", "fio was waiting"),
        rows=tuple(rows),
        note=_NOTE_OF_IMPORT if is_imported else _NOTE,
    )


def long_gaps_table(steps: pd.DataFrame) -> Table | None:
    """List the longest of the gaps within a round that are long, with their parts.

    ``None`` where no gap is long, or where the run did not record the parts.
    """
    parts = split_gaps(steps)
    within = steps.assign(idle_before_s=less_waits(steps))[
        classify_gaps(steps) == _WITHIN
    ].join(parts)
    longs = within[within["idle_before_s"] > LONG_GAP_S]
    known = longs.dropna(subset=["greatest"])
    if known.empty:
        return None
    counts = known["greatest"].value_counts()
    causes = ", ".join(f"{PART_WORDS[part]} in {counts[part]}" for part in counts.index)
    shown = known.sort_values("idle_before_s", ascending=False).head(_MOST_ROWS)
    more = f" The {_MOST_ROWS} longest." if len(known) > _MOST_ROWS else ""
    return tabulate(
        shown.itertuples(),
        (
            column("Step", "step_id"),
            column("Idle before", "idle_before_s", seconds_text),
            column("Mostly", lambda row: PART_WORDS[row.greatest], is_words=True),
            column("Released late", "released_late", seconds_text),
            column("Not ready", "unready", seconds_text),
            column("Threads apart", "reports", seconds_text),
            column("Rest", "begin", seconds_text),
            column("Started before", "armed_for_s", seconds_text),
            column("Host CPU", _host_text),
        ),
        caption=f"{len(longs):,} of {len(within):,} gaps within a round lasted more "
        f"than {1000 * LONG_GAP_S:g} ms: {causes}.{more}",
        note=_NOTE_OF_LONG,
        is_folded=True,
    )


def _host_text(row: Any) -> str:
    """Return how busy the host was in the step behind the gap."""
    busy = row.host_user_cpu_percent + row.host_system_cpu_percent
    return NOT_MEASURED if pd.isna(busy) else f"{busy:.0f} %"


def _armed_text(steps: pd.DataFrame) -> str:
    """Return how often fio was waiting, where that was recorded.

    Earlier versions recorded that it was started in time, not that it was ready.
    """
    armed = steps["was_armed"].dropna().astype(bool)
    if not len(armed):
        return NOT_MEASURED
    was_late = (steps["unready_s"] > 0).fillna(value=False)
    return f"{int((armed & ~was_late[armed.index]).sum())} of {len(steps)}"


def _statistics(gaps: "pd.Series[float]") -> tuple[str, str, str, str]:
    if gaps.empty:
        return "0", NOT_MEASURED, NOT_MEASURED, NOT_MEASURED
    shown = (gaps.median(), gaps.quantile(0.99), gaps.max())
    middle, high, most = (seconds_text(float(value)) for value in shown)
    return f"{len(gaps):,}", middle, high, most


def idle_plot(steps: pd.DataFrame) -> Plot | None:
    """Draw the gaps, if any were measured."""
    steps = steps.assign(idle_before_s=less_waits(steps))
    if not (steps["idle_before_s"] > 0).any():
        return None
    return Plot(figure=plot_idle_gaps(steps))


def plot_idle_gaps(frame: "pd.DataFrame") -> go.Figure:
    """Draw the idle time before each step, in the order of the run.

    One point a step on a logarithmic axis [ms]; steps whose fio was waiting apart
    from the others.

    >>> import pandas as pd
    >>> gaps = {"step_id": ["a", "b"], "idle_before_s": [0.3, 0.01]}
    >>> figure = plot_idle_gaps(pd.DataFrame(gaps | {"was_armed": [False, True]}))
    >>> [points.name for points in figure.data]
    ['fio was waiting', 'fio was started']
    """
    figure = new_figure("Idle time before each step", height=300)
    steps = frame.assign(place=range(1, len(frame) + 1))
    steps = steps[steps["idle_before_s"] > 0]
    armed = steps["was_armed"].fillna(value=False).astype(bool)
    looks = (
        (steps[armed], "fio was waiting", "#0072B2", "circle"),
        (steps[~armed], "fio was started", "#D55E00", "diamond"),
    )
    places = axis("Step, in the order of the run", tickformat="d")
    lines = [
        Line(
            rows=[rows], column="idle_before_s", name=name, color=color, symbol=symbol,
            width=0, size=5, marker={"opacity": 0.75},
            hover="", after=" before %{text}", text=[str(s) for s in rows["step_id"]],
        )
        for rows, name, color, symbol in looks
        if len(rows)
    ]  # fmt: skip
    across = Across(column="place", axis=places, hover="")
    draw_lines(figure, across, lines, is_log=True, showlegend=True)
    return figure

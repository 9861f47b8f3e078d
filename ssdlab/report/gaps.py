"""Idle time between steps, in which a drive may collect garbage."""

import pandas as pd
import plotly.graph_objects as go

from ssdlab.paper.blocks import Plot
from ssdlab.plots.labels import axis, new_figure
from ssdlab.plots.lines import Across, Line, draw_lines
from ssdlab.text.numbers import NOT_MEASURED, seconds_text
from ssdlab.text.table import Table

_WITHIN = "within a round"
_BETWEEN = "between two rounds"
_OTHER = "before another phase"
_NOTE = (
    "The drive may collect garbage while it is idle. The gaps are measured at every "
    "step and listed in the appendix. A gap lasts from the last IO of a step, at its "
    "reported end, to the first IO of the next, at its reported end less the runtime "
    "given by fio. Checked against the clock of the virtual SSD, gaps are accurate to "
    "a few ms (median error below 2 ms, single errors up to some tens of ms on a "
    "loaded host). Idle time that HIR requires is not included."
)
_NOTE_OF_IMPORT = (
    "The drive may collect garbage while it is idle. A gap is the time at which fio "
    "wrote a result, less the runtime that it gives, less the time at which it wrote "
    "the previous result; fio writes a moment after the last IO. Where results lack "
    "the time of writing, gaps are unknown."
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
    steps = _less_waits(steps)
    kinds = classify_gaps(steps)
    rows = []
    for kind in (_WITHIN, _BETWEEN, _OTHER):
        chosen = steps[kinds == kind]
        gaps = chosen["idle_before_s"].dropna()
        rows.append((kind, *_statistics(gaps), _armed_text(chosen)))
    return Table(
        caption="Idle time from the last IO of a step to the first IO of the next",
        head=("Gap", "Measured", "Median", "Greatest", "fio was waiting"),
        rows=tuple(rows),
        note=_NOTE_OF_IMPORT if is_imported else _NOTE,
    )


def _armed_text(steps: pd.DataFrame) -> str:
    """Return how often fio was waiting, where that was recorded."""
    armed = steps["was_armed"].dropna()
    return f"{int(armed.sum())} of {len(steps)}" if len(armed) else NOT_MEASURED


def _statistics(gaps: "pd.Series[float]") -> tuple[str, str, str]:
    if gaps.empty:
        return "0", NOT_MEASURED, NOT_MEASURED
    return (
        f"{len(gaps):,}",
        seconds_text(float(gaps.median())),
        seconds_text(float(gaps.max())),
    )


def _less_waits(steps: pd.DataFrame) -> pd.DataFrame:
    """Subtract from each gap the idle time that a test requires, as HIR does."""
    idle_s = steps["idle_before_s"]
    asked_s = steps["wait_s"].fillna(0.0)
    left_s = idle_s.where(asked_s == 0, (idle_s - asked_s).clip(lower=0))
    return steps.assign(idle_before_s=left_s)


def idle_plot(steps: pd.DataFrame) -> Plot | None:
    """Draw the gaps, if any were measured."""
    steps = _less_waits(steps)
    if not (steps["idle_before_s"] > 0).any():
        return None
    return Plot(figure=plot_idle_gaps(steps))


def plot_idle_gaps(frame: "pd.DataFrame") -> go.Figure:
    """Draw the idle time before each step, in the order of the run.

    One point a step on a logarithmic axis [s]; steps whose fio was waiting apart
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

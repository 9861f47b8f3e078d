"""The page of stalls and periods: how often a drive stalled, and what with."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ssdlab.model.errors import RunFolderError
from ssdlab.model.units import duration_label
from ssdlab.paper.blocks import Block, Note, Plot
from ssdlab.paper.context import Context
from ssdlab.stats.periods import LEAST_CYCLES, LEAST_VALUES
from ssdlab.stats.phases import phase_label
from ssdlab.stats.stalls import find_stalls
from ssdlab.telemetry.figures import plot_stalls
from ssdlab.telemetry.stalls import (
    CONDITIONS,
    SIGNIFICANCE,
    Timeline,
    summarise_periods,
    summarise_stalls,
    timelines,
)
from ssdlab.telemetry.stimulus import Row, Streams, stimulus_text
from ssdlab.text.numbers import number_text, seconds_text
from ssdlab.text.table import Column, Table, column, tabulate

Named = Callable[[Row], str]
_STALLS_NOTE = (
    "A stall is an interval with less than half the IOs of the median of the 61 around "
    "it, and fewer than chance explains once in a million; neighbours are one. Stalls "
    "shorter than half an interval are not seen. A response time at both ends of a "
    "step, in which its queues fill and drain, does not count. Per hour: with the 95 % "
    "interval of a Poisson count."
)
_TOGETHER_NOTE = (
    "p: how probable so many stalls in the condition are, if the two do not depend on "
    "each other: by shifts in time, for all rows together (Holm). Conditions that "
    "never or always held are left out."
)
_PERIODS_NOTE = (
    f"Only periods of which the series holds {LEAST_CYCLES} can be seen, and not those "
    "of the steps themselves. p is for all rows together (Holm). Off by phase: how far "
    "the mean of a cell may be off by where in a cycle it began; whole cycles cancel "
    "out."
)
_MOST_ROWS = 12


def stall_blocks(context: Context, streams: Streams) -> tuple[Block, ...]:
    """Return stalls and periods of every stimulus with a series; nothing without.

    ``streams`` are the names of stimuli of many streams, by test and phase.
    """
    if context.is_imported or context.steps.empty:
        return ()
    try:
        lines = timelines(context.run.series, context.steps)
        telemetry = context.run.telemetry
    except RunFolderError:  # not there yet, or another page has said why
        return ()
    if not lines:
        return ()
    stimulus = partial(stimulus_text, streams)
    place = _place(context, stimulus)
    stalls = summarise_stalls(lines, telemetry)
    periods = summarise_periods(lines, context.steps)
    return (
        *_figure(context, lines, stalls, stimulus=stimulus),
        _stalls_table(place, stalls),
        *_together_table(place, stalls),
        _periods_block(place, periods),
    )


def _place(context: Context, stimulus: Named) -> tuple[Column, ...]:
    """Return the columns that name a stimulus."""
    return (
        column("Test", lambda row: context.name_of(row["test"]), is_words=True),
        column("Phase", lambda row: phase_label(row["phase"]), is_words=True),
        column("Stimulus", stimulus, is_words=True),
    )


def _figure(
    context: Context,
    lines: Sequence[Timeline],
    stalls: pd.DataFrame,
    *,
    stimulus: Named,
) -> Iterator[Plot]:
    """Yield the series of the stimulus that stalled most often, if any did."""
    most = int(stalls["stalls"].to_numpy().argmax())
    row = stalls.to_dict("records")[most]
    if not row["stalls"]:
        return
    line = lines[most]
    first, last = find_stalls(np.rint(line.rates * line.interval_s))
    is_stalled = np.zeros(len(line.rates), bool)
    for begin, end in zip(first, last, strict=True):
        is_stalled[begin : end + 1] = True
    frame = pd.DataFrame({
        "time_s": line.end_s - line.end_s[0],
        "iops": line.rates,
        "is_stalled": is_stalled,
    })
    name = f"{context.name_of(row['test'])}, {phase_label(row['phase'])}"
    yield Plot(figure=plot_stalls(frame, title=f"Stalls: {name}, {stimulus(row)}"))


def _stalls_table(place: tuple[Column, ...], stalls: pd.DataFrame) -> Table:
    return tabulate(
        stalls.to_dict("records"),
        (
            *place,
            column("Watched", lambda row: duration_label(3600 * row["hours"])),
            column("Interval", "interval_s", seconds_text),
            column("Stalls", "stalls", "{:,}".format),
            column("Per hour", _per_hour),
            column("Longest stall", lambda row: _if_any(row, "longest_s")),
            column("Longest time without", "quiet_s", seconds_text),
        ),
        caption=f"{int(stalls['stalls'].sum()):,} stalls in "
        f"{duration_label(3600 * float(stalls['hours'].sum()))}",
        note=_STALLS_NOTE,
        is_folded=len(stalls) > _MOST_ROWS,
    )


def _per_hour(row: Row) -> str:
    if not row["stalls"]:
        return f"at most {number_text(row['high'])}"
    ends = f"{number_text(row['low'])} to {number_text(row['high'])}"
    return f"{number_text(row['per_hour'])} ({ends})"


def _if_any(row: Row, name: str) -> str | None:
    return seconds_text(row[name]) if row["stalls"] else None


def _together_table(place: tuple[Column, ...], stalls: pd.DataFrame) -> Iterator[Table]:
    """Yield what was told while a drive stalled, if it stalled."""
    rows = [
        {
            **row,
            "condition": words,
            "share": row[f"{name}_share"],
            "of_stalls": row[f"{name}_stalls"],
            "p": row[f"{name}_p"],
        }
        for row in stalls.to_dict("records")
        for name, words in CONDITIONS.items()
        if row["stalls"] and 0 < row[f"{name}_share"] < 1
    ]
    if rows:
        yield tabulate(
            rows,
            (
                *place,
                column("Condition", "condition", is_words=True),
                column("Of the time", "share", _percent),
                column("Of the stalls", "of_stalls", _percent),
                column("p", "p", number_text),
                column("Verdict", _coincides, is_words=True),
            ),
            caption="What coincides with the stalls",
            note=_TOGETHER_NOTE,
            is_folded=len(rows) > _MOST_ROWS,
        )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _coincides(row: Row) -> str:
    return "coincides" if row["p"] < SIGNIFICANCE else "not shown"


def _periods_block(place: tuple[Column, ...], periods: pd.DataFrame) -> Block:
    known = periods[periods["period_s"].notna()]
    if known.empty:
        return Note(
            text=f"Periods: no series has {LEAST_VALUES} intervals, which it takes to "
            "tell a period from noise."
        )
    count = int(known["is_periodic"].sum())
    noun = "stimulus" if len(known) == 1 else "stimuli"
    return tabulate(
        known.to_dict("records"),
        (
            *place,
            column("Verdict", _verdict, is_words=True),
            column("Period", lambda row: _shown(row, "period_s", seconds_text)),
            column("Amplitude", lambda row: _shown(row, "amplitude_percent", _of_mean)),
            column("p", "p_value", number_text),
            column("Cycles a cell", lambda row: _shown(row, "cycles", number_text)),
            column("Off by phase", lambda row: _shown(row, "phase_percent", _of_mean)),
        ),
        caption=f"Periods: shown for {count} of {len(known)} {noun}",
        note=_PERIODS_NOTE,
        is_folded=len(known) > _MOST_ROWS,
    )


def _verdict(row: Row) -> str:
    return "periodic" if row["is_periodic"] else "none shown"


def _shown(row: Row, name: str, write: Any) -> str | None:
    """Return a value of a period that is shown; else none, which claims nothing."""
    is_known = row["is_periodic"] and not pd.isna(row[name])
    return str(write(row[name])) if is_known else None


def _of_mean(percent: float) -> str:
    return f"{percent:.2g} %"

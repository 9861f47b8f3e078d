"""The page of power and energy: watts of each stimulus, and what they are used for."""

import math
from functools import partial
from typing import Any

import pandas as pd

from ssdlab.model.errors import RunFolderError
from ssdlab.model.telemetry import METER, POWER
from ssdlab.model.units import duration_label
from ssdlab.paper.blocks import Block, Plot
from ssdlab.paper.context import Context
from ssdlab.stats.phases import phase_label
from ssdlab.telemetry.energy import read_energy, summarise_energy
from ssdlab.telemetry.figures import plot_power
from ssdlab.telemetry.stimulus import Row, Streams, stimulus_text
from ssdlab.telemetry.summary import spans_of_tests
from ssdlab.text.numbers import number_text, seconds_text
from ssdlab.text.table import Table, column, tabulate

_MOST_ROWS = 12
_WORDS = {"purge": "purge", "precondition": "preconditioning", "rest": "rest"}


def energy_blocks(context: Context, streams: Streams) -> tuple[Block, ...]:
    """Return power and energy of a run that had a meter; nothing without.

    ``streams`` are the names of stimuli of many streams, by test and phase.
    """
    if context.is_imported or context.steps.empty:
        return ()
    try:
        telemetry = context.run.telemetry
    except RunFolderError:  # not there yet, or another page has said why
        return ()
    count = read_energy(telemetry)
    if count is None:
        return ()
    found = summarise_energy(telemetry, context.steps, context.totals, context.windows)
    if found.empty:
        return ()
    return (
        Plot(figure=_figure(context, telemetry)),
        _table(context, streams, found, apart_s=count.apart_s),
    )


def _figure(context: Context, telemetry: pd.DataFrame) -> Any:
    own = telemetry[(telemetry["source"] == METER) & (telemetry["name"] == POWER)]
    first_s = float(context.steps["started_s"].min())
    frame = own.assign(time_s=own["time_s"] - first_s).rename(columns={"value": POWER})
    spans = [
        (context.name_of(test), begin_s - first_s, end_s - first_s)
        for test, begin_s, end_s in spans_of_tests(context.steps)
    ]
    ordered = frame.sort_values("time_s", kind="stable")
    return plot_power(ordered[["time_s", POWER]], spans)


def _table(
    context: Context, streams: Streams, found: pd.DataFrame, *, apart_s: float
) -> Table:
    return tabulate(
        found.to_dict("records"),
        (
            column("Test", lambda row: context.name_of(row["test"]), is_words=True),
            column("Phase", lambda row: phase_label(row["phase"]), is_words=True),
            column("Stimulus", partial(_stimulus, streams), is_words=True),
            column("Metered", lambda row: duration_label(row["seconds"])),
            column("Power [W]", "watts", "{:.3f}".format),
            column("95 % interval", _interval),
            column("Clocks [W]", "watts_shifted", "{:.3f}".format),
            column("IOPS/W", "iops_per_watt", number_text),
            column("Energy per IO", "joules_per_io", _energy_text),
            column("MB/J", "bytes_per_joule", lambda value: number_text(value / 1e6)),
        ),
        caption="Power and energy",
        note="Mean power of the steps of the window that were metered throughout. "
        "95 % interval: from round to round. Clocks: how much it changes if the clocks "
        f"of meter and run are {seconds_text(apart_s)} apart, as they may be. The "
        "accuracy of the meter itself is not in it.",
        is_folded=len(found) > _MOST_ROWS,
    )


def _stimulus(streams: Streams, row: Row) -> str:
    if row["kind"] in _WORDS:
        return _WORDS[row["kind"]]
    return stimulus_text(streams, row)


def _interval(row: Row) -> str | None:
    low, high = float(row["watts_low"]), float(row["watts_high"])
    return f"{low:.3f} to {high:.3f}" if math.isfinite(low) else None


def _energy_text(joules: float) -> str:
    """Return an energy in the unit that suits it.

    >>> _energy_text(3.2e-5), _energy_text(0.0152)
    ('32 μJ', '15.2 mJ')
    """
    sizes = (("J", 1.0), ("mJ", 1e-3), ("μJ", 1e-6), ("nJ", 1e-9))
    unit, size = next((one for one in sizes if joules >= one[1]), sizes[-1])
    return f"{joules / size:.3g} {unit}"

"""Response time histogram and confidence levels of a long run."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

from ssdlab.paper.blocks import Note, Page, Plot
from ssdlab.paper.context import Context
from ssdlab.qos.confidence import summarise_confidence, summarise_histogram
from ssdlab.qos.curves import summarise_curve
from ssdlab.qos.histogram_figures import plot_confidence
from ssdlab.qos.loads import select_load
from ssdlab.qos.spread_figures import plot_exceedance
from ssdlab.text.numbers import exact_text, workers_text
from ssdlab.text.table import (
    Table,
    column,
    explain_marks,
    mark_unsupported,
    tabulate,
)

_TITLE = "Response time histogram and confidence levels"
_LEVELS_NOTE = (
    "Average and maximum are exact; a percentile is the middle of a bin of fio's "
    "histogram, at most 1.6 % wide, or the maximum if less."
)


def histogram_page(
    context: Context,
    test: str,
    plot_id: str,
    *,
    phase: str = "histogram",
    title: str = _TITLE,
) -> Page:
    """Return the histogram of the long run of a phase, and its levels."""
    runs = context.totals_of(test, phase)
    runs = runs[runs["kind"] == "histogram"]
    frame = summarise_histogram(context.bins, runs, test=test)
    if frame.empty:
        note = Note(text="The histogram run was not carried out.", tone="warning")
        return Page(plot_id=plot_id, title=title, blocks=(note,))
    markers = summarise_confidence(context.bins, runs, test=test)
    measurement = runs.iloc[0]
    workers = workers_text(measurement["threads"], measurement["queue_depth"])
    shown = f"{title}, {workers}"
    figure = plot_confidence(frame, markers, measurement, title=shown)
    total = int(measurement["total_ios"])
    blocks = (Plot(figure=figure), levels_table(markers, total))
    return Page(plot_id=plot_id, title=title, blocks=blocks)


def exceedance_pages(context: Context, test: str) -> Iterator[Page]:
    """Yield the share of IOs of the histogram run that are slower, if there is one."""
    runs = context.totals_of(test, "histogram")
    runs = runs[runs["kind"] == "histogram"]
    held = context.bins[context.bins["step_id"].isin(runs["step_id"])]
    if held.empty:
        return
    load = select_load(runs, held)
    title = "How many IOs are slower"
    figure = plot_exceedance(summarise_curve(load), title=f"{title}: {load.workload}")
    yield Page(title=title, blocks=(Plot(figure=figure),))


def levels_table(
    markers: pd.DataFrame,
    total: int,
    *,
    origin: str = "",
    number: Callable[[float], str] = exact_text,
) -> Table:
    """Return the confidence levels of that many IOs.

    ``origin`` says what they are made from, ``number`` how they are written.
    """
    table = tabulate(
        markers,
        (
            column("Level", "marker"),
            column("Response time [ms]", partial(_level, number=number)),
            column("Note", partial(_note, total=total), is_words=True),
        ),
        caption=f"Confidence levels of {total:,} IOs",
        note=" ".join(filter(None, (origin, _LEVELS_NOTE))),
    )
    return explain_marks(table)


def _level(row: Mapping[str, Any], *, number: Callable[[float], str]) -> str:
    return mark_unsupported(number(float(row["lat_ns"]) / 1e6), row["is_supported"])


def _note(row: Mapping[str, Any], *, total: int) -> str:
    return "" if row["is_supported"] else f"not supported by {total:,} IOs"

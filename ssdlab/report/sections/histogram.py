"""Response time histogram and confidence levels of a long run."""

from collections.abc import Callable

import pandas as pd

from ssdlab.analysis.confidence import summarise_confidence, summarise_histogram
from ssdlab.analysis.support_mark import (
    UNSUPPORTED_NOTE,
    has_marks,
    mark_unsupported,
)
from ssdlab.figures.histogram import plot_confidence
from ssdlab.report.blocks import Note, Page, Plot, Table
from ssdlab.report.context import Context
from ssdlab.report.text import exact_text

_TITLE = "Response time histogram and confidence levels"
_LEVELS_NOTE = (
    "Average and maximum are exact; a level is the middle of a bin of fio's histogram, "
    "at most 1.6 % wide, or the maximum where that is less."
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
        note = Note(text="The histogram run was not done.", tone="warning")
        return Page(plot_id=plot_id, title=title, blocks=(note,))
    markers = summarise_confidence(context.bins, runs, test=test)
    measurement = runs.iloc[0]
    threads, depth = int(measurement["threads"]), int(measurement["queue_depth"])
    shown = f"{title}, T{threads}/Q{depth}"
    figure = plot_confidence(frame, markers, measurement, title=shown)
    total = int(measurement["total_ios"])
    blocks = (Plot(figure=figure), levels_table(markers, total))
    return Page(plot_id=plot_id, title=title, blocks=blocks)


def levels_table(
    markers: pd.DataFrame,
    total: int,
    *,
    origin: str = "",
    number: Callable[[float], str] = exact_text,
) -> Table:
    """Return confidence levels of so many IOs.

    ``origin`` says what they are made from, ``number`` how they are written.
    """
    rows = tuple(
        (
            str(row["marker"]),
            mark_unsupported(number(float(row["lat_ns"]) / 1e6), row["is_supported"]),
            "" if row["is_supported"] else f"not supported by {total:,} IOs",
        )
        for _, row in markers.iterrows()
    )
    mark = UNSUPPORTED_NOTE if has_marks(rows) else ""
    return Table(
        caption=f"Confidence levels of {total:,} IOs",
        corner="Level",
        head=("Response time [ms]", "Note"),
        rows=rows,
        words=(2,),
        note=" ".join(note for note in (origin, _LEVELS_NOTE, mark) if note),
    )

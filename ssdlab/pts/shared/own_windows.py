"""Cells that were measured one by one: each has its own measurement window.

Imported results are often of this kind. A page a cell would be many pages, so one table
holds all windows, and pages of their own have only the tracking variables of the PTS.
"""

from collections.abc import Iterator, Sequence

import pandas as pd

from ssdlab.pts.suite import CATALOG
from ssdlab.stats.judged import JudgedWindow
from ssdlab.text.numbers import NOT_RECORDED, exact_text, percent_text, workers_text
from ssdlab.text.quantities import unit_of
from ssdlab.text.table import Table, column, quantity, tabulate

_NOTE = (
    "Each cell was measured to its end before the next, so it is judged in its own "
    "last rounds; the PTS judges all tracking variables in one window. Range and slope "
    "are ratios of the average; up to 20 % and 10 % are steady."
)


def tracked_cells(test: str, finals: Sequence[JudgedWindow]) -> list[JudgedWindow]:
    """Return the judgements of the tracking variables of the PTS, if there are any."""
    chosen = [
        one
        for one in finals
        if test in CATALOG
        and one.read_percent is not None
        and CATALOG[test].tracks(one.block_size_bytes, one.read_percent)
    ]
    return sorted(chosen, key=lambda one: (one.block_size_bytes or 0, one.read_percent))


def count_text(finals: Sequence[JudgedWindow]) -> str:
    """Return how many cells became steady, such as ``54 of 56 cells``."""
    return f"{sum(one.is_steady for one in finals)} of {len(finals)} cells"


def windows_table(finals: Sequence[JudgedWindow], cells: pd.DataFrame) -> Table:
    """Return every window and verdict, one row a cell."""
    metric = finals[0].metric
    shown = workers_by_phase(cells)

    def cell(one: JudgedWindow) -> str:
        return f"{one.tracking} {shown.get(one.phase, '')}".strip()

    return tabulate(
        finals,
        (
            column("Cell", cell),
            column("Rounds", "rounds_text"),
            quantity(metric, "Average", of="average", number=exact_text),
            column("Range", "range_ratio", percent_text),
            column("Slope", "slope_ratio", percent_text),
            column("Steady state", _state, is_words=True),
            column("Reason", _reason, is_words=True),
        ),
        caption=f"Steady state of each cell [{unit_of(metric)}]: {count_text(finals)}",
        note=_NOTE,
    )


def _state(one: JudgedWindow) -> str:
    return "steady" if one.is_steady else "NOT steady"


def _reason(one: JudgedWindow) -> str:
    return "" if one.is_steady else one.reason


def workers_by_phase(cells: pd.DataFrame) -> dict[str, str]:
    """Return TC and QD of each phase where a test has several, else nothing."""
    if len(cells[["threads", "queue_depth"]].drop_duplicates()) < 2:
        return {}
    return dict(_workers(cells.drop_duplicates("phase")))


def _workers(cells: pd.DataFrame) -> Iterator[tuple[str, str]]:
    for row in cells.itertuples():
        text = workers_text(row.threads, row.queue_depth)
        yield str(row.phase), "" if text == NOT_RECORDED else text

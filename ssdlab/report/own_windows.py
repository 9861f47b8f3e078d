"""Cells that were taken one by one: each has a measurement window of its own.

Results of others are often so. A page a cell would be many pages, so one table holds
all windows, and pages of their own have only the tracking variables of the PTS.
"""

from collections.abc import Iterator

import pandas as pd

from ssdlab.figures.labels import QUANTITIES
from ssdlab.model.units import KIB
from ssdlab.pts.iops import THREE_TRACKING
from ssdlab.report.blocks import Table
from ssdlab.report.text import (
    NOT_RECORDED,
    exact_text,
    percent_text,
    unit_of,
    workers_text,
)

_HEAD = ("Rounds", "Average", "Range", "Slope", "Steady state", "Why not")
_NOTE = (
    "Each cell was taken by itself until its end, so it is judged in its own last "
    "rounds; the PTS judges all tracking variables in one window. Range and slope are "
    "ratios of the average; at most 20 % and 10 % are steady."
)


def tracked_rows(test: str, finals: pd.DataFrame) -> pd.DataFrame:
    """Return the judgements of the tracking variables of the PTS, if any is among."""
    if test == "tp":
        return finals[finals["read_percent"] == 0]
    wanted = {(4 * KIB, 0)}
    if test == "iops":
        wanted = {(t.block_size_bytes, t.read_percent) for t in THREE_TRACKING}
    cells = zip(finals["block_size_bytes"], finals["read_percent"], strict=True)
    chosen: pd.DataFrame = finals[[cell in wanted for cell in cells]]
    return chosen.sort_values(["block_size_bytes", "read_percent"])


def count_text(finals: pd.DataFrame) -> str:
    """Return how many cells got steady, such as ``54 of 56 cells``."""
    steady = int(finals["is_steady"].fillna(value=False).sum())
    return f"{steady} of {len(finals)} cells"


def windows_table(finals: pd.DataFrame, cells: pd.DataFrame) -> Table:
    """Return every window and verdict, one row a cell."""
    metric = str(finals["metric"].iloc[0])
    divisor = QUANTITIES[metric].divisor
    shown = workers_by_phase(cells)
    rows = tuple(
        (
            " ".join(filter(None, (str(row.tracking), shown.get(str(row.phase), "")))),
            f"{row.window_first_round} - {row.window_last_round}",
            exact_text(float(str(row.average)) / divisor),
            percent_text(float(str(row.range_ratio))),
            percent_text(float(str(row.slope_ratio))),
            "steady" if row.is_steady else "NOT steady",
            "" if row.is_steady else str(row.reason),
        )
        for row in finals.itertuples()
    )
    return Table(
        caption=f"Steady state of each cell [{unit_of(metric)}]: {count_text(finals)}",
        corner="Cell",
        head=_HEAD,
        rows=rows,
        words=(5, 6),
        note=_NOTE,
    )


def workers_by_phase(cells: pd.DataFrame) -> dict[str, str]:
    """Return TC and QD of each phase where a test has several, else nothing."""
    if len(cells[["threads", "queue_depth"]].drop_duplicates()) < 2:
        return {}
    return dict(_workers(cells.drop_duplicates("phase")))


def _workers(cells: pd.DataFrame) -> Iterator[tuple[str, str]]:
    for row in cells.itertuples():
        text = workers_text(row.threads, row.queue_depth)
        yield str(row.phase), "" if text == NOT_RECORDED else text

"""The tables of results per drive: values with intervals, ends, and maxima."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from ssdlab.compare.cells import repetitions, rows_of
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.texts import latency_text
from ssdlab.pts.compared import METRICS
from ssdlab.text.numbers import NOT_MEASURED, number_text, rounded_text
from ssdlab.text.quantities import QUANTITIES
from ssdlab.text.table import (
    UNSUPPORTED_NOTE,
    Table,
    column,
    quantities,
    quantity,
    tabulate,
)

EXTREME_LEVELS_PERCENT = (99.0, 99.9, 99.99, 99.999)
_MOST_COLUMNS = 3  # sides next to each other
_VALUES_NOTE = (
    "Mean with its 95 % interval: over the rounds of the window, or over the runs if "
    "a drive has several."
)
_LONGEST_OPEN = 12  # rows; longer tables are collapsed: the figure shows them


def values_table(summary: pd.DataFrame, names: Sequence[str], *, caption: str) -> Table:
    """Return values by cell, in the unit of their axis.

    Each side has a column; with many sides each has rows of its own.
    """
    unit = QUANTITIES.get(str(summary["metric"].iloc[0]), QUANTITIES["lat_ns"]).unit
    title = f"{caption} [{unit}]" if unit else caption
    if len(names) > _MOST_COLUMNS:
        return _values_by_line(summary, names, caption=title)
    lines = []
    counts = {name: _count_text(summary[summary["side"] == name]) for name in names}
    for (metric, cell), own in _sides_by_cell(summary).items():
        lines.append((
            _cell_words(metric, cell),
            *(
                _with_interval(own.get(name), has_count=not counts[name])
                for name in names
            ),
        ))
    return Table(
        caption=title,
        head=(
            "Cell",
            *(f"{name}, {counts[name]}" if counts[name] else name for name in names),
        ),
        rows=tuple(lines),
        words=(0,),
        note=f"{_VALUES_NOTE} {NOT_MEASURED}: not measured.",
        is_folded=len(lines) > _LONGEST_OPEN,
    )


def _sides_by_cell(summary: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the row of each side by metric and cell, in the order of the rows."""
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows_of(summary):
        cell = cells.setdefault((str(row.metric), str(row.cell)), {})
        cell[str(row.side)] = row
    return cells


def _values_by_line(
    summary: pd.DataFrame, names: Sequence[str], *, caption: str
) -> Table:
    """Return a row for each cell of each side that measured it."""
    lines = []
    for (metric, cell), own in _sides_by_cell(summary).items():
        lines += [
            (
                _cell_words(metric, cell),
                name,
                _with_interval(own[name], has_count=False),
                repetitions(own[name]),
            )
            for name in names
            if name in own
        ]
    return Table(
        caption=caption,
        head=("Cell", "Drive", "Mean (95 %)", "Of"),
        rows=tuple(lines),
        words=(0, 1),
        note=_VALUES_NOTE,
        is_folded=len(lines) > _LONGEST_OPEN,
    )


def _cell_words(metric: str, cell: str) -> str:
    is_latency = metric.startswith("lat_")
    return f"{cell}, {METRICS[metric].words}" if is_latency else cell


def _count_text(rows: pd.DataFrame) -> str:
    """Return the number of rounds or runs of a side, if it is the same everywhere."""
    texts = {repetitions(row) for row in rows_of(rows)}
    return texts.pop() if len(texts) == 1 else ""


def _with_interval(row: Any, *, has_count: bool) -> str:
    if row is None:
        return NOT_MEASURED
    divisor = QUANTITIES.get(str(row.metric), QUANTITIES["lat_ns"]).divisor
    value, low, high = (
        number_text(float(part) / divisor) for part in (row.value, row.low, row.high)
    )
    count = f"; {repetitions(row)}" if has_count else ""
    if not row.low > 0:
        return f"{value} (no interval{count})"
    return f"{value} ({low} to {high}{count})"


def saturation_table(rounds: pd.DataFrame, comparison: Comparison) -> Table:
    """Return where each write saturation began and ended."""
    ends = []
    for look in comparison.run_looks:
        own = rounds[rounds["run_id"] == look.run_id].sort_values("round")
        own = own[own["iops"].notna()]
        if not own.empty:
            known = {"run": look.name, "rounds": len(own), "fob": own["iops"].iloc[0]}
            ends.append(known | own.iloc[-1].to_dict())
    return tabulate(
        ends,
        (
            column("Run", "run", is_words=True),
            quantity("iops", "IOPS, FOB", of="fob"),
            quantity("iops", "IOPS, last"),
            column("Last / FOB", lambda row: row["iops"] / row["fob"], rounded_text),
            column("Minutes", "minutes", number_text),
            *quantities("tgbw", "drive_fills"),
            column("Rounds", "rounds"),
        ),
        caption="Where write saturation began and ended",
        note="Single rounds, without an interval: the average of the measurement "
        "window is among the verdicts.",
    )


def latency_extremes_table(comparison: Comparison) -> Table:
    """Return percentiles and maximum of all IOs of the window, run by run."""
    table = comparison.merged_levels("lat", "cell", EXTREME_LEVELS_PERCENT)
    names = {look.run_id: look.name for look in comparison.run_looks}
    order = ["access", "block_size_bytes", "read_percent", "workload"]
    rows = []
    for _, loads in table.groupby(order, dropna=False):
        by_run = dict(iter(loads.groupby("run_id", sort=False)))
        for run_id in (run_id for run_id in names if run_id in by_run):
            own = by_run[run_id]
            first = own.iloc[0]
            rows.append((
                str(first["workload"]),
                names[run_id],
                f"{first['total_ios']:,}",
                *(latency_text(row) for row in rows_of(own)),
                number_text(float(first["lat_max_ns"]) / 1e6),
            ))
    return Table(
        caption="Percentiles and maximum of all IOs of the window [ms]",
        head=(
            "Cell",
            "Run",
            "IOs",
            *(f"{n:g} %" for n in EXTREME_LEVELS_PERCENT),
            "Maximum",
        ),
        rows=tuple(rows),
        words=(0, 1, 3, 4, 5, 6),
        note="From merged bins, with 95 % intervals between the rounds of this run; "
        "a question mark is an unbounded end. A maximum grows with the number of IOs "
        f"and has no interval; no verdict is based on it. {UNSUPPORTED_NOTE}",
        is_folded=len(rows) > _LONGEST_OPEN,
    )

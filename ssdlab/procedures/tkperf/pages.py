"""The tables of TKperf's report, as it prints them, beside ours where they differ.

Orientation and labels are TKperf's: IOPS with 512 at the top and 100/0 at the left,
throughput with 1024k at the top, latency with 0/100 at the left. Numbers
are rounded and written as Python writes them: 0.26 and not 0.260.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from ssdlab.model.units import mix_label
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.context import Context
from ssdlab.plots.labels import COLORS, new_figure
from ssdlab.plots.lines import Across, Line, draw_lines
from ssdlab.procedures.tkperf.facts import called_table, glossary_table, read_setup
from ssdlab.pts.tp.tkperf import is_tkperf
from ssdlab.reference.tkperf_tables import size_label
from ssdlab.stats.matrix import select_cells
from ssdlab.steadiness.convergence_figures import plot_convergence
from ssdlab.steadiness.tkperf import (
    TkperfWindow,
    judge_tkperf_window,
    summarise_tkperf_table,
    take_tkperf_rounds,
)
from ssdlab.text.numbers import NOT_MEASURED
from ssdlab.text.table import Table

_MOST_OPEN = 20
_TITLE = "TKperf's table"
_DIGITS = {"iops": 1, "bw": 3, "lat_mean": 3, "lat_max": 3}
_CORNER = "Block size \\ R/W"
_CAPTIONS = {
    "iops": "TKperf: IOPS, average over the measurement window",
    "lat_mean": "TKperf: average latency [ms]",
    "lat_max": "TKperf: maximum latency [ms]",
}
_SATURATION = (
    "For write saturation TKperf prints no table, only IOPS and latency by round. It "
    "requires no steady state there."
)
_NO_WINDOW = (
    "TKperf's tables are averages over its measurement window, and its tracking "
    "variable has none."
)
_AS_PRINTED = "TKperf's own results, in the rows, columns and digits of its report."
_AS_TAKEN = (
    "What TKperf would print for this run: its arithmetic on fio's values for reads "
    "and writes, in the rows, columns and digits of its report."
)
_MIB = (
    "TKperf divides KiB/s by 1024 and labels the result MB/s; our MB is 1,000,000 B, "
    "so our value is 1.048576 times as great. TKperf takes whole KiB/s of each round. "
    "It judges 1024k alone: the other sizes are averaged over the same rounds."
)
_WEIGHTED = "TKperf: 0.65 x that of reads + 0.35 x that of writes; ours: "
_WHY_MIXED = {
    "lat_mean": f"{_WEIGHTED}the mean of all IOs",
    "lat_max": f"{_WEIGHTED}the greatest of all IOs",
}
_WHY = {
    "iops": "TKperf adds the whole IOPS of reads and of writes of each round",
    "lat_mean": "TKperf takes the mean with six decimal places",
    "lat_max": "TKperf takes whole microseconds",
}
_SAME = "To the digits that TKperf prints, its table and ours are equal."
_NEVER_APART = (
    "In ours, too, the mixed latencies are TKperf's 0.65 x that of reads + 0.35 x that "
    "of writes: its results do not separate the two."
)
_STEADY_DIGITS = 7
_DIGITS_OF_FIO = 6  # behind the point of a mean in fio's terse output
_NOTE = (
    "The window of 4 and rounds that count from 0 are TKperf's; the names of the other "
    "lines are ours. TKperf keeps five rounds, judges from the fifth on, and is not "
    "steady only where a limit is passed by more than the limit: the rule is ours."
)
_WHY_FOUR = "TKperf prints the steps between rounds, which its slope is multiplied by"
_WHY_ZERO = "TKperf counts rounds from 0, the PTS from 1"
_WHY_VALUES = {
    "iops": "TKperf takes whole IOPS from fio's terse output",
    "tp": "TKperf takes whole KiB/s from fio's terse output",
}
_WHY_FLOOR = "TKperf 2.0 on Python 2 drops the fraction of a mean of whole numbers"
_WHY_FIT = "it follows from the values"
_Line = tuple[str, str, str, str]


_TRACKED = {  # the name of the tracking variable, and its unit
    "iops": ("RND 4KiB R/W 0/100", "IOPS"),
    "tp": ("SEQ 1024KiB write", "KiB/s"),
    "lat": ("RND 4KiB R/W 0/100 mean", "us"),
}
_LINES = (
    ("lat_max_ns", "Maximum", "maximum_latency", "triangle-up"),
    ("lat_mean_ns", "Average", "average_latency", "circle"),
    ("lat_min_ns", "Minimum", "measured", "triangle-down"),
)


def tkperf_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return TKperf's page of a test of its profile, or of its own results."""
    if not is_tkperf(context.record.asked) or context.totals.empty:
        return ()
    about = _about(context) if test == context.record.tests[0] else ()
    if test == "wsat":
        blocks = (Note(text=_SATURATION), *_saturation_plots(context))
        return (_page(*blocks, *about),)
    if test not in _BLOCKS:
        return ()
    rounds = take_tkperf_rounds(context.run.measurements, test)
    window = judge_tkperf_window(rounds, context.windows, test)
    if window is None:
        return (_page(Note(text=_NO_WINDOW, tone="warning"), *about),)
    table = summarise_tkperf_table(rounds, window)
    intro = Note(text=_AS_PRINTED if context.is_imported else _AS_TAKEN)
    blocks = (*_BLOCKS[test](table), *_asides(context, test, table))
    return (_page(intro, *blocks, steady_table(window), *about),)


def _about(context: Context) -> tuple[Table, ...]:
    """Return how TKperf was called, if that is known, and what its words mean."""
    setup = read_setup(context) if context.is_imported else None
    return (*((called_table(setup),) if setup else ()), glossary_table())


def _saturation_plots(context: Context) -> tuple[Block, ...]:
    """Return IOPS and latency against the round, as TKperf draws them."""
    rounds = select_cells(context.totals, "wsat").sort_values("round")
    if rounds.empty:
        return ()
    title = "Write saturation: IOPS by round"
    return (
        Plot(figure=plot_convergence(rounds, metric="iops", title=title)),
        Plot(figure=plot_latency_rounds(rounds)),
    )


def _page(*blocks: Block) -> Page:
    return Page(plot_id="TKperf", title=_TITLE, blocks=blocks)


def _iops_blocks(table: pd.DataFrame) -> tuple[Block, ...]:
    return (_grid(table, "iops", sizes=sorted, mixes=_falling),)


def _latency_blocks(table: pd.DataFrame) -> tuple[Block, ...]:
    return tuple(
        _grid(table, quantity, sizes=_falling, mixes=sorted)
        for quantity in ("lat_mean", "lat_max")
    )


def _throughput_blocks(table: pd.DataFrame) -> tuple[Block, ...]:
    """Return TKperf's table, and ours in decimal MB/s."""
    tkperf = Table(
        caption="TKperf: throughput [MB/s, which is MiB/s here]",
        head=("Block size", "read", "write"),
        rows=_throughput_rows(table, "tkperf"),
    )
    own = Table(
        caption="Ours: throughput [MB/s, decimal], means of the same rounds",
        head=("Block size", "read", "write"),
        rows=_throughput_rows(table, "own"),
    )
    return tkperf, own


def _throughput_rows(table: pd.DataFrame, column: str) -> tuple[tuple[str, ...], ...]:
    texts = _texts(table, "bw", column)
    sizes = _falling({size for size, _ in texts})
    return tuple(
        (
            size_label(size),
            *(texts.get((size, mix), NOT_MEASURED) for mix in (100, 0)),
        )
        for size in sizes
    )


_BLOCKS: dict[str, Callable[[pd.DataFrame], tuple[Block, ...]]] = {
    "iops": _iops_blocks,
    "tp": _throughput_blocks,
    "lat": _latency_blocks,
}


def _falling(values: set[int]) -> list[int]:
    return sorted(values, reverse=True)


def _texts(
    table: pd.DataFrame, quantity: str, column: str
) -> dict[tuple[int, int], str]:
    """Return the numbers of a quantity as printed, by block size and mix."""
    rows = table[table["quantity"] == quantity]
    return {
        (int(row["block_size_bytes"]), int(row["read_percent"])): _text(row, column)
        for _, row in rows.iterrows()
    }


def _text(row: "pd.Series[Any]", column: str) -> str:
    """Return a number as Python writes it; without a fraction where TKperf drops it."""
    value = float(row[column])
    if column == "tkperf" and row["is_whole"] and value.is_integer():
        return str(int(value))
    return python_text(value, _DIGITS[row["quantity"]])


def _grid(
    table: pd.DataFrame,
    quantity: str,
    *,
    sizes: Callable[[set[int]], list[int]],
    mixes: Callable[[set[int]], list[int]],
) -> Table:
    texts = _texts(table, quantity, "tkperf")
    columns = mixes({mix for _, mix in texts})
    return Table(
        caption=_CAPTIONS[quantity],
        head=(_CORNER, *(mix_label(mix) for mix in columns)),
        rows=tuple(
            (
                size_label(size),
                *(texts.get((size, mix), NOT_MEASURED) for mix in columns),
            )
            for size in sizes({size for size, _ in texts})
        ),
    )


def _asides(context: Context, test: str, table: pd.DataFrame) -> tuple[Block, ...]:
    """Return where the numbers of TKperf differ from ours, and why."""
    if test == "tp":
        return (Note(text=_MIB),)
    differing = _differences(table)
    blocks: list[Block] = [differing if differing.rows else Note(text=_SAME)]
    if test == "lat" and context.is_imported:
        blocks.append(Note(text=_NEVER_APART))
    return tuple(blocks)


def _differences(table: pd.DataFrame) -> Table:
    """Return the cells whose printed digits differ."""
    rows = []
    for quantity in dict.fromkeys(table["quantity"]):
        own = _texts(table, quantity, "own")
        for cell, theirs in _texts(table, quantity, "tkperf").items():
            if theirs != own[cell]:
                why = _why(quantity, cell[1])
                rows.append((_cell_name(quantity, cell), theirs, own[cell], why))
    return Table(
        caption=f"Where TKperf's table and ours differ: {len(rows)} of {len(table)}",
        head=("Cell", "TKperf", "Ours", "Why"),
        rows=tuple(rows),
        words=(3,),
        is_folded=len(rows) > _MOST_OPEN,
    )


def _why(quantity: str, mix: int) -> str:
    is_mixed = 0 < mix < 100
    return _WHY_MIXED.get(quantity, _WHY[quantity]) if is_mixed else _WHY[quantity]


def _cell_name(quantity: str, cell: tuple[int, int]) -> str:
    words = {"lat_mean": "average ", "lat_max": "maximum "}
    return f"{words.get(quantity, '')}{size_label(cell[0])} {mix_label(cell[1])}"


def python_text(value: float, digits: int) -> str:
    """Return a number as Python writes it when it is rounded.

    >>> python_text(299.6100001, 3), python_text(5490.0, 1)
    ('299.61', '5490.0')
    """
    return repr(round(float(value), digits)) if math.isfinite(value) else NOT_MEASURED


def steady_table(window: TkperfWindow) -> Table:
    """Return the lines of TKperf's steady state, ours, and why they differ."""
    name, unit = _TRACKED[window.test]
    rows = tuple(
        (line, theirs, ours, why if theirs != ours else "")
        for line, theirs, ours, why in (*_value_lines(window), *_fit_lines(window))
    )
    return Table(
        caption=f"TKperf: steady state of {name} [{unit}]",
        head=("Line", "TKperf", "Ours", "Why they differ"),
        rows=rows,
        words=(1, 2, 3),
        note=_NOTE,
    )


def _value_lines(window: TkperfWindow) -> Iterator[_Line]:
    width = len(window.rounds)
    yield "Measurement Window", str(width - 1), f"{width} rounds", _WHY_FOUR
    from_zero = ", ".join(str(number - 1) for number in window.rounds)
    yield "Rounds", from_zero, ", ".join(map(str, window.rounds)), _WHY_ZERO
    theirs, ours = (
        ", ".join(_number(value, _DIGITS_OF_FIO) for value in values)
        for values in (window.series, window.own_series)
    )
    yield "Values", theirs, ours, _WHY_VALUES.get(window.test, "")
    average = _number(window.own_verdict.average, _STEADY_DIGITS)
    yield (
        "Average",
        _number(window.printed_average, _STEADY_DIGITS),
        average,
        _WHY_FLOOR,
    )


def _fit_lines(window: TkperfWindow) -> Iterator[_Line]:
    verdict, own = window.verdict, window.own_verdict
    theirs, ours = (
        python_text(v.slope_per_round, _STEADY_DIGITS) for v in (verdict, own)
    )
    yield "Slope of the fit", theirs, ours, _WHY_FIT
    theirs, ours = (
        python_text(v, _STEADY_DIGITS) for v in (window.intercept, own.intercept)
    )
    yield "Intercept of the fit", theirs, ours, _WHY_ZERO
    yield "Steady state reached", str(verdict.is_steady), str(own.is_steady), _WHY_FIT


def _number(value: float, digits: int) -> str:
    """Return a whole number without a point, another with the digits that it has."""
    if math.isfinite(value) and value == math.floor(value):
        return str(int(value))
    return python_text(value, digits)


def plot_latency_rounds(
    frame: "pd.DataFrame", *, title: str = "Write saturation: latency by round"
) -> go.Figure:
    """Draw the least, mean and greatest latency of each round of one workload.

    A line each, on a logarithmic axis [ms]: they are decades apart.

    >>> import pandas as pd
    >>> rounds = {"round": [1, 2], "lat_mean_ns": [1.0e6, 2.0e6]}
    >>> rounds |= {"lat_min_ns": [4.0e4, 5.0e4], "lat_max_ns": [9.0e6, 8.0e6]}
    >>> [line.name for line in plot_latency_rounds(pd.DataFrame(rounds)).data]
    ['Maximum', 'Average', 'Minimum']
    """
    figure = new_figure(title)
    lines = [
        Line(
            rows=[frame], column=column, of="lat_ns", name=name, symbol=symbol,
            color=COLORS[color], width=1.5, size=5, hover=f"{name}, round %{{x}}: ",
        )
        for column, name, color, symbol in _LINES
        if frame[column].notna().any()
    ]  # fmt: skip
    titles = ("Latency [ms]", "")
    draw_lines(figure, Across.rounds(frame), lines, titles=titles, showlegend=True)
    return figure

"""The tables of TKperf's report, as it prints them, beside ours where they differ.

Orientation and labels are TKperf's: IOPS with 512 at the top and 100/0 at the left,
throughput with 1024k at the top, latency with 0/100 at the left (pts.md 16). Numbers
are rounded and written as Python writes them: 0.26 and not 0.260.
"""

from collections.abc import Callable
from typing import Any

import pandas as pd

from ssdlab.analysis.matrix import select_cells
from ssdlab.analysis.tkperf import (
    judge_tkperf_window,
    summarise_tkperf_table,
    take_tkperf_rounds,
)
from ssdlab.figures.convergence import plot_convergence
from ssdlab.figures.latency_rounds import plot_latency_rounds
from ssdlab.model.asked import Import
from ssdlab.model.units import MIB, mix_label
from ssdlab.pts.throughput import Tp
from ssdlab.reference.tkperf_tables import size_label
from ssdlab.report.blocks import Block, Note, Page, Plot, Table
from ssdlab.report.context import Context
from ssdlab.report.sections.tkperf_steady import python_text, steady_table
from ssdlab.report.text import NOT_MEASURED

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
    "Of the write saturation TKperf prints no table, only IOPS and latency against the "
    "round. It asks for no steady state there."
)
_NO_WINDOW = (
    "TKperf's tables are averages over its measurement window, and there is none of "
    "its tracking variable."
)
_AS_PRINTED = "TKperf's own results, in the rows, columns and digits of its report."
_AS_TAKEN = (
    "What TKperf would print of this run: its arithmetic on what fio said of reads and "
    "of writes, in the rows, columns and digits of its report."
)
_MIB = (
    "TKperf divides KiB/s by 1024 and labels the result MB/s; a MB of ours is "
    "1,000,000 B, so ours is 1.048576 times as great. Of each round TKperf takes whole "
    "KiB/s. It judges 1024k alone: the other sizes are averaged over the same rounds."
)
_WEIGHTED = "TKperf: 0.65 x that of reads + 0.35 x that of writes; ours: "
_WHY_MIXED = {
    "lat_mean": f"{_WEIGHTED}the mean of all IOs",
    "lat_max": f"{_WEIGHTED}the greatest of all IOs",
}
_WHY = {
    "iops": "TKperf adds the whole IOPS of reads and of writes of each round",
    "lat_mean": "TKperf takes the mean with six digits behind the point",
    "lat_max": "TKperf takes whole microseconds",
}
_SAME = "To the digits that TKperf prints, its table and ours hold the same numbers."
_NEVER_APART = (
    "In ours, too, the mixed latencies are TKperf's 0.65 x that of reads + 0.35 x that "
    "of writes: its results do not keep the two apart."
)


def tkperf_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return TKperf's page of a test of its profile, or of its own results."""
    if not is_tkperf(context) or context.totals.empty:
        return ()
    if test == "wsat":
        return (_page(Note(text=_SATURATION), *_saturation_plots(context)),)
    if test not in _BLOCKS:
        return ()
    rounds = take_tkperf_rounds(context.run.measurements, test)
    window = judge_tkperf_window(rounds, context.windows, test)
    if window is None:
        return (_page(Note(text=_NO_WINDOW, tone="warning")),)
    table = summarise_tkperf_table(rounds, window)
    intro = Note(text=_AS_PRINTED if context.is_imported else _AS_TAKEN)
    blocks = (*_BLOCKS[test](table), *_asides(context, test, table))
    return (_page(intro, *blocks, steady_table(window)),)


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


def is_tkperf(context: Context) -> bool:
    """Tell whether a run follows TKperf's profile, or is a result of TKperf's.

    A user's profile based on it has another name; TKperf's way with throughput, which
    no other profile has, tells it.
    """
    asked, profile = context.record.asked, context.profile
    if isinstance(asked, Import):
        return asked.tool == "tkperf"
    if profile is None:
        return asked.name == "tkperf"
    is_alone = profile[Tp].tracked_sizes == (MIB,) and not profile[Tp].has_wipc
    return profile.name == "tkperf" or is_alone


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
        corner="Block size",
        head=("read", "write"),
        rows=_throughput_rows(table, "tkperf"),
    )
    own = Table(
        caption="Ours: throughput [MB/s, decimal], means of the same rounds",
        corner="Block size",
        head=("read", "write"),
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
        corner=_CORNER,
        head=tuple(mix_label(mix) for mix in columns),
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
        corner="Cell",
        head=("TKperf", "Ours", "Why"),
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

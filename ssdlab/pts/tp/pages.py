"""Throughput: PTS 2.0.2, section 8: plots 1 to 3 a block size, 4 and 5 of all."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.context import Context, is_of_phase
from ssdlab.pts.shared.headlines import largest_headlines
from ssdlab.pts.shared.matrix import (
    MEANS_ALONE,
    NO_WINDOW,
    has_means,
    matrix_table,
)
from ssdlab.pts.shared.matrix_figures import plot_throughput_2d
from ssdlab.pts.shared.outcome import rounds_outcome
from ssdlab.pts.shared.steady import convergence_page, window_pages
from ssdlab.pts.shared.view import View
from ssdlab.pts.tp.tkperf import is_tkperf
from ssdlab.stats.matrix import summarise_throughput
from ssdlab.stats.phases import group_name, range_name

_SIDES: tuple[tuple[int, str, int], ...] = ((1, "write", 0), (2, "read", 100))

_UNTRACKED = (
    "In this profile, this block size has no steady state of its own: it runs as many "
    "rounds as the tracked one."
)
_IN_TKPERF = " TKperf's table below has its means over the rounds of that window."


def throughput_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of each block size, then a table and bars of all of them."""
    steps = context.steps_of(test)
    cells = steps[steps["kind"].isin(["cell", "mean"])]
    found = [str(name) for name in cells["phase"].unique()]
    phases = list(dict.fromkeys(group_name(test, name) for name in found))
    if not phases:
        note = Note(text="No round was finished.", tone="warning")
        title = "Steady state convergence"
        return (Page(plot_id="TP 1", title=title, blocks=(note,)),)
    curves = [page for phase in phases for page in _phase_pages(context, phase)]
    valued = [one for one in phases if not _is_untracked(context, one)]
    ranges = dict.fromkeys(map(range_name, valued))
    return (
        *curves,
        *(
            page
            for part in ranges
            for page in _value_pages(
                context, [one for one in valued if range_name(one) == part], part
            )
        ),
    )


def _is_untracked(context: Context, phase: str) -> bool:
    """Tell whether a block size was measured in rounds but has no window of its own."""
    is_of_means = has_means(context, "tp", phase)
    is_printed = is_of_means and not context.final_windows("tp", phase)
    return not (is_printed or context.is_judged("tp", phase))


def _phase_pages(context: Context, phase: str) -> tuple[Page, ...]:
    named = _size_words(phase)
    sides = _SIDES
    if has_means(context, "tp", phase):
        if not context.final_windows("tp", phase):
            return ()
        sides = tuple(s for s in _SIDES if _has_rounds(context, phase, s[2]))
    curves = tuple(
        convergence_page(
            context,
            "tp",
            f"TP {number} {named}".strip(),
            title=f"Steady state convergence, {direction} {named}".strip(),
            metric="bw_bytes_per_s",
            read_percent=mix,
            phase=phase,
        )
        for number, direction, mix in sides
    )
    if _is_untracked(context, phase):
        title = f"Tabular data and 2D plot, {named}"
        plot_id = f"TP 3 - 5 {named}".strip()
        note = Note(
            text=_UNTRACKED + (_IN_TKPERF if is_tkperf(context.record.asked) else "")
        )
        return (*curves, Page(plot_id=plot_id, title=title, blocks=(note,)))
    return (
        *curves,
        *window_pages(context, "tp", f"TP 3 {named}".strip(), phase=phase),
    )


def _has_rounds(context: Context, phase: str, mix: int) -> bool:
    frame = context.totals_of("tp", phase)
    rows = frame[(frame["kind"] == "cell") & (frame["read_percent"] == mix)]
    return bool(rows["round"].notna().any())


def _value_pages(
    context: Context, phases: Sequence[str], part: str
) -> tuple[Page, ...]:
    """Return the table and the bars of all block sizes of an active range."""
    frame = summarise_throughput(context.totals, context.windows)
    parts = {phase: frame[is_of_phase(frame["phase"], phase)] for phase in phases}
    notes: list[Block] = [
        replace(NO_WINDOW, text=f"{_size_of(phase, part)}: {NO_WINDOW.text}")
        for phase, rows in parts.items()
        if rows.empty
    ]
    if any(has_means(context, "tp", phase) for phase in phases):
        notes.append(MEANS_ALONE)

    def page(number: str, title: str, *blocks: Block) -> Page:
        sizes = ", ".join(map(_size_words, phases))
        plot_id = f"TP {number} {sizes}".strip()
        return Page(plot_id=plot_id, title=f"{title} {part}".strip(), blocks=blocks)

    frame = pd.concat(parts.values())
    if frame.empty:
        return (page("4 - 5", "Tabular data and 2D plot", *notes),)
    table = matrix_table(
        frame,
        "bw_bytes_per_s",
        caption="Throughput [MB/s, decimal], mean over the measurement window",
    )
    title = "2D plot, throughput by block size"
    plot = Plot(figure=plot_throughput_2d(frame, title=f"{title} {part}".strip()))
    return (page("4", "Tabular data", *notes, table), page("5", title, plot))


def _size_of(phase: str, part: str) -> str:
    return _size_words(phase.removesuffix(f"-{part}")) or "all block sizes"


def _size_words(phase: str) -> str:
    """Return the block size of a phase, and its active range if it has one."""
    return phase.partition("-")[2].replace("KiB", " KiB")


VIEW = View(
    pages=throughput_pages,
    headlines=partial(largest_headlines, metric="bw_bytes_per_s"),
    outcome=partial(rounds_outcome, has_sizes=True),
)

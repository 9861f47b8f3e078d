"""Throughput: PTS 2.0.2, section 8, plots 1 to 5 for each block size."""

from dataclasses import replace
from functools import partial

from ssdlab.paper.blocks import Note, Page, Plot
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
from ssdlab.stats.phases import group_name

_SIDES: tuple[tuple[int, str, int], ...] = ((1, "write", 0), (2, "read", 100))

_UNTRACKED = (
    "In this profile, this block size has no steady state of its own: it runs as many "
    "rounds as the tracked one."
)
_IN_TKPERF = " TKperf's table below has its means over the rounds of that window."


def throughput_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of the throughput test, block size after block size."""
    steps = context.steps_of(test)
    cells = steps[steps["kind"].isin(["cell", "mean"])]
    found = [str(name) for name in cells["phase"].unique()]
    phases = list(dict.fromkeys(group_name(test, name) for name in found))
    if not phases:
        note = Note(text="No round was finished.", tone="warning")
        title = "Steady state convergence"
        return (Page(plot_id="TP 1", title=title, blocks=(note,)),)
    return tuple(page for phase in phases for page in _phase_pages(context, phase))


def _phase_pages(context: Context, phase: str) -> tuple[Page, ...]:
    size = phase.partition("-")[2]
    named = size.replace("KiB", " KiB")
    values, sides = _value_pages(context, phase, size), _SIDES
    if has_means(context, "tp", phase):
        values = (
            replace(values[0], blocks=(MEANS_ALONE, *values[0].blocks)),
            *values[1:],
        )
        if not context.final_windows("tp", phase):
            return values
        sides = tuple(s for s in _SIDES if _has_rounds(context, phase, s[2]))
    curves = tuple(
        convergence_page(
            context,
            "tp",
            f"TP {number} {size}".strip(),
            title=f"Steady state convergence, {direction} {named}".strip(),
            metric="bw_bytes_per_s",
            read_percent=mix,
            phase=phase,
        )
        for number, direction, mix in sides
    )
    if not context.is_judged("tp", phase):
        title = f"Tabular data and 2D plot, {named}"
        plot_id = f"TP 3 - 5 {size}".strip()
        note = Note(
            text=_UNTRACKED + (_IN_TKPERF if is_tkperf(context.record.asked) else "")
        )
        return (*curves, Page(plot_id=plot_id, title=title, blocks=(note,)))
    windows = window_pages(context, "tp", f"TP 3 {size}".strip(), phase=phase)
    return (*curves, *windows, *values)


def _has_rounds(context: Context, phase: str, mix: int) -> bool:
    frame = context.totals_of("tp", phase)
    rows = frame[(frame["kind"] == "cell") & (frame["read_percent"] == mix)]
    return bool(rows["round"].notna().any())


def _value_pages(context: Context, phase: str, size: str) -> tuple[Page, ...]:
    named = size.replace("KiB", " KiB") or "all block sizes"
    frame = summarise_throughput(context.totals, context.windows)
    frame = frame[is_of_phase(frame["phase"], phase)]
    if frame.empty:
        title = f"Tabular data and 2D plot, {named}"
        return (
            Page(plot_id=f"TP 4 - 5 {size}".strip(), title=title, blocks=(NO_WINDOW,)),
        )
    table = matrix_table(
        frame,
        "bw_bytes_per_s",
        caption="Throughput [MB/s, decimal], mean over the measurement window",
    )
    plot = plot_throughput_2d(frame, title=f"2D plot, {named}")
    return (
        Page(
            plot_id=f"TP 4 {size}".strip(),
            title=f"Tabular data, {named}",
            blocks=(table,),
        ),
        Page(
            plot_id=f"TP 5 {size}".strip(),
            title=f"2D plot, {named}",
            blocks=(Plot(figure=plot),),
        ),
    )


VIEW = View(
    pages=throughput_pages,
    headlines=partial(largest_headlines, metric="bw_bytes_per_s"),
    outcome=partial(rounds_outcome, has_sizes=True),
)

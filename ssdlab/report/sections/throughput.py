"""Throughput: PTS 2.0.2, section 8, plots 1 to 5 for each block size."""

from ssdlab.analysis.matrix import summarise_throughput
from ssdlab.analysis.phases import group_name
from ssdlab.figures.matrix import plot_throughput_2d
from ssdlab.report.blocks import Note, Page, Plot
from ssdlab.report.context import Context, is_of_phase
from ssdlab.report.sections.matrix import NO_WINDOW, matrix_table
from ssdlab.report.sections.steady import convergence_page, window_pages

_SIDES = ((1, "write", 0), (2, "read", 100))


def throughput_pages(context: Context) -> tuple[Page, ...]:
    """Return the pages of the throughput test, block size after block size."""
    steps = context.steps_of("tp")
    found = [str(name) for name in steps[steps["kind"] == "cell"]["phase"].unique()]
    phases = list(dict.fromkeys(group_name("tp", name) for name in found))
    if not phases:
        note = Note(text="No round was finished.", tone="warning")
        title = "Steady state convergence"
        return (Page(plot_id="TP 1", title=title, blocks=(note,)),)
    return tuple(page for phase in phases for page in _phase_pages(context, phase))


def _phase_pages(context: Context, phase: str) -> tuple[Page, ...]:
    size = phase.partition("-")[2]
    named = size.replace("KiB", " KiB")
    curves = tuple(
        convergence_page(
            context,
            f"TP {number} {size}".strip(),
            title=f"Steady state convergence, {direction} {named}".strip(),
            metric="bw_bytes_per_s",
            read_percent=mix,
            phase=phase,
        )
        for number, direction, mix in _SIDES
    )
    windows = window_pages(context, f"TP 3 {size}".strip(), phase=phase)
    return (*curves, *windows, *_value_pages(context, phase, size))


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

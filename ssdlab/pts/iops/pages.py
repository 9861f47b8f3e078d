"""IOPS: PTS 2.0.2, section 7, plots 1 to 5."""

from dataclasses import replace
from functools import partial

from ssdlab.paper.blocks import Block, Page, Plot
from ssdlab.paper.context import Context, is_of_phase
from ssdlab.pts.shared.headlines import matrix_headlines
from ssdlab.pts.shared.matrix import (
    MEANS_ALONE,
    NO_WINDOW,
    has_means,
    matrix_table,
)
from ssdlab.pts.shared.matrix_figures import (
    plot_columns_3d,
    plot_iops_2d,
    plot_matrix_heat,
)
from ssdlab.pts.shared.steady import convergence_page, window_pages
from ssdlab.pts.shared.view import View
from ssdlab.stats.matrix import summarise_iops_matrix
from ssdlab.stats.phases import range_name


def iops_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of the IOPS test, active range after active range."""
    return tuple(
        page
        for phase in context.round_groups(test)
        for page in _phase_pages(context, phase)
    )


def _phase_pages(context: Context, phase: str) -> tuple[Page, ...]:
    part = range_name(phase)
    convergence = convergence_page(
        context,
        "iops",
        f"IOPS 1 {part}".strip(),
        title=f"Steady state convergence, all block sizes {part}".strip(),
        metric="iops",
        phase=phase,
    )
    if has_means(context, "iops", phase):
        convergence = replace(convergence, blocks=(MEANS_ALONE, *convergence.blocks))
    windows = window_pages(context, "iops", f"IOPS 2 {part}".strip(), phase=phase)
    return (convergence, *windows, *_matrix_pages(context, phase))


def _matrix_pages(context: Context, phase: str) -> tuple[Page, ...]:
    part = range_name(phase)
    frame = summarise_iops_matrix(context.totals, context.windows)
    frame = frame[is_of_phase(frame["phase"], phase)]

    def page(number: str, title: str, *blocks: Block) -> Page:
        return Page(
            plot_id=f"IOPS {number} {part}".strip(),
            title=f"{title} {part}".strip(),
            blocks=blocks,
        )

    if frame.empty:
        return (page("3 - 5", "Tabular data, 2D and 3D plots", NO_WINDOW),)
    table = matrix_table(
        frame, "iops", caption="IOPS, mean over the measurement window, by R/W mix"
    )
    columns = plot_columns_3d(frame, metric="iops")
    heat = Plot(figure=plot_matrix_heat(frame))
    return (
        page("3", "Tabular data", table, heat),
        page("4", "2D plot, IOPS by block size", Plot(figure=plot_iops_2d(frame))),
        page("5", "3D columns, IOPS by block size and R/W mix", Plot(figure=columns)),
    )


VIEW = View(pages=iops_pages, headlines=partial(matrix_headlines, metric="iops"))

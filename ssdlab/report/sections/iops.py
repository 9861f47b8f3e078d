"""IOPS: PTS 2.0.2, section 7, plots 1 to 5."""

from ssdlab.analysis.matrix import summarise_iops_matrix
from ssdlab.figures.matrix import plot_columns_3d, plot_iops_2d
from ssdlab.report.blocks import Page, Plot
from ssdlab.report.context import Context
from ssdlab.report.sections.matrix import NO_WINDOW, matrix_table
from ssdlab.report.sections.steady import convergence_page, window_pages


def iops_pages(context: Context) -> tuple[Page, ...]:
    """Return the pages of the IOPS test."""
    convergence = convergence_page(
        context,
        "IOPS 1",
        title="Steady state convergence, all block sizes",
        metric="iops",
    )
    windows = window_pages(context, "IOPS 2", phase="rounds")
    return (convergence, *windows, *_matrix_pages(context))


def _matrix_pages(context: Context) -> tuple[Page, ...]:
    frame = summarise_iops_matrix(context.totals, context.windows)
    if frame.empty:
        title = "Tabular data, 2D and 3D plots"
        return (Page(plot_id="IOPS 3 - 5", title=title, blocks=(NO_WINDOW,)),)
    table = matrix_table(
        frame, "iops", caption="IOPS, mean over the measurement window, by R/W mix"
    )
    return (
        Page(plot_id="IOPS 3", title="Tabular data", blocks=(table,)),
        Page(
            plot_id="IOPS 4",
            title="2D plot, IOPS by block size",
            blocks=(Plot(figure=plot_iops_2d(frame)),),
        ),
        Page(
            plot_id="IOPS 5",
            title="3D columns, IOPS by block size and R/W mix",
            blocks=(Plot(figure=plot_columns_3d(frame, metric="iops")),),
        ),
    )

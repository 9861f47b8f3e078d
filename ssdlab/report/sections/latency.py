"""Latency: PTS 2.0.2, section 9, plots 1 to 7."""

import pandas as pd

from ssdlab.analysis.matrix import summarise_latency_table
from ssdlab.figures.matrix import plot_columns_3d
from ssdlab.report.blocks import Page, Plot, Table
from ssdlab.report.context import Context
from ssdlab.report.header import write_cache_text
from ssdlab.report.sections.histogram import histogram_page
from ssdlab.report.sections.matrix import NO_WINDOW, matrix_table, supported_table
from ssdlab.report.sections.steady import convergence_page, window_pages


def latency_pages(context: Context) -> tuple[Page, ...]:
    """Return the pages of the latency test."""
    average = convergence_page(
        context,
        "LAT 1",
        title="Steady state convergence, average latency",
        metric="lat_mean_ns",
    )
    maximum = convergence_page(
        context,
        "LAT 2",
        title="Steady state convergence, maximum latency",
        metric="lat_max_ns",
    )
    windows = window_pages(context, "LAT 3", phase="rounds")
    pages = (average, maximum, *windows, *_matrix_pages(context))
    if context.is_edition_1 or context.is_imported:
        return pages
    return (*pages, histogram_page(context, "LAT 7"))


def _matrix_pages(context: Context) -> tuple[Page, ...]:
    frame = summarise_latency_table(
        context.totals,
        context.windows,
        percentiles=context.percentiles,
        bins=context.bins,
    )
    if frame.empty:
        title = "Tabular data and 3D plots"
        return (Page(plot_id="LAT 4 - 6", title=title, blocks=(NO_WINDOW,)),)
    average = plot_columns_3d(frame, metric="lat_mean_ns")
    maximum = plot_columns_3d(frame, metric="lat_max_ns")
    return (
        Page(plot_id="LAT 4", title="Tabular data", blocks=_tables(context, frame)),
        Page(
            plot_id="LAT 5",
            title="3D plot, average latency",
            blocks=(Plot(figure=average),),
        ),
        Page(
            plot_id="LAT 6",
            title="3D plot, maximum latency",
            blocks=(Plot(figure=maximum),),
        ),
    )


def _tables(context: Context, frame: pd.DataFrame) -> tuple[Table, ...]:
    head = f"write cache {write_cache_text(context)}, T1/Q1"
    average = matrix_table(
        frame, "lat_mean_ns", caption=f"Average latency [ms], {head}"
    )
    maximum = matrix_table(frame, "lat_max_ns", caption=f"Maximum latency [ms], {head}")
    if context.is_edition_1:
        return (average, maximum)
    iops = matrix_table(frame, "iops", caption=f"IOPS, {head}")
    nines = _five_nines(frame, head)
    return (iops, average, nines, maximum)


def _five_nines(frame: pd.DataFrame, head: str) -> Table:
    """Return 99.999 % of the merged bins, or the rounds' mean where none were kept."""
    if frame["lat_five_nines_ns"].notna().any():
        caption = f"99.999 % latency [ms], all IOs of the window, {head}"
        return supported_table(frame, caption=caption)
    means = frame.assign(lat_five_nines_ns=frame["lat_five_nines_mean_ns"])
    caption = f"99.999 % latency [ms], mean of the rounds, {head}"
    return supported_table(means, caption=caption)

"""Latency: PTS 2.0.2, section 9, plots 1 to 7."""

from dataclasses import replace

import pandas as pd

from ssdlab.paper.blocks import Block, Page, Plot
from ssdlab.paper.context import Context, is_of_phase
from ssdlab.pts.shared.head_facts import write_cache_text
from ssdlab.pts.shared.headlines import latency_headlines
from ssdlab.pts.shared.histogram import exceedance_pages, histogram_page
from ssdlab.pts.shared.matrix import (
    MEANS_ALONE,
    NO_WINDOW,
    has_means,
    matrix_table,
    supported_table,
)
from ssdlab.pts.shared.matrix_figures import plot_columns_3d, plot_matrix_heat
from ssdlab.pts.shared.steady import convergence_page, window_pages
from ssdlab.pts.shared.view import View
from ssdlab.stats.matrix import summarise_latency_table
from ssdlab.stats.phases import range_name
from ssdlab.steadiness.convergence_figures import RoundMetric
from ssdlab.text.quantities import suited_quantity
from ssdlab.text.table import Table

_CURVES: tuple[tuple[int, str, RoundMetric], ...] = (
    (1, "average", "lat_mean_ns"),
    (2, "maximum", "lat_max_ns"),
)


def latency_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of the latency test, active range after active range."""
    pages = tuple(
        page
        for phase in context.round_groups(test)
        for page in _phase_pages(context, phase)
    )
    if context.is_edition_1 or context.is_imported:
        return pages
    histogram = histogram_page(context, test, "LAT 7")
    return (*pages, histogram, *exceedance_pages(context, test))


def _phase_pages(context: Context, phase: str) -> tuple[Page, ...]:
    part = range_name(phase)
    curves = tuple(
        convergence_page(
            context,
            "lat",
            f"LAT {number} {part}".strip(),
            title=f"Steady state convergence, {kind} latency {part}".strip(),
            metric=metric,
            phase=phase,
        )
        for number, kind, metric in _CURVES
    )
    if has_means(context, "lat", phase):  # which have no maximum of a round
        curves = (replace(curves[0], blocks=(MEANS_ALONE, *curves[0].blocks)),)
    windows = window_pages(context, "lat", f"LAT 3 {part}".strip(), phase=phase)
    return (*curves, *windows, *_matrix_pages(context, phase))


def _matrix_pages(context: Context, phase: str) -> tuple[Page, ...]:
    part = range_name(phase)
    frame = summarise_latency_table(
        context.totals,
        context.windows,
        percentiles=context.percentiles,
        bins=context.bins,
    )
    frame = frame[is_of_phase(frame["phase"], phase)]

    def page(number: str, title: str, *blocks: Block) -> Page:
        return Page(
            plot_id=f"LAT {number} {part}".strip(),
            title=f"{title} {part}".strip(),
            blocks=blocks,
        )

    if frame.empty:
        return (page("4 - 6", "Tabular data and 3D plots", NO_WINDOW),)
    average = plot_columns_3d(frame, metric="lat_mean_ns")
    maximum = plot_columns_3d(frame, metric="lat_max_ns")
    heat = Plot(figure=plot_matrix_heat(frame, metric="lat_mean_ns"))
    return (
        page("4", "Tabular data", *_tables(context, frame), heat),
        page("5", "3D plot, average latency", Plot(figure=average)),
        page("6", "3D plot, maximum latency", Plot(figure=maximum)),
    )


def _tables(context: Context, frame: pd.DataFrame) -> tuple[Table, ...]:
    head = f"write cache {write_cache_text(context)}, T1/Q1"
    average, maximum = (
        _latency_table(frame, metric, head) for metric in ("lat_mean_ns", "lat_max_ns")
    )
    if context.is_edition_1:
        return (average, maximum)
    iops = matrix_table(frame, "iops", caption=f"IOPS, {head}")
    nines = _five_nines(frame, head)
    return (iops, average, nines, maximum)


def _latency_table(frame: pd.DataFrame, metric: str, head: str) -> Table:
    unit = suited_quantity(metric, frame[metric].dropna())
    return matrix_table(frame, metric, caption=f"{unit.title}, {head}", unit=unit)


def _five_nines(frame: pd.DataFrame, head: str) -> Table:
    """Return 99.999 % of the merged bins, or the rounds' mean where none were kept."""
    if frame["lat_five_nines_ns"].notna().any():
        caption = f"99.999 % latency [ms], all IOs of the window, {head}"
        return supported_table(frame, caption=caption)
    means = frame.assign(lat_five_nines_ns=frame["lat_five_nines_mean_ns"])
    caption = f"99.999 % latency [ms], mean of the rounds, {head}"
    return supported_table(means, caption=caption)


VIEW = View(pages=latency_pages, headlines=latency_headlines)

"""CBW and DIRTH: PTS 2.0.2, sections 13 and 14, plots P1 to P15."""

from dataclasses import replace

import pandas as pd

from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.context import Context
from ssdlab.pts.demand.facts import limit_ns, set_up_facts, stimulus_facts
from ssdlab.pts.demand.figures import (
    Second,
    plot_demand_intensity,
    plot_demand_rounds,
    plot_demand_variation,
    plot_host_cpu,
    plot_host_cpu_heat,
    plot_pre_writes,
    plot_toio,
)
from ssdlab.pts.demand.points import (
    break_notes,
    explain_knee,
    point_notes,
    point_pages,
    points_table,
)
from ssdlab.pts.demand.summary import (
    DEMAND_PHASE,
    select_demand,
    summarise_demand,
    summarise_points,
    summarise_pre_writes,
)
from ssdlab.pts.demand.tables import (
    all_points_table,
    grid_table,
    pre_writes_table,
    rounds_table,
)
from ssdlab.pts.shared.composite_tables import composite_tables
from ssdlab.pts.shared.matrix import NO_WINDOW
from ssdlab.pts.shared.phases import WDPC
from ssdlab.pts.shared.preconditioning import preconditioning_page
from ssdlab.pts.shared.steady import reported_window, window_pages
from ssdlab.pts.shared.view import View
from ssdlab.text.numbers import number_text
from ssdlab.text.table import column, quantity

_ECW = "ECW"
_NAME_NOTE = Note(
    text="PTS-E 1.1 calls this test the enterprise composite workload (ECW); since PTS "
    "2.0 it is CBW."
)
_CPU_NOTE = (
    "System CPU is that of the whole host while a point was measured, from the "
    "counters of the operating system; it is not fio's report of its own process."
)
_CPU_OF_MODEL = " The virtual SSD ran on the same host, so its own share is included."


def cbw_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of the composite block size workload, ECW in PTS-E 1.1."""
    first, *rest = _pages(context, test, second="lat_mean_ns")
    pages = (
        replace(first, blocks=(*first.blocks, *composite_tables(context, test))),
        *rest,
    )
    if not context.is_edition_1:
        return pages
    named = tuple(
        replace(page, plot_id=f"{_ECW} {page.plot_id.partition(' ')[2]}")
        for page in pages
    )
    return (replace(named[0], blocks=(_NAME_NOTE, *named[0].blocks)), *named[1:])


def dirth_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of the demand intensity test."""
    return _pages(context, test, second="bw_bytes_per_s")


def _pages(context: Context, test: str, *, second: Second) -> tuple[Page, ...]:
    name = test.upper()
    frame = summarise_demand(
        context.totals, context.windows, steps=context.steps, test=test
    )
    points = summarise_points(
        context.totals, test=test, max_lat_ns=limit_ns(context, test)
    )
    return (
        preconditioning_page(context, test, f"{name} P1"),
        *window_pages(context, test, f"{name} P2", phase=WDPC),
        _pre_writes_page(context, name),
        _rounds_page(context, name),
        *window_pages(context, test, f"{name} P5", phase=DEMAND_PHASE),
        _variation_page(name, frame),
        _intensity_page(context, name, frame=frame, points=points),
        _cpu_page(context, name, frame),
        *point_pages(context, test),
        _toio_page(name, frame, second=second),
    )


def _page(plot_id: str, title: str, blocks: tuple[Block, ...]) -> Page:
    return Page(plot_id=plot_id, title=title, blocks=blocks)


def _pre_writes_page(context: Context, name: str) -> Page:
    title = "Pre-writes between rounds"
    frame = summarise_pre_writes(context.totals, test=name.lower())
    blocks: tuple[Block, ...] = (Note(text="No round was started.", tone="warning"),)
    if not frame.empty:
        figure = plot_pre_writes(frame, title=f"{title}, one point before each round")
        breaks = break_notes(context, name.lower(), DEMAND_PHASE)
        blocks = (Plot(figure=figure), *breaks, pre_writes_table(frame))
    return _page(f"{name} P3", title, blocks)


def _rounds_page(context: Context, name: str) -> Page:
    frame = select_demand(context.totals, test=name.lower())
    frame = frame[frame["round"].notna()]
    blocks: tuple[Block, ...] = (Note(text="No round was finished.", tone="warning"),)
    if not frame.empty:
        window = reported_window(context, name.lower(), DEMAND_PHASE)
        figure = plot_demand_rounds(frame, window=window)
        blocks = (Plot(figure=figure), rounds_table(frame))
    return _page(f"{name} P4", "Demand variation IOPS, most threads", blocks)


def _variation_page(name: str, frame: pd.DataFrame) -> Page:
    blocks: tuple[Block, ...] = (NO_WINDOW,)
    if not frame.empty:
        table = grid_table(
            frame, quantity("iops"), caption="IOPS, mean over the window"
        )
        blocks = (Plot(figure=plot_demand_variation(frame)), table)
    return _page(f"{name} P6", "Demand variation", blocks)


def _intensity_page(
    context: Context, name: str, *, frame: pd.DataFrame, points: pd.DataFrame
) -> Page:
    title = "Demand intensity"
    limit = limit_ns(context, name.lower())
    chosen: tuple[Block, ...] = (
        *points_table(context, points),
        *point_notes(context, points, max_lat_ns=limit),
    )
    if frame.empty:
        return _page(f"{name} P7", title, (NO_WINDOW, *chosen))
    figure = plot_demand_intensity(frame, points, max_lat_ns=limit)
    caption = "Average response time [ms], mean over the window"
    table = grid_table(frame, quantity("lat_mean_ns"), caption=caption)
    noted = explain_knee(table, frame)
    blocks: tuple[Block, ...] = (Plot(figure=figure), *chosen, noted)
    return _page(f"{name} P7", title, blocks)


def _cpu_page(context: Context, name: str, frame: pd.DataFrame) -> Page:
    load, title = "host_system_cpu_percent", "System CPU utilisation"
    if frame.empty:
        return _page(f"{name} P8", title, (NO_WINDOW,))
    if not frame[load].notna().any():
        text = "The processor time of the host was not recorded."
        return _page(f"{name} P8", title, (Note(text=text, tone="warning"),))
    words = _CPU_NOTE
    if context.record.target.kind == "virtual":
        words += _CPU_OF_MODEL
    table = grid_table(
        frame,
        column(title, load, number_text),
        caption="System CPU of the host [%]",
    )
    figures = (plot_host_cpu_heat(frame), plot_host_cpu(frame))
    heat, columns = (Plot(figure=figure) for figure in figures)
    blocks = (heat, Note(text=words), table, columns)
    return _page(f"{name} P8", title, blocks)


def _toio_page(name: str, frame: pd.DataFrame, *, second: Second) -> Page:
    words = "average response time" if second == "lat_mean_ns" else "throughput"
    title = f"IOPS and {words} vs total outstanding IOs"
    blocks: tuple[Block, ...] = (NO_WINDOW,)
    if not frame.empty:
        figure = plot_toio(frame, second=second)
        blocks = (Plot(figure=figure), all_points_table(frame))
    return _page(f"{name} P15", title, blocks)


CBW_VIEW = View(pages=cbw_pages, set_up=set_up_facts, stimulus=stimulus_facts)
DIRTH_VIEW = View(pages=dirth_pages, set_up=set_up_facts, stimulus=stimulus_facts)

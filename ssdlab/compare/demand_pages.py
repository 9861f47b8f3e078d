"""The page of IOPS v response time, and of demand intensity."""

from ssdlab.compare.comparison import Comparison
from ssdlab.compare.curve_figures import plot_compared_demand, plot_iops_response
from ssdlab.compare.missing import missing_notes
from ssdlab.paper.blocks import Block, Page, Plot
from ssdlab.pts.demand.summary import summarise_demand
from ssdlab.pts.suite import title_of

DEMAND_TESTS = ("cbw", "dirth")


def response_page(comparison: Comparison) -> Page:
    """Return IOPS v response time, and demand intensity."""
    blocks: list[Block] = []
    for test in DEMAND_TESTS:
        blocks += missing_notes(comparison, test)
        points = summarise_demand(
            comparison.totals, comparison.windows, steps=comparison.steps, test=test
        )
        if points.empty:
            continue
        title, looks = title_of(test), comparison.looks_by_run
        blocks += [
            Plot(
                figure=plot_iops_response(
                    points, looks=looks, title=f"IOPS v response time: {title}"
                )
            ),
            Plot(
                figure=plot_compared_demand(
                    points, looks=looks, title=f"IOPS v outstanding IOs: {title}"
                )
            ),
        ]
    return Page(title="IOPS and response time", blocks=tuple(blocks))

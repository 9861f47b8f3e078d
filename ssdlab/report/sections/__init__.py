"""One module a test: frames to the pages that the PTS asks for."""

from collections.abc import Callable

from ssdlab.report.blocks import Page
from ssdlab.report.context import Context
from ssdlab.report.sections.cross_stimulus import xsr_pages
from ssdlab.report.sections.custom import custom_pages
from ssdlab.report.sections.demand import cbw_pages, dirth_pages
from ssdlab.report.sections.idle_recovery import hir_pages
from ssdlab.report.sections.iops import iops_pages
from ssdlab.report.sections.latency import latency_pages
from ssdlab.report.sections.saturation import saturation_pages
from ssdlab.report.sections.throughput import throughput_pages

PAGES: dict[str, Callable[[Context], tuple[Page, ...]]] = {
    "iops": iops_pages,
    "tp": throughput_pages,
    "lat": latency_pages,
    "wsat": saturation_pages,
    "hir": hir_pages,
    "xsr": xsr_pages,
    "cbw": cbw_pages,
    "dirth": dirth_pages,
    "custom": custom_pages,
}
PTS_SECTIONS = {
    "iops": "7",
    "tp": "8",
    "lat": "9",
    "wsat": "10",
    "hir": "11",
    "xsr": "12",
    "cbw": "13",
    "dirth": "14",
    "custom": "",
}
# The pages of a test of a procedure, by the procedure's name.
PROCEDURE_PAGES: dict[str, Callable[[Context, str], tuple[Page, ...]]] = {}


def pages_of(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of a test of the run."""
    if context.procedure:
        return PROCEDURE_PAGES[context.procedure](context, test)
    return PAGES[test](context)

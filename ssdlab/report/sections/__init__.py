"""One module a test: frames to the pages that the PTS asks for."""

from collections.abc import Callable
from functools import partial

from ssdlab.report.blocks import Page
from ssdlab.report.context import Context
from ssdlab.report.sections.cross_stimulus import xsr_pages
from ssdlab.report.sections.custom import custom_pages
from ssdlab.report.sections.demand import cbw_pages, dirth_pages
from ssdlab.report.sections.idle_recovery import hir_pages
from ssdlab.report.sections.iops import iops_pages
from ssdlab.report.sections.latency import latency_pages
from ssdlab.report.sections.peak import peak_pages
from ssdlab.report.sections.rwsw import rwsw_pages
from ssdlab.report.sections.saturation import saturation_pages
from ssdlab.report.sections.sequence import sequence_pages
from ssdlab.report.sections.single_stimulus import single_stimulus_pages
from ssdlab.report.sections.throughput import throughput_pages
from ssdlab.report.sections.tkperf import tkperf_pages

PAGES: dict[str, Callable[[Context], tuple[Page, ...]]] = {
    "iops": iops_pages,
    "tp": throughput_pages,
    "lat": latency_pages,
    "wsat": saturation_pages,
    "wsat-oltp": partial(saturation_pages, test="wsat-oltp"),
    "wsat-vod": partial(saturation_pages, test="wsat-vod"),
    "wsat-metadata": partial(saturation_pages, test="wsat-metadata"),
    "wsat-composite": partial(saturation_pages, test="wsat-composite"),
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
    "wsat-oltp": "10",
    "wsat-vod": "10",
    "wsat-metadata": "10",
    "wsat-composite": "10",
    "hir": "11",
    "xsr": "12",
    "cbw": "13",
    "dirth": "14",
    "custom": "",
}
# The pages of a test of a procedure, by the procedure's name.
PROCEDURE_PAGES: dict[str, Callable[[Context, str], tuple[Page, ...]]] = {
    "saturate": single_stimulus_pages,
    "sequence": sequence_pages,
    "peak": peak_pages,
    "rwsw-wsat": rwsw_pages,
    "rwsw-streams": rwsw_pages,
    "rwsw-replay": rwsw_pages,
    "rwsw-sweep": rwsw_pages,
}


def pages_of(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of a test of the run."""
    if context.procedure:
        return PROCEDURE_PAGES[context.procedure](context, test)
    return (*PAGES[test](context), *tkperf_pages(context, test))

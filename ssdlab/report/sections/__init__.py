"""One module a test: frames to the pages that the PTS asks for."""

from ssdlab.report.blocks import Page
from ssdlab.report.context import Context
from ssdlab.report.sections.tkperf import tkperf_pages
from ssdlab.report.view import view_of


def pages_of(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of a test of the run, TKperf's of its profile last."""
    pages = view_of(context.record.asked, test).pages(context, test)
    return (*pages, *tkperf_pages(context, test))

"""The view of each test of a run: its pages, its summary rows, its outcome."""

from pkgutil import resolve_name
from typing import TYPE_CHECKING, cast

from ssdlab.model.asked import Asked, Procedure
from ssdlab.procedures.tkperf.pages import tkperf_pages
from ssdlab.procedures.views import PROCEDURE_VIEWS
from ssdlab.pts.shared.headlines import Headline
from ssdlab.pts.shared.verdict import SummaryRow
from ssdlab.pts.shared.view import View
from ssdlab.pts.suite import CATALOG

if TYPE_CHECKING:
    from ssdlab.paper.blocks import Block, Page
    from ssdlab.paper.context import Context

_OF_IMPORTS = "ssdlab.pts.custom.pages:VIEW"  # of workloads that belong to no test


def view_of(asked: Asked, test: str) -> View:
    """Return how a test of a run is shown."""
    if isinstance(asked, Procedure):
        place = PROCEDURE_VIEWS[asked.name]
    else:
        place = CATALOG[test].view if test in CATALOG else _OF_IMPORTS
    return cast("View", resolve_name(place))


def summary_rows(context: "Context") -> tuple[SummaryRow, ...]:
    """Return the rows of the front page, test after test."""
    asked = context.record.asked
    return tuple(
        row
        for test in context.record.tests
        for row in view_of(asked, test).summary(context.of_test(test), test)
    )


def headlines_of(context: "Context") -> tuple[Headline, ...]:
    """Return the key results of a run, test after test."""
    asked = context.record.asked
    return tuple(
        line
        for test in context.record.tests
        for line in view_of(asked, test).headlines(context.of_test(test), test)
    )


def overview_of(context: "Context") -> "tuple[Block, ...]":
    """Return what is shown of all tests of the run together."""
    asked = context.record.asked
    views = {view_of(asked, test): None for test in context.record.tests}
    return tuple(block for view in views for block in view.overview(context))


def pages_of(context: "Context", test: str) -> "tuple[Page, ...]":
    """Return the pages of a test of the run, TKperf's of its profile last."""
    own = context.of_test(test)
    pages = view_of(context.record.asked, test).pages(own, test)
    return (*pages, *tkperf_pages(own, test))

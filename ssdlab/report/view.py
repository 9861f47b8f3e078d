"""How a test is shown: its pages, the head of them, its summary and its outcome.

Each test names its view; the head of a page, the front page, notebooks and the command
line ask it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, cast

from ssdlab.model.asked import Asked, Procedure
from ssdlab.procedures.views import PROCEDURE_VIEWS
from ssdlab.pts.suite import CATALOG
from ssdlab.report.head_facts import Facts, rounds_set_up, rounds_stimulus
from ssdlab.report.outcome import Outcome, rounds_outcome
from ssdlab.report.verdict import SummaryRow, rounds_summary

if TYPE_CHECKING:
    from ssdlab.report.blocks import Page
    from ssdlab.report.context import Context
    from ssdlab.store.run import Run

_OF_IMPORTS = "ssdlab.report.sections.custom:VIEW"  # of workloads that are of no test


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """What a test is shown by.

    Attributes
    ----------
    pages : callable
        The pages of the test.
    set_up, stimulus : callable
        The last two columns at the head of its pages.
    summary : callable
        Its rows on the front page.
    outcome : callable
        What the end of a run says of it, each line by its name.
    """

    pages: "Callable[[Context, str], tuple[Page, ...]]"
    set_up: "Callable[[Context, str], Facts]" = rounds_set_up
    stimulus: "Callable[[Context, str], Facts]" = rounds_stimulus
    summary: "Callable[[Context, str], Iterable[SummaryRow]]" = rounds_summary
    outcome: "Callable[[Run, str], Iterable[Outcome]]" = rounds_outcome


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
        for row in view_of(asked, test).summary(context, test)
    )

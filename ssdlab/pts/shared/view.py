"""How a test is shown: its pages, their head, its summary and its outcome."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ssdlab.pts.shared.head_facts import Facts, rounds_set_up, rounds_stimulus
from ssdlab.pts.shared.headlines import Headline, window_headlines
from ssdlab.pts.shared.outcome import Outcome, rounds_outcome
from ssdlab.pts.shared.verdict import SummaryRow, rounds_summary

if TYPE_CHECKING:
    from ssdlab.paper.blocks import Block, Page
    from ssdlab.paper.context import Context
    from ssdlab.store.run import Run


def no_overview(_context: "Context") -> "tuple[Block, ...]":
    """Return nothing: each test is shown by itself."""
    return ()


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
    headlines : callable
        Its key results.
    outcome : callable
        Its lines at the end of a run, by name.
    overview : callable
        What is shown of all tests of the run together, before the first of them.
    """

    pages: "Callable[[Context, str], tuple[Page, ...]]"
    set_up: "Callable[[Context, str], Facts]" = rounds_set_up
    stimulus: "Callable[[Context, str], Facts]" = rounds_stimulus
    summary: "Callable[[Context, str], Iterable[SummaryRow]]" = rounds_summary
    headlines: "Callable[[Context, str], Iterable[Headline]]" = window_headlines
    outcome: "Callable[[Run, str], Iterable[Outcome]]" = rounds_outcome
    overview: "Callable[[Context], Iterable[Block]]" = no_overview

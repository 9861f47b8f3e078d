"""The page of a check: the answer, every limit with what was measured, the margins."""

import math
from collections.abc import Mapping
from itertools import chain
from typing import Final

from ssdlab.limits.check import Case, LimitCheck
from ssdlab.limits.figures import Margin, margin_of, plot_margins
from ssdlab.limits.text import (
    INTERVALS,
    NO_DRIVE,
    answer_text,
    cases_by_verdict,
    check_table,
    interval_text,
    run_numbers,
    run_text,
    runs_table,
    value_text,
    where_text,
    why_lines,
)
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.document import Document

_MOST_DRAWN: Final = 60  # of cases: a page of them


def check_document(check: LimitCheck) -> Document:
    """Return a check as a page: the answer, the table of cases, the figure."""
    by_verdict = cases_by_verdict(check)
    blocks: list[Block] = [Note(text=answer_text(check), tone="headline")]
    if not all(run.is_drive for run in check.runs):
        blocks.append(Note(text=NO_DRIVE, tone="warning"))
    blocks += [
        check_table(check, cases, caption=verdict.capitalize())
        for verdict, cases in by_verdict.items()
        if cases
    ]
    blocks += [Note(text=text) for text in (*why_lines(check), INTERVALS)]
    has_several = len(check.runs) > 1
    blocks += [runs_table(check)] if has_several else []
    numbers = run_numbers(check) if has_several else {}
    drawn = [
        margin
        for one in chain.from_iterable(by_verdict.values())
        if (margin := _margin(one, numbers))
    ][:_MOST_DRAWN]
    pages = []
    if drawn:
        plot = Plot(figure=plot_margins(drawn, title="How far from the limits"))
        pages.append(Page(title="Margins", blocks=(plot,)))
    source = check.file.source
    runs = f"{len(check.runs)} runs" if has_several else run_text(check.runs[0])
    return Document(
        title=f"Limits: {check.file.title}" if check.file.title else "Limits",
        subtitle=f"{runs}. Source: {source}" if source else runs,
        front=tuple(blocks),
        pages=tuple(pages),
    )


def _margin(one: Case, numbers: Mapping[str, int]) -> Margin | None:
    """Return the margin of a case; None where there is no value, or a bound of 0."""
    interval = one.interval
    if interval is None or not interval.estimate > 0 or 0 in one.limit.range:
        return None
    ends = (interval.estimate, interval.low, interval.high)
    value, low, high = margin_of(ends, one.limit.range)
    where = where_text(one)
    where += f", run {numbers[one.run_id]}" if numbers else ""
    measured = value_text(one.limit, interval.estimate)
    return Margin(
        name=f"{one.limit.text}, {where}",
        verdict=one.verdict,
        value=value,
        low=math.nan if one.reason == "no-scatter" else low,
        high=math.nan if one.reason == "no-scatter" else high,
        hover=f"{one.limit.text}: {measured} ({interval_text(one)})",
    )

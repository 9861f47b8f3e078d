"""The page of a check: the answer, every limit with what was measured, the margins."""

import math
from typing import Final

from ssdlab.limits.check import Case, LimitCheck
from ssdlab.limits.figures import Margin, margin_of, plot_margins
from ssdlab.limits.text import (
    INTERVALS,
    NO_DRIVE,
    answer_text,
    check_table,
    interval_text,
    run_text,
    split_cases,
    value_text,
    where_text,
    why_lines,
)
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.document import Document

_MOST_DRAWN: Final = 60  # of cases: a page of them


def check_document(check: LimitCheck) -> Document:
    """Return a check as a page: the answer, the table of cases, the figure."""
    listed, met = split_cases(check)
    has_several = len(check.runs) > 1
    blocks: list[Block] = [Note(text=answer_text(check), tone="headline")]
    if not all(run.is_drive for run in check.runs):
        blocks.append(Note(text=NO_DRIVE, tone="warning"))
    blocks += [
        check_table(own, caption=caption, names_runs=has_several)
        for own, caption in ((listed, "Not met, or cannot be told"), (met, "Met"))
        if own
    ]
    blocks += [Note(text=text) for text in (*why_lines(check), INTERVALS)]
    drawn = [
        margin
        for one in (*listed, *met)
        if (margin := _margin(one, names_run=has_several))
    ][:_MOST_DRAWN]
    pages = []
    if drawn:
        plot = Plot(figure=plot_margins(drawn, title="How far from the limits"))
        pages.append(Page(title="Margins", blocks=(plot,)))
    source = check.file.source
    runs = ", ".join(map(run_text, check.runs))
    return Document(
        title=f"Limits: {check.file.title}" if check.file.title else "Limits",
        subtitle=f"{runs}. Source: {source}" if source else runs,
        front=tuple(blocks),
        pages=tuple(pages),
    )


def _margin(one: Case, *, names_run: bool) -> Margin | None:
    """Return the margin of a case; None where there is no value, or a bound of 0."""
    interval = one.interval
    if interval is None or not interval.estimate > 0 or 0 in one.limit.range:
        return None
    ends = (interval.estimate, interval.low, interval.high)
    value, low, high = margin_of(ends, one.limit.range)
    where = f"{where_text(one)}, {one.run_id}" if names_run else where_text(one)
    measured = value_text(one.limit, interval.estimate)
    return Margin(
        name=f"{one.limit.text}, {where}",
        verdict=one.verdict,
        value=value,
        low=math.nan if one.reason == "no-scatter" else low,
        high=math.nan if one.reason == "no-scatter" else high,
        hover=f"{one.limit.text}: {measured} ({interval_text(one)})",
    )

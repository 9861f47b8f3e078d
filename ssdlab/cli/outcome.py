"""What a run measured: its key results, and the outcome of each test."""

import math
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ssdlab.model.errors import RunFolderError
from ssdlab.store.run import Run
from ssdlab.text.numbers import number_text, share_text
from ssdlab.text.table import Table
from ssdlab.text.terminal import fact_lines, table_lines

if TYPE_CHECKING:
    from ssdlab.pts.shared.headlines import Headline

_MORE_ROUNDS = 10
_MOST_LINES = 24
_BARS = "▁▂▃▄▅▆▇█"
_SPARK_WIDTH = 12
_HEAD = ("result", "load", "value", "95 % interval", "", "by round", "")
_WORDS = frozenset((0, 1, 4, 5, 6))
_WIDE, _NARROW_COLUMNS = 110, 5
_MARKS = {True: "✓", False: "✗", None: ""}


def result_lines(run: Run) -> list[str]:
    """Return what a run measured, as wide as the terminal, and how its tests ended."""
    from ssdlab.paper.context import read_context
    from ssdlab.report.view import headlines_of

    headlines = headline_lines(
        headlines_of(read_context(run)),
        width=shutil.get_terminal_size((120, 24)).columns,
    )
    return [*headlines, *([""] if headlines else []), *outcome_lines(run)]


def headline_lines(headlines: "Sequence[Headline]", *, width: int) -> list[str]:
    """Return key results as a table, without columns that no row fills.

    A narrow one leaves out the rounds.
    """
    if not headlines:
        return []
    columns = len(_HEAD) if width >= _WIDE else _NARROW_COLUMNS
    rows = [_headline_row(one) for one in headlines[:_MOST_LINES]]
    kept = [place for place in range(columns) if any(row[place] for row in rows)]
    table = Table(
        caption="",
        head=tuple(_HEAD[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in rows),
        words=tuple(n for n, place in enumerate(kept) if place in _WORDS),
    )
    more = len(headlines) - len(table.rows)
    rest = [f"and {more} more, in the report"] if more else []
    return [*table_lines(table), *rest]


def _headline_row(one: "Headline") -> tuple[str, ...]:
    fresh = ""
    if one.fresh is not None and one.change_ratio is not None:
        sign = "+" if one.change_ratio > 0 else "\N{MINUS SIGN}"
        change = f"{sign}{share_text(abs(one.change_ratio))}"
        fresh = f"fresh {number_text(one.fresh)} ({change})"
    return (
        one.name,
        one.load,
        one.value_text,
        one.interval_text,
        _MARKS[one.is_steady],
        spark_text(one.series),
        fresh,
    )


def spark_text(series: Sequence[float]) -> str:
    """Return values as bars from 0 to their maximum, neighbours averaged if many.

    >>> spark_text([9.0, 4.5, 3.0, 3.0])
    '█▄▃▃'
    """
    greatest = max(series, default=0.0)
    if len(series) < 2 or not greatest > 0:
        return ""
    step = math.ceil(len(series) / _SPARK_WIDTH)
    parts = [series[at : at + step] for at in range(0, len(series), step)]
    most = len(_BARS) - 1
    means = (sum(part) / len(part) for part in parts)
    levels = (math.ceil(mean / greatest * len(_BARS)) - 1 for mean in means)
    return "".join(_BARS[min(most, max(0, level))] for level in levels)


def outcome_lines(run: Run) -> list[str]:
    """Return how each test of a run ended, and the answers of the run.

    If its last rounds were not steady, the last lines tell how to continue.
    """
    from ssdlab.report.view import view_of

    named = [
        pair
        for test in run.record.tests
        for pair in view_of(run.record.asked, test).outcome(run, test)
    ]
    lines = fact_lines(named)
    return [*lines, "", *answer_lines(run), *_continuation(run)]


def answer_lines(run: Run) -> list[str]:
    """Return whether a run conforms and got steady, and how many doubts it has."""
    return fact_lines(run.answers.lines)


def _continuation(run: Run) -> list[str]:
    """Return how to continue rounds that did not get steady, if that is possible."""
    is_steady = set(run.answers.steadiness.values()) <= {"reached"}
    if run.state.status != "finished" or is_steady:
        return []
    from ssdlab.engine.extending import find_extension

    try:
        find_extension(run.path, run.record, run.state, more_rounds=_MORE_ROUNDS)
    except RunFolderError:
        return []
    return [
        "",
        "The standard lets the operator continue until steady state:",
        f"ssdlab resume {run.path} --more-rounds {_MORE_ROUNDS}",
    ]

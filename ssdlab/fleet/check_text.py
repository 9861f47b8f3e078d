"""What a check of a store shows, as plain data, in lines, in Markdown and as JUnit."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from ssdlab.fleet.check import Check, CheckedCell, CheckedSide, LeftOut
from ssdlab.fleet.texts import counted
from ssdlab.model.spec import label_of_test
from ssdlab.stats.plain_rows import plain_value
from ssdlab.text.junit import Case, render_junit
from ssdlab.text.markdown import render_markdown
from ssdlab.text.numbers import metric_text
from ssdlab.text.table import Column, Table, column, tabulate

INTERVALS: Final = (
    "Intervals are of 90 %, between drives: each end is a one-sided bound of 95 %."
)
_MARKS = {
    "within": "✓ within",
    "regression": "✗ regression",
    "not shown": "? not shown",
}
_NOTHING = "-"


def check_as_dict(check: Check) -> dict[str, Any]:
    """Return a check as plain data."""
    return {
        "store": check.store,
        "outcome": check.outcome,
        "counts": check.counts,
        "baseline": asdict(check.baseline),
        "candidate": asdict(check.candidate),
        "accepted": list(check.accepted),
        "left_out": [asdict(one) for one in check.left_out],
        "cells": [_cell_as_dict(one) for one in check.cells],
    }


def _cell_as_dict(one: CheckedCell) -> dict[str, Any]:
    plain: dict[str, Any] = {
        **one.names,
        "metric": one.limit.metric,
        "loss_percent": one.limit.loss_percent,
        "outcome": one.outcome,
        "reason": one.reason,
    }
    if one.contrast is None or one.difference is None:
        return plain
    for name, side in (
        ("baseline", one.contrast.baseline),
        ("candidate", one.contrast.candidate),
    ):
        value, low, high = side.interval
        plain[name] = {
            "value": value,
            "low": low,
            "high": high,
            "drives": side.drives,
            "runs": side.runs,
        }
    ratio = one.difference.ratio
    plain |= {
        "is_paired": one.contrast.pairs is not None,
        "ratio": ratio.estimate,
        "ratio_low": ratio.low,
        "ratio_high": ratio.high,
        "confidence_percent": ratio.confidence_percent,
        "p_regression": one.p_regression,
        "p_within": one.p_within,
        "drives_needed": one.drives_needed,
    }
    known: dict[str, Any] = plain_value(plain)
    return known


def answer_text(check: Check) -> str:
    """Return the outcome in a sentence."""
    counts, cells = check.counts, len(check.cells)
    match check.outcome:
        case "within":
            return f"PASS: the candidate is shown to be within all {cells} limits."
        case "regression":
            return (
                f"FAIL: a regression is shown in {counts['regression']} of {cells} "
                f"cells; {counts['within']} are shown to be within their limits, "
                f"{counts['not shown']} are not."
            )
        case "not shown":
            return (
                f"NOT SHOWN: no regression is shown, but {counts['not shown']} of "
                f"{cells} cells are not shown to be within their limits either."
            )


def check_lines(check: Check) -> Iterator[str]:
    """Yield what was compared and what was left out, without the table."""
    yield f"Baseline:   {_side_text(check.baseline)}"
    yield f"Candidate:  {_side_text(check.candidate)}"
    if check.accepted:
        yield f"Accepted:   {', '.join(check.accepted)}"
    yield from left_out_lines(check.left_out)


def left_out_lines(left_out: Sequence[LeftOut]) -> Iterator[str]:
    """Yield a line for each reason to leave runs out, with their names."""
    reasons = Counter((one.side, one.test, one.reason) for one in left_out)
    for side, test, reason in reasons:
        runs = [
            one.run_id
            for one in left_out
            if (one.side, one.test, one.reason) == (side, test, reason)
        ]
        yield f"Left out:   {', '.join(runs)} ({side}, {label_of_test(test)}: {reason})"


def why_lines(check: Check) -> Iterator[str]:
    """Yield why cells are not shown, and how many drives would be enough."""
    open_cells = [one for one in check.cells if one.outcome == "not shown"]
    counts = Counter(one.reason for one in open_cells)
    if counts:
        yield (
            "Why: " + "; ".join(f"{why} ({n})" for why, n in counts.most_common()) + "."
        )
    if counts["too few drives"]:
        yield "To claim anything takes three drives on each side, or two against four."
    needed = [one.drives_needed for one in open_cells if one.drives_needed]
    if needed:
        yield (
            f"Drives still needed: {max(needed)} for all cells with a known number, if "
            "they scatter as these do and the candidate is as good as the baseline."
        )


def _side_text(side: CheckedSide) -> str:
    chosen = " and ".join(side.conditions)
    return f"{chosen}: {counted(side.drives, 'drive')}, {counted(side.runs, 'run')}"


def check_table(cells: Sequence[CheckedCell], *, caption: str = "") -> Table:
    """Return cells with their outcome, both values, the change and the limit."""
    return tabulate(cells, _COLUMNS, caption=caption)


def cell_text(names: Mapping[str, str]) -> str:
    """Return a cell by its test, workload, direction and phase."""
    direction = "" if names["direction"] == "total" else f" {names['direction']}s"
    phase = "" if names["phase"] == "rounds" else f", {names['phase']}"
    return f"{label_of_test(names['test'])} {names['workload']}{direction}{phase}"


def limit_text(one: CheckedCell) -> str:
    """Return the limit as a change: ``-5 %`` of a rate, ``+5 %`` of a latency."""
    sign = "-" if one.limit.of.is_more_better else "+"
    return f"{sign}{one.limit.loss_percent:g} %"


def _value(side: str) -> Column:
    def text(one: CheckedCell) -> str:
        if one.contrast is None:
            return _NOTHING
        population = getattr(one.contrast, side)
        return metric_text(population.interval[0], one.limit.of.column)

    return Column(side.capitalize(), text)


def _change(one: CheckedCell) -> str:
    if one.difference is None:
        return _NOTHING
    return f"{_percent(one.difference.ratio.estimate)} %"


def _interval(one: CheckedCell) -> str:
    """Return the interval of the change, if anything is claimed of the drives."""
    if one.contrast is None or one.difference is None or one.contrast.reason:
        return _NOTHING
    ratio = one.difference.ratio
    return f"{_percent(ratio.low)} to {_percent(ratio.high)} %"


def _percent(ratio: float) -> str:
    percent = 100 * (ratio - 1)
    return "∞" if math.isinf(percent) else f"{percent:+.1f}"


def _drives(one: CheckedCell) -> str:
    if one.contrast is None:
        return _NOTHING
    counts = (one.contrast.baseline.drives, one.contrast.candidate.drives)
    return f"{counts[0]} and {counts[1]}"


_COLUMNS = (
    column("Outcome", lambda one: _MARKS[one.outcome], is_words=True),
    column("Cell", lambda one: cell_text(one.names), is_words=True),
    column("Metric", lambda one: one.limit.metric, is_words=True),
    _value("baseline"),
    _value("candidate"),
    Column("Change", _change),
    Column("90 % interval", _interval),
    Column("Limit", limit_text),
    Column("Drives", _drives),
    column("Why", lambda one: one.reason, is_words=True),
)


def check_markdown(check: Check) -> str:
    """Return a check in Markdown, for the summary of a CI job.

    All cells that are not within their limits are in a table, the others in one that
    is folded.
    """
    within = [one for one in check.cells if one.outcome == "within"]
    return render_markdown(
        answer_text(check),
        facts=[*check_lines(check), *why_lines(check)],
        listed=check_table([one for one in check.cells if one.outcome != "within"]),
        folded=check_table(within, caption=f"{len(within)} within their limits"),
        note=INTERVALS,
    )


def check_junit(check: Check, *, timestamp: str, is_strict: bool) -> bytes:
    """Return a check as JUnit XML: a test case for each cell.

    What is not shown is skipped, and fails if ``is_strict``. ``timestamp`` is the time
    in ISO 8601, without an offset.
    """
    return render_junit(
        [_test_case(one, is_strict=is_strict) for one in check.cells],
        name="store check",
        timestamp=timestamp,
        properties={
            "store": check.store,
            "baseline": _side_text(check.baseline),
            "candidate": _side_text(check.candidate),
        },
        output=facts_of(check),
    )


def _test_case(one: CheckedCell, *, is_strict: bool) -> Case:
    case = Case(
        suite=one.names["test"], name=f"{cell_text(one.names)} {one.limit.metric}"
    )
    if one.outcome == "within":
        return case
    words = [one.outcome, one.reason or f"{_change(one)} ({_interval(one)})"]
    is_failing = is_strict or one.outcome == "regression"
    return replace(
        case,
        outcome="failure" if is_failing else "skipped",
        kind=one.outcome,
        message=f"{': '.join(words)}, limit {limit_text(one)}",
        lines=tuple(cell_lines(one)),
    )


def facts_of(check: Check) -> list[str]:
    """Return all that is said of a check besides its cells."""
    return [answer_text(check), *check_lines(check), *why_lines(check), INTERVALS]


def cell_lines(one: CheckedCell) -> Iterator[str]:
    """Yield what is known of a cell: both populations with their intervals, the change.

    The interval of a population is of 95 %.
    """
    if one.contrast is None:
        yield one.reason
        return
    for name in ("baseline", "candidate"):
        population = getattr(one.contrast, name)
        numbers = population.interval
        value, low, high = (metric_text(v, one.limit.of.column) for v in numbers)
        interval = "interval not known"
        if not math.isnan(numbers[1]):
            interval = f"95 % interval {low} to {high}"
        drives, runs = (
            counted(population.drives, "drive"),
            counted(population.runs, "run"),
        )
        yield f"{name}: {value}, {interval}; {drives}, {runs}"
    paired = "each drive with itself" if one.contrast.pairs else "drives of both sides"
    interval = "interval not known"
    if not one.contrast.reason:
        interval = f"90 % interval {_interval(one)}"
    yield f"change: {_change(one)}, {interval} ({paired})"
    yield f"limit: {limit_text(one)}"
    if one.reason:
        yield f"not shown: {one.reason}"
    if one.drives_needed:
        yield f"drives still needed: {one.drives_needed}"

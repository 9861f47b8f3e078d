"""What is shown of runs against limits: sentences, a table, Markdown, JUnit."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from ssdlab.fleet.check_text import cell_text
from ssdlab.limits.bounds import DRIVE_READINGS, BoundLimit
from ssdlab.limits.check import Case, CheckedRun, LimitCheck, Reason
from ssdlab.model.spec import label_of_test
from ssdlab.qos.halves import Verdict
from ssdlab.stats.plain_rows import plain_value
from ssdlab.text.junit import Case as TestCase
from ssdlab.text.junit import render_junit
from ssdlab.text.markdown import render_markdown
from ssdlab.text.numbers import metric_text, number_text, or_unknown
from ssdlab.text.table import Column, Table, column, tabulate

INTERVALS: Final = (
    "Intervals are of 95 % if nothing else is asked for. A limit is met if the whole "
    "interval is within it. It is not met if an interval "
    "is beyond it that is wide enough for all verdicts together. Readings of the drive "
    "are shown with the least and the greatest."
)
NO_DRIVE: Final = "Simulated, or a file: no drive was measured."
_MARKS: Final[Mapping[Verdict, str]] = {
    "met": "✓ met",
    "not met": "✗ not met",
    "cannot be told": "? cannot be told",
}
_REASONS: Final[Mapping[Reason, str]] = {
    "not-measured": "not measured",
    "no-value": "no such value",
    "not-steady": "not steady",
    "not-judged": "steady state not judged",
    "neighbours": "host was shared",
    "no-scatter": "scatter not known",
    "not-bounded": "not bounded from above",
    "wide": "limit within interval",
    "among-many": "beyond, but among many",
    "not-read": "not read",
    "coarse": "the drive's counters are too coarse",
}
_NOTHING: Final = "-"
_USUAL_PERCENT: Final = 95.0


def check_as_dict(check: LimitCheck) -> dict[str, Any]:
    """Return a check as plain data, in stored units; what is not known is None."""
    return {
        "title": check.file.title,
        "source": check.file.source,
        "verdict": check.verdict,
        "counts": check.counts,
        "runs": [asdict(one) for one in check.runs],
        "cases": [_case_as_dict(one) for one in check.cases],
    }


def _case_as_dict(one: Case) -> dict[str, Any]:
    limit, interval = one.limit, one.interval
    low, high = limit.range
    plain = {
        "run_id": one.run_id,
        **{key: one.names.get(key) for key in _NAMES},
        "metric": limit.metric,
        "limit": limit.text,
        "at_least": low,
        "at_most": high,
        "confidence_percent": limit.confidence_percent,
        "source": limit.source,
        "verdict": one.verdict,
        "reason": one.reason,
        "value": interval.estimate if interval else None,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "count": one.count,
        "counted": one.counted,
        "needed": asdict(one.needed) if one.needed else None,
    }
    known: dict[str, Any] = plain_value(plain)
    return known


_NAMES: Final = ("test", "phase", "kind", "workload", "direction")


def answer_text(check: LimitCheck) -> str:
    """Return the verdict in a sentence."""
    counts, total = check.counts, len(check.cases)
    met, unknown = counts["met"], counts["cannot be told"]
    match check.verdict:
        case "met":
            return f"MET: every limit is met ({total} of {total})."
        case "not met":
            return (
                f"NOT MET: {counts['not met']} of {total} are shown not to be met; "
                f"{met} met, {unknown} cannot be told."
            )
        case "cannot be told":
            return (
                f"CANNOT BE TOLD: none of {total} is shown not to be met, but "
                f"{unknown} cannot be told; {met} met."
            )


_SHOWN_NEEDS = 3


def check_lines(check: LimitCheck) -> Iterator[str]:
    """Yield what was checked, against what."""
    if check.file.title:
        yield f"Limits:  {check.file.title}"
    if check.file.source:
        yield f"Source:  {check.file.source}"
    for number, run in enumerate(check.runs, 1):
        name = f"Run {number}:" if len(check.runs) > 1 else "Run:"
        yield f"{name:8} {run_text(run)}"


def run_text(run: CheckedRun) -> str:
    """Return a run and its device."""
    more = "" if run.is_drive else " (no drive)"
    doubts = f"; doubts about its numbers: {run.doubts}" if run.doubts else ""
    return f"{run.run_id}, {or_unknown(run.device)}{more}{doubts}"


def why_lines(check: LimitCheck) -> Iterator[str]:
    """Yield why verdicts are open, and what may close them."""
    counts = Counter(one.reason for one in check.cases if one.reason)
    if counts:
        words = (f"{_REASONS[why]} ({n})" for why, n in counts.most_common())
        yield f"Why: {'; '.join(words)}."
    if counts["not-measured"]:
        yield "A test or cell may be misspelt: ssdlab show RUN lists what was measured."
    if counts["among-many"]:
        yield (
            "Among many: its own interval is beyond the limit, but not at a confidence "
            "that holds for all verdicts together."
        )
    needs = list(dict.fromkeys(_basis(one) for one in check.cases if one.needed))
    if needs:
        shown = "; ".join(needs[:_SHOWN_NEEDS])
        more = len(needs) - _SHOWN_NEEDS
        yield (
            "Measured, of about what a verdict takes if value and scatter stay as they "
            f"are: {shown}{f'; {more} more' if more > 0 else ''}."
        )


def where_text(one: Case) -> str:
    """Return the cell, or the test of a reading; what was asked if there is none."""
    if "workload" in one.names:
        is_plain = one.names["phase"].startswith("rounds")
        phase = {"phase": "rounds"} if is_plain else {}
        return cell_text({**one.names, **phase})
    if one.names:
        return label_of_test(one.names["test"])
    limit = one.limit
    parts = [
        "" if limit.test == "*" else label_of_test(limit.test),
        "" if limit.cell == "*" else limit.cell,
        "" if limit.direction == "total" else f"{limit.direction}s",
    ]
    return " ".join(filter(None, parts)) or "any"


def value_text(limit: BoundLimit, value: float) -> str:
    """Return a measured value with its unit."""
    if math.isnan(value):
        return _NOTHING
    if limit.kind == "reading":
        return f"{number_text(value)} {DRIVE_READINGS[limit.metric].unit}".rstrip()
    return metric_text(value, limit.column)


def _value(one: Case) -> str:
    return (
        _NOTHING
        if one.interval is None
        else value_text(one.limit, one.interval.estimate)
    )


def interval_text(one: Case) -> str:
    """Return the interval that decides, or the range of a reading."""
    if one.interval is None or one.reason in {"no-scatter", "no-value"}:
        return _NOTHING
    low = value_text(one.limit, one.interval.low)
    if math.isinf(one.interval.high):
        return f"from {low}"
    high = value_text(one.limit, one.interval.high)
    unit = high.partition(" ")[2]
    return f"{low.removesuffix(f' {unit}')} to {high}"


def _takes(one: Case) -> str:
    return f"takes about {one.needed.count:,} {one.needed.what}" if one.needed else ""


def _basis(one: Case) -> str:
    """Return what it rests on: so many, of how many it would take."""
    if not one.count or one.reason == "no-scatter":
        return _NOTHING
    words = {"log": "batches of a log"}.get(one.counted, one.counted)
    if one.needed is None:
        return f"{one.count:,} {words}"
    return f"{one.count:,} of {one.needed.count:,} {words}"


def check_table(
    check: LimitCheck, cases: Sequence[Case], *, caption: str = ""
) -> Table:
    """Return cases with their verdict, the limit, the value and its interval.

    Runs are named by their numbers; a column that tells nothing is left out.
    """
    numbers = run_numbers(check)
    confidences = {one.limit.confidence_percent for one in cases}
    is_shown = {
        "Run": len(numbers) > 1,
        "Confidence": confidences != {_USUAL_PERCENT},
        "Why": any(one.reason for one in cases),
    }
    columns = (
        column("Verdict", lambda one: _MARKS[one.verdict], is_words=True),
        Column("Run", lambda one: str(numbers[one.run_id])),
        column("Limit", lambda one: one.limit.text, is_words=True),
        column("Cell", where_text, is_words=True),
        Column("Measured", _value),
        Column("Interval", interval_text),
        Column("Confidence", lambda one: f"{one.limit.confidence_percent:g} %"),
        Column("Rests on", _basis),
        column("Why", lambda one: _REASONS.get(one.reason, ""), is_words=True),
    )
    kept = [one for one in columns if is_shown.get(one.head, True)]
    return tabulate(cases, kept, caption=caption)


def run_numbers(check: LimitCheck) -> dict[str, int]:
    """Return the numbers of the runs, from 1, by their ids."""
    return {run.run_id: number for number, run in enumerate(check.runs, 1)}


def runs_table(check: LimitCheck) -> Table:
    """Return the runs with their numbers."""
    return tabulate(
        tuple(enumerate(check.runs, 1)),
        (
            column("Run", lambda row: row[0]),
            column("Id", lambda row: row[1].run_id, is_words=True),
            column("Device", lambda row: or_unknown(row[1].device), is_words=True),
            column("Doubts", lambda row: row[1].doubts or "none", is_words=True),
        ),
        caption="Runs",
    )


def cases_by_verdict(check: LimitCheck) -> dict[Verdict, list[Case]]:
    """Return the cases of each verdict, the worst first, in the order of the file."""
    return {
        verdict: [one for one in check.cases if one.verdict == verdict]
        for verdict in ("not met", "cannot be told", "met")
    }


def check_markdown(check: LimitCheck) -> str:
    """Return a check in Markdown, for the summary of a CI job."""
    not_met, unknown, met = cases_by_verdict(check).values()
    return render_markdown(
        answer_text(check),
        facts=[*check_lines(check), *why_lines(check)],
        listed=check_table(check, [*not_met, *unknown]),
        folded=check_table(check, met, caption=f"{len(met)} met"),
        note=INTERVALS,
    )


def check_junit(check: LimitCheck, *, timestamp: str, is_strict: bool) -> bytes:
    """Return a check as JUnit XML: a test case for each limit, cell and run.

    What cannot be told is skipped, and fails if ``is_strict``. ``timestamp`` is the
    time in ISO 8601, without an offset.
    """
    lines = [answer_text(check), *check_lines(check), *why_lines(check), INTERVALS]
    return render_junit(
        [_test_case(one, is_strict=is_strict) for one in check.cases],
        name="check",
        timestamp=timestamp,
        properties={"limits": check.file.title, "source": check.file.source},
        output=lines,
    )


def _test_case(one: Case, *, is_strict: bool) -> TestCase:
    case = TestCase(suite=one.run_id, name=f"{where_text(one)} {one.limit.text}")
    if one.verdict == "met":
        return case
    is_failing = is_strict or one.verdict == "not met"
    measured = f"measured {_value(one)}, interval {interval_text(one)}"
    limit = f"limit: {one.limit.text}"
    facts = (measured, _basis(one), limit, _takes(one), one.limit.source)
    return replace(
        case,
        outcome="failure" if is_failing else "skipped",
        kind=one.verdict,
        message=f"{one.verdict}: {_REASONS.get(one.reason, measured)}",
        lines=tuple(filter(None, facts)),
    )

"""Cells, values, ratios and verdicts as text for tables."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ssdlab.compare.verdicts import NOT_COMPARABLE, claim_words
from ssdlab.pts.compared import METRICS
from ssdlab.text.numbers import NOT_MEASURED, metric_text, rounded_text
from ssdlab.text.quantities import is_missing
from ssdlab.text.table import mark_unsupported


def cell_name(row: Any) -> str:
    """Return a cell in words; in the latency test with its metric."""
    metric = METRICS[str(row.metric)]
    is_plain = not str(row.metric).startswith("lat_")
    return str(row.cell) if is_plain else f"{row.cell}, {metric.words}"


def value_text(value: Any, metric: str) -> str:
    """Return a stored value with its unit, or that it was not measured."""
    if is_missing(value):
        return NOT_MEASURED
    return metric_text(float(value), metric)


def verdict_words(row: Any, names: Mapping[str, str]) -> str:
    """Return a verdict; ``names`` are the short names of the sides."""
    if not row.better:
        return str(row.verdict)
    sides = (row.a, row.b) if row.better == row.a else (row.b, row.a)
    winner, loser = (names[str(side)] for side in sides)
    gains = (row.percent, row.percent_low, row.percent_high)
    return claim_words(str(row.unit), row.claim, gains, sides=(winner, loser))


def ratio_words(row: Any) -> str:
    """Return the ratio of a pair with its interval."""
    if not row.ratio > 0:
        return NOT_MEASURED
    if not row.high > 0:
        return fine_ratio(row.ratio)
    value, low, high = (fine_ratio(part) for part in (row.ratio, row.low, row.high))
    if not row.low > 0:
        return f"{value} (at most {high})"
    if math.isinf(row.high):
        return f"{value} (at least {low})"
    return f"{value} ({low} to {high})"


def fine_ratio(ratio: Any) -> str:
    """Return a ratio, with three decimals if it is about 1.

    >>> fine_ratio(1.23456), fine_ratio(1234.0), fine_ratio(1.2e-7), fine_ratio(3e8)
    ('1.235', '1,230', '< 0.001', '> 10,000')
    """
    number = float(ratio)
    if number < 1e-3:
        return "< 0.001"
    if number > 1e4:
        return "> 10,000"
    return f"{number:.3f}" if 0.1 < number < 10 else rounded_text(number)


def p_text(row: Any) -> str:
    """Return the p-value behind the verdict of a row, or that there is none."""
    is_of_runs = "runs" in {row.claim, row.same} or math.isnan(row.p_drives_adjusted)
    kind = "same_" if row.same else ""
    p_value = getattr(row, f"p_{kind}{'runs' if is_of_runs else 'drives'}_adjusted")
    if math.isnan(p_value) or row.verdict == NOT_COMPARABLE:
        return NOT_MEASURED
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def unit_text(row: Any) -> str:
    """Return the number of runs or rounds behind a row."""
    return NOT_MEASURED if not row.n_a else f"{row.n_a}, {row.n_b} {row.unit}"


def first_of(names: Sequence[str], *, shown: int) -> str:
    """Return the first of some names, and how many more there are.

    >>> first_of(["a", "b", "c", "d"], shown=2), first_of(["a", "b"], shown=2)
    ('a, b and 2 more', 'a, b')
    """
    rest = len(names) - shown
    if rest <= 0:
        return ", ".join(names)
    return f"{', '.join(names[:shown])} and {rest} more"


def latency_text(row: Any) -> str:
    """Return a percentile with its interval in milliseconds, or its bound.

    >>> from types import SimpleNamespace as Row
    >>> latency_text(Row(lat_ns=2e6, low_ns=1.9e6, high_ns=2.5e6))
    '2.00 (1.90 to 2.50)'
    >>> latency_text(Row(lat_ns=2e6, low_ns=1.9e6, high_ns=math.inf))
    '2.00 * (1.90 to ?)'
    """
    is_supported = math.isfinite(row.high_ns)
    value, low = (rounded_text(float(part) / 1e6) for part in (row.lat_ns, row.low_ns))
    high = rounded_text(row.high_ns / 1e6) if is_supported else "?"
    return f"{mark_unsupported(value, is_supported)} ({low} to {high})"

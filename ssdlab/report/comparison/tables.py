"""The tables of a comparison."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.analysis.comparison.metrics import METRICS
from ssdlab.analysis.comparison.pairs import percent_text
from ssdlab.figures.labels import number_text
from ssdlab.figures.names import shortened
from ssdlab.report.blocks import Table
from ssdlab.report.class_tables import ratio_text
from ssdlab.report.comparison.read import Comparison
from ssdlab.report.text import NOT_MEASURED, TEST_TITLES, is_missing, metric_text

_LONGEST_VALUE = 70
_LONGEST_SIDE = 40


def sides_table(comparison: Comparison) -> Table:
    """Return who is compared: sides, their runs, and what they are."""
    sides = comparison.sides
    counts = comparison.findings.groupby(["run_id", "severity"]).size()
    rows = []
    for row in rows_of(sides):
        texts = [
            f"{counts[row.run_id, severity]} {severity}"
            for severity in ("grave", "major", "minor")
            if (row.run_id, severity) in counts.index
        ]
        rows.append((
            str(row.side),
            str(row.run_id),
            "model, no drive" if row.is_model else str(row.kind),
            shortened(str(row.drive), longest=_LONGEST_VALUE),
            ", ".join(texts) or "none",
        ))
    return Table(
        caption="What is compared",
        corner="Drive",
        head=("Run", "Kind", "Model and serial number", "Findings"),
        rows=tuple(rows),
        words=(1, 2, 3, 4),
        note="Runs of one drive under the same conditions are repetitions of one side.",
    )


def conditions_table(comparison: Comparison, *, differing: bool) -> Table:
    """Return the conditions that differ, or those that are the same in all runs."""
    table = comparison.conditions
    chosen = table[table["is_same"] != differing]
    looks = comparison.run_looks
    rows: list[tuple[str, ...]] = []
    for name, group in chosen.groupby("condition", sort=False):
        values = dict(zip(group["run_id"], group["value"], strict=True))
        if not differing:
            rows.append((str(name), _short(next(iter(values.values())))))
            continue
        weight = _weight(str(name), group, comparison)
        rows.append((
            str(name),
            weight,
            *(_short(values[look.run_id]) for look in looks),
        ))
    names = tuple(look.name for look in looks)
    return Table(
        caption="Conditions that differ" if differing else "The same in all runs",
        corner="Condition",
        head=("Compared anyway?", *names) if differing else ("Value",),
        rows=tuple(rows),
        words=tuple(range(1, len(names) + 2)),
        is_folded=not differing,
    )


def _weight(name: str, group: pd.DataFrame, comparison: Comparison) -> str:
    if name in comparison.rules.accepted:
        return "yes: accepted"
    if group["is_barring"].iloc[0]:
        return "no"
    return "not in cells that differ" if name.startswith("TC/QD") else "yes"


def _short(value: Any) -> str:
    return shortened(str(value), longest=_LONGEST_VALUE)


def verdict_table(rows: pd.DataFrame, *, test: str) -> Table:
    """Return the verdicts of a test and pair, a cell each."""
    lines = tuple(
        (
            cell_name(row),
            value_text(row.value_a, str(row.metric)),
            value_text(row.value_b, str(row.metric)),
            ratio_words(row),
            p_text(row.p_holm),
            _unit_text(row),
            verdict_words(row),
            str(row.reason),
        )
        for row in rows_of(rows)
    )
    return Table(
        caption=f"{TEST_TITLES.get(test, test)}: {rows['a'].iloc[0]} (A) v "
        f"{rows['b'].iloc[0]} (B)",
        corner="Cell",
        head=("A", "B", "A / B", "p", "n", "Verdict", "Why not"),
        rows=lines,
        words=(0, 6, 7),
        note="A / B with the 95 % interval of each cell by itself; p after Holm, over "
        "all cells and pairs of this comparison. n: rounds of one run each, or runs.",
    )


def cell_name(row: Any) -> str:
    """Return a cell in words, of the latency test with its metric."""
    metric = METRICS[str(row.metric)]
    is_plain = not str(row.metric).startswith("lat_")
    return str(row.cell) if is_plain else f"{row.cell}, {metric.words}"


def value_text(value: Any, metric: str) -> str:
    """Return a stored value with its unit, or that it was not measured."""
    if is_missing(value):
        return NOT_MEASURED
    return metric_text(float(value), metric)


def verdict_words(row: Any) -> str:
    """Return a verdict with A and B for the names of the sides."""
    if not row.better:
        return str(row.verdict)
    letters = "AB" if row.better == row.a else "BA"
    gain = percent_text(row.percent, row.percent_low, row.percent_high)
    return f"{letters[0]} beats {letters[1]} by {gain}"


def ratio_words(row: Any) -> str:
    """Return the ratio of a pair with its interval."""
    if not row.ratio > 0:
        return NOT_MEASURED
    if not row.low > 0:
        return ratio_text(float(row.ratio))
    texts = [_fine(float(part)) for part in (row.ratio, row.low, row.high)]
    return f"{texts[0]} ({texts[1]} to {texts[2]})"


def _fine(ratio: float) -> str:
    return f"{ratio:.3f}" if 0.1 < ratio < 10 else ratio_text(ratio)


def p_text(p_value: float) -> str:
    """Return a p-value, or that there is none."""
    if math.isnan(p_value):
        return NOT_MEASURED
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def _unit_text(row: Any) -> str:
    return NOT_MEASURED if not row.n_a else f"{row.n_a}, {row.n_b} {row.unit}"


def values_table(summary: pd.DataFrame, names: Sequence[str], *, caption: str) -> Table:
    """Return values by cell, a column for each side."""
    lines = []
    for (metric, cell), group in summary.groupby(["metric", "cell"], sort=False):
        own = {str(row.side): row for row in rows_of(group)}
        words = METRICS[str(metric)].words
        lines.append((
            f"{cell}, {words}" if str(metric).startswith("lat_") else str(cell),
            *(_with_interval(own.get(name), str(metric)) for name in names),
        ))
    return Table(
        caption=caption,
        corner="Cell",
        head=tuple(names),
        rows=tuple(lines),
        words=(0,),
        note="Mean with its 95 % interval: of the rounds of the window, or of the runs "
        f"where a drive has several. {NOT_MEASURED}: not measured.",
    )


def _with_interval(row: Any, metric: str) -> str:
    if row is None:
        return NOT_MEASURED
    if not row.low > 0:
        return f"{value_text(row.value, metric)} (no interval)"
    low, high = (value_text(part, metric) for part in (row.low, row.high))
    return f"{value_text(row.value, metric)} ({low} to {high}; {row.n} {row.unit})"


def variance_table(variance: pd.DataFrame) -> Table:
    """Return drive-to-drive against run-to-run."""
    lines = tuple(
        (
            f"{str(row.test).upper()} {cell_name(row)}",
            f"{row.between_percent:.2f} %",
            _within_text(row),
            f"{ratio_text(row.ratio)} ({ratio_text(row.low)} to {_end(row.high)})",
            f"{row.n_sides}, {row.n_runs}",
            str(row.note),
        )
        for row in rows_of(variance)
    )
    return Table(
        caption="Scatter between drives, and from run to run",
        corner="Cell",
        head=("Drive-to-drive", "Run-to-run", "Ratio of variances", "Drives, runs", ""),
        rows=lines,
        words=(0, 5),
        note="Standard deviations of the logarithm; one-way random effects. An "
        "estimate below 0 stands as 0. Normal values are taken for granted.",
    )


def _within_text(row: Any) -> str:
    low, high = row.within_low_percent, row.within_high_percent
    return f"{row.within_percent:.2f} % ({low:.2f} to {high:.2f} %)"


def _end(value: float) -> str:
    return ratio_text(value) if math.isfinite(value) else "no end"


def outliers_table(outliers: pd.DataFrame) -> Table:
    """Return the runs and rounds that stand far from the others."""
    lines = tuple(
        (
            f"{str(row.test).upper()} {cell_name(row)}",
            str(row.of),
            str(row.run_id),
            NOT_MEASURED if is_missing(row.round) else str(row.round),
            value_text(row.value, str(row.metric)),
            value_text(row.median, str(row.metric)),
            f"{number_text(row.distance)} (limit {number_text(row.limit)})",
        )
        for row in rows_of(outliers)
    )
    return Table(
        caption="Far from the others, by median absolute deviation",
        corner="Cell",
        head=("Of the", "Run", "Round", "Value", "Median", "Distance"),
        rows=lines,
        words=(0, 1, 2),
        note="Distance in robust standard deviations. One in 100 windows without any "
        "outlier has one by chance. Nothing was left out for it.",
    )


def score_table(scores: pd.DataFrame, names: Iterable[str]) -> Table:
    """Return a score with its parts, the best first."""
    totals = scores[scores["term"] == ""].set_index("side")["ratio"]
    ordered = sorted(names, key=lambda name: -_or_least(totals.get(name)))
    terms = [str(term) for term in dict.fromkeys(scores["term"]) if term]
    by_place = {(str(r.side), str(r.term)): r for r in rows_of(scores)}
    lines = tuple(
        (name, *(_part(by_place[name, term]) for term in ["", *terms]))
        for name in ordered
    )
    weights = dict(zip(scores["term"], scores["weight"], strict=True))
    return Table(
        caption="Score and its parts",
        corner="Drive",
        head=("Score", *(f"{term} (weight {weights[term]:g})" for term in terms)),
        rows=lines,
        words=(0,),
        note="Each part: how many times as good as the geometric mean of the drives, "
        "over the cells that all of them measured. The score is their weighted "
        "geometric mean. In brackets the widest that the intervals of the cells allow.",
    )


def _or_least(value: Any) -> float:
    return -math.inf if value is None or is_missing(value) else float(value)


def _part(row: Any) -> str:
    if is_missing(row.ratio):
        return NOT_MEASURED
    if is_missing(row.low):
        return f"{row.ratio:.3f} (no interval)"
    return f"{row.ratio:.3f} ({row.low:.3f} to {row.high:.3f})"

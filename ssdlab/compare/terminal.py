"""A comparison as lines that fit the width of the terminal."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from typing import Any

import pandas as pd

from ssdlab.compare.answer_pages import answer_of
from ssdlab.compare.cells import rows_of
from ssdlab.compare.claims import primary_text, repeats_text, scope_text
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.condition_pages import barring_names, match_text, state_texts
from ssdlab.compare.conditions import SAME, WORKERS, name_conditions
from ssdlab.compare.measured_on import kind_text
from ssdlab.compare.missing import missing_cells
from ssdlab.compare.pair_tables import find_pairs, pairs_to_show, why_text
from ssdlab.compare.texts import fine_ratio, ratio_words, value_text
from ssdlab.compare.verdicts import (
    CONTROLS,
    MISSING,
    NO_DIFFERENCE,
    NOT_COMPARABLE,
    tally_verdicts,
)
from ssdlab.model.spec import label_of_test
from ssdlab.plots.names import distinct_texts, shortened
from ssdlab.pts.compared import METRICS, NOT_COMPARED
from ssdlab.pts.suite import COMPARED, title_of
from ssdlab.text.table import Table
from ssdlab.text.terminal import table_lines, wrapped

_WIDE = 100  # columns; from here on the values are next to the ratios
_FEW_CELLS = 4
_USUAL = "RND 4 KiB "  # the cells of a large table that are shown
_LEAST_VALUE = 32
_INDENT = "  "
_SHORTER = (20, 12, 8)  # letters of a drive's name in a table, until it fits
_TALLY_WORDS = {
    "a_beats": "{a} beats {b}",
    "b_beats": "{b} beats {a}",
    "same": "the same",
    "a_ahead": "{a} ahead",
    "b_ahead": "{b} ahead",
    "same_in_runs": "same in runs",
    "no_difference": "no difference",
    "no_verdict": "no verdict",
    "missing": "missing",
}
_UNDECIDED = ("no_difference", "no_verdict", "missing")

Names = Mapping[str, str]
Row = tuple[str, ...]


def comparison_lines(comparison: Comparison, *, width: int = 80) -> Iterator[str]:
    """Yield a comparison in brief."""
    names, table = comparison.short_names, comparison.differences
    yield from wrapped(answer_of(comparison), width=width)
    yield ""
    if not table.empty:
        for pair in pairs_to_show(table):
            own = {name: names[name] for name in (pair.a, pair.b)}
            yield from _pair_lines(pair.rows, own, width)
            yield ""
        yield from _tally_lines(table, names, width)
        yield ""
    yield from _side_lines(comparison, width)
    yield from _condition_lines(comparison, width)
    if table.empty:
        return
    absent = missing_cells(comparison)
    if absent:
        yield "Missing"
        texts = (f"{side}, {test}: {words}" for side, test, words in absent)
        yield from _paragraphs(*texts, width=width)
    yield ""
    yield from _paragraphs(
        "“Beats”: difference between drives; “ahead”: between these runs only. "
        f"{CONTROLS[comparison.rules.control]}; intervals are 95 % for each cell. No "
        "difference shown is not evidence of equality.",
        *filter(None, (scope_text(table, names), primary_text(comparison))),
        *(repeats_text(row) for row in rows_of(comparison.repeats)),
        width=width,
    )


def _tally_lines(differences: pd.DataFrame, names: Names, width: int) -> Iterator[str]:
    """Yield for each pair in how many cells which side is ahead, or why in none."""
    judged, others = find_pairs(differences)
    if judged:
        yield "Which is better, in how many cells"
    for pair in judged:
        own = {name: names[name] for name in (pair.a, pair.b)}
        words = f"{len(pair.rows):>4} cells: {_tally_text(pair.rows, own)}"
        yield from _of_pair(own, words, width)
    if others:
        yield "Pairs without a verdict"
    whys: dict[str, list[str]] = {}
    for pair in others:
        words = f"{names[pair.a]} vs. {names[pair.b]}"
        whys.setdefault(why_text(pair), []).append(words)
    for why, pairs in whys.items():
        yield from _paragraphs(f"{', '.join(pairs)}: {why}", width=width)


def _of_pair(own: Names, words: str, width: int) -> list[str]:
    pair = " vs. ".join(own.values())
    return wrapped(f"{pair}  {words}", width=width, first="  ", rest="      ")


def _side_lines(comparison: Comparison, width: int) -> Iterator[str]:
    yield "Compared"
    for name, runs in comparison.sides.groupby("side", sort=False):
        kind = kind_text(str(runs["kind"].iloc[0]))
        printed = shortened(str(name), longest=width)
        mark = f": {kind}" if bool(runs["is_model"].iloc[0]) else ""
        short = comparison.short_names[str(name)]
        called = "" if short.split() == printed.split() else f" (below: {short})"
        yield shortened(f"  {name}{mark}{called}", longest=width)
        for run_id in runs["run_id"]:
            yield shortened(f"       {run_id}", longest=width)
    yield from _paragraphs(*state_texts(comparison), width=width)


def _condition_lines(comparison: Comparison, width: int) -> Iterator[str]:
    table = comparison.conditions
    others = table[table["standing"] != SAME]
    names = name_conditions(others["condition"])
    nowhere = barring_names(table)[2]
    told = [name for name in names if name not in nowhere]
    yield (
        "Conditions that differ or are not known for every run"
        if told
        else match_text(nowhere)
    )
    for name in told:
        group = others[others["condition"] == name]
        is_accepted = name in comparison.rules.accepted
        is_barring = bool(group["is_barring"].iloc[0]) and not is_accepted
        values = list(dict.fromkeys(str(value) for value in group["value"]))
        effect = "no verdict" if is_barring else "compared anyway"
        if name.startswith(WORKERS) and not is_accepted:
            effect = "no verdict where a cell differs"
        yield from _condition(f"{name} ({effect}): ", values, width)
    if told and nowhere:
        yield from _paragraphs(f"Not recorded: {', '.join(nowhere)}.", width=width)


def _condition(name: str, values: list[str], width: int) -> Iterator[str]:
    room = width - len(name) - 2 - 3 * (len(values) - 1)
    each = max(_LEAST_VALUE, room // len(values))
    texts = " | ".join(distinct_texts(values, longest=each).values())
    yield from wrapped(f"{name}{texts}", width=width, first="  ", rest="      ")


def _pair_lines(rows: pd.DataFrame, names: Names, width: int) -> Iterator[str]:
    """Yield in how many cells which side is ahead, and the usual cells."""
    yield shortened(" vs. ".join(names), longest=width)
    there = rows[rows["verdict"] != MISSING]
    if there.empty:
        yield "  no cell measured by both"
        return
    yield from _fitting_table(there, names, width)
    for reason, counts in _reasons(there).items():
        tests = ", ".join(f"{test} {count}" for test, count in counts.items())
        yield from wrapped(
            f"no verdict, {reason}: {tests}", width=width, first="  ", rest="    "
        )


def _fitting_table(rows: pd.DataFrame, names: Names, width: int) -> list[str]:
    """Return the cells of a pair, with names short enough for the terminal."""
    for longest in _SHORTER:
        short = distinct_texts(names.values(), longest=longest)
        table = _pair_table(rows, {side: short[names[side]] for side in names}, width)
        if _table_width(table) <= width - len(_INDENT):
            break
    lines = table_lines(table, width=width - len(_INDENT))
    return [f"{_INDENT}{line}" for line in lines]


def _table_width(table: Table) -> int:
    """Return how wide a table is in the terminal if nothing is broken."""
    columns = zip(table.head, *table.rows, strict=True)
    return sum(max(map(len, own)) for own in columns) + 2 * (len(table.head) - 1)


def _pair_table(rows: pd.DataFrame, names: Names, width: int) -> Table:
    """Return the cells of a pair; both values only if there is space."""
    head, *lines = _table_rows(rows, names)
    kept = range(len(head)) if width >= _WIDE else (0, 1, len(head) - 1)
    return Table(
        caption="",
        head=tuple(head[place] for place in kept),
        rows=tuple(tuple(line[place] for place in kept) for line in lines),
        words=tuple(range(len(head))),
    )


def _table_rows(rows: pd.DataFrame, names: Names) -> list[Row]:
    first, second = names.values()
    lines: list[Row] = [("", f"{first} / {second}", first, second, "")]
    for (test, metric), group in rows.groupby(["test", "metric"], sort=False):
        lines += _group_lines(group, names, title=_title(str(test), str(metric)))
    return lines


def _reasons(rows: pd.DataFrame) -> dict[str, Counter[str]]:
    """Return what bars verdicts, each with its number of cells by test."""
    found: dict[str, Counter[str]] = {}
    for row in rows_of(rows[rows["reason"] != ""]):
        for reason in str(row.reason).split("; "):
            found.setdefault(reason, Counter())[label_of_test(row.test)] += 1
    return found


def _title(test: str, metric: str) -> str:
    title = title_of(test)
    words = METRICS[metric].words.removesuffix(" latency")
    return f"{title}, {words}" if metric.startswith("lat_") else title


def _group_lines(rows: pd.DataFrame, names: Names, *, title: str) -> Iterator[Row]:
    chosen = list(_usual_cells(rows))
    if len(rows) > len(chosen):
        ends = [fine_ratio(end) for end in (rows["ratio"].min(), rows["ratio"].max())]
        tally = _tally_text(rows, names, left_out=_UNDECIDED) or "nothing shown"
        yield title, f"{ends[0]} … {ends[1]}", "", "", f"{tally}, of {len(rows)}"
    elif chosen:
        yield title, "", "", "", ""
    for row in chosen:
        values = (value_text(v, str(row.metric)) for v in (row.value_a, row.value_b))
        yield f"  {row.cell}", ratio_words(row), *values, _verdict_text(row, names)


def _usual_cells(rows: pd.DataFrame) -> Iterator[Any]:
    """Yield all cells if they are few, else those of RND 4 KiB; no loads or nines."""
    usual = rows[rows["cell"].str.startswith(_USUAL)]
    test, metric = str(rows["test"].iloc[0]), str(rows["metric"].iloc[0])
    if len(rows) <= _FEW_CELLS:
        yield from rows_of(rows)
    elif not (
        COMPARED.get(test, NOT_COMPARED).by_workers or METRICS[metric].level_percent
    ):
        edges = usual[usual["cell"].str.contains(r" (?:0/100|65/35|100/0)$")]
        yield from rows_of(edges)


def _tally_text(
    rows: pd.DataFrame, names: Names, *, left_out: Container[str] = ()
) -> str:
    """Return the verdicts that occur, each with its number of cells."""
    a, b = names.values()
    counts = tally_verdicts(rows)
    return ", ".join(
        f"{words.format(a=a, b=b)} {counts[name]}"
        for name, words in _TALLY_WORDS.items()
        if counts[name] and name not in left_out
    )


def _verdict_text(row: Any, names: Names) -> str:
    if row.verdict == NOT_COMPARABLE:
        return _TALLY_WORDS["no_verdict"]
    if row.same:
        return _TALLY_WORDS["same" if row.same == "drives" else "same_in_runs"]
    if not row.better:
        is_apart = row.verdict == NO_DIFFERENCE and not row.low <= 1 <= row.high
        return "not shown over the whole table" if is_apart else str(row.verdict)
    winner = names[str(row.better)]
    if row.claim == "drives":
        return f"{winner} beats the other"
    return f"{winner} ahead in {'every run' if row.unit == 'runs' else 'these runs'}"


def _paragraphs(*texts: str, width: int) -> Iterator[str]:
    for text in texts:
        yield from wrapped(text, width=width, first=_INDENT, rest=_INDENT)

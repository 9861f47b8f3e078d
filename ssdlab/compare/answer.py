"""What a comparison answers, in one sentence: what its verdicts show, and no more.

Cells are taken together by what a drive does in them. Of such a kind something is said
without a count only if the verdicts of all its cells say it.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pandas as pd

from ssdlab.compare.cells import CELL, rows_of
from ssdlab.compare.pair_tables import Pair, find_pairs, why_text
from ssdlab.compare.verdicts import MISSING, NO_DIFFERENCE, SAME_PERCENT, TOO_SMALL
from ssdlab.pts.compared import METRICS

Kind = Literal["writes", "reads", "mixed loads", "response times", "slowest I/Os"]
KINDS: tuple[Kind, ...] = (
    *("writes", "reads", "mixed loads"),
    *("response times", "slowest I/Os"),
)
LEAST_RUNS = 3  # of a drive: with fewer, nothing is said of the drives
_VERBS: Mapping[Kind, str] = {
    "writes": "writes",
    "reads": "reads",
    "mixed loads": "handles mixed loads",
    "response times": "responds",
    "slowest I/Os": "answers its slowest I/Os",
}
_MOST_DECIMALS = 4
_LOOSE = 10.0  # from here on a ratio has no decimals


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """What the verdicts on two drives say of the cells of one kind.

    ``leads`` are by how many times the first drive is faster, and ``behind`` the
    second, in each cell where a verdict says so. ``n_same`` cells are shown to be the
    same, ``n_open`` were judged without a result, ``n_barred`` have no verdict, and
    ``n_missing`` were measured by one drive alone. ``is_of_drives`` if all that is
    shown is shown of the drives, not only of these runs.
    """

    kind: Kind
    leads: tuple[float, ...] = ()
    behind: tuple[float, ...] = ()
    n_same: int = 0
    n_open: int = 0
    n_barred: int = 0
    n_missing: int = 0
    is_of_drives: bool = False

    @property
    def n_cells(self) -> int:
        """The cells that both drives measured."""
        shown = len(self.leads) + len(self.behind) + self.n_same
        return shown + self.n_open + self.n_barred

    @property
    def is_led(self) -> bool:
        """Whether the first drive is faster in every cell that either measured."""
        return bool(self.leads) and len(self.leads) == self.n_cells + self.n_missing

    @property
    def is_same(self) -> bool:
        """Whether both are the same in every cell that either measured."""
        return bool(self.n_same) and self.n_same == self.n_cells + self.n_missing

    @property
    def is_main(self) -> bool:
        """Whether it is told by itself: not if a drive is faster in less than half."""
        most = max(len(self.leads), len(self.behind))
        return not most or 2 * most >= self.n_cells

    @property
    def turned(self) -> "Part":
        """The same with the drives in the other order."""
        return replace(self, leads=self.behind, behind=self.leads)


def find_parts(rows: pd.DataFrame, reads: Mapping[Any, float]) -> tuple[Part, ...]:
    """Return what the verdicts on a pair say, by kind; empty kinds are omitted.

    ``reads`` is the share of reads of each cell [%]: by test, metric and cell.
    """
    groups: dict[Kind, list[Any]] = {kind: [] for kind in KINDS}
    for row in rows_of(rows):
        share = reads.get((row.test, row.metric, row.cell), math.nan)
        groups[kind_of(str(row.metric), share)].append(row)
    return tuple(_part(kind, own) for kind, own in groups.items() if own)


def kind_of(metric: str, read_percent: float) -> Kind:
    """Return what a drive does in a cell.

    >>> kind_of("iops", 0.0), kind_of("iops", 65.0), kind_of("lat_mean_ns", 0.0)
    ('writes', 'mixed loads', 'response times')
    """
    known = METRICS[metric]
    if known.level_percent:
        return "slowest I/Os"
    if not known.is_more_better:
        return "response times"
    return {0.0: "writes", 100.0: "reads"}.get(read_percent, "mixed loads")  # type: ignore[return-value] # both are kinds


def _part(kind: Kind, rows: Sequence[Any]) -> Part:
    winners = [row for row in rows if row.better]
    same = [row for row in rows if row.same]
    tied = [row.verdict in {NO_DIFFERENCE, TOO_SMALL} for row in rows]
    absent = [row.verdict == MISSING for row in rows]
    shown = len(winners) + len(same) + sum(tied) + sum(absent)
    return Part(
        kind=kind,
        leads=tuple(lead_of(row) for row in winners if row.better == row.a),
        behind=tuple(1 / lead_of(row) for row in winners if row.better == row.b),
        n_same=len(same),
        n_open=sum(tied),
        n_barred=len(rows) - shown,
        n_missing=sum(absent),
        is_of_drives=all(map(is_of_drives, (*winners, *same))),
    )


def lead_of(row: Any) -> float:
    """Return how many times as fast the first drive of a row is."""
    ratio = float(row.ratio)
    return ratio if METRICS[str(row.metric)].is_more_better else 1 / ratio


def is_of_drives(row: Any) -> bool:
    """Whether what a row shows is shown of the drives, by enough runs of each."""
    is_claimed = "drives" in {row.claim, row.same}
    return is_claimed and row.unit == "runs" and min(row.n_a, row.n_b) >= LEAST_RUNS


def answer_text(
    differences: pd.DataFrame,
    cells: pd.DataFrame,
    *,
    names: Mapping[str, str],
    same_percent: float,
) -> str:
    """Return the answer of a comparison in one sentence.

    ``names`` are the short names of the sides, ``same_percent`` is within what two are
    called the same.
    """
    if differences.empty:
        return "The runs have no cells that can be compared."
    judged, others = find_pairs(differences)
    if not judged:
        whys = list(dict.fromkeys(map(why_text, others)))
        which = "" if len(others) > 1 else f" on {_pair_words(others[0], names)}"
        return f"No verdict{which}: {whys[0] if len(whys) == 1 else _SEVERAL}."
    shares = cells[[*CELL, "read_percent"]].drop_duplicates(CELL)
    reads = {
        (row.test, row.metric, row.cell): (
            math.nan if pd.isna(row.read_percent) else float(row.read_percent)
        )
        for row in rows_of(shares)
    }
    if len(judged) > 1:
        fields = find_fields(pd.concat([pair.rows for pair in judged]), reads)
        return fields_text(fields, names, same_percent=same_percent)
    (pair,) = judged
    both = (names[pair.a], names[pair.b])
    parts = find_parts(pair.rows, reads)
    return pair_text(parts, both, same_percent=same_percent)


_SEVERAL = "conditions differ, or cells are not comparable"


def _pair_words(pair: Pair, names: Mapping[str, str]) -> str:
    return f"{names[pair.a]} vs. {names[pair.b]}"


def pair_text(
    parts: Sequence[Part], names: tuple[str, str], *, same_percent: float = SAME_PERCENT
) -> str:
    """Return what is shown of two drives, each kind of cells once.

    >>> fast = Part(kind="writes", leads=(2.1, 2.4), is_of_drives=True)
    >>> same = Part(kind="reads", n_same=2, is_of_drives=True)
    >>> pair_text([fast, same], ("A", "B"))
    'A writes 2.1 to 2.4 times as fast as B; reads are the same within 3 %.'
    >>> pair_text([Part(kind="writes", behind=(1.5,), n_open=2)], ("A", "B"))
    'In these runs B writes 1.5 times as fast as A in 1 of 3 cells.'
    """
    first, second = names
    main = [part for part in parts if part.is_main] or list(parts)
    beside = [part for part in parts if part not in main]
    ways = (
        (main, beside, (first, second)),
        (_turned(main), _turned(beside), (second, first)),
    )

    def shown(*, of_drives: bool) -> Iterator[str]:
        for own, _, (winner, loser) in ways:
            led = [one for one in own if one.leads and one.is_of_drives == of_drives]
            if led:
                yield _lead_text(led, winner, loser)
        alike = [one for one in main if one.n_same and not (one.leads or one.behind)]
        of_scope = [one for one in alike if one.is_of_drives == of_drives]
        yield from _same_texts(of_scope, same_percent)
        if beside and all(one.is_of_drives for one in beside) == of_drives:
            count = sum(one.n_cells for one in beside)
            for _, own, (winner, _) in ways:
                ahead = sum(len(one.leads) for one in own)
                if ahead:
                    yield f"{winner} is faster in {ahead} of {count} other cells"

    nothing = [one for one in main if not (one.leads or one.behind or one.n_same)]
    rest = _nothing_texts([one for one in nothing if one.kind != "slowest I/Os"])
    return _sentence([
        *shown(of_drives=True),
        *_of_runs(list(shown(of_drives=False))),
        *rest,
    ])


def _turned(parts: Sequence[Part]) -> list[Part]:
    return [part.turned for part in parts]


def _of_runs(clauses: Sequence[str]) -> list[str]:
    """Return clauses that hold for these runs only, and say so."""
    return [f"in these runs {clauses[0]}", *clauses[1:]] if clauses else []


def _lead_text(parts: Sequence[Part], winner: str, loser: str) -> str:
    """Return in what one drive is faster: kinds led in every cell come first."""
    ordered = sorted(parts, key=lambda one: not one.is_led)
    words = [
        f"{_VERBS[one.kind]} {times_text(one.leads)}{_count_text(one, len(one.leads))}"
        for one in ordered
    ]
    if len(words) == 1:
        only = ordered[0]
        count = _count_text(only, len(only.leads)).strip(" ()")
        end = f" in {count}" if count else ""
        verb, times = _VERBS[only.kind], times_text(only.leads)
        return f"{winner} {verb} {times} as fast as {loser}{end}"
    return f"{winner} {_joined(words)} as fast as {loser}"


def _count_text(part: Part, count: int) -> str:
    """Return of how many cells something holds, unless it holds of all."""
    if count == part.n_cells + part.n_missing:
        return ""
    if count == part.n_cells:
        return (
            f" (the {count} cells of both)" if count > 1 else " (the one cell of both)"
        )
    return f" ({count} of {part.n_cells} cells)"


def _same_texts(parts: Sequence[Part], percent: float) -> Iterator[str]:
    words = f"are the same within {percent:g} %"
    whole = [one.kind for one in parts if one.is_same]
    if whole:
        yield f"{_joined(whole)} {words}"
    for one in parts:
        if not one.is_same:
            yield f"{one.kind} {words} in {one.n_same} of {one.n_cells} cells"


def _nothing_texts(parts: Sequence[Part]) -> Iterator[str]:
    open_kinds = [one.kind for one in parts if one.n_open]
    if open_kinds:
        yield f"no difference is shown in {_joined(open_kinds)}"
    barred = [one.kind for one in parts if not one.n_open and one.n_barred]
    if barred:
        yield f"there is no verdict on {_joined(barred)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """What the verdicts on several drives say of the cells of one kind.

    ``leads`` are by side in each cell where a verdict puts it before every other drive:
    how many times as fast it is as the next one. ``n_same`` cells are shown to be the
    same for every pair.
    """

    kind: Kind
    n_cells: int
    leads: Mapping[str, tuple[float, ...]]
    n_same: int
    is_of_drives: bool

    @property
    def is_main(self) -> bool:
        """Whether it is told by itself: not if no drive leads in half of its cells."""
        most = max(map(len, self.leads.values()), default=0)
        return not most or 2 * most >= self.n_cells


def find_fields(rows: pd.DataFrame, reads: Mapping[Any, float]) -> tuple[Field, ...]:
    """Return what the verdicts on all pairs say, by kind; empty kinds are omitted.

    It takes a verdict on each pair of a cell: what is not shown against one drive is
    not said of all.
    """
    sides = list(dict.fromkeys([*rows["a"], *rows["b"]]))
    cells: dict[Any, list[Any]] = {}
    for row in rows_of(rows):
        cells.setdefault((row.test, row.metric, row.cell), []).append(row)
    groups: dict[Kind, list[list[Any]]] = {kind: [] for kind in KINDS}
    for place, own in cells.items():
        groups[kind_of(place[1], reads.get(place, math.nan))].append(own)
    return tuple(_field(kind, own, sides) for kind, own in groups.items() if own)


def _field(kind: Kind, cells: Sequence[Sequence[Any]], sides: Sequence[str]) -> Field:
    leads: dict[str, tuple[float, ...]] = {}
    shown: list[Any] = []
    n_same = 0
    for own in cells:
        for side in sides:
            won = [row for row in own if row.better == side]
            if len(won) == len(sides) - 1:
                next_one = min(max(lead_of(row), 1 / lead_of(row)) for row in won)
                leads[side] = (*leads.get(side, ()), next_one)
                shown += won
        same = [row for row in own if row.same]
        if len(same) == math.comb(len(sides), 2):
            n_same += 1
            shown += same
    return Field(
        kind=kind,
        n_cells=len(cells),
        leads=leads,
        n_same=n_same,
        is_of_drives=all(map(is_of_drives, shown)),
    )


def fields_text(
    fields: Sequence[Field], names: Mapping[str, str], *, same_percent: float
) -> str:
    """Return which of several drives is faster than all others, by kind.

    >>> lead = {"a": (2.0, 2.2), "b": (1.1,)}
    >>> field = Field(kind="writes", n_cells=4, leads=lead, n_same=0, is_of_drives=True)
    >>> fields_text([field], {"a": "A", "b": "B"}, same_percent=3.0)
    'A writes 2.0 to 2.2 times as fast as the next in 2 of 4 cells, B 1.1 times in 1.'
    """
    main = [one for one in fields if one.is_main] or list(fields)
    beside = [one for one in fields if one not in main]
    told = [one for one in main if one.leads or one.n_same]
    clauses: dict[bool, list[str]] = {True: [], False: []}
    for one in told:
        words = _field_text(one, names, same_percent)
        clauses[one.is_of_drives].append(words)
    clauses[all(one.is_of_drives for one in beside)] += _beside_texts(beside, names)
    none = [one.kind for one in main if one not in told and one.kind != "slowest I/Os"]
    rest = [f"no drive is shown to lead in {_joined(none)}"] if none else []
    return _sentence([*clauses[True], *_of_runs(clauses[False]), *rest])


def _beside_texts(fields: Sequence[Field], names: Mapping[str, str]) -> Iterator[str]:
    count = sum(one.n_cells for one in fields)
    for side, name in names.items():
        ahead = sum(len(one.leads.get(side, ())) for one in fields)
        if ahead:
            yield f"{name} leads in {ahead} of {count} other cells"


def _field_text(field: Field, names: Mapping[str, str], same_percent: float) -> str:
    if not field.leads:
        count = _count_words(field.n_same, field.n_cells)
        return f"{field.kind} are the same within {same_percent:g} %{count}"
    (first, leads), *others = sorted(field.leads.items(), key=lambda one: -len(one[1]))
    count = _count_words(len(leads), field.n_cells)
    verb = _VERBS[field.kind]
    words = f"{names[first]} {verb} {times_text(leads)} as fast as the next{count}"
    more = (f"{names[side]} {times_text(own)} in {len(own)}" for side, own in others)
    return ", ".join((words, *more))


def _count_words(count: int, of: int) -> str:
    return "" if count == of else f" in {count} of {of} cells"


def times_text(leads: Sequence[float]) -> str:
    """Return how many times as fast, over some cells: from the least to the greatest.

    >>> times_text([2.1, 2.43]), times_text([1.02, 1.021]), times_text([12.4])
    ('2.1 to 2.4 times', '1.02 times', '12 times')
    """
    least, most = min(leads), max(leads)
    decimals = 0 if least >= _LOOSE else 1
    while decimals < _MOST_DECIMALS and float(f"{least:.{decimals}f}") <= 1:
        decimals += 1
    ends = dict.fromkeys(f"{end:,.{decimals}f}" for end in (least, most))
    return f"{' to '.join(ends)} times"


def _joined(words: Sequence[str]) -> str:
    """Return words as a list of a sentence.

    >>> _joined(["a", "b", "c"]), _joined(["a"])
    ('a, b and c', 'a')
    """
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def _sentence(clauses: Sequence[str]) -> str:
    """Return clauses as a sentence; the name of a drive keeps its first letter."""
    text = "; ".join(clauses) or "no difference is shown"
    is_ours = text.split(maxsplit=1)[0] in _FIRST_WORDS
    return f"{text[0].upper() + text[1:] if is_ours else text}."


_FIRST_WORDS = frozenset({"in", "no", "there", *(kind.split()[0] for kind in KINDS)})

"""Coverage of the intervals of a comparison, and its family-wise error rate.

Both sides are the same drive, or differ by a known factor. Their rounds are AR(1), per
cell or partly shared by the whole drive.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ssdlab.stats.autocorrelation import estimate_dependence
from ssdlab.stats.differences import (
    Difference,
    compare_levels,
    compare_runs_of_sides,
)
from ssdlab.stats.holm import adjust_by_holm
from ssdlab.stats.levels import estimate_level
from ssdlab.stats.variance import estimate_variance_components
from tools.coverage_cases.case import CoverageCase

Floats = NDArray[np.float64]
Generator = np.random.Generator

EXACT, FAMILY, SHARED_FAMILY = (0.93, 0.97), (0.95, 1.0), (0.935, 1.0)
SAFE, NOT_CLAIMED = (0.93, 1.0), (0.0, 0.94)
_NOTES = {
    EXACT: "",
    FAMILY: "of whole tables: at most one in 20 may be wrong",
    SHARED_FAMILY: "of whole tables: 5.4 % of 6000 are wrong if cells scatter together",
    SAFE: "conservative",
    NOT_CLAIMED: "nothing is claimed for one cell with so few rounds",
}
_ERROR = 0.05
_RATIO = 1.1
_SPREAD = 0.02


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A window of rounds of several cells; ``shared`` is a share of the variance."""

    rounds: int
    cells: int = 1
    memory: float = 0.0
    shared: float = 0.0
    bounds: tuple[float, float] = EXACT

    @property
    def words(self) -> str:
        """What is simulated."""
        order = f"AR(1) of {self.memory:g}" if self.memory else "independent"
        shared = f", {self.shared:.0%} of the variance shared" if self.shared else ""
        cells = f"{self.cells} cell{'s' if self.cells > 1 else ''}"
        return f"rounds {order}, {cells}{shared}"

    def draw(self, rng: Generator) -> Floats:
        """Return relative values, (cells, rounds)."""
        own = _draw_ar1(rng, (self.cells, self.rounds), self.memory)
        common = _draw_ar1(rng, (1, self.rounds), self.memory)
        mixed = math.sqrt(1 - self.shared) * own + math.sqrt(self.shared) * common
        return np.asarray(1 + _SPREAD * mixed)


def _draw_ar1(rng: Generator, shape: tuple[int, int], coefficient: float) -> Floats:
    values = rng.standard_normal(shape)
    for place in range(1, shape[1]):
        values[:, place] *= math.sqrt(1 - coefficient**2)
        values[:, place] += coefficient * values[:, place - 1]
    return values


_TABLES = (
    Table(rounds=5),
    Table(rounds=5, cells=24),
    Table(rounds=5, cells=24, memory=0.5),
    Table(rounds=5, cells=24, memory=0.5, shared=0.5),
    Table(rounds=5, cells=24, shared=0.5, bounds=SAFE),
    Table(rounds=5, memory=0.5, bounds=NOT_CLAIMED),
    Table(rounds=30, bounds=SAFE),
    Table(rounds=30, memory=0.6),
    Table(rounds=60, memory=0.6),
)
_FAMILIES = (
    Table(rounds=5, cells=24, bounds=FAMILY),
    Table(rounds=5, cells=56, bounds=FAMILY),
    Table(rounds=5, cells=24, memory=0.5, bounds=FAMILY),
    Table(rounds=5, cells=24, memory=0.5, shared=0.5, bounds=SHARED_FAMILY),
)


def compare_tables(table: Table, rng: Generator, *, ratio: float) -> list[Difference]:
    """Compare two tables, the first of which is ``ratio`` times the second."""
    sides = []
    for factor in (ratio, 1.0):
        values = factor * table.draw(rng)
        found = estimate_dependence(values)
        known = 0.0 if math.isnan(found) else found
        sides.append([estimate_level(one, dependence=known) for one in values])
    pairs = zip(*sides, strict=True)
    return [compare_levels(first, second) for first, second in pairs]


def _ratio_trial(rng: Generator, *, table: Table) -> float:
    found = compare_tables(table, rng, ratio=_RATIO)
    inside = [one.ratio.low <= _RATIO <= one.ratio.high for one in found]
    return sum(inside) / len(inside)


def _family_trial(rng: Generator, *, table: Table) -> bool:
    found = compare_tables(table, rng, ratio=1.0)
    adjusted = adjust_by_holm([one.p_value for one in found])
    return not (adjusted < _ERROR).any()


_RUNS: tuple[tuple[str, Sequence[int], tuple[float, float]], ...] = (
    ("the same scatter", (2, 2), SAFE),
    ("the same scatter", (3, 3), EXACT),
    ("the same scatter", (5, 5), EXACT),
    ("the second scatters twice as much", (3, 6), EXACT),
    ("the second has one run", (4, 1), EXACT),
)


def _runs_trial(rng: Generator, *, words: str, sizes: Sequence[int]) -> bool:
    spreads = (_SPREAD, 2 * _SPREAD if "twice" in words else _SPREAD)
    first, second = (
        factor * np.exp(spread * rng.standard_normal(size))
        for factor, spread, size in zip((_RATIO, 1.0), spreads, sizes, strict=True)
    )
    found = compare_runs_of_sides(first, second).ratio
    return found.low <= _RATIO <= found.high


_GROUPS: tuple[tuple[Sequence[int], float, tuple[float, float]], ...] = (
    ((3, 3, 3, 3), 1.0, EXACT),
    ((3, 3), 4.0, EXACT),
    ((2, 3, 5), 1.0, EXACT),
    ((3, 3, 3, 3), 0.0, SAFE),
)


def _component_trial(
    rng: Generator,
    *,
    sizes: Sequence[int],
    ratio: float,
    of: Literal["between_to_within", "within"],
) -> bool | None:
    groups = [
        math.sqrt(ratio) * rng.standard_normal() + rng.standard_normal(size)
        for size in sizes
    ]
    found = estimate_variance_components(groups)
    if found is None:
        return None
    if of == "within":
        return found.within.low <= 1 <= found.within.high
    return found.between_to_within.low <= ratio <= found.between_to_within.high


def _runs_of(sizes: Sequence[int]) -> str:
    return f"runs {', '.join(map(str, sizes))}"


CASES = (
    *(
        CoverageCase(
            statistic="ratio of two means, by rounds",
            case=table.words,
            n=table.rounds,
            trial=partial(_ratio_trial, table=table),
            low=table.bounds[0],
            high=table.bounds[1],
            note=_NOTES[table.bounds],
        )
        for table in _TABLES
    ),
    *(
        CoverageCase(
            statistic="ratio of two means, by runs",
            case=f"{words}, {_runs_of(sizes)}",
            n=sum(sizes),
            trial=partial(_runs_trial, words=words, sizes=sizes),
            low=bounds[0],
            high=bounds[1],
            note=_NOTES[bounds],
        )
        for words, sizes, bounds in _RUNS
    ),
    *(
        CoverageCase(
            statistic="no winner among equal drives",
            case=table.words,
            n=table.rounds,
            trial=partial(_family_trial, table=table),
            low=table.bounds[0],
            high=table.bounds[1],
            note=_NOTES[table.bounds],
        )
        for table in _FAMILIES
    ),
    *(
        CoverageCase(
            statistic="drive-to-drive by run-to-run",
            case=f"truth {ratio:g}, {_runs_of(sizes)}",
            n=sum(sizes),
            trial=partial(
                _component_trial, sizes=sizes, ratio=ratio, of="between_to_within"
            ),
            low=bounds[0],
            high=bounds[1],
            note=_NOTES[bounds],
        )
        for sizes, ratio, bounds in _GROUPS
    ),
    *(
        CoverageCase(
            statistic="run-to-run variance",
            case=f"truth {ratio:g}, {_runs_of(sizes)}",
            n=sum(sizes),
            trial=partial(_component_trial, sizes=sizes, ratio=ratio, of="within"),
        )
        for sizes, ratio, _ in _GROUPS
    ),
)

"""How often repeated runs name a winner, or call drives the same, by mistake.

Whole tables of two drives, each measured several times, through the same functions as
`ssdlab compare`. Drives are equal, or differ by just enough not to be called the same;
their runs scatter as those of real drives: as a whole, cell by cell, with heavy tails,
or between two states. Also measures how often a difference is found.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.compare.pairs import compare_cells
from ssdlab.compare.side_cells import SideCell, pool_runs
from ssdlab.compare.verdicts import FOUND_CELLS, FOUND_PERCENT, Rules
from tools.coverage_cases.case import CoverageCase

Floats = npt.NDArray[np.float64]
Generator = np.random.Generator
Scatter = Callable[[Generator, int, int], Floats]  # of cells and runs, as logarithms

# Cells of the tests of the PTS, by metric.
_CELLS = {
    ("iops", "iops"): 56,
    ("tp", "bw_bytes_per_s"): 2,
    ("lat", "lat_mean_ns"): 9,
    ("wsat", "iops"): 1,
}
WHOLE = tuple(_CELLS)
FIRST = "RND 4 KiB 0/100"  # the first cell of each test
_IOPS, _LAT, _WSAT = ("iops", "iops"), ("lat", "lat_mean_ns"), ("wsat", "iops")
_STATES = math.log(1.25)  # two states, so far apart
_SAME_PERCENT = Rules().same_percent
_NO_CONDITIONS = pd.DataFrame(
    columns=["condition", "run_id", "value", "standing", "is_barring", "tests"]
).astype({"is_barring": bool})


def of_the_drive(rng: Generator, cells: int, runs: int) -> Floats:
    """Draw runs that scatter as a whole."""
    return np.tile(0.03 * rng.standard_normal(runs), (cells, 1))


def of_each_cell(rng: Generator, cells: int, runs: int) -> Floats:
    """Draw runs whose cells scatter independently."""
    return 0.03 * rng.standard_normal((cells, runs))


def unlike(rng: Generator, cells: int, runs: int) -> Floats:
    """Draw cells, one in five of which scatters ten times as much as the others."""
    sizes = np.where(np.arange(cells) % 5, 0.003, 0.03)
    return sizes[:, None] * rng.standard_normal((cells, runs))


def with_heavy_tails(rng: Generator, cells: int, runs: int) -> Floats:
    """Draw runs from Student's t with two degrees of freedom."""
    return np.tile(0.015 * rng.standard_t(2, runs), (cells, 1))


def of_two_states(rng: Generator, cells: int, runs: int) -> Floats:
    """Draw runs that are in one of two states, all cells at once."""
    state = _STATES * (rng.random(runs) < 0.5)
    return state + 0.003 * rng.standard_normal((cells, runs))


def of_two_states_each(rng: Generator, cells: int, runs: int) -> Floats:
    """Draw runs whose cells are independently in one of two states."""
    state = _STATES * (rng.random((cells, runs)) < 0.5)
    return np.asarray(state + 0.003 * rng.standard_normal((cells, runs)))


def of_percent(rng: Generator, cells: int, runs: int, *, percent: float) -> Floats:
    """Draw runs that scatter by ``percent``, in some cells more and in some less."""
    sizes = percent / 100 * np.exp(0.3 * rng.standard_normal((cells, 1)))
    return np.asarray(sizes * rng.standard_normal((cells, runs)))


@dataclass(frozen=True, kw_only=True)
class Table:
    """Tests of two drives, each measured ``runs`` times; the second may be faster.

    ``gains`` are its gains in the first cells, ``every_gain`` elsewhere [%].
    """

    scatter: Scatter
    runs: int
    tests: Sequence[tuple[str, str]] = WHOLE
    gains: Sequence[float] = ()
    every_gain: float = 0.0

    def judge(self, rng: Generator, rules: Rules | None = None) -> pd.DataFrame:
        """Draw a table, and return its verdicts."""
        names = [
            (*test, f"cell {place}" if place else FIRST)
            for test in self.tests
            for place in range(_CELLS[test])
        ]
        drawn = {side: self.scatter(rng, len(names), self.runs) for side in "AB"}
        gains = np.full(len(names), self.every_gain)
        gains[: len(self.gains)] = self.gains
        drawn["B"] = drawn["B"] + np.log1p(gains / 100)[:, None]
        found = {
            name: {side: _cell(side, values[place]) for side, values in drawn.items()}
            for place, name in enumerate(names)
        }
        return judge_cells(found, self.runs, rules or Rules())


def _cell(side: str, logs: Floats) -> SideCell:
    return SideCell(
        side=side,
        run_ids=tuple(f"{side}{run}" for run in range(len(logs))),
        rounds=(),
        dependences=(),
        printed=tuple(np.exp(logs).tolist()),
        workers=frozenset({"T1/Q1"}),
        doubts=(),
    )


def judge_cells(
    found: Mapping[tuple[str, str, str], Mapping[str, SideCell]],
    runs: int,
    rules: Rules,
) -> pd.DataFrame:
    """Return the verdicts on cells of the sides A and B."""
    sides = pd.DataFrame(
        [(f"{side}{run}", side) for side in "AB" for run in range(runs)],
        columns=["run_id", "side"],
    )
    return compare_cells(
        pool_runs(found), sides, conditions=_NO_CONDITIONS, rules=rules
    )


def _no_winner(rng: Generator, *, table: Table, rules: Rules | None = None) -> bool:
    return not (table.judge(rng, rules)["claim"] == "drives").any()


def _none_the_same(rng: Generator, *, table: Table) -> bool:
    return not (table.judge(rng)["same"] == "drives").any()


def _share_of_true(rng: Generator, *, table: Table) -> float:
    """Return the share of named winners that are right."""
    rows = table.judge(rng, Rules(control="fdr"))
    named = rows[rows["claim"] == "drives"]
    if named.empty:
        return 1.0
    is_faster = named.index < len(table.gains)
    return float((is_faster & (named["better"] == "B")).mean())


def found_first(rng: Generator, *, table: Table, rules: Rules | None = None) -> bool:
    """Tell whether the first cell of the first test is judged better."""
    row = table.judge(rng, rules).iloc[0]
    return bool(row["better"] == "B" and row["claim"] == "drives")


_EQUAL: Sequence[tuple[str, Scatter, int, Sequence[tuple[str, str]]]] = (
    ("as a whole", of_the_drive, 3, [_LAT]),
    ("each cell by itself", of_each_cell, 3, [_LAT]),
    ("one cell in five ten times as much", unlike, 3, [_LAT]),
    ("as a whole, heavy tails", with_heavy_tails, 3, [_LAT]),
    ("between two states as a whole", of_two_states, 3, [_LAT]),
    ("between two states, each cell by itself", of_two_states_each, 3, [_LAT]),
    ("between two states, each cell by itself", of_two_states_each, 4, [_LAT]),
    ("between two states as a whole", of_two_states, 3, [_WSAT]),
    ("as a whole", of_the_drive, 3, WHOLE),
    ("one cell in five ten times as much", unlike, 3, WHOLE),
    ("between two states as a whole", of_two_states, 3, WHOLE),
    ("between two states, each cell by itself", of_two_states_each, 4, WHOLE),
)
_ONE_IN_20 = "of whole tables: at most one in 20 may be wrong"


def _cells_of(tests: Sequence[tuple[str, str]]) -> str:
    count = sum(_CELLS[test] for test in tests)
    return f"{count} cell{'s' if count > 1 else ''}"


CASES = (
    *(
        CoverageCase(
            statistic="no winner among equal drives, by runs",
            case=f"runs scatter {words}, {_cells_of(tests)}",
            n=runs,
            trial=partial(
                _no_winner, table=Table(scatter=scatter, runs=runs, tests=tests)
            ),
            low=0.95,
            high=1.0,
            note=_ONE_IN_20,
        )
        for words, scatter, runs, tests in _EQUAL
    ),
    *(
        CoverageCase(
            statistic="not called the same",
            case=f"{_SAME_PERCENT:g} % apart, runs scatter {words}, 9 cells",
            n=runs,
            trial=partial(
                _none_the_same,
                table=Table(
                    scatter=scatter,
                    runs=runs,
                    tests=[_LAT],
                    every_gain=_SAME_PERCENT,
                ),
            ),
            low=0.95,
            high=1.0,
            note=_ONE_IN_20,
        )
        for words, scatter, runs in (
            ("by 0.5 %", partial(of_percent, percent=0.5), 3),
            ("by 0.5 %", partial(of_percent, percent=0.5), 10),
            ("between two states as a whole", of_two_states, 3),
        )
    ),
    CoverageCase(
        statistic="share of named winners that are",
        case="a quarter of 56 cells is 20 % faster, false discovery rate",
        n=5,
        trial=partial(
            _share_of_true,
            table=Table(
                scatter=partial(of_percent, percent=3.0),
                runs=5,
                tests=[_IOPS],
                gains=(20.0,) * 14,
            ),
        ),
        low=0.95,
        high=1.0,
        note="at most one in 20 named winners may be wrong",
    ),
    *(
        CoverageCase(
            statistic="a difference in one cell is found",
            case=f"{percent:g} % in one of {FOUND_CELLS}, runs scatter by 1 %",
            n=runs,
            trial=partial(
                found_first,
                table=Table(
                    scatter=partial(of_percent, percent=1.0),
                    runs=runs,
                    gains=(percent,),
                ),
            ),
            nominal=0.8,
            low=0.8,
            high=1.0,
            note="what the page states is found in four of five trials",
        )
        for runs, percent in FOUND_PERCENT.items()
    ),
)

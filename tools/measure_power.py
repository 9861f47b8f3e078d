"""Measure the power of repeated runs; write ``docs/power-of-comparisons.md``.

Usage: ``python -m tools.measure_power [--trials N]``. It takes some minutes.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from ssdlab.compare.cell_choice import parse_cells
from ssdlab.compare.verdicts import (
    Rules,
)
from ssdlab.stats.states import SIGNIFICANCE, chance_of_states, more_runs_needed
from tools import generated
from tools.coverage_cases.comparison_runs import Table, found_first, of_percent

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "power-of-comparisons.md"
TRIALS = 100
SEED = 20261123
POWER = 0.8
RUNS = (3, 4, 5, 7, 10)
PERCENT = (1.0, 3.0)  # from run to run
PAIRS = (1, 3, 6, 10)
_LEAST, _MOST = 0.5, 64.0  # run-to-run deviations between which to search
_HALVINGS = 6

INTRODUCTION = f"""\
# What repeated runs can show

Measured by `python -m tools.measure_power`: whole tables of two drives are simulated,
with 56 cells of IOPS, 2 of TP, 9 of LAT and 1 of WSAT, and judged as in `ssdlab
compare`. How often a winner is named by mistake is on the page [coverage of the
intervals](coverage-of-intervals.md), and how verdicts are made in [comparison of
drives](methods/comparison-of-drives.md).

## The smallest difference that is found

In a given cell, in {100 * POWER:.0f} % of tables, by the number of runs per drive and
their scatter; the scatter differs between cells, by a factor of 1.35 in one of three.
*One of 68*: the drives differ in one cell of IOPS. *Declared*: the same with
`--primary` for that cell. *All*: they differ equally in all cells. *All, FDR*: the same
with `--control fdr`. *Alone*: WSAT, one cell, is the only test. The smallest difference
is found by bisection with {TRIALS} tables per step; it is itself uncertain by a fifth.
"""
HEAD = """\
| Runs per drive | Scatter | One of 68 | Declared | All | All, FDR | Alone (WSAT) |
| --- | --- | --- | --- | --- | --- | --- |
"""
STATES = f"""\

## How many runs a claim about drives needs

Runs of a drive may be in one of several states, such as another depth of purge or
another mapping. If two equal drives have two such states, all runs of one may be in one
state and all runs of the other in the other, which no test can distinguish from a
difference of the drives. So nothing is claimed about drives if that would happen in
more than one of {1 / SIGNIFICANCE:.0f} comparisons.

| Pairs of drives compared | Runs per drive | Chance of such a split, over all pairs |
| --- | --- | --- |
"""


@dataclass(frozen=True, kw_only=True)
class Question:
    """Which cells differ, and the rules of the comparison."""

    table: Table
    rules: Rules
    is_everywhere: bool = False

    def found(self, percent: float, *, trials: int) -> float:
        """Return how often a difference of ``percent`` is found."""
        table = self.table
        if self.is_everywhere:
            table = replace(table, every_gain=percent)
        else:
            table = replace(table, gains=(percent, *table.gains[1:]))
        rng = np.random.default_rng(SEED)  # the same tables at every step
        held = [found_first(rng, table=table, rules=self.rules) for _ in range(trials)]
        return sum(held) / trials


def find_least(question: Question, *, percent: float, trials: int) -> float:
    """Return the smallest difference that is found with the required power [%]."""
    low, high = _LEAST * percent, _MOST * percent
    if question.found(high, trials=trials) < POWER:
        return float("inf")
    for _ in range(_HALVINGS):
        middle = (low * high) ** 0.5
        if question.found(middle, trials=trials) >= POWER:
            high = middle
        else:
            low = middle
    return high


def questions(runs: int, percent: float) -> Iterator[Question]:
    """Yield the questions of a line of the page."""
    table = Table(scatter=partial(of_percent, percent=percent), runs=runs)
    declared = Rules(primary=parse_cells("iops 4 KiB 0/100"))
    yield Question(table=table, rules=Rules())
    yield Question(table=table, rules=declared)
    yield Question(table=table, rules=Rules(), is_everywhere=True)
    yield Question(table=table, rules=Rules(control="fdr"), is_everywhere=True)
    alone = replace(table, tests=[("wsat", "iops")])
    yield Question(table=alone, rules=Rules())


def measure_line(line: tuple[int, float], *, trials: int) -> str:
    """Return a line of the table: the smallest differences by runs and scatter."""
    runs, percent = line
    found = [
        find_least(one, percent=percent, trials=trials)
        for one in questions(runs, percent)
    ]
    cells = " | ".join(f"{one:.2g} %" for one in found)
    return f"| {runs} | {percent:g} % | {cells} |\n"


def state_lines() -> Iterator[str]:
    """Yield the required runs per drive, by the number of pairs compared."""
    for pairs in PAIRS:
        more = more_runs_needed(1, 1, pairs=pairs)
        sides = sorted(1 + one for one in more)
        chance = pairs * chance_of_states(*sides)
        words = f"{sides[0]} and {sides[1]}" if sides[0] < sides[1] else str(sides[0])
        yield f"| {pairs} | {words} | {100 * chance:.1f} % |\n"


def render_page(lines: Sequence[str]) -> str:
    """Return the page of results."""
    return "".join([INTRODUCTION, "\n", HEAD, *lines, STATES, *state_lines()])


def main(argv: list[str]) -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.measure_power")
    parser.add_argument("--trials", type=int, default=TRIALS)
    asked = parser.parse_args(argv)
    lines = [(runs, percent) for runs in RUNS for percent in PERCENT]
    with ProcessPoolExecutor() as pool:
        rendered = list(pool.map(partial(measure_line, trials=asked.trials), lines))
    for path in generated.write_files({PAGE: render_page(rendered)}):
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

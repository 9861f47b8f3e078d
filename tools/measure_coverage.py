"""Measure the coverage of intervals; write ``docs/coverage-of-intervals.md``.

Usage: ``python -m tools.measure_coverage [--trials N] [--only WORDS]``. Each module of
``tools/coverage_cases`` lists its ``CASES``. All of them take some minutes; with
``--only 'slope of rounds'`` the other shares on the page are kept.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from tools import coverage_cases, generated
from tools.coverage_cases.case import CoverageCase, CoverageRow

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "coverage-of-intervals.md"
TRIALS = 1000
SEED = 20261122

INTRODUCTION = """\
# How often the intervals hold the truth

Measured by `python -m tools.measure_coverage`: series with a known truth are simulated,
and the share of intervals that hold it is counted. A 95 % interval should hold it in 93
to 97 of 100 series. Where it does not, the bounds are wider and the note says why; a
test repeats the simulation with enough trials to distinguish a share within its bounds
from one outside them: 93 of 100 from 88.

The autocorrelation is that at lag 1. A share is itself uncertain by 0.014 for 1000
trials (95 %), by 0.03 for 200. There are fewer than 1000 trials where each continues a
series dozens of times, for dozens to hundreds of rounds.

Processes on which claims failed before are on a [separate page](hard-cases.md).
"""
HEAD = """\
| Statistic | Case | n | Trials | Nominal | Covered | Bounds | Note |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def find_cases() -> Iterator[CoverageCase]:
    """Yield the cases of every topic."""
    for module in sorted(iter_modules(coverage_cases.__path__), key=lambda m: m.name):
        found = import_module(f"{coverage_cases.__name__}.{module.name}")
        yield from getattr(found, "CASES", ())


def render_page(lines: Iterable[str]) -> str:
    """Return the page of results, one line per case."""
    return INTRODUCTION + "\n" + HEAD + "".join(lines)


def render_head(row: CoverageRow | CoverageCase) -> str:
    """Return the cells of a line that identify its case."""
    return f"| {row.statistic} | {row.case} | {row.n} |"


def render_row(row: CoverageRow) -> str:
    """Return the line of a case."""
    cells = (
        str(row.trials),
        f"{row.nominal:.2f}",
        f"{row.covered:.3f}",
        f"{row.low:g} - {row.high:g}",
        row.note,
    )
    return f"{render_head(row)} {' | '.join(cells)} |\n"


def update_page(page: str, measured: Iterable[CoverageRow]) -> str:
    """Return a page with new shares; those of other cases are kept.

    A case that was never measured has no line.
    """
    lines = page.splitlines() + [render_row(row).rstrip() for row in measured]
    shares = dict(map(_read_line, lines))
    heads = ((case, render_head(case)) for case in find_cases())
    return render_page(
        render_row(
            case.row(trials=int(shares[head][0]), covered=float(shares[head][1]))
        )
        for case, head in heads
        if head in shares
    )


def _read_line(line: str) -> tuple[str, Sequence[str]]:
    """Return the head of a line, its number of trials, and its coverage."""
    cells = line.removeprefix("| ").split(" | ")
    return f"| {' | '.join(cells[:3])} |", cells[3:6:2]


def measure(case: CoverageCase, *, trials: int) -> CoverageRow:
    """Measure one case."""
    return case.measure(trials, seed=SEED)


def main(argv: list[str]) -> int:
    """Measure some cases, or all, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.measure_coverage")
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument(
        "--only", default="", metavar="WORDS", help="cases whose line contains WORDS"
    )
    asked = parser.parse_args(argv)
    cases = [case for case in find_cases() if asked.only in render_head(case)]
    with ProcessPoolExecutor() as pool:
        rows = list(pool.map(partial(measure, trials=asked.trials), cases))
    page = PAGE.read_text("utf-8") if PAGE.exists() else ""
    for path in generated.write_files({PAGE: update_page(page, rows)}):
        print(f"wrote {path}")
    outside = [row for row in rows if not row.low <= row.covered <= row.high]
    for row in outside:
        print(f"outside its bounds: {render_row(row)}", end="")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

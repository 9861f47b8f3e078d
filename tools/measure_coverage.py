"""Measure how often intervals hold the truth; write ``docs/coverage-of-intervals.md``.

Usage: ``python -m tools.measure_coverage [TRIALS]``. It takes some minutes. Each module
of ``tools/coverage_cases`` lists its ``CASES``.
"""

import sys
from collections.abc import Iterable, Iterator
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

Measured by `python -m tools.measure_coverage`: series are drawn whose truth is known,
and it is counted how often the interval of a statistic holds it. An interval of 95 %
should do so in 93 to 97 of 100 series. Where it does not, the bounds are wider and the
note says why; a test draws anew, with fewer trials, and holds each share to its bounds.
The autocorrelation is that of neighbouring rounds. One share is itself uncertain by
0.014 of 1000 trials (95 %).
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


def render_page(rows: Iterable[CoverageRow]) -> str:
    """Return the page of what was measured, a line a case."""
    return INTRODUCTION + "\n" + HEAD + "".join(map(render_row, rows))


def render_row(row: CoverageRow) -> str:
    """Return the line of a case."""
    cells = (
        row.statistic,
        row.case,
        str(row.n),
        str(row.trials),
        f"{row.nominal:.2f}",
        f"{row.covered:.3f}",
        f"{row.low:g} - {row.high:g}",
        row.note,
    )
    return f"| {' | '.join(cells)} |\n"


def main(argv: list[str]) -> int:
    """Measure every case and write the page."""
    trials = int(argv[0]) if argv else TRIALS
    rows = [case.measure(trials, seed=SEED) for case in find_cases()]
    for path in generated.write_files({PAGE: render_page(rows)}):
        print(f"wrote {path}")
    outside = [row for row in rows if not row.low <= row.covered <= row.high]
    for row in outside:
        print(f"outside its bounds: {render_row(row)}", end="")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

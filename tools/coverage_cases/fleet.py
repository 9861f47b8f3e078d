"""How often the interval of two populations of drives holds their true ratio.

Drives are drawn at random, and runs nested in them; the drives of a side may have
unequal numbers of runs.
"""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from ssdlab.fleet.contrast import DriveValues, contrast_drives
from tools.coverage_cases.case import CoverageCase

_OF_DRIVES, _OF_RUNS = 0.03, 0.02  # standard deviations of logarithms
_TRUTH = 0.9


def draw_drives(
    rng: np.random.Generator,
    runs: Sequence[int],
    *,
    level: float = 1.0,
    prefix: str = "",
    shifts: Sequence[float] | None = None,
) -> DriveValues:
    """Draw drives with so many runs each, about a level.

    ``shifts`` are those of the drives; by default they are drawn.
    """
    own = _OF_DRIVES * rng.standard_normal(len(runs)) if shifts is None else shifts
    logs = (
        math.log(level) + shift + _OF_RUNS * rng.standard_normal(count).mean()
        for shift, count in zip(own, runs, strict=True)
    )
    named = {f"{prefix}{at}": math.exp(one) for at, one in enumerate(logs)}
    return DriveValues(by_drive=named, runs=sum(runs))


def _holds(
    rng: np.random.Generator, first: Sequence[int], second: Sequence[int]
) -> float:
    found = contrast_drives(
        draw_drives(rng, first, prefix="a"),
        draw_drives(rng, second, prefix="b", level=_TRUTH),
    )
    ratio = found.difference().ratio
    return float(ratio.low <= _TRUTH <= ratio.high)


def _holds_of_pairs(rng: np.random.Generator, runs: Sequence[int]) -> float:
    shifts = (10 * _OF_DRIVES * rng.standard_normal(len(runs))).tolist()
    found = contrast_drives(
        draw_drives(rng, runs, shifts=shifts),
        draw_drives(rng, runs, shifts=shifts, level=_TRUTH),
    )
    ratio = found.difference().ratio
    return float(ratio.low <= _TRUTH <= ratio.high)


def _case(
    first: Sequence[int], second: Sequence[int], *, high: float = 0.97, note: str = ""
) -> CoverageCase:
    words = " and ".join(", ".join(map(str, one)) for one in (first, second))
    return CoverageCase(
        statistic="ratio of two populations of drives",
        case=f"fleet of drives random, runs nested: {words} runs",
        n=len(first) + len(second),
        trial=partial(_holds, first=first, second=second),
        high=high,
        note=note,
    )


CASES = (
    _case([1] * 3, [1] * 3, high=1.0, note="conservative"),
    _case([3] * 4, [3] * 4),
    _case([1, 1, 2, 9], [3] * 8),
    CoverageCase(
        statistic="ratio of two populations of drives",
        case="fleet of drives random, runs nested: the same 4 drives twice, 3 runs",
        n=4,
        trial=partial(_holds_of_pairs, runs=[3] * 4),
    ),
)

"""Measure how long a long series takes to be reduced to what a figure shows.

Run from the root of the checkout: ``python -m benchmarks.bench_downsample``

The floor is to find the least and the greatest of all values, once. Times are of the
processor, the minimum of several rounds.
"""

import time
from collections.abc import Callable

import numpy as np

from ssdlab.stats.downsample import reduce_series

POINTS = 10_000_000
REPEATS = 5
_GAP_EVERY = 100_003


def measure_reduction(points: int) -> dict[str, float]:
    """Return the times without and with gaps [ms], and both by the floor."""
    x = np.arange(points, dtype=np.float64)
    whole = np.random.default_rng(20261124).standard_normal(points)
    broken = whole.copy()
    broken[::_GAP_EVERY] = np.nan
    floor = _least_ms(lambda: (whole.min(), whole.max()))
    times = {
        "whole": _least_ms(lambda: reduce_series(x, whole)),
        "with_gaps": _least_ms(lambda: reduce_series(x, broken)),
    }
    ratios = {f"{name}_ratio": taken / floor for name, taken in times.items()}
    return {f"{name}_ms": taken for name, taken in times.items()} | ratios


def _least_ms(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(REPEATS):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return 1000 * min(taken)


def main() -> None:
    for name, value in measure_reduction(POINTS).items():
        print(f"{name:>15}: {value:.1f}")


if __name__ == "__main__":
    main()

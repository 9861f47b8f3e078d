"""Benchmark the steady-state rule over a million points against alternatives.

Run from the root of the checkout: python -m benchmarks.bench_steady_state

Only the ratios count: all peers run in turn in one process, the minimum of several
rounds is taken, and `np.polyfit` is scaled up from a sample of windows.
"""

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from ssdlab.model.spec import SteadyStateCriteria
from ssdlab.stats.steady_state import assess_series
from ssdlab.stats.windows import FloatArray

POINTS = 1_000_000
WIDTHS = (5, 10, 20, 60, 1000)
REPEATS = 3
POLYFIT_WINDOWS = 500


def make_series() -> FloatArray:
    """Return a decay to a noisy level: some windows are steady, some are not."""
    random = np.random.default_rng(20261121)
    decay = np.exp(-np.arange(POINTS) / (POINTS / 5))
    return 1e5 * (1 + 2 * decay + 0.04 * random.standard_normal(POINTS))


def judge_by_pandas(series: FloatArray, width: int) -> FloatArray:
    """Return the same two ratios from pandas' rolling windows, without a verdict."""
    values = pd.Series(series)
    rounds = pd.Series(np.arange(len(series), dtype=np.float64))
    rolling = values.rolling(width)
    average = rolling.mean()
    spread = (rolling.max() - rolling.min()) / average
    slope = rolling.cov(rounds) / (width * (width + 1) / 12)
    excursion = slope.abs() * (width - 1) / average
    return np.asarray((spread <= 0.20) & (excursion <= 0.10))


def judge_by_polyfit(series: FloatArray, width: int, ends: list[int]) -> list[float]:
    """Return the slope ratio of some windows by a least-squares fit each."""
    rounds = np.arange(width)
    ratios = []
    for end in ends:
        window = series[end - width : end]
        slope = np.polyfit(rounds, window, 1)[0]
        ratios.append(abs(slope) * (width - 1) / window.mean())
    return ratios


def least_seconds(work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def compare(series: FloatArray, width: int) -> None:
    criteria = SteadyStateCriteria(window_rounds=width)
    judged = assess_series(series, criteria)
    random = np.random.default_rng(width)
    ends = random.integers(width, len(series), POLYFIT_WINDOWS).tolist()
    ratios = judge_by_polyfit(series, width, ends)
    found = judged.slope_ratio[np.array(ends) - 1]
    error = np.max(np.abs(found - ratios)) / 0.10
    differ = int(np.sum(judge_by_pandas(series, width) != judged.is_steady))

    ours = least_seconds(lambda: assess_series(series, criteria))
    pandas = least_seconds(lambda: judge_by_pandas(series, width))
    sample = least_seconds(lambda: judge_by_polyfit(series, width, ends))
    polyfit = sample * (len(series) - width + 1) / POLYFIT_WINDOWS
    print(
        f"window {width:>4}: ssdlab {ours:.3f} s; "
        f"pandas rolling takes {pandas / ours:.1f} x as long, "
        f"np.polyfit {polyfit / ours:,.0f} x; "
        f"slope error at most {error:.0e} of the limit; "
        f"{judged.is_steady.mean():.0%} steady, "
        f"{differ} of {len(series):,} verdicts differ from pandas"
    )


def main() -> None:
    series = make_series()
    for width in WIDTHS:
        compare(series, width)


if __name__ == "__main__":
    main()

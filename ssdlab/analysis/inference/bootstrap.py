"""Intervals by resampling: whole rounds are drawn again, never single values.

Kept beside `between_rounds_interval` because readers know it, and to be measured
against it: with few rounds its interval is too narrow, as the table of coverage shows.
"""

import numpy as np

from ssdlab.analysis.inference.interval import Interval
from ssdlab.analysis.inference.quantiles import BinnedRounds, estimate_quantile

_ROUNDING = 1e-9


def bootstrap_interval(
    bins: BinnedRounds,
    level_percent: float,
    *,
    seed: int,
    draws: int = 1000,
    confidence_percent: float = 95.0,
) -> Interval:
    """Return a quantile and the spread of it over rounds that were drawn again.

    The percentile interval, from the lower to the upper edge of its bins.
    """
    rounds = len(bins.counts)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(rounds, np.full(rounds, 1 / rounds), size=draws)
    reached = drawn @ np.cumsum(bins.counts, axis=1)
    wanted = level_percent / 100 * reached[:, -1:] - _ROUNDING
    places = (reached >= wanted).argmax(axis=1)
    tail = (1 - confidence_percent / 100) / 2
    low, high = np.quantile(places, [tail, 1 - tail], method="inverted_cdf")
    return Interval(
        estimate=estimate_quantile(bins, level_percent),
        low=float(bins.lower[low]),
        high=float(bins.upper[high]),
        confidence_percent=confidence_percent,
    )

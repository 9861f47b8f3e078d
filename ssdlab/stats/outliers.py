"""Outliers by median absolute deviation."""

import numpy as np
import numpy.typing as npt

LEAST_VALUES = 5
FALSE_ALARM_RATIO = 0.01  # chance of finding any in a sample without outliers
_TO_SIGMA = 1.482602218505602  # 1 / the quartile of the normal distribution


def find_outliers(values: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return which values are too far from the median.

    None of fewer than `LEAST_VALUES`, nor if more than half are equal: then the
    deviation is 0 and not informative.

    Notes
    -----
    The limit of `outlier_limit` depends on n. With the usual 3.5 every fifth sample of
    5 normal values would have an outlier.

    References
    ----------
    .. [1] B. Iglewicz, D. C. Hoaglin, "How to Detect and Handle Outliers", 1993.

    >>> find_outliers([10.0, 11.0, 9.0, 10.5, 9.5, 100.0]).tolist()
    [False, False, False, False, False, True]
    """
    distances = outlier_distances(values)
    limit = outlier_limit(len(distances))
    with np.errstate(invalid="ignore"):
        return np.asarray(distances > limit)


def outlier_distances(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return how far each value is from the median, in robust standard deviations."""
    series = np.asarray(values, dtype=np.float64)
    if series.size == 0:
        return series
    away = np.abs(series - np.median(series))
    scale = _TO_SIGMA * float(np.median(away))
    if scale == 0:
        return np.full(series.shape, np.nan)
    distances: npt.NDArray[np.float64] = away / scale
    return distances


def outlier_limit(n_values: int) -> float:
    """Return how far a value may be from the median of so many.

    The distance, in robust standard deviations, that one in 100 samples of normal
    values passes anywhere; infinite below `LEAST_VALUES`.
    """
    if n_values < LEAST_VALUES:
        return float("inf")
    counts, limits = zip(*_LIMITS, strict=True)
    return float(np.exp(np.interp(np.log(n_values), np.log(counts), np.log(limits))))


# (n, limit): quantiles of the greatest distance in samples of n normal values.
_LIMITS = (
    (5, 18.6), (6, 10.1), (7, 10.7), (8, 7.9), (9, 8.3), (10, 6.95), (12, 6.3),
    (14, 5.85), (16, 5.6), (20, 5.25), (25, 5.05), (30, 4.8), (40, 4.6), (50, 4.5),
    (75, 4.4), (100, 4.3), (200, 4.3), (400, 4.35), (1000, 4.5),
)  # fmt: skip

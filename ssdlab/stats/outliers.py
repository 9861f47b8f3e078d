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


def outlier_limit(n_values: int, *, alarm_ratio: float = FALSE_ALARM_RATIO) -> float:
    """Return how far a value may be from the median of so many.

    The distance, in robust standard deviations, that such a share of samples of normal
    values passes anywhere; infinite below `LEAST_VALUES`.

    Notes
    -----
    Limits are known of 1 in 100 and of 1 in 1,000 samples; those of other shares are by
    the power law through both, which is no less than the limit between 1 in 20 and 1 in
    10,000.

    >>> outlier_limit(50), outlier_limit(50, alarm_ratio=0.001)
    (4.5, 5.5)
    """
    if n_values < LEAST_VALUES:
        return float("inf")
    counts, *columns = np.log(_LIMITS).T
    often, seldom = (np.interp(np.log(n_values), counts, own) for own in columns)
    decades = np.log10(FALSE_ALARM_RATIO / alarm_ratio)
    return round(float(np.exp(often + decades * (seldom - often))), 9)


# (n, limit, limit): quantiles of the greatest distance in samples of n normal values,
# which 1 in 100 of them and 1 in 1,000 pass.
_LIMITS = (
    (5, 18.6, 61), (6, 10.1, 22.7), (7, 10.7, 24.5), (8, 7.9, 15), (9, 8.3, 15.6),
    (10, 6.95, 11.8), (11, 7.05, 11.9), (12, 6.3, 10.1), (13, 6.4, 10.1),
    (14, 5.85, 8.85), (15, 5.95, 9), (16, 5.6, 8.2), (17, 5.65, 8.25), (20, 5.25, 7.25),
    (21, 5.25, 7.3), (25, 5.05, 6.7), (30, 4.8, 6.2), (40, 4.6, 5.75), (50, 4.5, 5.5),
    (75, 4.4, 5.2), (100, 4.3, 5.05), (200, 4.3, 4.9), (400, 4.35, 4.9),
    (1000, 4.5, 5),
)  # fmt: skip

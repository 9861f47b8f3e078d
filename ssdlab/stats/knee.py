"""Where more outstanding IOs stop paying off: the knee of IOPS v response time."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_LEAST_POINTS = 3  # two are the chord itself
_ROUNDING = 1e-9  # of the unit square: a straight line has no knee


def find_efficient(iops: npt.ArrayLike, lat_mean_ns: npt.ArrayLike) -> BoolArray:
    """Return which points are not dominated: the merged curve of demand intensity.

    Whether no other point has at least as many IOPS within at most the same
    response time, and is better in one of them. Of equal points the first
    counts; a point without a number never does.

    >>> find_efficient([100, 200, 150], [1, 2, 3]).tolist()
    [True, True, False]
    """
    rates = np.asarray(iops, dtype=np.float64)
    times = np.asarray(lat_mean_ns, dtype=np.float64)
    is_efficient = np.zeros(len(rates), dtype=bool)
    (known,) = np.nonzero(np.isfinite(rates) & np.isfinite(times))
    order = known[np.lexsort((-rates[known], times[known]))]
    before = np.maximum.accumulate(np.append(-np.inf, rates[order]))[:-1]
    is_efficient[order] = rates[order] > before
    return is_efficient


def find_knee(iops: npt.ArrayLike, lat_mean_ns: npt.ArrayLike) -> int | None:
    """Return which point is the knee of the efficient ones, if they have one.

    Its place in the arrays; ``None`` with fewer than three efficient points, or
    where none lies below the line between the first and the last of them.

    Notes
    -----
    Both axes are linear and scaled so that the efficient points span 0 to 1. The knee
    is the point farthest below the chord between their ends, of equally far ones that
    of the least response time: with the scaled IOPS x and response time y, the
    greatest x - y. This is the knee of [1]_ without its smoothing. The PTS draws the
    curve and gives no rule for its knee.

    References
    ----------
    .. [1] V. Satopää, J. Albrecht, D. Irwin, B. Raghavan, "Finding a 'Kneedle' in a
       Haystack: Detecting Knee Points in System Behavior", ICDCS Workshops, 2011.

    >>> find_knee([100, 200, 300, 350, 400], [1.0, 1.1, 1.5, 3.0, 11.0])
    3
    """
    rates = np.asarray(iops, dtype=np.float64)
    times = np.asarray(lat_mean_ns, dtype=np.float64)
    (front,) = np.nonzero(find_efficient(rates, times))
    if len(front) < _LEAST_POINTS:
        return None
    front = front[np.argsort(times[front])]
    gain = _scaled(rates[front]) - _scaled(times[front])
    farthest = int(np.argmax(gain))
    return int(front[farthest]) if gain[farthest] > _ROUNDING else None


def _scaled(ascending: FloatArray) -> FloatArray:
    return np.asarray((ascending - ascending[0]) / (ascending[-1] - ascending[0]))

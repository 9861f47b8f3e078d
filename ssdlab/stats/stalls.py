"""Stalls of a series of IO counts, and how often they come."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]

_AROUND = 61  # intervals of which the median is the usual count
_LEAST_AROUND = 15
_SHARE = 0.5  # of the usual count: fewer IOs may be a stall
_CHANCE = 1e-6  # at most that Poisson arrivals have so few in an interval
_CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True, slots=True)
class StallRate:
    """How many stalls in how long, and the rate with its 95 % interval [1/h].

    ``high`` is finite without any stall: what so long a time can rule out.
    """

    stalls: int
    hours: float
    per_hour: float
    low: float
    high: float


def find_stalls(counts: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """Return the first and the last interval of each stall.

    An interval is stalled if it has less than half the IOs of the median of the 61
    around it, and fewer than Poisson arrivals of that mean would have in one interval
    of a million. Neighbouring intervals are one stall.

    Parameters
    ----------
    counts : array_like
        IOs of each interval, in order, shape (n,); an interval without IO has 0.

    Returns
    -------
    first, last : ndarray of int64
        Positions, shape (stalls,). None of a series of fewer than 15 intervals.

    Notes
    -----
    By the bound of Chernoff, P(X <= k) <= exp(-(m - k + k ln(k / m))) for a mean m.
    Closed loops are more regular than Poisson arrivals, so fewer than one in a million
    intervals of a steady load is a false stall.

    Examples
    --------
    >>> counts = [1000] * 40 + [20, 0] + [1000] * 40
    >>> first, last = find_stalls(counts)
    >>> first.tolist(), last.tolist()
    ([40], [41])
    """
    known = np.asarray(counts, dtype=np.float64)
    usual = _medians_around(known)
    with np.errstate(divide="ignore", invalid="ignore"):
        less = np.where(known > 0, known * np.log(known / usual), 0.0)
        improbable = usual - known + less > -math.log(_CHANCE)
    is_stalled = (known < _SHARE * usual) & improbable
    edges = np.flatnonzero(np.diff(np.concatenate([[0], is_stalled, [0]])))
    return edges[::2].astype(np.int64), edges[1::2].astype(np.int64) - 1


def rate_stalls(stalls: int, hours: float) -> StallRate:
    """Return the rate of stalls with the exact interval of a Poisson count.

    Parameters
    ----------
    stalls : int
        How many there were.
    hours : float
        In what time [h].

    References
    ----------
    .. [1] F. Garwood, "Fiducial Limits for the Poisson Distribution", Biometrika 28,
       1936.

    Examples
    --------
    No stall in an hour rules out more than 3.7 an hour:

    >>> found = rate_stalls(0, 1.0)
    >>> found.low, round(found.high, 2)
    (0.0, 3.69)
    """
    from ssdlab.stats.special import chdtri  # noqa: PLC0415 - loads scipy

    tail = (1 - _CONFIDENCE) / 2
    low = float(chdtri(2 * stalls, 1 - tail)) / 2 if stalls else 0.0
    high = float(chdtri(2 * stalls + 2, tail)) / 2
    return StallRate(
        stalls=stalls,
        hours=hours,
        per_hour=stalls / hours,
        low=low / hours,
        high=high / hours,
    )


def _medians_around(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the median of the values around each; NaN of too few."""
    import pandas as pd  # noqa: PLC0415 - 0.3 s before a run begins

    around = pd.Series(values).rolling(_AROUND, center=True, min_periods=_LEAST_AROUND)
    return around.median().to_numpy(np.float64)

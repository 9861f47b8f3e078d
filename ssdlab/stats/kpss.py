"""Is a series stationary about a level? The KPSS test, as advice.

It tests whether the level drifts randomly. It is weak where it would be needed most: a
large transient inflates the noise estimate so much that the series passes (decision
39).
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ssdlab.stats.special import gammaln, kve

FEWEST_TO_SPEAK = 11  # with fewer, a straight line without noise passes at 5 %
TOO_SHORT = (
    f"not informative: with fewer than {FEWEST_TO_SPEAK} rounds a straight line passes"
)
WEAKNESS = (
    "advice only: a large transient passes, because it is taken for noise; strongly "
    "autocorrelated steady rounds fail at 5 % in 1 of 4 series"
)
_FEWEST = 3
_TERMS = 12  # of the series; the next adds nothing that a double would hold


@dataclass(frozen=True, kw_only=True, slots=True)
class StationarityTest:
    """The statistic, the lags of its noise estimate, and its p-value.

    ``p_value`` is the share of steady series with a statistic as great or greater,
    if they are long; ``note`` states the weakness of the test.
    """

    statistic: float
    lags: int
    p_value: float
    note: str = WEAKNESS


def assess_stationarity(
    values: npt.ArrayLike, *, lags: int | None = None
) -> StationarityTest:
    """Apply the KPSS test for level stationarity.

    References
    ----------
    .. [1] D. Kwiatkowski, P. C. B. Phillips, P. Schmidt, Y. Shin, "Testing the null
       hypothesis of stationarity against the alternative of a unit root", Journal of
       Econometrics 54 (1992).

    >>> round(assess_stationarity([1.0, 2.0, 3.0, 4.0], lags=0).statistic, 3)
    0.425
    """
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1 or len(series) < _FEWEST or not np.isfinite(series).all():
        msg = f"the test needs {_FEWEST} numbers or more, without missing values"
        raise ValueError(msg)
    count = len(series)
    if lags is None:
        lags = int(4 * (count / 100) ** 0.25)
    deviations = series - series.mean()
    squares = float(deviations @ deviations)
    noise = squares
    for lag in range(1, min(lags, count - 1) + 1):
        share = 1 - lag / (lags + 1)
        noise += 2 * share * float(deviations[lag:] @ deviations[:-lag])
    if squares <= 0 or noise <= 0:
        return StationarityTest(statistic=0.0, lags=lags, p_value=1.0)
    paths = np.cumsum(deviations)
    statistic = float(paths @ paths) / (count * noise)
    return StationarityTest(
        statistic=statistic,
        lags=lags,
        p_value=share_above(statistic),
        note=TOO_SHORT if count < FEWEST_TO_SPEAK else WEAKNESS,
    )


def share_above(statistic: float) -> float:
    """Return the share of long steady series whose statistic is greater.

    Notes
    -----
    The limit is that of Cramer and von Mises; its distribution is a sum of Bessel
    functions [1]_.

    References
    ----------
    .. [1] T. W. Anderson, D. A. Darling, "Asymptotic theory of certain goodness of
       fit criteria", Annals of Mathematical Statistics 23 (1952), formula 4.35.

    >>> round(share_above(0.46136), 4), round(share_above(0.74346), 4)
    (0.05, 0.01)
    """
    if statistic <= 0:
        return 1.0
    terms = np.arange(_TERMS)
    arguments = (4 * terms + 1) ** 2 / (16 * statistic)
    sizes = np.exp(gammaln(terms + 0.5) - gammaln(terms + 1) - 2 * arguments)
    parts = sizes * np.sqrt(4 * terms + 1) * kve(0.25, arguments)
    below = float(parts.sum()) / (math.pi**1.5 * math.sqrt(statistic))
    return float(min(max(1 - below, 0.0), 1.0))

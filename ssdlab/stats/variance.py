"""Components of variance: drive-to-drive against run-to-run, one-way random effects."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ssdlab.stats.interval import Interval


@dataclass(frozen=True, kw_only=True, slots=True)
class VarianceComponents:
    """Variance between groups, within them, and the ratio of both.

    ``between`` is truncated at 0, which ``note`` says; ``between_to_within`` has the
    interval of the ratio of both variances, ``within`` that of its own.
    """

    between: float
    within: Interval
    between_to_within: Interval
    n_groups: int
    n_values: int
    note: str = ""


def estimate_variance_components(
    groups: Sequence[npt.ArrayLike], *, confidence_percent: float = 95.0
) -> VarianceComponents | None:
    """Split the variance of values into that between groups and that within them.

    None if there are fewer than two groups, none of them is repeated, or no group has
    scatter.

    Notes
    -----
    The estimates are those of the analysis of variance of random effects. The interval
    of the ratio is exact for groups of equal size; for others it is that of Thomas and
    Hultquist, with the harmonic mean of their sizes. Both assume normal values.

    References
    ----------
    .. [1] S. R. Searle, G. Casella, C. E. McCulloch, "Variance Components", 1992,
       sections 3.5 and 3.6.
    .. [2] J. D. Thomas, R. A. Hultquist, "Interval estimation for the unbalanced case
       of the one-way random effects model", Annals of Statistics 6, 1978.

    >>> found = estimate_variance_components([[1.0, 3.0], [5.0, 7.0]])
    >>> found.between, found.within.estimate, found.between_to_within.estimate
    (7.0, 2.0, 3.5)
    """
    arrays = [np.asarray(one, dtype=np.float64) for one in groups]
    sizes = np.array([len(one) for one in arrays])
    n_groups, n_values = len(arrays), int(sizes.sum())
    freedom = n_values - n_groups
    if n_groups < 2 or freedom < 1:
        return None
    means = np.array([one.mean() for one in arrays])
    squares = [((one - one.mean()) ** 2).sum() for one in arrays]
    within = math.fsum(squares) / freedom
    if within == 0:
        return None
    grand = float((sizes * means).sum() / n_values)
    mean_square = float((sizes * (means - grand) ** 2).sum()) / (n_groups - 1)
    size = (n_values - float((sizes**2).sum()) / n_values) / (n_groups - 1)
    between = (mean_square - within) / size
    note = ""
    if between < 0:
        note = "the groups differ less than their own scatter explains: set to 0"
    return VarianceComponents(
        between=max(0.0, between),
        within=_within_interval(within, freedom, confidence_percent),
        between_to_within=_ratio_interval(
            means, sizes, within, estimate=between / within, level=confidence_percent
        ),
        n_groups=n_groups,
        n_values=n_values,
        note=note,
    )


def _within_interval(
    variance: float, freedom: int, confidence_percent: float
) -> Interval:
    from ssdlab.stats.special import chdtri  # noqa: PLC0415 - loads scipy

    tail = (100 - confidence_percent) / 200
    return Interval(
        estimate=variance,
        low=variance * freedom / float(chdtri(freedom, tail)),
        high=variance * freedom / float(chdtri(freedom, 1 - tail)),
        confidence_percent=confidence_percent,
    )


def _ratio_interval(
    means: npt.NDArray[np.float64],
    sizes: npt.NDArray[np.int_],
    within: float,
    *,
    estimate: float,
    level: float,
) -> Interval:
    """Return the interval of the ratio of variances, by the unweighted means."""
    from ssdlab.stats.special import fdtri  # noqa: PLC0415 - loads scipy

    harmonic = len(sizes) / float((1 / sizes).sum())
    found = harmonic * float(means.var(ddof=1)) / within
    freedoms = (len(sizes) - 1, int(sizes.sum()) - len(sizes))
    tail = (100 - level) / 200
    low, high = (
        (found / float(fdtri(*freedoms, share)) - 1) / harmonic
        for share in (1 - tail, tail)
    )
    return Interval(
        estimate=max(0.0, estimate),
        low=max(0.0, low),
        high=max(0.0, high),
        confidence_percent=level,
        note="" if high > 0 else "the groups differ less than chance explains",
    )

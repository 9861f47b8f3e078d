"""Many tests at once: p-values that hold for the whole table."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def adjust_by_holm(
    p_values: npt.ArrayLike, *, weights: npt.ArrayLike | None = None
) -> FloatArray:
    """Adjust p-values to control the family-wise error rate: of tables, not of cells.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure",
       Scandinavian Journal of Statistics 6, 1979.

    >>> [round(float(p), 3) for p in adjust_by_holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    >>> [float(p) for p in adjust_by_holm([0.04, 0.04], weights=[4, 1])]
    [0.05, 0.05]
    """
    raw = np.asarray(p_values, dtype=np.float64)
    shares = np.ones(raw.shape) if weights is None else np.asarray(weights, float)
    adjusted = np.full(raw.shape, np.nan)
    known = np.flatnonzero(np.isfinite(raw))
    order = known[np.argsort(raw[known] / shares[known], kind="stable")]
    left = np.cumsum(shares[order][::-1])[::-1]  # weights of those not yet rejected
    steps = raw[order] / shares[order] * left
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def adjust_by_benjamini_hochberg(
    p_values: npt.ArrayLike, *, weights: npt.ArrayLike | None = None
) -> FloatArray:
    """Adjust p-values to control the false discovery rate: the share of false findings.

    References
    ----------
    .. [1] Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate", Journal
       of the Royal Statistical Society B 57, 1995.
    .. [2] C. R. Genovese, K. Roeder, L. Wasserman, "False discovery control with
       p-value weighting", Biometrika 93, 2006.

    >>> found = adjust_by_benjamini_hochberg([0.01, 0.04, 0.03])
    >>> [round(float(p), 3) for p in found]
    [0.03, 0.04, 0.04]
    """
    from scipy.stats import false_discovery_control  # noqa: PLC0415 - slow to load

    raw = np.asarray(p_values, dtype=np.float64)
    shares = np.ones(raw.shape) if weights is None else np.asarray(weights, float)
    adjusted = np.full(raw.shape, np.nan)
    known = np.isfinite(raw)
    if known.any():
        own = shares[known] / shares[known].mean()
        adjusted[known] = false_discovery_control(np.minimum(raw[known] / own, 1.0))
    return adjusted

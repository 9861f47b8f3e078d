"""Many tests at once: p-values that hold for the whole table."""

import numpy as np
import numpy.typing as npt


def adjust_by_holm(p_values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Adjust p-values so that among all of them one in 20 tables errs, not one cell.

    Parameters
    ----------
    p_values : array_like of float, shape (n,)
        One a test; NaN is no test and stays.

    Returns
    -------
    numpy.ndarray of float, shape (n,)
        Compare with 0.05.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure",
       Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> [round(float(p), 3) for p in adjust_by_holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    raw = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(raw.shape, np.nan)
    known = np.flatnonzero(np.isfinite(raw))
    order = known[np.argsort(raw[known], kind="stable")]
    steps = raw[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted

"""Where the transient ends: the truncation that leaves the mean most certain.

MSER-5 of simulation studies: of all beginnings to cut off, in batches of five, the one
that leaves the least standard error of the mean of the rest.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BATCH = 5
FEWEST_ROUNDS = 60  # of 25 independent ones the best cut takes 10 in the median
_FEWEST_LEFT = 5  # batches, that no cut takes away


@dataclass(frozen=True, kw_only=True, slots=True)
class Truncation:
    """How many values to cut off, and the mean of the rest.

    ``is_found`` is False where the best cut lies in the later half: then the series
    is too short for what it begins with. ``note`` says what the cut is not good for.
    """

    dropped: int
    mean: float
    is_found: bool
    note: str = ""


def find_truncation(values: npt.ArrayLike, *, batch: int = BATCH) -> Truncation:
    """Find how much of a series to cut off by the MSER rule.

    Raises
    ------
    ValueError
        If a value is missing, or there is not one batch.

    References
    ----------
    .. [1] K. P. White, M. J. Cobb, S. C. Spratt, "A comparison of five steady-state
       truncation heuristics for simulation", Winter Simulation Conference 2000.

    >>> find_truncation([9, 8, 5, 6, 5, 6, 5, 6], batch=2).dropped
    2
    """
    series = np.asarray(values, dtype=np.float64)
    if series.ndim != 1 or len(series) < batch or not np.isfinite(series).all():
        msg = f"the rule needs {batch} numbers or more, none of them missing"
        raise ValueError(msg)
    count = len(series) // batch
    means = series[: count * batch].reshape(count, batch).mean(axis=1)
    # A few batches at the end are alike by chance now and then.
    left = max(2, min(_FEWEST_LEFT, count // 2))
    cuts = np.arange(max(1, count - left + 1))
    errors = np.array([means[cut:].var() / (count - cut) for cut in cuts])
    best = int(np.argmin(errors))
    dropped = best * batch
    is_found = count > 1 and best <= count // 2
    notes = [] if is_found else ["the best cut leaves less than half: too short to say"]
    if len(series) < FEWEST_ROUNDS:
        notes.append(f"of little use below {FEWEST_ROUNDS} rounds")
    return Truncation(
        dropped=dropped,
        mean=float(series[dropped:].mean()),
        is_found=is_found,
        note="; ".join(notes),
    )

"""The steady-state rule over every window of a series at once.

A window is joined from runs of 1, 2, 4, 8 ... neighbouring values, so its sums take
about ``2 log2(width)`` passes and are made of its own values alone. Nothing cancels
over the length of the series, and a window gives the same bits wherever it lies: one
window judged alone and a million judged together cannot disagree.
"""

from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from ssdlab.model.spec import SteadyStateCriteria

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

# What binary floating point may add to a decimal value, its unit change and our sums,
# as a ratio of the greatest value. Without it 1.1 - 0.9 > 0.20 x 1.0, and a window
# would be steady in one unit and not in another.
ROUNDING_RATIO = 16 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, kw_only=True, slots=True)
class WindowSums:
    """Sums over each run of ``count`` neighbouring values; entry i begins at value i.

    ``tilt`` is the sum of value times distance from the run's centre [rounds], and
    ``squares`` the sum of squared deviations from the run's average.
    """

    count: int
    total: FloatArray
    tilt: FloatArray
    squares: FloatArray
    minimum: FloatArray
    maximum: FloatArray


@dataclass(frozen=True, kw_only=True, slots=True)
class WindowFit:
    """Average, extremes and least-squares line of each window.

    The average is NaN where there is none: of bad values, or of too large ones.
    """

    window_rounds: int
    average: FloatArray
    minimum: FloatArray
    maximum: FloatArray
    slope_per_round: FloatArray
    correlation: FloatArray

    @property
    def slope_excursion(self) -> FloatArray:
        """Rise or fall of the line inside the window: n rounds span n - 1 steps."""
        return np.abs(self.slope_per_round) * (self.window_rounds - 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class LimitCheck:
    """One limit: what is compared, and the ratio that it must not exceed."""

    what: str
    is_of_fit: bool
    amount: FloatArray
    limit_ratio: float

    def is_kept(self, fit: WindowFit) -> BoolArray:
        """Compare with the limit: equality is accepted (PTS 2.1.24), NaN never is."""
        allowed = self.limit_ratio * fit.average
        allowed += ROUNDING_RATIO * fit.maximum
        return np.asarray(self.amount <= allowed)


@dataclass(frozen=True, kw_only=True, slots=True)
class WindowVerdicts:
    """Verdicts of many windows, one array per field; NaN and False without a window."""

    average: FloatArray
    minimum: FloatArray
    maximum: FloatArray
    range_ratio: FloatArray
    slope_per_round: FloatArray
    slope_ratio: FloatArray
    correlation: FloatArray
    is_range_ok: BoolArray
    is_slope_ok: BoolArray
    is_steady: BoolArray


def sum_windows(values: FloatArray, width: int) -> WindowSums:
    """Return the sums of every window of ``width`` values, NaN where one is NaN."""
    zeros = np.zeros_like(values)
    run = WindowSums(
        count=1, total=values, tilt=zeros, squares=zeros, minimum=values, maximum=values
    )
    pieces = [run] if width & 1 else []
    while run.count * 2 <= width:
        run = _join(run, run)
        if width & run.count:
            pieces.append(run)
    return reduce(_join, pieces)


def _join(left: WindowSums, right: WindowSums) -> WindowSums:
    """Join each run of ``left`` with the run of ``right`` that follows it."""
    a, b = left.count, right.count
    end = len(right.total) - a
    cross = a * right.total[a:]  # to become a b (mean_right - mean_left)
    cross -= b * left.total[:end]
    tilt = left.tilt[:end] + right.tilt[a:]
    tilt += cross / 2
    squares = left.squares[:end] + right.squares[a:]
    cross *= cross
    squares += cross / (a * b * (a + b))
    return WindowSums(
        count=a + b,
        total=left.total[:end] + right.total[a:],
        tilt=tilt,
        squares=squares,
        minimum=np.minimum(left.minimum[:end], right.minimum[a:]),
        maximum=np.maximum(left.maximum[:end], right.maximum[a:]),
    )


def fit_windows(values: FloatArray, width: int) -> WindowFit:
    """Fit a line to every window; a value that is not positive counts as missing.

    Equal values have the slope 0 and no correlation, whatever their sums round to.
    """
    if width < 2:
        msg = f"a window of {width} rounds has no slope; it needs 2 or more"
        raise ValueError(msg)
    usable = np.where((values > 0) & (values < np.inf), values, np.nan)
    sums = sum_windows(usable, width)
    distances_squared = width * (width**2 - 1) / 12
    is_flat = sums.minimum == sums.maximum
    average = sums.total / width
    average[average == np.inf] = np.nan
    average[is_flat] = sums.maximum[is_flat]
    sums.tilt[is_flat] = 0.0
    sums.squares[is_flat | (sums.squares == np.inf)] = np.nan
    correlation = sums.tilt / np.sqrt(distances_squared * sums.squares)
    return WindowFit(
        window_rounds=width,
        average=average,
        minimum=sums.minimum,
        maximum=sums.maximum,
        slope_per_round=sums.tilt / distances_squared,
        correlation=np.clip(correlation, -1.0, 1.0),
    )


def check_limits(fit: WindowFit, criteria: SteadyStateCriteria) -> list[LimitCheck]:
    """Return the limits of the criteria, with the measured amounts."""
    spread = fit.maximum - fit.minimum
    deviation = np.maximum(fit.maximum - fit.average, fit.average - fit.minimum)
    excursion = fit.slope_excursion
    possible = (
        ("range", False, spread, criteria.max_range_ratio),
        ("value deviation", False, deviation, criteria.max_value_deviation_ratio),
        ("slope excursion", True, excursion, criteria.max_slope_ratio),
        ("fit deviation", True, excursion / 2, criteria.max_fit_deviation_ratio),
    )
    return [
        LimitCheck(what=what, is_of_fit=is_of_fit, amount=amount, limit_ratio=limit)
        for what, is_of_fit, amount, limit in possible
        if limit is not None
    ]


def quiet() -> np.errstate:
    """Let what cannot be computed be NaN; the verdict calls it a data error."""
    return np.errstate(over="ignore", invalid="ignore", divide="ignore")


def judge_windows(fit: WindowFit, criteria: SteadyStateCriteria) -> WindowVerdicts:
    """Compare every window with every limit of the criteria."""
    is_ok = {of_fit: ~np.isnan(fit.average) for of_fit in (False, True)}
    for check in check_limits(fit, criteria):
        is_ok[check.is_of_fit] &= check.is_kept(fit)
    return WindowVerdicts(
        average=fit.average,
        minimum=fit.minimum,
        maximum=fit.maximum,
        range_ratio=(fit.maximum - fit.minimum) / fit.average,
        slope_per_round=fit.slope_per_round,
        slope_ratio=fit.slope_excursion / fit.average,
        correlation=fit.correlation,
        is_range_ok=is_ok[False],
        is_slope_ok=is_ok[True],
        is_steady=is_ok[False] & is_ok[True],
    )

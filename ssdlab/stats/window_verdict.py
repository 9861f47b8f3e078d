"""The verdict of the steady-state rule on one window, in numbers and in words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ssdlab.model.spec import SteadyStateCriteria
from ssdlab.stats.windows import (
    FloatArray,
    WindowFit,
    check_limits,
    fit_windows,
    judge_windows,
    quiet,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class LimitVerdict:
    """One limit: its quantity, the amount measured, and whether it is met."""

    what: str
    amount: float
    ratio: float
    limit_ratio: float
    is_kept: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class SteadyStateVerdict:
    """The verdict of the rule on one window, and the numbers behind it.

    The ratios are ratios of the window's ``average``. The fitted line is
    ``slope_per_round * round + intercept`` with the round numbers that
    ``window_first_round`` and ``window_last_round`` count in; ``fit_first`` and
    ``fit_last`` are its values there. A number that does not exist is NaN: all of
    them after a data error, ``correlation`` also when all values are equal.
    ``limits`` holds each limit that was asked for; ``is_range_ok`` stands for those
    of the values, ``is_slope_ok`` for those of the line. ``reason`` says in words why
    the window is not steady; it is empty when it is.
    """

    window_rounds: int
    window_first_round: int
    window_last_round: int
    average: float
    minimum: float
    maximum: float
    range_ratio: float
    slope_per_round: float
    intercept: float
    slope_ratio: float
    correlation: float
    fit_first: float
    fit_last: float
    is_range_ok: bool
    is_slope_ok: bool
    is_steady: bool
    reason: str
    limits: tuple[LimitVerdict, ...]


def assess_window(
    window: FloatArray, criteria: SteadyStateCriteria, *, first_round: int
) -> SteadyStateVerdict:
    """Judge exactly one window, whose first value is that of ``first_round``."""
    with quiet():
        fit = fit_windows(window, len(window))
        judged = judge_windows(fit, criteria)
        limits = _hold_limits(fit, criteria)
    steps = len(window) - 1
    average, slope = float(fit.average[0]), float(fit.slope_per_round[0])
    is_steady = bool(judged.is_steady[0])
    return SteadyStateVerdict(
        window_rounds=len(window),
        window_first_round=first_round,
        window_last_round=first_round + steps,
        average=average,
        minimum=float(fit.minimum[0]),
        maximum=float(fit.maximum[0]),
        range_ratio=float(judged.range_ratio[0]),
        slope_per_round=slope,
        intercept=average - slope * (first_round + steps / 2),
        slope_ratio=float(judged.slope_ratio[0]),
        correlation=float(fit.correlation[0]),
        fit_first=average - slope * steps / 2,
        fit_last=average + slope * steps / 2,
        is_range_ok=bool(judged.is_range_ok[0]),
        is_slope_ok=bool(judged.is_slope_ok[0]),
        is_steady=is_steady,
        reason=""
        if is_steady
        else _find_data_error(window, first_round=first_round) or _explain(limits),
        limits=limits,
    )


def _hold_limits(
    fit: WindowFit, criteria: SteadyStateCriteria
) -> tuple[LimitVerdict, ...]:
    """Compare the first window with each limit."""
    return tuple(
        LimitVerdict(
            what=check.what,
            amount=float(check.amount[0]),
            ratio=float(check.amount[0] / fit.average[0]),
            limit_ratio=check.limit_ratio,
            is_kept=bool(check.is_kept(fit)[0]),
        )
        for check in check_limits(fit, criteria)
    )


def _find_data_error(window: FloatArray, *, first_round: int) -> str:
    """Name the first value that cannot be judged (PTS 2.1.24); empty if all can."""
    for number, value in enumerate(window.tolist(), start=first_round):
        if math.isnan(value):
            return f"data error: round {number} has no value"
        if math.isinf(value) or value <= 0:
            return f"data error: round {number} is {value:g}, not a positive number"
    return ""


def _explain(limits: Sequence[LimitVerdict]) -> str:
    """Return which limits are exceeded, and by what."""
    words = "; ".join(
        f"{limit.what} {_percent(limit.ratio, limit.limit_ratio)} % of the average "
        f"exceeds {100 * limit.limit_ratio:g} %"
        for limit in limits
        if not limit.is_kept and math.isfinite(limit.ratio)
    )
    return words or "data error: values too large to add up"


def _percent(ratio: float, limit_ratio: float) -> str:
    """Format a ratio above its limit with enough digits to show that."""
    limit = f"{100 * limit_ratio:g}"
    texts = (f"{100 * ratio:.{digits}g}" for digits in range(4, 18))
    return next((text for text in texts if text != limit), limit)

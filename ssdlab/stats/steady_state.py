"""The steady-state rule of the PTS: one window, every round, or a whole series."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ssdlab.model.spec import PTS_CRITERIA, SteadyStateCriteria
from ssdlab.stats.window_verdict import SteadyStateVerdict, assess_window
from ssdlab.stats.windows import (
    FloatArray,
    WindowVerdicts,
    fit_windows,
    judge_windows,
    quiet,
)

_BLOCK_WINDOWS = 16384  # the intermediate sums of a block stay in the processor's cache


def assess_steady_state(
    tracking_variable: npt.ArrayLike,
    criteria: SteadyStateCriteria = PTS_CRITERIA,
    *,
    first_round: int = 1,
) -> SteadyStateVerdict:
    """Assess whether the last rounds of a tracking variable are steady.

    Parameters
    ----------
    tracking_variable : array_like of float, shape (n_rounds,)
        One value a round, oldest first, such as the total IOPS of 4 KiB random
        writes [1/s]. Only the last ``criteria.window_rounds`` count.
    criteria : SteadyStateCriteria, default PTS_CRITERIA
        Width of the window [rounds] and its limits [ratio of the window average].
    first_round : int, default 1
        Number of the round that the first value belongs to.

    Returns
    -------
    SteadyStateVerdict
        ``range_ratio`` and ``slope_ratio`` are ratios of the window average.

    Raises
    ------
    ValueError
        If there are fewer values than the window has rounds, or what is given is no
        series of numbers.

    Notes
    -----
    The slope ratio is the rise of the fitted line over ``window_rounds - 1`` steps:
    five rounds span four. A value equal to its limit is accepted. Nothing is rounded,
    but a limit counts as met if it is exceeded by no more than binary floating point
    itself explains (4e-15 of the greatest value), so that a window of decimal values
    gets the same verdict in every unit.

    A value that is missing, infinite, zero or negative is a data error: the window is
    not steady and its ratios are NaN.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, definition 2.1.24.

    Examples
    --------
    >>> assess_steady_state([100.0, 101.0, 99.0, 100.0, 100.0]).is_steady
    True
    >>> verdict = assess_steady_state([94, 97, 100, 103, 106])
    >>> verdict.slope_per_round, verdict.slope_ratio, verdict.reason
    (3.0, 0.12, 'slope excursion 12 % of the average exceeds 10 %')
    """
    series = _as_series(tracking_variable)
    width = criteria.window_rounds
    if len(series) < width:
        msg = f"{len(series)} rounds are fewer than the {width} of the window"
        raise ValueError(msg)
    return assess_window(
        series[len(series) - width :],
        criteria,
        first_round=first_round + len(series) - width,
    )


def assess_rounds(
    tracking_variable: npt.ArrayLike,
    criteria: SteadyStateCriteria = PTS_CRITERIA,
    *,
    segment_starts: Sequence[int] = (),
) -> list[SteadyStateVerdict | None]:
    """Judge a tracking variable after each round, as the test itself does.

    Parameters
    ----------
    tracking_variable : array_like of float, shape (n_rounds,)
        One value a round, the first of which is round 1.
    criteria : SteadyStateCriteria, default PTS_CRITERIA
        Width of the window [rounds] and its limits [ratio of the window average].
    segment_starts : sequence of int, default ()
        Rounds, counted from 1, before which the run was interrupted: no window holds
        rounds from both sides of such a gap.

    Returns
    -------
    list of SteadyStateVerdict or None
        One entry a round; None while there are fewer rounds than the window has
        since the beginning or the last gap.

    Raises
    ------
    ValueError
        If a segment starts before round 1, or what is given is no series of numbers.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, definition 2.1.24.

    Examples
    --------
    >>> verdicts = assess_rounds([100, 100, 100, 100, 100, 100], segment_starts=[2])
    >>> [verdict is not None for verdict in verdicts]
    [False, False, False, False, False, True]
    """
    if any(start < 1 for start in segment_starts):
        msg = f"rounds count from 1, so a segment cannot start at {min(segment_starts)}"
        raise ValueError(msg)
    series = _as_series(tracking_variable)
    width = criteria.window_rounds
    verdicts: list[SteadyStateVerdict | None] = []
    segment_start = 1
    for last_round in range(1, len(series) + 1):
        if last_round in segment_starts:
            segment_start = last_round
        first_round = last_round - width + 1
        verdicts.append(
            None
            if first_round < segment_start
            else assess_window(
                series[first_round - 1 : last_round], criteria, first_round=first_round
            )
        )
    return verdicts


def assess_series(
    values: npt.ArrayLike, criteria: SteadyStateCriteria = PTS_CRITERIA
) -> WindowVerdicts:
    """Judge every window of a long series at once.

    The verdicts are those of `assess_steady_state`, to the last bit, at about the
    cost of a rolling mean.

    Arrays of shape (n_rounds,). Entry i is the window that ends with value i;
    the first ``criteria.window_rounds - 1`` have none: NaN and False.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, definition 2.1.24.

    >>> assess_series([150, 100, 101, 99, 100, 100]).is_steady.tolist()
    [False, False, False, False, False, True]
    """
    series = _as_series(values)
    width = criteria.window_rounds
    columns: dict[str, Any] = {
        name: np.zeros(len(series), dtype=np.bool_)
        if name.startswith("is_")
        else np.full(len(series), np.nan)
        for name in WindowVerdicts.__dataclass_fields__
    }
    step = max(_BLOCK_WINDOWS, 2 * width)
    for start in range(0, len(series) - width + 1, step):
        block = series[start : start + step + width - 1]
        with quiet():
            judged = judge_windows(fit_windows(block, width), criteria)
        ends = slice(start + width - 1, start + len(block))
        for name, column in columns.items():
            column[ends] = getattr(judged, name)
    return WindowVerdicts(**columns)


def find_first_steady_round(
    values: npt.ArrayLike, criteria: SteadyStateCriteria = PTS_CRITERIA
) -> int | None:
    """Return the first round, counted from 1, whose window is steady, if any is.

    Parameters
    ----------
    values : array_like of float, shape (n_rounds,)
        One value a round, the first of which is round 1.
    criteria : SteadyStateCriteria, default PTS_CRITERIA
        Width of the window [rounds] and its limits [ratio of the window average].

    Returns
    -------
    int or None
        The last round of the first steady window: the one a test would stop after.

    Examples
    --------
    >>> find_first_steady_round([150, 100, 101, 99, 100, 100])
    6
    """
    steady = assess_series(values, criteria).is_steady
    return int(np.argmax(steady)) + 1 if steady.any() else None


def _as_series(values: npt.ArrayLike) -> FloatArray:
    """Return the values as one row of numbers, a missing one as NaN."""
    try:
        series = np.asarray(values, dtype=np.float64)
    except TypeError as error:
        msg = f"a series holds numbers only: {error}"
        raise ValueError(msg) from error
    if series.ndim != 1:
        msg = f"a series has one dimension, not {series.ndim}"
        raise ValueError(msg)
    return series

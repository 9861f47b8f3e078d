"""What a run knows of a metric of a cell: its value with an interval of any confidence.

The interval of a mean of rounds is that of the report, of 95 %, which allows for
autocorrelation; another confidence widens it as Student's t does. That of a percentile
is the one that is claimed of it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ssdlab.fleet.measured import MeasuredCell
from ssdlab.limits.bounds import BoundLimit
from ssdlab.qos.averages import parts_of_mean
from ssdlab.qos.load import Load
from ssdlab.stats.claims import claim_of_level
from ssdlab.stats.clusters import FEWEST_ROUNDS
from ssdlab.stats.interval import Interval
from ssdlab.stats.means import mean_interval
from ssdlab.stats.trend import NO_SCATTER, estimate_mean
from ssdlab.store.run import Run

FloatArray = npt.NDArray[np.float64]
Basis = Literal["rounds", "log", "IOs"]
Reason = Literal["", "no-value", "no-scatter"]
_MEASURED_PERCENT = 95.0  # of the intervals whose coverage was measured
ESTIMATED: Final = 2  # from rounds: their level, and their autocorrelation


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimate:
    """A value, and how its interval follows from a confidence.

    ``count`` is what it rests on: rounds, batches of a log, or IOs. With a ``reason``
    nothing is known of its scatter, or not even the value.
    """

    value: float
    count: int
    basis: Basis
    reason: Reason = ""
    interval: Callable[[float], Interval]
    load: Load | None = None


def estimate_rounds(values: npt.ArrayLike) -> Estimate:
    """Estimate the mean of three rounds or more, which may be autocorrelated."""
    rounds = np.asarray(values, np.float64)
    found = estimate_mean(rounds, confidence_percent=_MEASURED_PERCENT)

    def interval(confidence_percent: float) -> Interval:
        return _widened(found, len(rounds) - ESTIMATED, confidence_percent)

    return Estimate(
        value=found.estimate,
        count=len(rounds),
        basis="rounds",
        reason="no-scatter" if found.note == NO_SCATTER else "",
        interval=interval,
    )


def _widened(found: Interval, freedom: int, confidence_percent: float) -> Interval:
    ratio = _student(freedom, confidence_percent) / _student(freedom, _MEASURED_PERCENT)
    half = ratio * (found.high - found.low) / 2
    return Interval(
        estimate=found.estimate,
        low=max(0.0, found.estimate - half),
        high=found.estimate + half,
        confidence_percent=confidence_percent,
    )


def _student(freedom: int, confidence_percent: float) -> float:
    from ssdlab.stats.special import stdtrit  # noqa: PLC0415 - loads scipy

    return float(stdtrit(freedom, 0.5 + confidence_percent / 200))


def estimate_cell(cell: MeasuredCell, limit: BoundLimit, run: Run) -> Estimate:
    """Estimate the metric of a limit in a cell of a run."""
    if limit.kind == "percentile":
        return _estimate_percentile(cell, limit.level)
    values = cell.sampled[limit.column].to_numpy(np.float64, na_value=np.nan)
    if not (np.isfinite(values).all() and (values > 0).all()):
        return _nothing("no-value")
    if len(values) >= FEWEST_ROUNDS:
        return estimate_rounds(values)
    parts = parts_of_mean(cell.whole_load, run.series, limit.column)

    def interval(confidence_percent: float) -> Interval:
        return mean_interval(
            parts.values, parts.weights, confidence_percent=confidence_percent
        )

    return Estimate(
        value=float(np.average(parts.values, weights=parts.weights)),
        count=len(parts.values),
        basis="log",
        reason="" if parts.is_known else "no-scatter",
        interval=interval,
    )


def _estimate_percentile(cell: MeasuredCell, level: float) -> Estimate:
    load = cell.load
    if load is None or not load.binned.total:
        return _nothing("no-value")

    def interval(confidence_percent: float) -> Interval:
        return claim_of_level(
            load.binned, level, confidence_percent=confidence_percent
        ).interval

    return Estimate(
        value=interval(_MEASURED_PERCENT).estimate,
        count=load.binned.total,
        basis="IOs",
        interval=interval,
        load=load,
    )


def _nothing(reason: Reason) -> Estimate:
    nan = math.nan
    return Estimate(
        value=nan,
        count=0,
        basis="rounds",
        reason=reason,
        interval=lambda confidence_percent: Interval(
            estimate=nan, low=nan, high=nan, confidence_percent=confidence_percent
        ),
    )

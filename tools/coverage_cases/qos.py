"""Coverage of the intervals of percentiles and rates.

Most latencies are log-normal; a round shifts all of its IOs equally, and IOs within a
round are AR(1) with coefficient 0.9 or come in slow bursts of 50. The truth is the
distribution over all possible rounds, and its quantiles.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.signal import lfilter
from scipy.special import ndtr, ndtri

from ssdlab.fio.bins import bin_edges, bin_index, bin_value
from ssdlab.stats.clusters import between_rounds_interval, join_rounds
from ssdlab.stats.interval import Interval
from ssdlab.stats.means import batch_means, mean_interval
from ssdlab.stats.quantiles import BinnedRounds, bootstrap_interval, quantile_interval
from tools.coverage_cases.case import CoverageCase

Floats = NDArray[np.float64]
Generator = np.random.Generator
Method = Callable[[BinnedRounds, float], Interval]

_MEDIAN_NS = 250_000.0
_SPREAD = 0.5
_FINE = 0.001  # of the logarithm of a latency
_SLOW_SHARE, _SLOW_RUN, _SLOW_SHIFT = 0.02, 50, 3.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Drive:
    """The correlation of the IOs of a simulated drive."""

    name: str
    rounds: int
    ios: int
    round_spread: float = 0.0
    order: str = "independent"
    round_memory: float = 0.0

    @property
    def case(self) -> str:
        """A description of the simulation."""
        return f"{self.name}, {self.rounds} x {self.ios:,}"

    def draw(self, rng: Generator) -> Floats:
        """Return the logarithms of latencies relative to the median, (rounds, IOs)."""
        shape = self.rounds, self.ios
        if self.order == "AR(1)":
            values = _draw_ar1(rng, shape, 0.9)
        else:
            values = rng.standard_normal(shape)
        values *= _SPREAD
        if self.order == "bursts":
            values += _SLOW_SHIFT * np.array([_bursts(rng, self.ios) for _ in values])
        moved = _draw_ar1(rng, (1, self.rounds), self.round_memory)[0]
        return np.asarray(values + self.round_spread * moved[:, None])

    def quantile(self, level: float) -> float:
        """Return the true percentile."""
        spread = math.hypot(_SPREAD, self.round_spread)
        if self.order != "bursts":
            return float(spread * ndtri(level / 100))

        def excess(value: float) -> float:
            fast, slow = ndtr(value / spread), ndtr((value - _SLOW_SHIFT) / spread)
            return float((1 - _SLOW_SHARE) * fast + _SLOW_SHARE * slow - level / 100)

        return float(brentq(excess, -10, 20))


def _draw_ar1(rng: Generator, shape: tuple[int, int], coefficient: float) -> Floats:
    noise = rng.standard_normal(shape)
    noise[:, 1:] *= math.sqrt(1 - coefficient**2)
    return np.asarray(lfilter([1.0], [1.0, -coefficient], noise, axis=1))


def _bursts(rng: Generator, count: int) -> NDArray[np.bool_]:
    """Return which IOs are slow: runs of 50 on average, 2 % of all."""
    slow, fast = 1 / _SLOW_RUN, _SLOW_SHARE / (1 - _SLOW_SHARE) / _SLOW_RUN
    runs = 8 + 3 * math.ceil(count * fast)
    lengths = np.ravel(
        np.column_stack([rng.geometric(slow, runs), rng.geometric(fast, runs)])
    )
    states = np.tile([True, False], runs)
    first = 0 if rng.random() < _SLOW_SHARE else 1
    whole = np.repeat(states[first:], lengths[first:])
    return np.asarray(whole[:count])


def exact_bins(values: Floats) -> BinnedRounds:
    """Return each distinct value as a bin."""
    names, places = np.unique(values, return_inverse=True)
    counts = _count(places.reshape(values.shape), names.size)
    whole = np.arange(names.size)
    return BinnedRounds(names=whole, lower=names, upper=names, counts=counts)


def fine_bins(values: Floats) -> BinnedRounds:
    """Return values in bins of 0.1 %, far finer than an interval if rounds differ.

    They are counted, not sorted, and a table of hundreds of rounds stays small.
    """
    numbers = np.floor(values / _FINE).astype(np.int64)
    least = numbers.min()
    places, counts = count_each(numbers - least)
    lower = (places + least) * _FINE
    return BinnedRounds(names=places, lower=lower, upper=lower + _FINE, counts=counts)


def fio_bins(values: Floats) -> BinnedRounds:
    """Return values in fio's bins, as logarithms again."""
    lat_ns = np.maximum(1, _MEDIAN_NS * np.exp(values)).astype(np.int64)
    index, counts = count_each(bin_index(lat_ns))
    names = bin_value(index)
    lower, upper = bin_edges(names)
    return BinnedRounds(
        names=names,
        lower=np.log(lower / _MEDIAN_NS),
        upper=np.log(upper / _MEDIAN_NS),
        counts=counts,
    )


def count_each(
    numbers: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct integers, and the count of each in each row.

    As the numbers are small, this is several times faster than sorting.
    """
    counts = _count(numbers, int(numbers.max()) + 1)
    is_there = counts.any(axis=0)
    return np.flatnonzero(is_there), np.compress(is_there, counts, axis=1)


def _count(places: NDArray[np.intp], size: int) -> NDArray[np.int64]:
    """Return the count of each place in each row."""
    rows = size * np.arange(len(places))[:, None]
    found = np.bincount((rows + places).ravel(), minlength=size * len(places))
    return found.reshape(len(places), size)


def _between(bins: BinnedRounds, level: float) -> Interval:
    return between_rounds_interval(join_rounds(bins), level)


def _bootstrap(bins: BinnedRounds, level: float) -> Interval:
    return bootstrap_interval(bins, level, seed=1, draws=300)


def _quantile_trial(
    rng: Generator, *, method: Method, drive: Drive, level: float
) -> bool:
    bins_of = fine_bins if drive.round_spread else exact_bins
    return _holds(method(bins_of(drive.draw(rng)), level), drive.quantile(level))


def _binned_trial(rng: Generator, *, drive: Drive, level: float) -> bool:
    found = quantile_interval(fio_bins(drive.draw(rng)), level)
    return _holds(found, drive.quantile(level))


def _rounds_trial(rng: Generator) -> bool:
    weights = rng.uniform(0.8, 1.2, 5)
    return _holds(mean_interval(rng.normal(1.0, 0.05, 5), weights), 1.0)


def _batches_trial(rng: Generator, *, coefficient: float) -> bool:
    series = 1 + 0.05 * _draw_ar1(rng, (1, _INTERVALS), coefficient)[0]
    return _holds(mean_interval(*batch_means(series)), 1.0)


def _holds(interval: Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


_INTERVALS = 1200
_LEVELS = (50.0, 99.0, 99.9)
_INDEPENDENT = Drive(name="independent IOs", rounds=1, ios=20_000)
_APART = Drive(name="rounds differ", rounds=5, ios=4000, round_spread=0.1)
_ORDERED = Drive(name="IOs follow AR(1)", rounds=10, ios=2000, order="AR(1)")


@dataclass(frozen=True, kw_only=True)
class _Question:
    """A method on a drive, and the bounds of its coverage."""

    statistic: str
    method: Method
    drive: Drive
    low: float = 0.93
    high: float = 0.99
    note: str = "conservative because of whole ranks and few rounds"


_BETWEEN = tuple(
    _Question(statistic="percentile between rounds", method=_between, drive=drive)
    for drive in (
        _APART,
        Drive(name="rounds differ", rounds=10, ios=4000, round_spread=0.1),
        Drive(name="rounds differ much", rounds=10, ios=4000, round_spread=0.3),
        Drive(
            name="rounds differ, IOs follow AR(1)",
            rounds=5,
            ios=4000,
            round_spread=0.1,
            order="AR(1)",
        ),
        Drive(
            name="rounds differ, slow bursts",
            rounds=10,
            ios=4000,
            round_spread=0.1,
            order="bursts",
        ),
    )
)
_FOLLOWING = tuple(
    _Question(
        statistic="percentile between rounds",
        method=_between,
        drive=Drive(
            name=f"rounds follow AR(1) of {memory:g}, joined",
            rounds=rounds,
            ios=ios,
            round_spread=0.2,
            round_memory=memory,
        ),
        note="conservative because of whole ranks and few blocks",
    )
    for memory, rounds, ios in (
        (0.5, 20, 2000),
        (0.5, 40, 1000),
        (0.5, 200, 200),
        (0.8, 200, 200),
    )
)
_FEW_FOLLOWING = _Question(
    statistic="percentile between rounds",
    method=_between,
    drive=Drive(
        name="rounds follow AR(1) of 0.5",
        rounds=5,
        ios=4000,
        round_spread=0.2,
        round_memory=0.5,
    ),
    low=0.0,
    high=0.93,
    note="not claimed: fewer than 20 rounds are treated as independent",
)
_RANKS = tuple(
    _Question(
        statistic="percentile of independent IOs",
        method=quantile_interval,
        drive=drive,
        low=low,
        high=high,
        note=note,
    )
    for drive, low, high, note in (
        (_INDEPENDENT, 0.93, 0.99, "whole ranks: never less than nominal"),
        (_APART, 0.0, 0.93, "not claimed: rounds differ"),
        (_ORDERED, 0.0, 0.93, "not claimed: IOs are autocorrelated"),
    )
)
_RESAMPLED = _Question(
    statistic="percentile by bootstrap of rounds",
    method=_bootstrap,
    drive=_APART,
    low=0.0,
    high=0.93,
    note="not claimed: too narrow with few rounds",
)

CASES = (
    *(
        CoverageCase(
            statistic=question.statistic,
            case=f"p{level:g}, {question.drive.case}",
            n=question.drive.rounds * question.drive.ios,
            trial=partial(
                _quantile_trial,
                method=question.method,
                drive=question.drive,
                level=level,
            ),
            low=question.low,
            high=question.high,
            note=question.note,
        )
        for question in (
            *_RANKS,
            _RESAMPLED,
            *_BETWEEN,
            _FEW_FOLLOWING,
            *_FOLLOWING,
        )
        for level in _LEVELS
    ),
    CoverageCase(
        statistic="percentile of independent IOs",
        case="p99.9, in fio's bins",
        n=_INDEPENDENT.ios,
        trial=partial(_binned_trial, drive=_INDEPENDENT, level=99.9),
        high=1.0,
        note="wider because of the bins",
    ),
    CoverageCase(
        statistic="mean of rounds",
        case="rounds of unlike weight",
        n=5,
        trial=_rounds_trial,
    ),
    *(
        CoverageCase(
            statistic="mean of a log, in ten batches",
            case=f"intervals that follow AR(1) of {coefficient:g}",
            n=_INTERVALS,
            trial=partial(_batches_trial, coefficient=coefficient),
        )
        for coefficient in (0.0, 0.8)
    ),
)

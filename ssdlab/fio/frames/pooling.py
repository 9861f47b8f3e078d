"""Sums, means and standard deviations of many groups of rows at once.

The formulas are those of `ssdlab.stats.latency`; a value that one part of a group
lacks is missing in the whole.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
_INT64_END = 2.0**63
_HALF_DECIMAL = 5e-7  # fio prints means and standard deviations as %f
_EPSILON = 8 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Groups:
    """The group of each row, from 0, and how many groups there are."""

    codes: NDArray[np.intp]
    count: int

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows in each group."""
        return np.bincount(self.codes, minlength=self.count).astype(np.int64)

    def sum(self, values: NDArray[Any]) -> Floats:
        """Return the sum of each group; NaN where one value is NaN."""
        weights = np.asarray(values, np.float64)
        found = np.bincount(self.codes, weights=weights, minlength=self.count)
        return found.astype(np.float64, copy=False)

    def count_where(self, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the number of marked rows in each group."""
        return np.bincount(self.codes[marked], minlength=self.count).astype(np.int64)

    def least(self, values: Floats) -> Floats:
        """Return the least value of each group; NaN where one is NaN."""
        found = np.full(self.count, np.inf)
        with np.errstate(invalid="ignore"):
            np.minimum.at(found, self.codes, values)
        return found

    def greatest(self, values: Floats) -> Floats:
        """Return the greatest value of each group; NaN where one is NaN."""
        found = np.full(self.count, -np.inf)
        with np.errstate(invalid="ignore"):
            np.maximum.at(found, self.codes, values)
        return found


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Moments:
    """Counts, means and standard deviations, one value per row; NaN is missing."""

    counts: Floats
    means: Floats
    stddevs: Floats


def floats(values: "pd.Series[Any]") -> Floats:
    """Return a column as floats; missing values are NaN."""
    return np.asarray(values.to_numpy(np.float64, na_value=np.nan), np.float64)


def whole_numbers(values: NDArray[np.int64], missing: NDArray[np.bool_]) -> Any:
    """Return a column of whole numbers, some of them missing."""
    import pandas as pd  # noqa: PLC0415 - 0.3 s that a fio run need not pay

    return pd.array(pd.arrays.IntegerArray(values, missing), dtype="Int64")


def add_counts(values: "pd.Series[Any]", groups: Groups) -> Any:
    """Return exact sums of whole numbers; one beyond 64 bits is missing."""
    missing = values.isna().to_numpy(np.bool_)
    known = values.to_numpy(np.int64, na_value=0)
    sums = np.zeros(groups.count, np.int64)
    np.add.at(sums, groups.codes, known)
    is_unknown = groups.count_where(missing) > 0
    return whole_numbers(sums, is_unknown | (groups.sum(known) >= _INT64_END))


def pool_moments(parts: Moments, groups: Groups) -> Moments:
    """Merge means and standard deviations of disjoint IOs, group by group.

    The squared deviations add with those of the means, as in
    `ssdlab.stats.latency.merge_summaries`; a group of one part keeps its numbers.
    """
    counts = np.where(parts.counts >= 1, parts.counts, np.nan)
    totals = groups.sum(counts)
    means = groups.sum(counts * parts.means) / totals
    shifts = parts.means - means[groups.codes]
    squares = groups.sum(parts.stddevs**2 * (counts - 1) + counts * np.square(shifts))
    is_alone = groups.sizes == 1
    with np.errstate(divide="ignore", invalid="ignore"):
        stddevs = np.sqrt(squares / (totals - 1))
    return Moments(
        counts=totals,
        means=np.where(is_alone, groups.sum(parts.means), means),
        stddevs=np.where(is_alone, groups.sum(parts.stddevs), stddevs),
    )


def unpool_moments(whole: Moments, first: Moments) -> Moments:
    """Return what was added to ``first`` to make ``whole``, row by row.

    The standard deviation is missing if the change is below the rounding of fio's six
    decimals; so is everything if nothing was added.
    """
    counts = whole.counts - first.counts
    counts = np.where(counts >= 1, counts, np.nan)
    with np.errstate(invalid="ignore"):
        means = (whole.counts * whole.means - first.counts * first.means) / counts
        shifts = np.square(means - first.means) * first.counts * counts / whole.counts
        before = first.stddevs**2 * (first.counts - 1)
        after = whole.stddevs**2 * (whole.counts - 1)
        squares = after - before - shifts
        open_squares = _open_squares(whole) + _open_squares(first)
        is_clear = squares > open_squares
        stddevs = np.sqrt(np.where(is_clear, squares, np.nan) / (counts - 1))
    return Moments(
        counts=counts, means=means, stddevs=np.where(counts > 1, stddevs, np.nan)
    )


def mean_slack(whole: Moments, first: Moments) -> Floats:
    """Return the rounding error of the mean of what was added."""
    with np.errstate(invalid="ignore", divide="ignore"):
        rounded = (whole.counts + first.counts) * _HALF_DECIMAL
        inexact = _EPSILON * whole.counts * whole.means
        return (rounded + inexact) / (whole.counts - first.counts)


def _open_squares(moments: Moments) -> Floats:
    """Return the rounding error of squared deviations."""
    squares = moments.counts * (moments.stddevs**2 + moments.means**2)
    rounded = moments.stddevs + moments.means + _HALF_DECIMAL
    return 2 * moments.counts * rounded * _HALF_DECIMAL + _EPSILON * squares

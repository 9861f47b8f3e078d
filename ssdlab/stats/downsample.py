"""Fewer points to draw, with the same picture: minimum and maximum per column."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

_BLOCK = 1 << 15  # places; they stay in the processor's cache
POINTS_A_COLUMN = 4  # minimum, maximum, and where a gap begins and ends


@dataclass(frozen=True, kw_only=True, slots=True)
class ReducedSeries:
    """The points of a series that remain to be drawn.

    Attributes
    ----------
    x, y : ndarray of float
        Points of the series itself, in order; y is NaN where the line breaks.
    total : int
        How many points there were in the span that is drawn.
    columns : int
        Into how many columns they were put; 0 if every point is there.
    """

    x: FloatArray
    y: FloatArray
    total: int
    columns: int

    @property
    def note(self) -> str:
        """The note for the figure; empty if no point was omitted."""
        if not self.columns:
            return ""
        return (
            f"{self.total:,} points in {self.columns:,} columns: "
            "each column shows its minimum and maximum"
        )


def reduce_series(
    x: ArrayLike,
    y: ArrayLike,
    *,
    columns: int = 1000,
    span: tuple[float, float] | None = None,
) -> ReducedSeries:
    """Keep the minimum and the maximum of each pixel column of a line.

    Parameters
    ----------
    x : array_like of float, shape (n,)
        Where the points stand, ascending, such as times [s]; none is NaN.
    y : array_like of float, shape (n,)
        Their values; NaN is a gap.
    columns : int, default 1000
        How many columns the picture has.
    span : tuple of float, optional
        The part of x that is drawn; without it all of it. One point on each side of
        it is kept, so that the line reaches the edges.

    Returns
    -------
    ReducedSeries
        At most four points a column: its least and greatest value, and the first and
        last NaN, so that no line is drawn over a gap. A series that has no more
        points than that comes back whole.

    Raises
    ------
    ValueError
        If lengths differ, x does not ascend, or there is no column.

    Notes
    -----
    A column is as wide in x as any other, whatever the number of points in it, and
    each point stays at its own place: nothing is averaged and nothing moved.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.sin(np.arange(1_000_000))
    >>> y[123_456] = 9.0
    >>> drawn = reduce_series(np.arange(y.size), y, columns=500)
    >>> drawn.y.size, float(drawn.y.max())
    (1002, 9.0)
    """
    places, values = _require_series(x, y)
    if columns < 1:
        msg = f"a figure has at least one column, not {columns}"
        raise ValueError(msg)
    if span is not None:
        inside = _inside(places, span)
        places, values = places[inside], values[inside]
    total = int(values.size)
    if total <= columns * POINTS_A_COLUMN:
        return ReducedSeries(x=places, y=values, total=total, columns=0)
    kept = _kept(places, values, columns)
    return ReducedSeries(x=places[kept], y=values[kept], total=total, columns=columns)


def _require_series(x: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    places = np.asarray(x, dtype=np.float64)
    values = np.asarray(y, dtype=np.float64)
    if places.shape != values.shape or places.ndim != 1:
        msg = f"{places.size} positions cannot have {values.size} values"
        raise ValueError(msg)
    if not _ascends(places) or np.isnan(places[:1]).any():
        msg = "the positions of a series must ascend; sort it first"
        raise ValueError(msg)
    return places, values


def _ascends(places: FloatArray) -> bool:
    """Tell whether no place is before the previous one, block by block."""
    blocks = (
        places[begin : begin + _BLOCK + 1] for begin in range(0, places.size, _BLOCK)
    )
    return all(bool((block[1:] >= block[:-1]).all()) for block in blocks)


def _inside(places: FloatArray, span: tuple[float, float]) -> slice:
    first = int(np.searchsorted(places, span[0], side="left"))
    last = int(np.searchsorted(places, span[1], side="right"))
    return slice(max(0, first - 1), last + 1)


def _kept(places: FloatArray, values: FloatArray, columns: int) -> IntArray:
    """Return which points remain, each column read while it is in the cache."""
    bounds = [*_column_starts(places, columns).tolist(), values.size]
    kept = {0, values.size - 1}
    for first, end in pairwise(bounds):
        kept |= {first + place for place in _extremes(values[first:end])}
    return np.array(sorted(kept), dtype=np.intp)


def _extremes(column: FloatArray) -> list[int]:
    """Return the places of the extremes, and of the first and the last NaN.

    Numpy takes the first NaN for an extreme, if there is one.
    """
    low, high = int(column.argmin()), int(column.argmax())
    if not np.isnan(column[low]):
        return [low, high]
    ends = [low, column.size - 1 - int(column[::-1].argmin())]
    known = np.flatnonzero(~np.isnan(column))
    if not known.size:
        return ends
    values = column[known]
    return [*ends, int(known[values.argmin()]), int(known[values.argmax()])]


def _column_starts(places: FloatArray, columns: int) -> IntArray:
    """Return the first point of each column that has one."""
    edges = np.linspace(places[0], places[-1], columns + 1)[:-1]
    starts = np.searchsorted(places, edges, side="left")
    return np.unique(starts).astype(np.intp)

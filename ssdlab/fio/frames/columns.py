"""Rows and groups of rows as data frames, packed by column as they arrive.

Memory use while reading many files is about that of the resulting frames.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.bins import (
    bin_count,
    bin_edges,
    bin_index,
    bin_value,
    is_bin_value,
    is_last_bin,
)
from ssdlab.model.schema import Column, Table

if TYPE_CHECKING:
    import pandas as pd

Row = tuple[Any, ...]
GroupKey = tuple[str, int, int, str, str]

_KEY_COUNT = 5
_ROWS_PACKED_AT_ONCE = 4096
_ROWS_LOOKED_UP_AT_ONCE = 1 << 16
_EXACT = float(1 << 53)


class RowTable:
    """The rows of one table: whole numbers in ``nullable`` columns may be missing."""

    def __init__(self, table: Table, nullable: Iterable[str] = ()) -> None:
        self._table, self._nullable = table, frozenset(nullable)
        self._rows: list[Row] = []
        self._packed: list[list[Any]] = [[] for _ in table.columns]

    def extend(self, rows: Iterable[Row]) -> None:
        """Add rows, each with one value per column; ``None`` is missing."""
        self._rows.extend(rows)
        if len(self._rows) >= _ROWS_PACKED_AT_ONCE:
            self._pack()

    def _pack(self) -> None:
        columns = zip(*self._rows, strict=True)
        for column, parts, values in zip(
            self._table.columns, self._packed, columns, strict=bool(self._rows)
        ):
            if column.dtype == "string":
                parts.extend(values)
            else:
                parts.append(self._packed_part(column, values))
        self._rows = []

    def _packed_part(self, column: Column, values: Sequence[Any]) -> Any:
        if column.name not in self._nullable:
            return np.array(values, column.dtype)
        missing = np.fromiter((value is None for value in values), bool, len(values))
        known = (0 if value is None else value for value in values)
        return np.fromiter(known, np.int64, len(values)), missing

    def frame(self) -> "pd.DataFrame":
        """Return all rows."""
        import pandas as pd  # noqa: PLC0415 - 0.3 s that a fio run need not pay

        self._pack()
        return pd.DataFrame({
            column.name: self._whole_column(column, parts)
            for column, parts in zip(self._table.columns, self._packed, strict=True)
        })

    def _whole_column(self, column: Column, parts: list[Any]) -> Any:
        import pandas as pd  # noqa: PLC0415 - as above

        if column.dtype == "string":
            return _text_column(parts)
        if column.name not in self._nullable:
            return np.concatenate([np.empty(0, column.dtype), *parts])
        values = np.concatenate([np.empty(0, np.int64), *(part[0] for part in parts)])
        missing = np.concatenate([np.empty(0, bool), *(part[1] for part in parts)])
        return pd.array(pd.arrays.IntegerArray(values, missing), dtype="Int64")


def _text_column(values: list[str]) -> "pd.Series[str]":
    import pandas as pd  # noqa: PLC0415 - as above

    try:
        return pd.Series(values, dtype="str")
    except UnicodeEncodeError:  # half a surrogate pair, from broken JSON
        return pd.Series([_encodable(value) for value in values], dtype="str")


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


class GroupTable:
    """Groups of rows that share file, document, entry, direction and latency.

    The three names are categories: there are few of them, and millions of rows.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._keys: list[GroupKey] = []
        self._sizes, self._units_ns = array("q"), array("q")

    def begin(self, key: GroupKey, size: int, *, unit_ns: int) -> None:
        """Add a group of ``size`` rows, whose bins are in that unit."""
        self._keys.append(key)
        self._sizes.append(size)
        self._units_ns.append(unit_ns)

    def keys(self) -> Mapping[str, Any]:
        """Return the key columns of every row."""
        sizes = np.asarray(self._sizes)
        columns = list(zip(*self._keys, strict=True)) or [()] * _KEY_COUNT
        return {
            column.name: np.repeat(np.array(values, np.int64), sizes)
            if column.dtype == "int64"
            else _categories(values, sizes)
            for column, values in zip(self._table.columns, columns, strict=False)
        }

    def units_ns(self) -> NDArray[np.int64] | int:
        """Return the unit of each row, or the one that all have."""
        different = set(self._units_ns) or {1}
        if len(different) == 1:
            return different.pop()
        return np.repeat(np.asarray(self._units_ns), np.asarray(self._sizes))


def _categories(values: Sequence[str], sizes: NDArray[np.int64]) -> "pd.Categorical":
    """Return a column that repeats each value as often as its size."""
    import pandas as pd  # noqa: PLC0415 - as above

    places = {value: place for place, value in enumerate(dict.fromkeys(values))}
    smallest = np.min_scalar_type(-max(1, len(places)))
    codes = np.fromiter(map(places.__getitem__, values), smallest, len(values))
    names = pd.Index([_encodable(value) for value in places], dtype="str")
    return pd.Categorical.from_codes(np.repeat(codes, sizes), categories=names)


def edge_columns(
    lat_ns: NDArray[np.int64], unit_ns: NDArray[np.int64] | int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return the lower and the upper edge of bins, and which are fio's last."""
    if not isinstance(unit_ns, int):
        return *bin_edges(lat_ns, unit_ns), is_last_bin(lat_ns, unit_ns)
    lower, upper = np.empty_like(lat_ns), np.empty_like(lat_ns)
    is_last = np.empty(lat_ns.size, np.bool_)
    all_lower, all_upper = _all_edges(unit_ns)
    for first in range(0, lat_ns.size, _ROWS_LOOKED_UP_AT_ONCE):
        part = slice(first, first + _ROWS_LOOKED_UP_AT_ONCE)
        index = bin_index(lat_ns[part], unit_ns)
        lower[part], upper[part] = all_lower[index], all_upper[index]
        is_last[part] = index == all_lower.size - 1
    return lower, upper, is_last


@cache
def _all_edges(unit_ns: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return bin_edges(bin_value(np.arange(bin_count(unit_ns)), unit_ns), unit_ns)


def edge_columns_of_named(
    lat_ns: NDArray[np.float64], unit_ns: NDArray[np.int64] | int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return the edges of latencies that are names of bins; others have none.

    fio gives percentiles as names of bins; its texts round them to other values.
    """
    is_whole = (lat_ns >= 0) & (lat_ns < _EXACT)
    values = np.where(is_whole, lat_ns, 0).astype(np.int64)
    lower, upper, is_last = edge_columns(values, unit_ns)
    is_named = is_whole & (values == lat_ns) & is_bin_value(values, unit_ns)
    return (
        np.where(is_named, lower, np.nan),
        np.where(is_named, upper, np.nan),
        is_last,
    )

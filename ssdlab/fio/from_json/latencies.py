"""The latencies in fio's JSON: four numbers, percentiles and bins, in ns."""

import math
from collections.abc import Mapping
from functools import lru_cache
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.bins import (
    BIN_COUNT,
    BIN_COUNT_US,
    NS_PER_US,
    PLAT_BITS,
    PLAT_VALUES,
    bin_count,
    bin_value,
    is_bin_value,
)
from ssdlab.fio.document import FioLatency, LatencyBins
from ssdlab.fio.from_json.taken_bins import TakenBins
from ssdlab.fio.from_json.values import (
    Place,
    take_amount,
    take_count_if_there,
    take_object,
)
from ssdlab.stats.latency import LatencySummary

_Table = Mapping[str, object]

_USUAL = 1 << 50  # no doubt about a latency [ns] below it, which is 13 days
_MAX_COUNT = 1 << 48  # so that sums of bins stay exact
_LAYOUT = {"FIO_IO_U_PLAT_BITS": PLAT_BITS, "FIO_IO_U_PLAT_VAL": PLAT_VALUES}
_INDEX_NAMES = {size: [*map(str, range(size))] for size in (BIN_COUNT, BIN_COUNT_US)}


def read_latency(
    table: _Table, place: Place, *, unit_ns: int, total_ios: object
) -> FioLatency | None:
    """Return a kind of latency, or ``None`` if fio measured none.

    A latency that is disabled or has no IO is printed as zeros; late versions of fio
    also print ``N: 0``.
    """
    count = take_count_if_there(table, "N", place)
    if count == 0 or (count is None and (total_ios == 0 or is_all_zero(table))):
        return None
    if count is None and type(total_ios) is int and "N" not in table:
        count = total_ios
    summary = LatencySummary(
        min_ns=take_amount(table, "min", place) * unit_ns,
        mean_ns=take_amount(table, "mean", place) * unit_ns,
        stddev_ns=take_amount(table, "stddev", place) * unit_ns,
        max_ns=take_amount(table, "max", place) * unit_ns,
        count=count,
    )
    return FioLatency(
        summary=summary,
        bins=_read_bins_if_there(table, place, unit_ns),
        percentiles=_read_percentiles(table, place, unit_ns),
    )


def _read_bins_if_there(
    table: _Table, place: Place, unit_ns: int
) -> LatencyBins | None:
    printed = table.get("bins")
    if isinstance(printed, TakenBins):
        if not printed.counts.size:
            return None
        return LatencyBins(lat_ns=printed.lat_ns, counts=printed.counts)
    if "bins" not in table or (bins := take_object(table, "bins", place)) is None:
        return None
    return read_bins(bins, place.below("bins"), unit_ns)


def is_all_zero(table: _Table) -> bool:
    """Tell whether fio printed the zeros of a latency that was not measured."""
    return table.get("max") == 0 and table.get("mean") == 0


def read_bins(
    printed: Mapping[str, Any], place: Place, unit_ns: int
) -> LatencyBins | None:
    """Return the bins that hold IOs, ascending; some versions print empty ones."""
    is_by_index = unit_ns == NS_PER_US or "FIO_IO_U_PLAT_NR" in printed
    try:
        if is_by_index:
            values, counts = _by_index(printed, unit_ns)
        else:
            size = len(printed)
            values = np.fromiter(map(int, printed), np.int64, size)
            counts = np.fromiter(map(index, printed.values()), np.int64, size)
    except (KeyError, ValueError, TypeError, OverflowError):
        place.refuse("has an entry that is not a bin")
        return None
    if not _are_possible(values, counts, place):
        return None
    if (np.diff(values) <= 0).any():
        order = np.argsort(values)
        values, counts = values[order], counts[order]
        if (np.diff(values) == 0).any():
            place.refuse("has a bin twice")
            return None
    if not counts.all():
        values, counts = values[counts > 0], counts[counts > 0]
    if not counts.size:
        return None
    foreign = int(np.count_nonzero(~is_bin_value(values, unit_ns)))
    return LatencyBins(lat_ns=values, counts=counts, unit_ns=unit_ns, foreign=foreign)


def _by_index(
    printed: Mapping[str, Any], unit_ns: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the bins of fio before 2.99, which names them by their index."""
    size = bin_count(unit_ns)
    layout = {**_LAYOUT, "FIO_IO_U_PLAT_NR": size}
    if any(printed.get(key, value) != value for key, value in layout.items()):
        msg = "an unknown layout"
        raise ValueError(msg)
    if len(printed) - sum(key in printed for key in layout) != size:
        msg = "bins are missing"
        raise ValueError(msg)
    found = (index(printed[name]) for name in _INDEX_NAMES[size])
    return bin_value(np.arange(size), unit_ns), np.fromiter(found, np.int64, size)


def _are_possible(
    values: NDArray[np.int64], counts: NDArray[np.int64], place: Place
) -> bool:
    if values.size and not 0 <= counts.min() <= counts.max() < _MAX_COUNT:
        place.refuse("has an impossible count")
        return False
    if values.size and values.min() < 0:
        place.refuse("has a negative latency")
        return False
    return True


def _read_percentiles(table: _Table, place: Place, unit_ns: int) -> dict[float, float]:
    """Return levels and latencies; fio 2.x and 3.1 pad the list with ``"0.00"``."""
    if "percentile" not in table:
        return {}
    printed = take_object(table, "percentile", place) or {}
    levels = _usual_levels(tuple(printed))
    values: list[Any] = list(printed.values())
    if not (levels and set(map(type, values)) == {int}):
        return _read_odd_percentiles(printed, place.below("percentile"), unit_ns)
    if not 0 <= min(values) <= max(values) < _USUAL:
        return _read_odd_percentiles(printed, place.below("percentile"), unit_ns)
    return {
        level: float(value * unit_ns)
        for level, value in zip(levels, values, strict=True)
        if level
    }


@lru_cache(maxsize=64)
def _usual_levels(keys: tuple[str, ...]) -> tuple[float, ...]:
    """Return the levels that keys name; none if one is not a percentage."""
    levels = tuple(map(_number_of, keys))
    return levels if all(0 <= level <= 100 for level in levels) else ()


def _read_odd_percentiles(
    printed: _Table, place: Place, unit_ns: int
) -> dict[float, float]:
    found: dict[float, float] = {}
    for key, value in printed.items():
        level = _number_of(key)
        if not 0 <= level <= 100:
            place.refuse(f"has a key that is not a percentage: {key[:60]!r}")
        elif level:
            number = _number_of(value) if type(value) is str else value
            lat = take_amount({key: number}, key, place)
            if math.isfinite(lat):
                found[level] = lat * unit_ns
    return found


def _number_of(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan

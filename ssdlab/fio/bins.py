"""The bins of fio's latency histogram: 64 per octave, up to 17.2 s.

The arithmetic is that of ``plat_val_to_idx`` and ``plat_idx_to_val`` in fio's
``stat.c``. A bin is named by its middle; below 128 every value has a bin of its own.
fio before 2.99 counts in microseconds, in fewer octaves, up to 16.8 s: its bins have
``unit_ns`` = 1000. ``unit_ns`` may be one number or one for each latency.
"""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

PLAT_BITS = 6  # FIO_IO_U_PLAT_BITS
PLAT_VALUES = 1 << PLAT_BITS  # FIO_IO_U_PLAT_VAL: bins per octave
PLAT_GROUPS = 29  # FIO_IO_U_PLAT_GROUP_NR
BIN_COUNT = PLAT_GROUPS * PLAT_VALUES  # FIO_IO_U_PLAT_NR
END_NS = 1 << (PLAT_GROUPS + PLAT_BITS - 1)  # where the last bin would end

NS_PER_US = 1000
PLAT_GROUPS_US = 19
BIN_COUNT_US = PLAT_GROUPS_US * PLAT_VALUES
END_US = 1 << (PLAT_GROUPS_US + PLAT_BITS - 1)


def bin_count(unit_ns: int = 1) -> int:
    """Return the number of fio's bins in that unit."""
    return BIN_COUNT if unit_ns == 1 else BIN_COUNT_US


def bin_index(
    lat_ns: ArrayLike, unit_ns: NDArray[np.int64] | int = 1
) -> NDArray[np.int64]:
    """Return the index of the bin that holds each latency [ns], from 0.

    Latencies beyond the last bin are counted in it, as fio does.
    """
    values = np.asarray(lat_ns, dtype=np.int64)
    if values.size and values.min() < 0:
        msg = f"a latency of {values.min()} ns is negative"
        raise ValueError(msg)
    units = np.asarray(unit_ns, dtype=np.int64)
    if (units == 1).all():
        clipped = np.minimum(values, END_NS - 1)
    else:
        last = np.where(units == 1, END_NS - 1, END_US - 1)
        clipped = np.minimum(values // units, last)
    bits = np.frexp(clipped.astype(np.float64))[1].astype(np.int64)
    dropped = np.maximum(bits - 1 - PLAT_BITS, 0)
    return (dropped << PLAT_BITS) + (clipped >> dropped)


def bin_value(
    index: ArrayLike, unit_ns: NDArray[np.int64] | int = 1
) -> NDArray[np.int64]:
    """Return the name of each bin: its middle [ns]."""
    units = np.asarray(unit_ns, dtype=np.int64)
    lower, width = _lower_and_width(_require_indices(index, units))
    return np.asarray((lower + (width >> 1)) * units)


def bin_edges(
    lat_ns: ArrayLike, unit_ns: NDArray[np.int64] | int = 1
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the edges of the bins that hold latencies: included, excluded [ns].

    The last bin gets the width of its neighbours, although it also counts all greater
    latencies: see `is_last_bin`.
    """
    lower, width = _lower_and_width(bin_index(lat_ns, unit_ns))
    units = np.asarray(unit_ns, dtype=np.int64)
    return lower * units, (lower + width) * units


def is_last_bin(
    lat_ns: ArrayLike, unit_ns: NDArray[np.int64] | int = 1
) -> NDArray[np.bool_]:
    """Tell which latencies [ns] are in fio's last bin, which has no upper end."""
    units = np.asarray(unit_ns, dtype=np.int64)
    first_ns = np.where(units == 1, _FIRST_OF_LAST_NS, _FIRST_OF_LAST_US * units)
    return np.asarray(np.asarray(lat_ns, dtype=np.int64) >= first_ns)


def last_bin_start_ns(unit_ns: int = 1) -> int:
    """Return where fio's last bin begins [ns]."""
    return _FIRST_OF_LAST_NS if unit_ns == 1 else _FIRST_OF_LAST_US * unit_ns


def is_bin_value(
    lat_ns: ArrayLike, unit_ns: NDArray[np.int64] | int = 1
) -> NDArray[np.bool_]:
    """Tell which values [ns] are names of bins."""
    values = np.asarray(lat_ns, dtype=np.int64)
    if not isinstance(unit_ns, int):
        return np.asarray(bin_value(bin_index(values, unit_ns), unit_ns) == values)
    names = _all_names(unit_ns)
    place = np.searchsorted(names, values)
    return np.asarray(names[np.minimum(place, names.size - 1)] == values)


@cache
def _all_names(unit_ns: int) -> NDArray[np.int64]:
    return bin_value(np.arange(bin_count(unit_ns)), unit_ns)


def _require_indices(index: ArrayLike, units: NDArray[np.int64]) -> NDArray[np.int64]:
    indices = np.asarray(index, dtype=np.int64)
    end = np.where(units == 1, BIN_COUNT, BIN_COUNT_US)
    if indices.size and not ((indices >= 0) & (indices < end)).all():
        msg = f"bins are counted from 0 to {int(end.min()) - 1}"
        raise ValueError(msg)
    return indices


def _lower_and_width(
    indices: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    dropped = np.maximum((indices >> PLAT_BITS) - 1, 0)
    lower = (indices - (dropped << PLAT_BITS)) << dropped
    return lower, np.left_shift(np.int64(1), dropped)


_FIRST_OF_LAST_NS = END_NS - (1 << (PLAT_GROUPS - 2))
_FIRST_OF_LAST_US = END_US - (1 << (PLAT_GROUPS_US - 2))

"""The bins of fio's latency histogram: 64 per octave, up to 17.2 s.

The arithmetic is that of ``plat_val_to_idx`` and ``plat_idx_to_val`` in fio's
``stat.c`` (fio 2.99 and later, nanoseconds). A bin is named by its middle; below
128 ns every value has a bin of its own.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

PLAT_BITS = 6  # FIO_IO_U_PLAT_BITS
PLAT_VALUES = 1 << PLAT_BITS  # FIO_IO_U_PLAT_VAL: bins per octave
PLAT_GROUPS = 29  # FIO_IO_U_PLAT_GROUP_NR
BIN_COUNT = PLAT_GROUPS * PLAT_VALUES  # FIO_IO_U_PLAT_NR
END_NS = 1 << (PLAT_GROUPS + PLAT_BITS - 1)  # where the last bin would end


def bin_index(lat_ns: ArrayLike) -> NDArray[np.int64]:
    """Return the index of the bin that holds each latency [ns], from 0.

    Latencies beyond the last bin are counted in it, as fio does.

    Raises
    ------
    ValueError
        If a latency is negative.
    """
    values = np.asarray(lat_ns, dtype=np.int64)
    if values.size and values.min() < 0:
        msg = f"a latency of {values.min()} ns is negative"
        raise ValueError(msg)
    clipped = np.minimum(values, END_NS - 1)
    bits = np.frexp(clipped.astype(np.float64))[1].astype(np.int64)
    dropped = np.maximum(bits - 1 - PLAT_BITS, 0)
    return (dropped << PLAT_BITS) + (clipped >> dropped)


def bin_value(index: ArrayLike) -> NDArray[np.int64]:
    """Return the name of each bin: its middle [ns]."""
    indices = _require_indices(index)
    lower, width = _lower_and_width(indices)
    return lower + (width >> 1)


def bin_edges(lat_ns: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the edges of the bins that hold latencies: included, excluded [ns].

    The last bin is given the width of its neighbours, though it also counts every
    greater latency: see `is_last_bin`.
    """
    lower, width = _lower_and_width(bin_index(lat_ns))
    return lower, lower + width


def is_last_bin(lat_ns: ArrayLike) -> NDArray[np.bool_]:
    """Tell which latencies [ns] are in fio's last bin, which has no upper end."""
    return np.asarray(bin_index(lat_ns) == BIN_COUNT - 1)


def is_bin_value(lat_ns: ArrayLike) -> NDArray[np.bool_]:
    """Tell which values [ns] are names of bins."""
    values = np.asarray(lat_ns, dtype=np.int64)
    return np.asarray(bin_value(bin_index(values)) == values)


def _require_indices(index: ArrayLike) -> NDArray[np.int64]:
    indices = np.asarray(index, dtype=np.int64)
    if indices.size and not 0 <= indices.min() <= indices.max() < BIN_COUNT:
        msg = f"bins are counted from 0 to {BIN_COUNT - 1}"
        raise ValueError(msg)
    return indices


def _lower_and_width(
    indices: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    dropped = np.maximum((indices >> PLAT_BITS) - 1, 0)
    lower = (indices - (dropped << PLAT_BITS)) << dropped
    return lower, np.left_shift(np.int64(1), dropped)

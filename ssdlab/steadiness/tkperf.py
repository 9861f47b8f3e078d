"""TKperf's own arithmetic: its tables and steady state from the same measurements.

TKperf adds whole IOPS and whole KiB/s, weights reads and writes of a mixed cell by 0.65
and 0.35 for both average and maximum, and prints MiB/s. Imported results of
TKperf do not separate reads and writes: they are what it derived from them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd

from ssdlab.model.units import KIB, MIB
from ssdlab.stats.matrix import average_cells
from ssdlab.stats.steady_state import assess_steady_state
from ssdlab.stats.window_verdict import SteadyStateVerdict

Series: TypeAlias = "pd.Series[float]"

_NS_PER_US = 1e3
_CELL = ["block_size_bytes", "read_percent"]
# The shares of reads and writes in a latency; TKperf has no other mixes.
_WEIGHTS = {100: (1.0, 0.0), 65: (0.65, 0.35), 0: (0.0, 1.0)}
# The cell of the tracking variable, and its metric; TP has only that of 1024 KiB.
# Then our own column and TKperf's unit in terms of it.
_TRACKED: Mapping[str, tuple[int, str, str, float]] = {
    "iops": (4 * KIB, "iops", "own_iops", 1.0),
    "tp": (MIB, "kib_per_s", "own_bw_bytes_per_s", KIB),
    "lat": (4 * KIB, "lat_mean_us", "own_lat_mean_ns", _NS_PER_US),
}
_WHOLE = {"iops", "kib_per_s"}
_OWN = {
    name: f"own_{name}"
    for name in ("iops", "bw_bytes_per_s", "lat_mean_ns", "lat_max_ns")
}


@dataclass(frozen=True, slots=True)
class _Quantity:
    """The columns of a quantity, and the unit of its table in terms of theirs."""

    tkperf: str
    tkperf_unit: float
    own: str
    own_unit: float


_QUANTITIES = {
    "iops": {"iops": _Quantity("iops", 1.0, "own_iops", 1.0)},
    "tp": {"bw": _Quantity("kib_per_s", KIB, "own_bw_bytes_per_s", 1e6)},
    "lat": {
        "lat_mean": _Quantity("lat_mean_us", 1e3, "own_lat_mean_ns", 1e6),
        "lat_max": _Quantity("lat_max_us", 1e3, "own_lat_max_ns", 1e6),
    },
}


@dataclass(frozen=True, kw_only=True, slots=True)
class TkperfWindow:
    """TKperf's tracking variable in its window, judged by its rule.

    ``rounds`` count from 1, as ours do. ``series`` is TKperf's in IOPS, KiB/s or us,
    ``own_series`` ours in the same unit. The lines of both verdicts count rounds from
    1; TKperf's counts from 0, so it has another ``intercept``.
    """

    test: str
    rounds: tuple[int, ...]
    series: tuple[float, ...]
    own_series: tuple[float, ...]
    verdict: SteadyStateVerdict
    own_verdict: SteadyStateVerdict
    intercept: float
    printed_average: float


def take_tkperf_rounds(measurements: pd.DataFrame, test: str) -> pd.DataFrame:
    """Return the cells of a test as TKperf takes them from the output of fio.

    Notes
    -----
    TKperf reads fio's terse output, which has whole IOPS, whole KiB/s, whole us for the
    maximum latency, and means with six decimals.
    """
    chosen = measurements[
        (measurements["test"] == test) & measurements["kind"].isin(["cell", "mean"])
    ]
    sides = {
        name: chosen[chosen["direction"] == name].set_index("step_id")
        for name in ("total", "read", "write")
    }
    total = sides["total"]
    read, write = (sides[name].reindex(total.index) for name in ("read", "write"))
    is_apart = read["iops"].notna() | write["iops"].notna()
    taken = _from_sides(total["read_percent"], read, write)
    rounds = taken.where(is_apart, _from_totals(total), axis=0)
    own = total[[*_OWN]].rename(columns=_OWN)
    return pd.concat([total[["kind", "round", *_CELL]], rounds, own], axis=1)


def _from_sides(
    read_percent: Series, read: pd.DataFrame, write: pd.DataFrame
) -> pd.DataFrame:
    """Combine reads and writes as TKperf does."""
    shares = [_WEIGHTS.get(int(mix), (math.nan, math.nan)) for mix in read_percent]

    def add(name: str, unit: float) -> Series:
        # A direction that did no IO is 0 in fio's terse output.
        total = pd.Series(0.0, index=read.index)
        for side in (read, write):
            total += np.floor(side[name] / unit).fillna(0)
        return total

    def weigh(reads: Series, writes: Series) -> Series:
        pairs = zip(reads, writes, strict=True)
        values = [
            sum(share * value for share, value in zip(of, pair, strict=True) if share)
            for of, pair in zip(shares, pairs, strict=True)
        ]
        return pd.Series(values, index=read.index, dtype="float64")

    return pd.DataFrame({
        "iops": add("iops", 1),
        "kib_per_s": add("bw_bytes_per_s", KIB),
        "lat_mean_us": weigh(*(s["lat_mean_ns"] / _NS_PER_US for s in (read, write))),
        "lat_max_us": weigh(*(s["lat_max_ns"] // _NS_PER_US for s in (read, write))),
    })


def _from_totals(total: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({
        "iops": total["iops"],
        "kib_per_s": total["bw_bytes_per_s"] / KIB,
        "lat_mean_us": total["lat_mean_ns"] / _NS_PER_US,
        "lat_max_us": total["lat_max_ns"] / _NS_PER_US,
    })


def judge_tkperf_window(
    rounds: pd.DataFrame, windows: pd.DataFrame, test: str
) -> TkperfWindow | None:
    """Judge TKperf's tracking variable in the reported window of a test.

    Return the window; None if none was judged, or several, as with several active
    ranges.

    Notes
    -----
    TKperf 2.0 on Python 2 drops the fraction of a mean of whole numbers; that never
    changes its decision. A limit is exceeded only by more than the limit, as here.
    """
    size, metric, own, unit = _TRACKED[test]
    final = windows[
        (windows["test"] == test)
        & windows["is_final"].fillna(value=False)
        & (windows["block_size_bytes"] == size)
        & (windows["read_percent"] == 0)
    ]
    if len(final) != 1:
        return None
    first, last = (
        int(final[name].iloc[0]) for name in ("window_first_round", "window_last_round")
    )
    numbers = tuple(range(first, last + 1))
    tracked = rounds[
        (rounds["kind"] == "cell")
        & (rounds["block_size_bytes"] == size)
        & (rounds["read_percent"] == 0)
    ].set_index("round")
    found = tracked.reindex(numbers)
    series = tuple(float(value) for value in found[metric])
    own_series = tuple(float(value) / unit for value in found[own])
    verdict = assess_steady_state(series, first_round=first)
    return TkperfWindow(
        test=test,
        rounds=numbers,
        series=series,
        own_series=own_series,
        verdict=verdict,
        own_verdict=assess_steady_state(own_series, first_round=first),
        intercept=verdict.intercept + verdict.slope_per_round,
        printed_average=_without_fraction(verdict.average, metric),
    )


def _without_fraction(average: float, metric: str) -> float:
    is_floored = metric in _WHOLE and math.isfinite(average)
    return float(math.floor(average)) if is_floored else average


def summarise_tkperf_table(rounds: pd.DataFrame, window: TkperfWindow) -> pd.DataFrame:
    """Return TKperf's table of a test: its values over the window, next to ours.

    References
    ----------
    .. [1] TKperf, https://github.com/thomas-krenn/TKperf
    """
    is_inside = rounds["round"].isin(window.rounds).astype(bool)
    cells = rounds[(rounds["kind"] == "mean") | is_inside]
    tables = []
    for quantity, shape in _QUANTITIES[window.test].items():
        combine = _greatest if quantity == "lat_max" else average_cells
        is_printed = _has_printed(cells, shape.tkperf)
        is_by_round = cells["kind"] == "cell"
        theirs = cells[~(is_printed & is_by_round)]
        tkperf = combine(theirs, _CELL, shape.tkperf)[[*_CELL, shape.tkperf]]
        own = combine(cells, _CELL, shape.own)[[*_CELL, shape.own]]
        table = tkperf.merge(own, on=_CELL, how="outer")
        table["tkperf"] = table[shape.tkperf] / shape.tkperf_unit
        table["own"] = table[shape.own] / shape.own_unit
        is_whole = quantity == "iops" and bool((is_printed & is_by_round).any())
        tables.append(table.assign(quantity=quantity, is_whole=is_whole))
    names = ["quantity", *_CELL, "tkperf", "own", "is_whole"]
    return pd.concat(tables)[names].reset_index(drop=True)


def _has_printed(cells: pd.DataFrame, column: str) -> "pd.Series[bool]":
    """Return for each row whether its cell has a mean that TKperf printed."""
    printed = cells[column].where(cells["kind"] == "mean")
    counts = printed.groupby([cells[key] for key in _CELL]).transform("count")
    return counts > 0


def _greatest(cells: pd.DataFrame, keys: list[str], metric: str) -> pd.DataFrame:
    table = cells.groupby(keys, as_index=False).agg(**{metric: (metric, "max")})
    return table[table[metric].notna()]

"""What holds of everything that was read, whatever the input was."""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from fuzz.guard import ViolationError
from ssdlab.fio.document import FioDocument, FioLatency, FioSide
from ssdlab.model.schema import Column, Table

if TYPE_CHECKING:
    import pandas as pd

_DTYPES: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset({"str", "string", "category"}),
    "int64": frozenset({"int64", "Int64"}),
    "float64": frozenset({"float64"}),
    "bool": frozenset({"bool", "boolean"}),
}
_SIGNED: Final = frozenset({"error", "group_id", "slope", "timestamp_s", "started_s"})
_LATENCIES: Final = ("slat", "clat", "lat")
_END: Final = 1 << 63
_ROUNDING: Final = 1e-12


def require(is_true: object, what: str, told: object = "") -> None:
    """See that something is true; faults are told apart by ``what``.

    Raises
    ------
    ViolationError
        If it is not.
    """
    if not is_true:
        raise ViolationError(signature=f"invariant: {what}", told=f"{what}\n{told}")


def check_frame(frame: "pd.DataFrame", table: Table) -> None:
    """Check that a frame has a table's columns, in type, and numbers that can be."""
    names = list(frame.columns)
    require(names == list(table.column_names), f"columns of {table.name}", names)
    for column in table.columns:
        _check_column(frame[column.name], column, table.name)
    if "count" in frame:
        require(bool((frame["count"] > 0).all()), f"{table.name}: an empty bin")
    if {"lat_ns", "lat_lower_ns", "lat_upper_ns"} <= set(frame):
        _check_edges(frame, table.name)


def _check_column(values: "pd.Series[Any]", column: Column, table: str) -> None:
    what = f"{table}.{column.name}"
    found = str(values.dtype)
    require(found in _DTYPES[column.dtype], f"{what} is of type {found}")
    if column.dtype not in {"int64", "float64"}:
        return
    numbers = values.dropna().to_numpy(np.float64)
    require(bool(np.isfinite(numbers).all()), f"{what} is infinite")
    if column.name not in _SIGNED:
        require(
            bool((numbers >= 0).all()), f"{what} is negative", numbers.min(initial=0)
        )


def _check_edges(frame: "pd.DataFrame", table: str) -> None:
    known = frame.dropna(subset=["lat_ns", "lat_lower_ns", "lat_upper_ns"])
    is_above = known["lat_lower_ns"] <= known["lat_ns"]
    is_below = (known["lat_ns"] < known["lat_upper_ns"]) | known["is_censored"]
    require(bool((is_above & is_below).all()), f"{table}: latency outside its bin")


def check_jobs(jobs: "pd.DataFrame") -> None:
    """Check that what was not measured is missing, and not 0."""
    idle = jobs[(jobs["total_ios"] == 0).fillna(value=False)]
    for kind in _LATENCIES:
        numbers = idle[[f"{kind}_{end}_ns" for end in ("min", "mean", "max")]]
        is_zero = (numbers == 0).all(axis="columns")
        require(not is_zero.any(), f"jobs: {kind} is 0 where no IO was done")


def check_same(
    frames: Iterable["pd.DataFrame"], others: Iterable["pd.DataFrame"], what: str
) -> None:
    """Check that two ways to read gave the same, but for the rounding of sums."""
    for one, other in zip(frames, others, strict=True):
        require(_are_alike(one, other), what, f"{one}\n{other}")


def _are_alike(one: "pd.DataFrame", other: "pd.DataFrame") -> bool:
    if one.equals(other):
        return True
    if one.shape != other.shape or (one.dtypes != other.dtypes).any():
        return False
    is_real = [kind.kind == "f" for kind in one.dtypes]
    reals, twins = (frame.loc[:, is_real].to_numpy() for frame in (one, other))
    rest = [not real for real in is_real]
    return bool(
        np.allclose(reals, twins, rtol=_ROUNDING, atol=0, equal_nan=True)
        and one.loc[:, rest].equals(other.loc[:, rest])
    )


def check_document(document: FioDocument) -> None:
    """Check the numbers of a document before they become frames."""
    for job in document.jobs:
        for side in job.sides.values():
            _check_side(side)


def _check_side(side: FioSide) -> None:
    counts = (side.io_bytes, side.total_ios, side.short_ios, side.runtime_ms)
    for count in counts:
        is_count = count is None or (type(count) is int and 0 <= count < _END)
        require(is_count, "a count that cannot be", count)
    for rate in (side.iops, side.bw_bytes_per_s):
        require(math.isnan(rate) or 0 <= rate < math.inf, "a rate that cannot be", rate)
    for latency in side.latencies.values():
        _check_latency(latency)
        summary = latency.summary
        is_zero = summary.max_ns == summary.mean_ns == 0
        is_measured = side.total_ios != 0 or not is_zero or summary.count
        require(bool(is_measured), "latency 0 where no IO was done")


def _check_latency(latency: FioLatency) -> None:
    summary = latency.summary
    for ns in (summary.min_ns, summary.mean_ns, summary.stddev_ns, summary.max_ns):
        require(math.isnan(ns) or 0 <= ns < math.inf, "a latency that cannot be", ns)
    for level, ns in latency.percentiles.items():
        require(0 < level <= 100, "a level that cannot be", level)
        require(0 <= ns < math.inf, "a percentile that cannot be", ns)
    if latency.bins is not None:
        require((latency.bins.counts > 0).all(), "an empty bin")
        require((np.diff(latency.bins.lat_ns) > 0).all(), "bins that do not ascend")
        require((latency.bins.lat_ns >= 0).all(), "a negative bin")

"""The steps of an import of which only the numbers are known."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ssdlab.fio.bins import bin_edges, is_bin_value, is_last_bin
from ssdlab.fio.document import FioDocument, FioSide
from ssdlab.fio.from_json.values import parse_version
from ssdlab.model.errors import RunFolderError
from ssdlab.model.schema import MEASUREMENTS, PERCENTILES
from ssdlab.model.step import Step, StepResult
from ssdlab.stats.latency import UNKNOWN_EXTREMES, hold_within, is_supported
from ssdlab.system.folders import Folder

Row = Mapping[str, Any]
MEASURED_FILE = "measured.json"
_NANOSECONDS_SINCE = (2, 99)
_LONGEST_NS = 1e18
_KEYS = {"run_id", "step_id"}
_NUMBERS = {c.name for c in MEASUREMENTS.columns if c.dtype == "float64"} | {
    "direction"
}


def read_measured(folder: Folder) -> tuple[Row, ...] | None:
    """Return the rows of a step known only by numbers; ``None`` if fio's are there."""
    if not folder.has_file(MEASURED_FILE):
        return None
    try:
        rows = tuple(json.loads(folder.read(MEASURED_FILE))["rows"])
        unknown = set().union(*rows) - _NUMBERS
        why = f"unknown measurement {min(unknown)!r}" if unknown else ""
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        why = str(error)
    if why:
        raise RunFolderError(
            folder=str(folder.path),
            reason=f"{MEASURED_FILE} is missing or damaged ({why})",
            remedy="Restore it from a copy, or import the file again.",
        )
    return rows


def summarise_rows(step: Step, rows: Sequence[Row]) -> StepResult:
    """Return what a plan may know of a step of which only the rows are known."""
    (total,) = (row for row in rows if row["direction"] == "total")
    return StepResult(
        step_id=step.step_id,
        iops=total.get("iops"),
        bw_bytes_per_s=total.get("bw_bytes_per_s"),
        lat_mean_ns=total.get("lat_mean_ns"),
    )


def has_completion_levels(document: FioDocument) -> bool:
    """Return whether percentiles are only of ``clat``, as fio reports by default."""
    kept = {
        kind
        for job in document.measured
        for side in job.parts
        for kind, latency in side.latencies.items()
        if latency.bins is not None or latency.percentiles
    }
    return "clat" in kept and "lat" not in kept


def printed_percentiles(document: FioDocument) -> dict[str, list[Any]]:
    """Return the percentiles that fio printed, if they need no merging.

    Percentiles of several job entries, or of reads and writes together, need bins. They
    are of ``lat``, or of ``clat`` if fio printed only those.
    """
    parts = [side for job in document.measured for side in job.parts]
    columns: dict[str, list[Any]] = {
        column.name: [] for column in PERCENTILES.columns if column.name not in _KEYS
    }
    is_exact = document.form == "json" and (
        parse_version(document.fio_version) >= _NANOSECONDS_SINCE
    )
    names = [side.direction for side in parts]
    for side in parts:
        if names.count(side.direction) == 1 and side.direction != "mixed":
            _add_printed(columns, side.direction, side, is_exact=is_exact)
    if len(parts) == 1:
        _add_printed(columns, "total", parts[0], is_exact=is_exact)
    return columns


def _add_printed(
    columns: dict[str, list[Any]], name: str, side: FioSide, *, is_exact: bool
) -> None:
    """Add the levels of one direction; edges only if fio named a bin exactly.

    Such a level is limited to the minimum and maximum latency: fio prints the midpoint
    of a bin, which may lie beyond. Rounded values in texts are kept as printed.
    """
    kinds = (side.latencies.get(kind) for kind in ("lat", "clat"))
    latency = next((lat for lat in kinds if lat and lat.percentiles), None)
    if latency is None:
        return
    printed, summary = latency.percentiles, latency.summary
    levels = sorted(p for p in printed if 0 < p < 100 and 0 <= printed[p] < _LONGEST_NS)
    if not levels:
        return
    values = np.array([printed[level] for level in levels])
    whole = np.rint(values).astype(np.int64)
    lower, upper = bin_edges(whole)
    is_bin = (whole == values) & is_bin_value(whole) & is_exact
    count = side.total_ios
    columns["direction"] += [name] * len(levels)
    columns["percentile"] += levels
    extremes = UNKNOWN_EXTREMES
    if is_exact:
        extremes = (summary.min_ns, summary.max_ns)
    columns["lat_ns"] += np.where(
        is_bin, hold_within(values, extremes), values
    ).tolist()
    columns["lat_lower_ns"] += np.where(is_bin, lower, np.nan).tolist()
    columns["lat_upper_ns"] += np.where(is_bin, upper, np.nan).tolist()
    columns["is_censored"] += [
        bool(last) if known else None
        for last, known in zip(is_last_bin(whole), is_bin, strict=True)
    ]
    columns["is_supported"] += (
        [None] * len(levels) if count is None else is_supported(levels, count).tolist()
    )

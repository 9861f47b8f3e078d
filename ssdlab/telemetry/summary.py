"""The health of the drive during a run: its own readings, test by test.

The rows of the table ``telemetry`` whose source is `DRIVE` are what the drive says of
itself, one reading every few seconds. What it does not report has no rows.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ssdlab.model.telemetry import DRIVE, READING_TOOK, WRITTEN
from ssdlab.telemetry.readings import readings_of

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

_SUMMARY = ["test", "name", "n_readings", "first", "last", "minimum", "maximum"]
_WRITTEN = ["test", "counted_bytes", "fio_bytes", "fio_min_bytes", "fio_max_bytes"]


def select_drive(telemetry: "pd.DataFrame") -> "pd.DataFrame":
    """Return the readings of the drive, in the order of time."""
    own = telemetry[(telemetry["source"] == DRIVE) & telemetry["value"].notna()]
    return own.sort_values("time_s", kind="stable")


def spans_of_tests(steps: "pd.DataFrame") -> Iterator[tuple[str, float, float]]:
    """Yield each test with the time of its first and last IO [s]."""
    for test, rows in steps.groupby("test", sort=False):
        yield str(test), float(rows["started_s"].min()), float(rows["ended_s"].max())


def summarise_health(
    telemetry: "pd.DataFrame", steps: "pd.DataFrame"
) -> "pd.DataFrame":
    """Return the readings of the drive in each test."""
    import pandas as pd  # noqa: PLC0415 - 0.3 s before a run begins

    own = select_drive(telemetry)
    rows = [
        _summary(test, str(name), readings, begin_s=begin_s, end_s=end_s)
        for test, begin_s, end_s in spans_of_tests(steps)
        for name, readings in own.groupby("name", sort=False)
        if readings["time_s"].between(begin_s, end_s).any()
    ]
    return pd.DataFrame(rows, columns=[*_SUMMARY, "mean", "rise"])


def _summary(
    test: str, name: str, readings: "pd.DataFrame", *, begin_s: float, end_s: float
) -> dict[str, object]:
    values = readings[readings["time_s"].between(begin_s, end_s)]["value"]
    return {
        "test": test,
        "name": name,
        "n_readings": len(values),
        "first": float(values.iloc[0]),
        "last": float(values.iloc[-1]),
        "minimum": float(values.min()),
        "maximum": float(values.max()),
        "mean": float(values.mean()),
        "rise": readings_of(readings).rise_within(begin_s, end_s),
    }


def summarise_reading_cost(
    health: "pd.DataFrame", steps: "pd.DataFrame"
) -> "pd.DataFrame":
    """Return the share of each test that was spent reading the drive's health."""
    import pandas as pd  # noqa: PLC0415 - 0.3 s before a run begins

    length_s = {test: end_s - begin_s for test, begin_s, end_s in spans_of_tests(steps)}
    rows = health[health["name"] == READING_TOOK]
    spent_s = rows["mean"] * rows["n_readings"]
    return pd.DataFrame({
        "test": rows["test"],
        "n_readings": rows["n_readings"],
        "read_mean_s": rows["mean"],
        "read_max_s": rows["maximum"],
        "read_percent": 100 * spent_s / rows["test"].map(length_s).astype(float),
    }).reset_index(drop=True)


def compare_written(telemetry: "pd.DataFrame", steps: "pd.DataFrame") -> "pd.DataFrame":
    """Return the bytes written by the drive's counter, and by fio in the same time.

    Notes
    -----
    Some drives update the counter only occasionally. So the span is from the first
    reading in which it had changed to the last such, and either change may have come as
    early as the previous reading: hence the least and the most. A counter in coarse
    units may also lag by one of them: its smallest rise. Within a step fio is taken to
    write at an even rate. A purge, and a gap in which the run was interrupted, are left
    out.
    """
    import pandas as pd  # noqa: PLC0415 - 0.3 s before a run begins

    own = select_drive(telemetry)
    counted = own[own["name"] == WRITTEN]
    rows = []
    for test, own_steps in steps.groupby("test", sort=False):
        parts = [
            part
            for piece in _pieces(own_steps)
            if (part := _compare_piece(counted, piece)) is not None
        ]
        if parts:
            rows.append((str(test), *np.sum(parts, axis=0).tolist()))
    return pd.DataFrame(rows, columns=_WRITTEN)


def _pieces(steps: "pd.DataFrame") -> "Iterator[pd.DataFrame]":
    """Yield the steps of a test that followed each other, between purges and gaps."""
    ordered = steps.sort_values("started_s")
    is_purge = ordered["kind"] == "purge"
    is_broken = ~ordered["is_contiguous"].fillna(value=True).astype(bool)
    for _, piece in ordered[~is_purge].groupby((is_purge | is_broken).cumsum()):
        if piece["written_bytes"].notna().all():
            yield piece


def _compare_piece(
    counted: "pd.DataFrame", piece: "pd.DataFrame"
) -> "NDArray[np.float64] | None":
    """Return what was counted, and what fio wrote, at least and at most [B]."""
    begin_s, end_s = piece["started_s"].min(), piece["ended_s"].max()
    rows = counted[counted["time_s"].between(begin_s, end_s)]
    times, values = rows["time_s"].to_numpy(float), rows["value"].to_numpy(float)
    changes = np.flatnonzero(np.diff(values) > 0) + 1
    if len(changes) < 2 or (np.diff(values) < 0).any():
        return None
    first, last = changes[0], changes[-1]
    at = [times[first], times[last], times[first - 1], times[last - 1]]
    begin, end, before_begin, before_end = _written_until(piece, at)
    unit_bytes = np.diff(values)[changes - 1].min()
    least = max(0.0, before_end - begin - unit_bytes)
    most = end - before_begin + unit_bytes
    counted_bytes = values[last] - values[first]
    return np.array([counted_bytes, end - begin, least, most])


def _written_until(piece: "pd.DataFrame", times: list[float]) -> "NDArray[np.float64]":
    """Return what fio had written of a piece at some times [B]."""
    edges = piece[["started_s", "ended_s"]].to_numpy(float).ravel()
    sums = np.cumsum(piece["written_bytes"].to_numpy(float))
    amounts = np.column_stack([np.concatenate([[0.0], sums[:-1]]), sums]).ravel()
    written: NDArray[np.float64] = np.interp(times, edges, amounts)
    return written

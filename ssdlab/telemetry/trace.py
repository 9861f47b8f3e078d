"""The readings of the drive on the time axis of a figure."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ssdlab.model.telemetry import (
    CRITICAL_TEMPERATURE,
    TEMPERATURE,
    THROTTLED,
    WARNING_TEMPERATURE,
    WRITTEN,
)
from ssdlab.stats.matrix import select_cells
from ssdlab.telemetry.summary import select_drive

_CLOCK = ["started_s", "ended_s", "begin_s", "end_s"]
_LONG_GAP = 3.0  # times the usual time between readings: no line is drawn across it


@dataclass(frozen=True, kw_only=True, slots=True)
class DriveTrace:
    """The readings of a drive over the time axis of a figure.

    Attributes
    ----------
    readings : pandas.DataFrame
        One row a reading: ``time_s`` on the axis [s], ``temperature_celsius`` and
        ``written_bytes`` since the first of them [B]; unreported values are missing. A
        row without values marks missing readings.
    throttled : tuple of tuple of float
        Begin and end of each time in which it was throttled, on the axis [s].
    warning_celsius, critical_celsius : float, optional
        The limits that the drive names.
    """

    readings: pd.DataFrame
    throttled: tuple[tuple[float, float], ...] = ()
    warning_celsius: float | None = None
    critical_celsius: float | None = None


def wall_clock(steps: pd.DataFrame) -> pd.DataFrame:
    """Return the clock of a whole run: time since its first IO, rests included."""
    first, last = float(steps["started_s"].min()), float(steps["ended_s"].max())
    return pd.DataFrame([[first, last, 0.0, last - first]], columns=_CLOCK)


def io_clock(
    totals: pd.DataFrame, steps: pd.DataFrame, *, test: str, phase: str = ""
) -> pd.DataFrame:
    """Return the clock of the rounds of a test: time under IO, without any rest."""
    cells = select_cells(totals, test)
    if phase:
        cells = cells[cells["phase"] == phase]
    times = steps[["step_id", "started_s", "ended_s"]]
    table = cells[["step_id", "runtime_s"]].merge(times, on="step_id")
    table = table.sort_values("started_s", kind="stable").reset_index(drop=True)
    table["end_s"] = table["runtime_s"].cumsum()
    table["begin_s"] = table["end_s"] - table["runtime_s"]
    return table[_CLOCK]


def idle_clock(accesses: pd.DataFrame, steps: pd.DataFrame) -> pd.DataFrame:
    """Return the clock of a host idle recovery test: accesses and idle time."""
    times = steps[["phase", "round", "started_s", "ended_s"]]
    table = accesses[["phase", "round", "time_s", "runtime_s"]].merge(
        times, on=["phase", "round"]
    )
    table["begin_s"] = table["time_s"]
    table["end_s"] = table["time_s"] + table["runtime_s"]
    return table.sort_values("started_s", kind="stable")[_CLOCK].reset_index(drop=True)


def trace_drive(telemetry: pd.DataFrame, clock: pd.DataFrame) -> DriveTrace | None:
    """Return the readings of the drive, on the time axis of a figure.

    >>> readings = pd.DataFrame({"time_s": [2.0, 12.0], "value": [40.0, 44.0]})
    >>> readings = readings.assign(source="block", name="temperature_celsius")
    >>> clock = pd.DataFrame({"started_s": [0.0, 10.0], "ended_s": [5.0, 15.0]})
    >>> clock = clock.assign(begin_s=[0.0, 5.0], end_s=[5.0, 10.0])
    >>> trace_drive(readings, clock).readings["time_s"].tolist()
    [2.0, 7.0]
    """
    own = select_drive(telemetry)
    shown = own[own["name"].isin([TEMPERATURE, WRITTEN, THROTTLED])]
    if clock.empty or not shown["name"].isin([TEMPERATURE, WRITTEN]).any():
        return None
    table = shown.pivot_table(index="time_s", columns="name", values="value")
    table = table.reindex(columns=[TEMPERATURE, WRITTEN, THROTTLED])
    rises = table[THROTTLED].dropna().diff()
    throttled = rises.reindex(table.index).gt(0)
    is_shown = _is_on_axis(table.index.to_numpy(float), clock)
    table, throttled = table[is_shown], throttled[is_shown]
    if table.empty:
        return None
    unix_s = table.index.to_numpy(float)
    readings = pd.DataFrame({
        "time_s": _on_axis(unix_s, clock),
        "temperature_celsius": table[TEMPERATURE].to_numpy(float),
        "written_bytes": _since_first(table[WRITTEN]),
    })
    return DriveTrace(
        readings=_with_breaks(readings, unix_s),
        throttled=_spans(readings["time_s"].to_numpy(float), throttled.to_numpy(bool)),
        warning_celsius=_last(own, WARNING_TEMPERATURE),
        critical_celsius=_last(own, CRITICAL_TEMPERATURE),
    )


def _on_axis(unix_s: np.ndarray, clock: pd.DataFrame) -> np.ndarray:
    edges = clock[["started_s", "ended_s"]].to_numpy(float).ravel()
    places = clock[["begin_s", "end_s"]].to_numpy(float).ravel()
    times: np.ndarray = np.interp(unix_s, edges, places)
    return times


def _is_on_axis(unix_s: np.ndarray, clock: pd.DataFrame) -> np.ndarray:
    """Return which times lie in a step, or in idle time that the axis shows."""
    starts, ends = clock["started_s"].to_numpy(float), clock["ended_s"].to_numpy(float)
    begins = clock["begin_s"].to_numpy(float)
    rests = np.append(begins[1:] - clock["end_s"].to_numpy(float)[:-1] > 0, [False])
    place = np.searchsorted(starts, unix_s, side="right") - 1
    is_after_first = place >= 0
    place = place.clip(min=0)
    shown: np.ndarray = is_after_first & ((unix_s <= ends[place]) | rests[place])
    return shown


def _since_first(counter: "pd.Series[float]") -> np.ndarray:
    known = counter.dropna()
    begin = float(known.iloc[0]) if len(known) else np.nan
    return counter.to_numpy(float) - begin


def _with_breaks(readings: pd.DataFrame, unix_s: np.ndarray) -> pd.DataFrame:
    """Put a row without values where the time between readings is far too long."""
    between = np.diff(unix_s)
    if not len(between):
        return readings
    is_long = between > _LONG_GAP * np.median(between)
    places = np.flatnonzero(is_long) + 0.5
    breaks = pd.DataFrame(np.nan, index=places, columns=readings.columns)
    breaks["time_s"] = readings["time_s"].to_numpy(float)[:-1][is_long]
    if breaks.empty:
        return readings
    return pd.concat([readings, breaks]).sort_index().reset_index(drop=True)


def _spans(
    times: np.ndarray, is_throttled: np.ndarray
) -> tuple[tuple[float, float], ...]:
    """Return when it was throttled: since the previous reading."""
    spans: list[tuple[float, float]] = []
    for place in np.flatnonzero(is_throttled).tolist():
        begin, end = float(times[max(0, place - 1)]), float(times[place])
        if spans and spans[-1][1] >= begin:
            begin, _ = spans.pop()
        spans.append((begin, end))
    return tuple(spans)


def _last(own: pd.DataFrame, name: str) -> float | None:
    values = own.loc[own["name"] == name, "value"]
    return float(values.iloc[-1]) if len(values) else None

"""Readings of the drive on the time axis of a figure: where each of them falls."""

import pandas as pd
import pytest

from ssdlab.telemetry.trace import (
    idle_clock,
    io_clock,
    trace_drive,
    wall_clock,
)
from tests.stats.frames import measured, measurements, steps
from tests.telemetry.test_summary import WRITTEN, readings, step

WARM = "temperature_celsius"
CLOCK = pd.DataFrame({
    "started_s": [100.0, 200.0],
    "ended_s": [110.0, 210.0],
    "begin_s": [0.0, 10.0],
    "end_s": [10.0, 20.0],
})


def times(trace: object) -> list[float]:
    frame = trace.readings  # type: ignore[attr-defined] # a DriveTrace
    return [float(value) for value in frame["time_s"]]


def test_clock_of_io_leaves_rests_out() -> None:
    """Two rounds of 10 s under IO, one of them 11 s long, an hour apart."""
    totals = measurements([
        measured("0003", test="wsat", phase="saturation", round=2, runtime_s=10.0),
        measured("0002", test="wsat", phase="saturation", round=1, runtime_s=10.0),
        measured("0004", test="wsat", phase="histogram", kind="histogram"),
        measured("0009", test="tp", phase="rounds", round=1, runtime_s=10.0),
    ])
    rows = steps([
        step("wsat", 50, 51, step_id="0001", kind="purge"),
        step("wsat", 100, 110, step_id="0002"),
        step("wsat", 3700, 3711, step_id="0003"),
        step("wsat", 3711, 3720, step_id="0004", kind="histogram"),
    ])
    clock = io_clock(totals, rows, test="wsat")
    assert clock.to_numpy().tolist() == [[100, 110, 0, 10], [3700, 3711, 10, 20]]
    assert io_clock(totals, rows, test="wsat", phase="other").empty


def test_clock_of_idle_recovery_keeps_rests() -> None:
    accesses = pd.DataFrame({
        "phase": ["wait-1", "wait-1"],
        "round": [1, 2],
        "time_s": [0.0, 15.0],
        "runtime_s": [5.0, 5.0],
    })
    rows = steps([
        step("hir", 1000, 1005, phase="wait-1", round=1),
        step("hir", 1015, 1020, phase="wait-1", round=2),
    ])
    clock = idle_clock(accesses, rows)
    assert clock.to_numpy().tolist() == [[1000, 1005, 0, 5], [1015, 1020, 15, 20]]
    trace = trace_drive(readings((1002, WARM, 40), (1010, WARM, 41)), clock)
    assert times(trace) == [2, 10]


def test_clock_of_the_wall_is_time_since_the_first_io() -> None:
    rows = steps([step("iops", 10, 20), step("tp", 500, 610)])
    assert wall_clock(rows).to_numpy().tolist() == [[10, 610, 0, 600]]


def test_reading_falls_where_its_step_is_and_one_in_a_rest_is_left_out() -> None:
    at = (99, 100, 105, 110, 150, 201, 211)
    trace = trace_drive(readings(*((t, WARM, 40.0) for t in at)), CLOCK)
    assert times(trace)[:3] == [0, 5, 10]
    assert times(trace)[-1] == 11


def test_line_is_broken_where_readings_are_lacking() -> None:
    at = (100, 102, 104, 106, 201, 203, 205)
    trace = trace_drive(readings(*((t, WARM, 40.0) for t in at)), CLOCK)
    assert trace is not None
    values = trace.readings[WARM].tolist()
    assert [value == value for value in values] == [True] * 4 + [False] + [True] * 3  # noqa: PLR0124 - NaN


def test_bytes_count_from_the_first_reading_on_the_axis() -> None:
    told = readings(*((at, WRITTEN, 10.0 * at) for at in (90, 101, 109, 202)))
    trace = trace_drive(told, CLOCK)
    assert trace is not None
    written = trace.readings["written_bytes"].dropna().tolist()
    assert written == [0, 80, 1010]
    assert trace.readings["temperature_celsius"].isna().all()


def test_throttled_time_goes_from_the_reading_before_and_grows_together() -> None:
    counter = ((100, 5), (102, 5), (104, 6), (106, 9), (108, 9), (201, 9), (203, 10))
    told = pd.concat([
        readings(*((at, "temperature_throttled_s", value) for at, value in counter)),
        readings(*((at, WARM, 70.0) for at, _ in counter)),
    ])
    trace = trace_drive(told, CLOCK)
    assert trace is not None
    assert trace.throttled == ((2, 6), (11, 13))


def test_limits_are_those_that_the_drive_names() -> None:
    trace = trace_drive(
        readings((101, WARM, 50), (101, "warning_temperature_celsius", 70)), CLOCK
    )
    assert trace is not None
    assert (trace.warning_celsius, trace.critical_celsius) == (70, None)


@pytest.mark.parametrize(
    ("told", "clock"),
    [
        (readings(), CLOCK),
        (readings((101, "media_errors", 0)), CLOCK),
        (readings((101, WRITTEN, 9), source="virtual"), CLOCK),
        (readings((50, WARM, 40)), CLOCK),
        (readings((101, WARM, 40)), CLOCK.iloc[:0]),
    ],
    ids=["no reading", "neither", "of a model", "before", "no round"],
)
def test_nothing_is_traced_without_a_reading(
    told: pd.DataFrame, clock: pd.DataFrame
) -> None:
    assert trace_drive(told, clock) is None

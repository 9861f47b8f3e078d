"""Stalls and periods of a run: of every interval, and what coincides with them."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from ssdlab.telemetry.stalls import (
    CONDITIONS,
    Timeline,
    find_conditions,
    shifted_p_value,
    summarise_periods,
    summarise_stalls,
    timelines,
)

NOTHING = pd.DataFrame(columns=["source", "name", "time_s", "value"])


def run_of(
    *steps: npt.ArrayLike,
    lat_ns: float = 1e5,
    begins: Sequence[float] = (),
    **names: Any,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return series and steps of one stimulus, a second an interval."""
    rows, parts, begin = [], [], 1000.0
    for number, given in enumerate(steps):
        rates = np.asarray(given, float)
        begin = begins[number] if begins else begin
        rows.append({
            "step_id": f"{number:03d}", "test": "lat", "phase": "histogram",
            "kind": "histogram", "access": "rnd", "block_size_bytes": 4096,
            "read_percent": 0, "threads": 1, "queue_depth": 1,
            "started_s": begin, "duration_s": float(len(rates)),
            **names,
        })  # fmt: skip
        parts.append(
            pd.DataFrame({
                "step_id": f"{number:03d}",
                "direction": "total",
                "time_s": np.arange(1.0, len(rates) + 1),
                "iops": rates,
                "lat_mean_ns": lat_ns,
            })
        )
        begin += len(rates)
    return pd.concat(parts), pd.DataFrame(rows)


def readings(
    source: str, name: str, values: Sequence[float], *, every_s: float = 1.0
) -> pd.DataFrame:
    times = 1000.0 + every_s * np.arange(len(values))
    return pd.DataFrame({
        "source": source,
        "name": name,
        "time_s": times,
        "value": values,
    })


def test_interval_without_io_has_no_row_of_fio_and_is_a_stall() -> None:
    series, steps = run_of([1000] * 100)
    series = series[~series["time_s"].between(41, 43)]
    (line,) = timelines(series, steps)
    assert len(line.rates) == 98
    assert line.rates[38:43].tolist() == [1000, 0, 0, 0, 1000]
    assert line.end_s[0] == 1002
    (row,) = summarise_stalls([line], NOTHING).to_dict("records")
    assert (row["stalls"], row["longest_s"], row["quiet_s"]) == (1, 3, 56)
    assert row["per_hour"] == pytest.approx(3600 / 98)
    assert row["low"] < row["per_hour"] < row["high"]


def test_queues_that_fill_and_drain_are_no_stall() -> None:
    """They take a response time, which is 2.5 intervals here."""
    deep = [[40, 900, 20, *([1000] * 30), 10, 20, 5]] * 3
    (line,) = timelines(*run_of(*deep, lat_ns=2.5e9))
    assert set(line.rates) == {1000.0}
    steps = [[0, 0, 40, *([1000] * 30), 300, 0]] * 3
    series, known = run_of(*steps)
    series = series[series["iops"] > 0]
    (line,) = timelines(series, known)
    assert len(line.rates) == 90
    assert set(line.rates) == {1000.0}
    assert summarise_stalls([line], NOTHING)["stalls"].tolist() == [0]


def test_steps_of_a_stimulus_are_one_line_and_of_two_are_two() -> None:
    series, steps = run_of([900] * 40, [1000] * 40)
    (line,) = timelines(series, steps)
    assert (len(line.rates), line.step_s) == (76, 40.0)
    steps.loc[1, "read_percent"] = 100
    assert [len(one.rates) for one in timelines(series, steps)] == [38, 38]
    assert [one.step_s for one in timelines(series, steps)] == [None, None]


def test_pause_before_a_resume_does_not_change_the_period_of_the_steps() -> None:
    series, steps = run_of(
        *([[1000] * 40] * 5), begins=[1000, 1041, 1082, 90_000, 90_041]
    )
    (line,) = timelines(series, steps)
    assert line.step_s == pytest.approx(41)


def test_what_coincides_is_found_and_what_does_not_is_not() -> None:
    rng = np.random.default_rng(3)
    rates, moved = np.full(1200, 1000.0), np.zeros(1201)
    for begin in range(100, 1200, 110):
        rates[begin] = 0
        moved[begin + 1] = 9e9
    series, steps = run_of(rates)
    host = np.cumsum(np.full(1201, 4e6))
    nand = np.cumsum(np.full(1201, 4e6) + moved)
    busy = np.cumsum(np.where(rng.random(1201) < 0.3, 2.0, 0.5))
    telemetry = pd.concat([
        readings("virtual", "host_written_bytes", list(host)),
        readings("virtual", "nand_written_bytes", list(nand)),
        readings("host", "cpu_busy_s", list(busy)),
        readings("host", "cpu_all_s", list(2.0 * np.arange(1201.0))),
    ])
    (row,) = summarise_stalls(timelines(series, steps), telemetry).to_dict("records")
    assert row["stalls"] == 10
    assert (row["collecting_stalls"], row["collecting_p"] < 0.01) == (1.0, True)
    assert row["collecting_share"] == pytest.approx(10 / 1198)
    assert row["busy_share"] == pytest.approx(0.3, abs=0.05)
    assert row["busy_p"] > 0.05
    assert math.isnan(row["throttled_p"])
    assert math.isnan(row["reading_share"])


def held_in(
    line: Timeline, telemetry: pd.DataFrame
) -> dict[str, npt.NDArray[np.bool_]]:
    return {name: holds(line) for name, holds in find_conditions(telemetry).items()}


def test_conditions_are_those_that_are_told() -> None:
    (line,) = timelines(*run_of([1000] * 30))
    assert held_in(line, NOTHING) == {}
    throttled = readings("block", "temperature_throttled_s", [5.0] * 10 + [7.0] * 10)
    held = held_in(line, throttled)
    assert held.keys() == {"throttled"}
    assert np.flatnonzero(held["throttled"]).tolist() == [8]
    slow = readings("block", "slow_commands", [3.0] * 5 + [4.0] * 5)
    held = held_in(line, slow)
    assert np.flatnonzero(held["slow"]).tolist() == [3]
    read = readings("block", "health_read_s", [1.5, 1.5], every_s=10)
    held = held_in(line, read)
    assert np.flatnonzero(held["reading"]).tolist() == [7, 8, 9]


def test_table_without_series_is_empty() -> None:
    series, steps = run_of([1000] * 30)
    found = summarise_stalls(timelines(series.iloc[:0], steps), NOTHING)
    assert found.empty
    assert {f"{name}_p" for name in CONDITIONS} <= set(found)
    assert summarise_periods((), steps).empty


def test_period_says_how_far_the_mean_of_a_cell_may_be_off() -> None:
    """A wave of 40 s and 100 IOPS: a cell of 60 s holds 1.5 cycles, 2/(3 pi) of it."""
    seconds = np.arange(1200.0)
    rng = np.random.default_rng(4)
    rates = 1000 + 100 * np.sin(2 * np.pi * seconds / 40) + rng.normal(0, 20, 1200)
    series, steps = run_of(rates)
    cell = steps.assign(step_id="a", kind="cell", duration_s=60.0)
    found = summarise_periods(timelines(series, steps), pd.concat([steps, cell]))
    (row,) = found.to_dict("records")
    assert row["is_periodic"]
    assert row["period_s"] == pytest.approx(40, rel=0.01)
    assert row["amplitude_percent"] == pytest.approx(10, rel=0.05)
    assert row["cycles"] == pytest.approx(1.5, rel=0.01)
    assert row["phase_percent"] == pytest.approx(10 * 2 / (3 * math.pi), rel=0.1)


def test_nothing_is_claimed_of_short_series() -> None:
    series, steps = run_of([1000] * 100)
    (row,) = summarise_periods(timelines(series, steps), steps).to_dict("records")
    assert not row["is_periodic"]
    assert math.isnan(row["period_s"])


@pytest.mark.simulation
def test_table_claims_what_is_not_there_in_at_most_one_of_twenty() -> None:
    """Three stimuli with stalls, and conditions that come and go by themselves."""
    rng = np.random.default_rng(22)
    tries, alarms = 200, 0
    for _ in range(tries):
        telemetry, parts = [], []
        for number in range(3):
            rates = rng.poisson(1000, 600).astype(float)
            for begin in rng.choice(590, 8, replace=False):
                rates[begin : begin + int(rng.integers(1, 4))] = 10
            parts.append(run_of(rates, threads=number + 1))
        series = pd.concat([
            one.assign(step_id=f"s{n}") for n, (one, _) in enumerate(parts)
        ])
        steps = pd.concat([
            one.assign(step_id=f"s{n}") for n, (_, one) in enumerate(parts)
        ])
        on = np.cumsum(rng.random(601) < 0.03) % 2
        telemetry = [
            readings("block", "temperature_throttled_s", list(np.cumsum(on * 1.0))),
            readings(
                "host",
                "cpu_busy_s",
                list(np.cumsum(np.where(rng.random(601) < 0.2, 2.0, 0.5))),
            ),
            readings("host", "cpu_all_s", list(2.0 * np.arange(601.0))),
            readings(
                "virtual", "host_written_bytes", list(np.cumsum(np.full(601, 4e6)))
            ),
            readings(
                "virtual",
                "nand_written_bytes",
                list(np.cumsum(4e6 + 9e6 * (np.cumsum(rng.random(601) < 0.1) % 2))),
            ),
        ]
        lines = timelines(series, steps)
        stalls = summarise_stalls(lines, pd.concat(telemetry))
        claims = stalls[[f"{name}_p" for name in CONDITIONS]].to_numpy(float)
        alarms += bool((claims < 0.05).any())
        alarms += bool(summarise_periods(lines, steps)["is_periodic"].any())
    assert alarms <= 0.05 * tries + 3 * math.sqrt(0.05 * tries)


def test_condition_that_always_or_never_holds_tells_nothing() -> None:
    for held in (np.zeros(100, bool), np.ones(100, bool)):
        assert shifted_p_value(held, [3, 50]) == 1.0

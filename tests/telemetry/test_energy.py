"""Power and energy: of a meter of known truth, by hand, and never where none was."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis.strategies import floats

from ssdlab.compare.power import summarise_efficiency, tabulate_power
from ssdlab.telemetry.clocks import find_offset
from ssdlab.telemetry.energy import EnergyCount, read_energy, summarise_energy

NO_WINDOW = pd.DataFrame(
    columns=[
        *("run_id", "test", "phase", "is_final"),
        *("window_first_round", "window_last_round"),
    ]
)


def metered(
    joules: Callable[[float], float], *, until_s: float, every_s: float = 0.5
) -> pd.DataFrame:
    times = np.arange(0.0, until_s + every_s / 2, every_s)
    return pd.DataFrame({
        "source": "meter",
        "name": "energy_joules",
        "time_s": times,
        "value": [joules(time) for time in times],
    })


def steps_of(*spans: tuple[float, float], **values: Any) -> pd.DataFrame:
    return pd.DataFrame([
        {
            "run_id": "a", "step_id": f"{n:03d}", "test": "iops", "phase": "rounds",
            "kind": "cell", "round": n + 1, "access": "rnd", "block_size_bytes": 4096,
            "read_percent": 0, "threads": 2, "queue_depth": 16, "wait_s": 0.0,
            "started_s": begin, "ended_s": end, **values,
        }
        for n, (begin, end) in enumerate(spans)
    ])  # fmt: skip


def measured(steps: pd.DataFrame, ios: int) -> pd.DataFrame:
    return steps.assign(
        direction="total", total_ios=ios, io_bytes=ios * 4096, iops=float(ios)
    )


def test_power_and_energy_of_an_io_by_hand() -> None:
    """5 W for 3 rounds of 2 s with 1,000 IOs each: 10 mJ an IO, 100 IOPS a watt."""
    steps = steps_of((1.0, 3.0), (3.0, 5.0), (5.0, 7.0))
    found = summarise_energy(
        metered(lambda s: 5 * s, until_s=9), steps, measured(steps, 1000), NO_WINDOW
    )
    (row,) = found.to_dict("records")
    assert (row["steps"], row["seconds"]) == (3, 6)
    assert row["joules"] == pytest.approx(30)
    assert row["watts"] == pytest.approx(5)
    assert (row["watts_low"], row["watts_high"]) == pytest.approx((5, 5))
    assert row["watts_shifted"] == pytest.approx(0)
    assert row["joules_per_io"] == pytest.approx(0.01)
    assert row["iops_per_watt"] == pytest.approx(100)
    assert row["bytes_per_joule"] == pytest.approx(409_600)


@given(floats(0.5, 50), floats(0, 0.9), floats(0.3, 40))
def test_power_that_changes_is_within_what_is_said_of_it(
    watts: float, share: float, period_s: float
) -> None:
    """A meter of known truth: P = W (1 + a sin(2 pi t / T)), read every half second."""
    turn = 2 * math.pi / period_s

    def joules(time_s: float) -> float:
        return watts * (time_s - share * math.cos(turn * time_s) / turn)

    spans = [(2.0, 12.0), (12.0, 22.0), (22.0, 32.0)]
    steps = steps_of(*spans)
    found = summarise_energy(
        metered(joules, until_s=40), steps, measured(steps, 10), NO_WINDOW
    )
    (row,) = found.to_dict("records")
    true = sum(joules(end) - joules(begin) for begin, end in spans) / 30
    # Between two readings it may be off by a quarter of one at each end.
    assert abs(row["watts"] - true) <= watts * share * 0.5 / 30 + 1e-9


def test_clocks_that_are_apart_change_what_is_said() -> None:
    """A step of 4 s at 6 W beside rests of 2 W: half a second apart is 0.5 W."""
    watts = np.where((np.arange(0, 12, 0.5) >= 4) & (np.arange(0, 12, 0.5) < 8), 6, 2)
    joules = np.concatenate([[0], np.cumsum(watts * 0.5)])
    frame = metered(lambda s: joules[round(s * 2)], until_s=12)
    steps = steps_of((4.0, 8.0))
    (row,) = summarise_energy(frame, steps, measured(steps, 1), NO_WINDOW).to_dict(
        "records"
    )
    assert row["watts"] == pytest.approx(6)
    assert row["watts_shifted"] == pytest.approx(0.5)
    assert math.isnan(row["watts_low"])


def test_step_that_was_not_metered_throughout_counts_nothing() -> None:
    frame = metered(lambda s: 5 * s, until_s=20)
    holed = frame[~frame["time_s"].between(4.1, 8.9)]
    steps = steps_of((1.0, 3.0), (5.0, 7.0), (9.0, 11.0), (19.0, 24.0))
    (row,) = summarise_energy(holed, steps, measured(steps, 1), NO_WINDOW).to_dict(
        "records"
    )
    assert (row["steps"], row["joules"]) == (2, pytest.approx(20))
    none = summarise_energy(
        holed, steps_of((30.0, 31.0)), measured(steps, 1), NO_WINDOW
    )
    assert none.empty


def test_last_power_holds_until_the_run_ends() -> None:
    count = read_energy(metered(lambda s: 5 * s, until_s=10))
    assert count is not None
    assert count.within(8.0, 10.6) == pytest.approx(13)
    assert math.isnan(count.within(8.0, 11.0))
    assert math.isnan(count.within(-0.1, 5.0))


def test_meter_that_began_anew_goes_on() -> None:
    first = metered(lambda s: 5 * s, until_s=10)
    again = metered(lambda s: 2 * s, until_s=10).assign(
        time_s=lambda frame: frame["time_s"] + 1000
    )
    count = read_energy(pd.concat([first, again]))
    assert count is not None
    assert count.within(1.0, 3.0) == pytest.approx(10)
    assert count.within(1001.0, 1003.0) == pytest.approx(4)
    assert math.isnan(count.within(9.0, 1001.0))


def test_rests_and_phases_that_measure_nothing_have_power_and_no_ios() -> None:
    steps = steps_of((10.0, 12.0), wait_s=5.0)
    fill = steps_of((1.0, 4.0), kind="precondition").assign(step_id="fill")
    found = summarise_energy(
        metered(lambda s: 3 * s, until_s=20),
        pd.concat([fill, steps]),
        measured(steps, 1),
        NO_WINDOW,
    ).set_index("kind")
    assert list(found.index) == ["precondition", "cell", "rest"]
    assert found.loc["rest", "joules"] == pytest.approx(15)
    assert found["joules_per_io"].isna().tolist() == [True, False, True]


def test_run_without_a_meter_has_no_power() -> None:
    steps = steps_of((1.0, 3.0))
    host = metered(lambda s: s, until_s=5).assign(source="host")
    for frame in (host, host.iloc[:0]):
        assert read_energy(frame) is None
        assert summarise_energy(frame, steps, measured(steps, 1), NO_WINDOW).empty


def test_efficiency_takes_the_power_of_each_cell_and_what_a_user_states_first() -> None:
    steps = pd.concat([
        steps_of((1.0, 3.0)),
        steps_of((3.0, 5.0), read_percent=100).assign(step_id="b"),
    ])
    energy = summarise_energy(
        metered(lambda s: 4 * s if s < 3 else 12 + 8 * (s - 3), until_s=9),
        steps,
        measured(steps, 1000),
        NO_WINDOW,
    ).assign(run_id="a")
    sides = pd.DataFrame({"run_id": ["a"], "side": ["A"]})
    power = tabulate_power(energy, sides).set_index("cell")["watts"]
    assert power.to_dict() == pytest.approx({
        "RND 4 KiB 0/100": 4.0, "RND 4 KiB 100/0": 8.0
    })  # fmt: skip
    summary = pd.DataFrame([
        {"test": "iops", "metric": "iops", "cell": cell, "side": side,
         "value": 800.0, "low": 720.0, "high": 880.0}
        for cell in power.index for side in ("A", "B", "C")
    ])  # fmt: skip
    found = summarise_efficiency(summary, {"B": 2.0}, tabulate_power(energy, sides))
    values = found.set_index(["side", "cell"])["value"].to_dict()
    assert values == pytest.approx({
        ("A", "RND 4 KiB 0/100"): 200.0, ("A", "RND 4 KiB 100/0"): 100.0,
        ("B", "RND 4 KiB 0/100"): 400.0, ("B", "RND 4 KiB 100/0"): 400.0,
    })  # fmt: skip


def other_clock(
    rng: np.random.Generator, offset_s: float, scatter: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Return times and power by a clock that is behind, and the steps of a run.

    A purge, a fill, and 12 rounds of 6 cells of equal length, at rest before and after.
    """
    lengths = np.array([0.5, 4.0, *([1.0] * 72)])
    names = ["purge", "fill", *[f"cell {n}" for _ in range(12) for n in range(6)]]
    of = {"purge": 2.5, "fill": 7.0} | {
        f"cell {n}": watts for n, watts in enumerate((2.5, 3.0, 4.5, 5.0, 6.0, 6.2))
    }
    ends = 5e8 + np.cumsum(lengths)
    spans = np.column_stack([ends - lengths, ends - 0.02])
    times = np.arange(5e8 - 20, ends[-1] + 20, 0.1)
    place = np.searchsorted(ends, times)
    watts = np.array([*(of[name] for name in names), 1.5])
    power = np.where(times < 5e8, 1.5, watts[place])
    power = power + rng.normal(0, scatter, len(times))
    return times - offset_s, power, spans, names


@pytest.mark.parametrize("offset_s", [-900.0, 0.0, 37.3, 1200.0])
def test_clock_is_found_from_the_power(offset_s: float) -> None:
    found = find_offset(*other_clock(np.random.default_rng(8), offset_s, 0.3))
    assert found is not None
    assert abs(found.offset_s - offset_s) <= found.error_s < 0.5


def test_power_that_does_not_change_tells_no_offset() -> None:
    rng = np.random.default_rng(9)
    times, _, spans, names = other_clock(rng, 0.0, 0.0)
    assert find_offset(times, np.full(len(times), 5.0), spans, names) is None
    noise = rng.normal(5, 0.1, len(times))
    assert find_offset(times, noise, spans[:8], names[:8]) is None


@pytest.mark.simulation
@pytest.mark.parametrize("scatter", [0.1, 1.0])
def test_error_of_the_clock_holds_in_nineteen_of_twenty(scatter: float) -> None:
    rng, tries, missed = np.random.default_rng(23), 60, 0
    for _ in range(tries):
        offset_s = float(rng.uniform(-30, 30))
        found = find_offset(*other_clock(rng, offset_s, scatter), farthest_s=60.0)
        missed += found is None or abs(found.offset_s - offset_s) > found.error_s
    assert missed <= 0.05 * tries + 3 * math.sqrt(0.05 * tries)


def test_span_of_no_time_between_readings_is_interpolated() -> None:
    times = np.array([0.0, 1.0, 2.0])
    count = EnergyCount(times_s=times, joules=np.array([0.0, 4.0, 6.0]), apart_s=1.0)
    assert count.within(0.5, 1.5) == pytest.approx(3.0)

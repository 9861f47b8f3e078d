"""What the drive said of itself, each on a case computed by hand and as properties."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.findings.health import find_miscounts
from ssdlab.model.schema import TELEMETRY
from ssdlab.telemetry.readings import readings_of
from ssdlab.telemetry.summary import (
    compare_written,
    select_drive,
    summarise_health,
    summarise_reading_cost,
)
from tests.stats.frames import Row, frame, steps

WRITTEN = "host_written_bytes"
UNIT = 512_000  # what NVMe counts in


def readings(*rows: tuple[float, str, float], source: str = "block") -> pd.DataFrame:
    return frame(
        TELEMETRY,
        [
            {"time_s": at, "source": source, "name": name, "value": value}
            for at, name, value in rows
        ],
    )


def step(test: str, first: float, last: float, **values: object) -> Row:
    kind = {"kind": "cell", "is_contiguous": True, "written_bytes": 0}
    return {"test": test, "started_s": first, "ended_s": last, **kind, **values}


def test_summary_has_first_last_least_greatest_mean_and_rise_of_each_test() -> None:
    warm = "temperature_celsius"
    told = readings(
        *((at, warm, value) for at, value in ((5, 40), (12, 50), (18, 44), (31, 60))),
        *((at, "media_errors", value) for at, value in ((5, 2), (12, 2), (31, 5))),
    )
    test = steps([step("iops", 10, 14), step("iops", 14, 20), step("tp", 30, 40)])
    found = summarise_health(told, test).set_index(["test", "name"])
    columns = ["n_readings", "first", "last", "minimum", "maximum", "mean", "rise"]
    iops = [found[column][("iops", warm)] for column in columns]
    assert iops == [2, 50, 44, 44, 50, 47, 10]
    assert found.loc[("tp", warm), "mean"] == 60
    assert found.loc[("iops", "media_errors"), "rise"] == 0
    assert found.loc[("tp", "media_errors"), "rise"] == 3


def test_summary_is_of_the_drive_alone_and_of_tests_with_a_reading() -> None:
    test = steps([step("iops", 10, 20), step("tp", 20.5, 24)])
    told = pd.concat([
        readings((15, "temperature_celsius", 41)),
        readings((16, WRITTEN, 9), source="virtual"),
        readings((16, "load_average_1_min", 1), source="host"),
    ])
    found = summarise_health(told, test)
    assert found[["test", "name"]].to_numpy().tolist() == [
        ["iops", "temperature_celsius"]
    ]
    assert math.isnan(found["rise"].iloc[0])
    assert summarise_health(readings(), test).empty


def test_readings_without_a_value_are_none() -> None:
    told = readings((1, "wear_percent", float("nan")), (2, "wear_percent", 3))
    assert select_drive(told)["value"].tolist() == [3]


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 1000), min_size=2, max_size=20),
    st.integers(0, 10**15),
)
def test_rise_is_how_far_a_counter_went_whatever_it_had_counted(
    rises: list[int], before: int
) -> None:
    counter = before + np.cumsum(rises)
    counted = pd.DataFrame({"time_s": np.arange(len(rises)), "value": counter})
    assert readings_of(counted).rise_within(0, len(rises)) == sum(rises[1:])


def test_rise_of_a_counter_that_began_anew_goes_on() -> None:
    counted = pd.DataFrame({"time_s": [0.0, 1, 2, 3], "value": [90.0, 100, 0, 7]})
    assert readings_of(counted).rise_within(0.5, 3) == 17


def test_cost_is_the_time_of_all_readings_by_the_length_of_the_test() -> None:
    """Three readings of 10, 20 and 30 ms in 20 s: 0.3 %."""
    took = [(at, "health_read_s", s) for at, s in ((11, 0.01), (16, 0.02), (21, 0.03))]
    test = steps([step("lat", 10, 20), step("lat", 20, 30)])
    (row,) = summarise_reading_cost(
        summarise_health(readings(*took), test), test
    ).to_dict("records")
    assert row["test"] == "lat"
    assert (row["n_readings"], row["read_max_s"]) == (3, 0.03)
    assert row["read_mean_s"] == pytest.approx(0.02)
    assert row["read_percent"] == pytest.approx(0.3)


def test_cost_of_readings_that_were_not_timed_is_not_told() -> None:
    health = summarise_health(
        readings((11, "pcie_link_width", 4)), steps([step("lat", 10, 20)])
    )
    assert summarise_reading_cost(health, steps([step("lat", 10, 20)])).empty


def test_bytes_are_compared_between_the_first_and_the_last_change() -> None:
    """100 B/s for 20 s, then 10 B/s for 10 s, read at 5, 10, 20 and 26 s."""
    test = steps([
        step("wsat", 0, 20, written_bytes=2000),
        step("wsat", 20, 30, written_bytes=100),
    ])
    counter = ((1, 7000), (5, 7500), (10, 8000), (20, 9000), (26, 9060), (29, 9060))
    told = readings(*((at, WRITTEN, value) for at, value in counter))
    (row,) = compare_written(told, test).to_dict("records")
    assert row == {
        "test": "wsat",
        "counted_bytes": 9060 - 7500,
        "fio_bytes": 2060 - 500,
        "fio_min_bytes": 2000 - 500 - 60,
        "fio_max_bytes": 2060 - 100 + 60,
    }


def test_purge_and_break_are_no_part_of_the_bytes_compared() -> None:
    """A purge that writes, and an unfinished step that no table has."""
    test = steps([
        step("tp", 0, 10, kind="purge", written_bytes=None),
        step("tp", 10, 30, written_bytes=200),
        step("tp", 100, 120, written_bytes=200, is_contiguous=False),
    ])
    counter = [(at, 10.0 * (at - 10)) for at in range(12, 30, 2)]
    counter += [(at, 90_000 + 10.0 * at) for at in range(102, 120, 2)]
    told = readings(
        (1, WRITTEN, 0), (9, WRITTEN, 10**9), *((at, WRITTEN, v) for at, v in counter)
    )
    (row,) = compare_written(told, test).to_dict("records")
    assert row["counted_bytes"] == row["fio_bytes"] == 280


@pytest.mark.parametrize(
    "counter",
    [[], [(2, 5)], [(2, 5), (4, 5), (6, 5)], [(2, 5), (4, 9), (6, 9)]],
    ids=["never read", "once", "standing still", "one change"],
)
def test_bytes_are_not_compared_without_two_changes(
    counter: list[tuple[float, float]],
) -> None:
    told = readings(*((at, WRITTEN, value) for at, value in counter))
    test = steps([step("tp", 0, 10, written_bytes=100)])
    assert compare_written(told, test).empty
    assert find_miscounts(told, test) == ()


RATES = st.lists(st.floats(0, 5e9), min_size=1, max_size=6)


@settings(deadline=None)
@given(
    rates=RATES,
    interval_s=st.floats(0.5, 8),
    update_s=st.sampled_from([0.001, 3.0, 60.0, 200.0]),
    unit_bytes=st.sampled_from([1, UNIT, 2**30]),
)
def test_right_counter_is_never_doubted_however_rarely_it_is_brought_up_to_date(
    rates: list[float], interval_s: float, update_s: float, unit_bytes: int
) -> None:
    length_s = 60.0
    edges = [1000.0 + length_s * place for place in range(len(rates) + 1)]
    sums = np.concatenate([[0.0], np.cumsum([rate * length_s for rate in rates])])
    test = steps([
        step("iops", edges[k], edges[k + 1], written_bytes=round(rates[k] * length_s))
        for k in range(len(rates))
    ])
    times = np.arange(edges[0], edges[-1], interval_s)
    updated = edges[0] + np.floor((times - edges[0]) / update_s) * update_s
    truth = np.interp(updated, edges, sums)
    counter = 3e12 + np.floor(truth / unit_bytes) * unit_bytes
    told = readings(*zip(times, [WRITTEN] * len(times), counter, strict=True))
    assert find_miscounts(told, test) == ()
    for row in compare_written(told, test).to_dict("records"):
        slack = len(rates) + 1
        assert row["fio_min_bytes"] - slack <= row["counted_bytes"]
        assert row["counted_bytes"] <= row["fio_max_bytes"] + slack


@pytest.mark.parametrize(
    ("factor", "is_found"), [(1.0, False), (1.04, False), (1.2, True), (0.8, True)]
)
def test_counter_that_differs_by_more_than_a_twentieth_is_found(
    factor: float, *, is_found: bool
) -> None:
    """500 MB/s for ten minutes, read every 5 s."""
    test = steps([step("wsat", 0, 600, written_bytes=300 * 10**9)])
    told = readings(*((at, WRITTEN, 500e6 * at * factor) for at in range(1, 600, 5)))
    found = find_miscounts(told, test)
    assert [(f.code, f.severity, f.test) for f in found] == (
        [("written-miscount", "grave", "wsat")] if is_found else []
    )
    if is_found:
        assert "while fio wrote 295 GB; something else wrote to it" in found[0].words


def test_counter_that_rises_while_fio_only_reads_is_found() -> None:
    test = steps([step("lat", 0, 100, written_bytes=0)])
    told = readings(*((at, WRITTEN, 1e6 * at) for at in range(1, 100, 5)))
    (found,) = find_miscounts(told, test)
    assert "the drive counted 90 MB while fio wrote 0 B" in found.words

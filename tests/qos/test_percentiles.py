"""Percentiles and their intervals, of a few rounds and of one long run."""

import math

import pytest

from ssdlab.analysis import summarise_qos
from ssdlab.qos.loads import select_load
from ssdlab.qos.text import claim_text, tabulate_qos
from tests.qos.made_loads import (
    COUNTED,
    FAST,
    LONG,
    MEASURED,
    ONE_RUN,
    ROUNDS,
    held,
    level_of,
)
from tests.stats.frames import bins, measurements


def test_rounds_claim_the_interval_between_them() -> None:
    row = level_of(ROUNDS, "99 %")
    assert row["claimed"] == "between rounds"
    assert (row["lat_ns"], row["low_ns"], row["high_ns"]) == (FAST, FAST - 1, FAST + 1)
    assert row["is_supported"]


def test_one_long_run_claims_independent_ios_and_says_so() -> None:
    table = summarise_qos(ONE_RUN)
    assert set(table["claimed"]) == {"", "independent IOs", "recorded"}
    assert "one long run cannot show how rounds differ" in claim_text(ONE_RUN, table)


@pytest.mark.parametrize(
    ("marker", "note"),
    [
        ("99.99 %", ""),
        ("99.999 %", "no upper bound: 40,000 IOs, 368,887 needed"),
    ],
)
def test_level_that_too_few_ios_stand_behind_is_not_supported(
    marker: str, note: str
) -> None:
    row = level_of(ONE_RUN, marker)
    assert row["note"] == note
    assert row["is_supported"] == (note == "")
    assert math.isinf(float(str(row["high_ns"]))) == (note != "")


def test_rounds_that_differ_may_not_support_what_their_ios_would() -> None:
    rows = [row for n in range(1, 6) for row in held(f"s{n}", 40 if n == 1 else 0)]
    load = select_load(MEASURED, bins(rows), kind="cell")
    row = level_of(load, "99 %")
    assert not row["is_supported"]
    assert "no upper bound: rounds vary (effective n = " in str(row["note"])
    assert math.isfinite(float(str(row["independent_high_ns"])))


def test_maximum_beyond_the_last_bin_is_a_censored_tail() -> None:
    steps = measurements([LONG | {"lat_max_ns": 9.0e6}])
    load = select_load(steps, COUNTED)
    table = summarise_qos(load, levels=[99, 99.9999]).set_index("marker")
    assert load.is_censored
    assert table["is_censored"].tolist() == [False, False, True, False]
    assert table["lat_ns"]["99.9999 %"] == load.binned.lower[-1]
    assert tabulate_qos(table.reset_index())["Response time [ms]"][2].startswith("≥ ")
    assert "in fio's last bin" in table["note"]["99.9999 %"]
    assert load.binned.upper[-1] == 9.0e6


def test_ios_that_no_bin_holds_are_told() -> None:
    load = select_load(measurements([LONG | {"total_ios": 90_000}]), COUNTED)
    notes = summarise_qos(load)["note"]
    assert notes.str.contains("the histogram holds 40,000 of 90,000 IOs").all()


def test_wide_bins_are_told() -> None:
    wide = bins([{"step_id": "h1", "lat_ns": FAST, "lat_lower_ns": 500_000,
                  "lat_upper_ns": 2_000_000, "count": 40_000}])  # fmt: skip
    load = select_load(measurements([LONG | {"lat_max_ns": 1.9e6}]), wide)
    assert "its bin is wide: 500,000 to 1,900,000 ns" in str(level_of(load, "50 %"))

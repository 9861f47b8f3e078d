"""The time of preconditioning, against Micron's table."""

import csv

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.procedures.saturate.precondition import (
    find_precondition_minutes,
    find_steady_write_rate,
    oddity_text,
)
from ssdlab.reference.micron import read_micron_precondition_times
from tests.paths import REFERENCE, require_folder

POSITIVE = st.floats(0.01, 1e6)


def test_table_is_that_of_the_reference_row_by_row() -> None:
    path = require_folder(REFERENCE) / "micron_precondition_time.csv"
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    shipped = read_micron_precondition_times()
    assert [
        (
            str(row.capacity_gb),
            f"{row.rate_mb_s:g}",
            f"{row.fill_2x_min:g}",
            f"{row.precondition_min:g}",
        )
        for row in shipped
    ] == [
        (
            row["capacity_gb"],
            row["seq_128k_write_rate_mb_s"],
            row["fill_2x_minutes_printed"],
            row["precondition_minutes_printed"],
        )
        for row in rows
    ]
    for row in rows:
        gb, rate = float(row["capacity_gb"]), float(row["seq_128k_write_rate_mb_s"])
        for factor in (1024, 1000):
            ours = find_precondition_minutes(gb, rate, mb_per_gb=factor)
            theirs = float(row[f"fill_2x_minutes_calc_{factor}mb_per_gb"])
            assert ours == pytest.approx(theirs, abs=5e-4)


def test_rule_rounds_to_every_printed_fill_time() -> None:
    rows = read_micron_precondition_times()
    assert [
        round(find_precondition_minutes(row.capacity_gb, row.rate_mb_s)) for row in rows
    ] == [43, 63, 126, 504]
    assert [row.fill_2x_min for row in rows] == [43, 63, 126, 504]


def test_one_printed_row_is_odd_and_said_so() -> None:
    odd = [
        text
        for row in read_micron_precondition_times()
        if (
            text := oddity_text(
                row.capacity_gb,
                fill_2x_min=row.fill_2x_min,
                precondition_min=row.precondition_min,
            )
        )
    ]
    assert len(odd) == 1
    assert "480 GB Micron prints 53 min" in odd[0]
    assert "a misprint of 43" in odd[0]
    assert "a margin of 10 min" in odd[0]


def test_time_is_twice_capacity_by_rate() -> None:
    assert find_precondition_minutes(600, 100, mb_per_gb=1000) == 200


@given(gb=POSITIVE, rate=POSITIVE, factor=st.floats(0.1, 10))
def test_time_grows_with_capacity_and_falls_with_rate(
    gb: float, rate: float, factor: float
) -> None:
    minutes = find_precondition_minutes(gb, rate)
    assert find_precondition_minutes(gb * factor, rate) == pytest.approx(
        minutes * factor
    )
    assert find_precondition_minutes(gb, rate * factor) == pytest.approx(
        minutes / factor
    )


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_what_is_no_number_above_zero_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="a rate of"):
        find_precondition_minutes(480, value)
    with pytest.raises(ValueError, match="a capacity of"):
        find_precondition_minutes(value, 380)


def window(**values: object) -> dict[str, object]:
    return {
        "test": "saturate",
        "phase": "attempt1",
        "metric": "bw_bytes_per_s",
        "access": "seq",
        "block_size_bytes": 128 * 1024,
        "read_percent": 0,
        "is_final": True,
        "is_round_steady": True,
        "average": 380e6,
    } | values


def test_rate_is_that_of_the_last_attempt() -> None:
    first = window(is_round_steady=False, average=500e6)
    found = find_steady_write_rate(
        pd.DataFrame([first, window(phase="attempt2", average=400e6)]), test="saturate"
    )
    assert found is not None
    assert (found.phase, found.bw_bytes_per_s, found.is_steady) == (
        "attempt2",
        400e6,
        True,
    )


@pytest.mark.parametrize(
    "other",
    [
        {"access": "rnd"},
        {"block_size_bytes": 64 * 1024},
        {"read_percent": 100},
        {"test": "tp"},
        {"is_final": False},
        {"metric": "iops"},
    ],
    ids=str,
)
def test_there_is_no_rate_of_other_writes(other: dict[str, object]) -> None:
    frame = pd.DataFrame([window(**other)])
    assert find_steady_write_rate(frame, test="saturate") is None

"""Wear: by hand, to the unit in which drives tell it, and never where they do not."""

import math
from collections.abc import Sequence

import pandas as pd
import pytest
from hypothesis import given
from hypothesis.strategies import floats

from ssdlab.telemetry.wear import summarise_wear


def told(**values: Sequence[float]) -> pd.DataFrame:
    rows = [
        {"source": "block", "name": name, "time_s": 10.0 * place, "value": value}
        for name, given in values.items()
        for place, value in enumerate(given)
    ]
    return pd.DataFrame(rows, columns=["source", "name", "time_s", "value"])


STEPS = pd.DataFrame({
    "test": ["iops", "iops", "wsat"],
    "started_s": [1.0, 11.0, 21.0],
    "ended_s": [10.0, 20.0, 30.0],
})


def test_each_test_used_what_was_told_in_it() -> None:
    """IOPS wrote 2 TB and went from 40 to 44 %: 3 to 5 %, and 55 % are left."""
    found = summarise_wear(
        told(
            wear_percent=[40, 42, 44, 45],
            host_written_bytes=[0, 1e12, 2e12, 4e12],
        ),
        STEPS,
    )
    assert list(found["test"]) == ["", "iops", "wsat"]
    run, iops, wsat = found.to_dict("records")
    assert (iops["used_low"], iops["used_high"], iops["worn_percent"]) == (3, 5, 44)
    assert iops["host_bytes"] == 2e12
    assert iops["left_low_bytes"] == pytest.approx(56 / 5 * 2e12)
    assert iops["left_high_bytes"] == pytest.approx(56 / 3 * 2e12)
    assert (wsat["used_low"], wsat["used_high"]) == (0, 2)
    assert wsat["left_high_bytes"] == math.inf
    assert (run["used_low"], run["used_high"]) == (4, 6)
    assert run["host_bytes"] == 4e12


@given(floats(0.01, 80), floats(0, 19), floats(1, 1e15))
def test_what_is_left_is_within_what_is_said(
    per_test: float, before: float, written: float
) -> None:
    """A drive that wears evenly, and tells it in whole per cent."""
    seen = [math.floor(before), math.floor(before + per_test)]
    telemetry = told(wear_percent=seen, host_written_bytes=[0.0, written])
    steps = pd.DataFrame({"test": ["a"], "started_s": [0.0], "ended_s": [10.0]})
    row = summarise_wear(telemetry, steps).to_dict("records")[0]
    assert row["used_low"] <= per_test <= row["used_high"]
    left = (100 - math.floor(before + per_test)) / per_test * written
    assert row["left_low_bytes"] <= left * 1.000001
    assert left <= row["left_high_bytes"] * 1.000001


def test_worn_drive_has_nothing_left() -> None:
    found = summarise_wear(
        told(wear_percent=[100, 104, 104, 104], host_written_bytes=[0, 1, 2, 3]), STEPS
    )
    assert set(found["left_low_bytes"]) == {0.0}


def test_drive_that_does_not_tell_has_no_row() -> None:
    for telemetry in (
        told(),
        told(wear_percent=[1, 1, 1, 1]),
        told(host_written_bytes=[0, 1, 2, 3]),
        told(wear_percent=[1], host_written_bytes=[1]),
    ):
        assert summarise_wear(telemetry, STEPS).empty

"""How sure the numbers of a window are."""

import math

import numpy as np
import pytest

from ssdlab.steadiness.precision import summarise_precision
from tests.stats.made_rounds import make_rounds, settled


def test_precision_tells_of_the_window_and_of_all_since_the_last_change() -> None:
    precision = summarise_precision(make_rounds(settled(60)))
    assert precision["rounds"].nunique() == 2
    by_name = precision.groupby("quantity")["estimate"].agg(list)
    assert by_name["average"][1] == pytest.approx(100, rel=0.01)
    has_interval = precision["low"].notna()
    assert (precision["low"] <= precision["estimate"])[has_interval].all()
    assert (precision["estimate"] <= precision["high"])[has_interval].all()
    notes = precision.set_index("quantity")["note"]
    assert "large transient passes" in " ".join(notes)


def test_standard_error_allows_for_rounds_that_are_alike() -> None:
    wave = 100 + np.sin(np.arange(24) / 3)
    precision = summarise_precision(make_rounds(wave, window=None))
    row = precision[precision["quantity"] == "standard error of the slope"].iloc[-1]
    share = float(row["note"].split("would have ")[1].split(" times")[0])
    assert share < 0.9
    assert math.isnan(row["low"])


def test_numbers_of_a_window_of_samples_are_by_the_sample() -> None:
    series = make_rounds(settled(60), sample_every=10, first_sample=10)
    precision = summarise_precision(series)
    slopes = precision[precision["quantity"] == "slope"]
    assert slopes["unit"].tolist() == ["value per sample", "value per round"]
    notes = slopes["note"].tolist()
    assert notes[0].startswith("fewer than 20 samples")
    assert notes[1] == ""


def test_window_that_is_all_there_is_stands_once() -> None:
    precision = summarise_precision(make_rounds([100.0, 101, 99, 100, 102]))
    assert precision["rounds"].unique().tolist() == [
        "1 - 5, the window and since the last change"
    ]

"""Numbers with as many digits as are known of them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.report.rounded import (
    counted_text,
    interval_texts,
    measured_text,
    rate_text,
    rounded_text,
    share_text,
)

NUMBERS = st.floats(1e-6, 1e9)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5051.467, "5,050"),
        (1234567.0, "1,230,000"),
        (999.6, "1,000"),
        (102.939, "103"),
        (12.685, "12.7"),
        (9.996, "10.0"),
        (0.012345, "0.0123"),
        (-12.685, "-12.7"),
        (0.0, "0"),
        (math.nan, "-"),
        (math.inf, "-"),
    ],
)
def test_number_has_three_significant_digits(value: float, text: str) -> None:
    assert rounded_text(value) == text


@given(value=NUMBERS)
def test_rounding_is_off_by_half_of_the_third_digit_at_most(value: float) -> None:
    shown = float(rounded_text(value).replace(",", ""))
    assert abs(shown - value) <= 0.5001 * 10 ** (math.floor(math.log10(value)) - 2)


@given(value=NUMBERS, share=st.floats(1e-3, 0.9))
def test_interval_is_shown_to_a_tenth_of_its_half_or_less(
    value: float, share: float
) -> None:
    low, high = value * (1 - share), value * (1 + share)
    for text, number in zip(
        interval_texts(value, low=low, high=high), (value, low, high), strict=True
    ):
        off = abs(float(text.replace(",", "")) - number)
        assert off <= max(0.0501 * value * share, 0.5001e-4)


def test_what_is_missing_is_no_number() -> None:
    assert measured_text(None, 1) == counted_text(math.nan, 1) == "-"
    assert interval_texts(math.nan, low=1, high=2) == ("-", "-", "-")
    assert share_text(math.nan) == "-"


def test_units_are_those_of_the_axes() -> None:
    assert measured_text(5.0514e8, 1e6) == "505"
    assert counted_text(7530.0, 60) == "125.5"
    assert rate_text(5.0514e8, "bw_bytes_per_s") == "505 MB/s"
    assert rate_text(5051.467, "iops") == "5,050 IOPS"
    assert share_text(1.02939) == "103 %"

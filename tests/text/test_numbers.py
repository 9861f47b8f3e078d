"""Numbers with as many digits as are known of them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.text.numbers import (
    interval_texts,
    number_text,
    rate_text,
    rounded_text,
    share_text,
    time_text,
)
from ssdlab.text.quantities import QUANTITIES, scaled

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
    assert interval_texts(math.nan, low=1, high=2) == ("-", "-", "-")
    assert share_text(math.nan) == "-"


def test_units_are_those_of_the_axes() -> None:
    assert rate_text(5.0514e8, "bw_bytes_per_s") == "505 MB/s"
    assert rate_text(5051.467, "iops") == "5,050 IOPS"
    assert share_text(1.02939) == "103 %"


def test_scaled_gives_the_unit_of_the_axis_when_values_are_as_stored() -> None:
    assert scaled([2_500_000.0], "lat_mean_ns") == [2.5]
    assert scaled([1_500_000.0], "bw_bytes_per_s") == [1.5]
    assert scaled([90.0], "time_s") == [1.5]
    assert QUANTITIES["bw_bytes_per_s"].title == "Throughput [MB/s]"
    assert QUANTITIES["lat_max_ns"].title == "Maximum latency [ms]"


def test_scaled_keeps_a_missing_value_missing() -> None:
    assert scaled([None, float("nan"), 1.0], "iops") == [None, None, 1.0]


@pytest.mark.parametrize(
    ("value_ns", "expected"),
    [
        (950.0, "950.0 ns"),
        (1500.0, "1.500 μs"),
        (2_345_600.0, "2.346 ms"),
        (3.5e9, "3.500 s"),
    ],
)
def test_time_text_chooses_the_unit_that_suits(value_ns: float, expected: str) -> None:
    assert time_text(value_ns) == expected


def test_number_text_says_so_when_there_is_no_number() -> None:
    assert number_text(math.nan) == "n/a"
    assert number_text(1234567.8) == "1,234,568"

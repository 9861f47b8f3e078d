"""Flat and lower is the host: Micron, Rev. B 4/17."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.stats.bottleneck import (
    assess_decline,
    compare_hosts,
    find_bottleneck_warning,
)

FALLING = [90_000.0, 90_000, 88_000, 60_000, 40_000, *[25_000] * 10]
HELD = [20_000.0] * 15  # below the drive's own end
CUT = [30_000.0] * 5 + [25_000.0] * 10  # the peak is missing, the end is the drive's
RATES = st.lists(st.floats(1, 1e6), min_size=10, max_size=60)


def test_curve_falls_when_it_gets_a_fifth_below_its_beginning() -> None:
    curve = assess_decline(FALLING, written_fills=3)
    assert curve.shape == "falls"
    assert (curve.first, curve.begin, curve.level, curve.end) == (
        90_000,
        90_000,
        25_000,
        25_000,
    )
    assert curve.decline_ratio == pytest.approx(65 / 90)


@pytest.mark.parametrize(
    ("end", "shape"), [(80.1, "flat"), (80.0, "flat"), (79.9, "falls")]
)
def test_twenty_percent_is_the_limit(end: float, shape: str) -> None:
    values = [100.0] * 5 + [end] * 5
    assert assess_decline(values, written_fills=1).shape == shape


def test_one_slow_round_is_no_decline() -> None:
    values = [100.0] * 7 + [10.0] + [100.0] * 7
    assert assess_decline(values, written_fills=1).shape == "flat"


def test_decline_counts_when_the_curve_climbs_again() -> None:
    values = [100.0] * 5 + [50.0] * 5 + [100.0] * 5
    assert assess_decline(values, written_fills=1).shape == "falls"


def test_curve_that_rises_is_flat() -> None:
    values = [50.0] * 5 + [100.0] * 5
    curve = assess_decline(values, written_fills=1)
    assert curve.shape == "flat"
    assert curve.level == 50


@pytest.mark.parametrize(
    ("values", "fills", "why"),
    [
        ([1.0] * 9, 3, "9 rounds; 10 are needed"),
        ([], 3, "0 rounds"),
        ([0.0] * 10, 3, "no IO at its beginning"),
        (HELD, 0.99, "only 0.99 user capacities"),
        (HELD, None, "the amount written is unknown"),
    ],
)
def test_shape_is_unknown_when_too_little_is_known(
    values: list[float], fills: float | None, why: str
) -> None:
    curve = assess_decline(values, written_fills=fills)
    assert curve.shape == "unknown"
    assert why in curve.reason
    assert find_bottleneck_warning(values, written_fills=fills) == ""


def test_fall_is_told_though_what_was_written_is_not_known() -> None:
    assert assess_decline(FALLING, written_fills=None).shape == "falls"


def test_missing_rounds_are_left_out() -> None:
    values = [float("nan"), *FALLING]
    assert assess_decline(values, written_fills=3).first == 90_000


def test_warning_names_the_host_and_how_flat_the_curve_is() -> None:
    text = find_bottleneck_warning([100.0] * 5 + [95.0] * 10, written_fills=2.5)
    assert "5.0% below its beginning, though 2.5 user capacities" in text
    assert "the host may be the bottleneck" in text
    assert find_bottleneck_warning(FALLING, written_fills=3) == ""


@given(values=RATES, factor=st.floats(0.01, 100))
def test_shape_does_not_depend_on_the_unit(values: list[float], factor: float) -> None:
    one = assess_decline(values, written_fills=2)
    other = assess_decline([value * factor for value in values], written_fills=2)
    assert other.decline_ratio == pytest.approx(one.decline_ratio, abs=1e-9)
    if abs(one.decline_ratio - 0.2) > 1e-9:
        assert other.shape == one.shape


@given(RATES)
def test_level_is_never_below_the_least_nor_above_the_greatest(
    values: list[float],
) -> None:
    curve = assess_decline(values, written_fills=2)
    assert min(values) <= curve.level <= max(values)
    assert curve.begin in values


def shapes(*curves: list[float]) -> tuple[object, ...]:
    return tuple(assess_decline(curve, written_fills=3) for curve in curves)


@pytest.mark.parametrize(
    ("first", "second", "suspect", "words"),
    [
        (FALLING, HELD, "B", "it ends lower too"),
        (HELD, FALLING, "A", "begins 78% lower than that of the other host"),
        (FALLING, CUT, "B", "the host only cut off the peak"),
        (FALLING, FALLING, "", "No host looks like a bottleneck"),
        (HELD, HELD, "", "either both hosts are a bottleneck"),
        ([30_000.0] * 15, HELD, "B", "which does not fall either"),
        ([99.0] * 3, FALLING, "", "host A: 3 rounds"),
    ],
)
def test_flat_and_lower_host_is_suspected(
    first: list[float], second: list[float], suspect: str, words: str
) -> None:
    found = compare_hosts(*shapes(first, second), is_random_write=True)  # type: ignore[arg-type]
    assert found.suspect == suspect
    assert words in found.text


def test_flat_curves_say_nothing_of_a_stimulus_that_need_not_fall() -> None:
    found = compare_hosts(*shapes(HELD, HELD), is_random_write=False)  # type: ignore[arg-type]
    assert "says nothing about the hosts" in found.text
    assert found.end_ratio == 1


@given(first=RATES, second=RATES)
def test_hosts_in_the_other_order_have_the_other_suspect(
    first: list[float], second: list[float]
) -> None:
    one = compare_hosts(*shapes(first, second), is_random_write=True)  # type: ignore[arg-type]
    other = compare_hosts(*shapes(second, first), is_random_write=True)  # type: ignore[arg-type]
    assert {"A": "B", "B": "A", "": ""}[one.suspect] == other.suspect
    assert one.end_ratio * other.end_ratio == pytest.approx(1)

"""What share of the life of a drive a run uses up, on cases computed by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.drive import DriveHealth
from ssdlab.plan.endurance import (
    Endurance,
    estimate_endurance,
    rate_endurance,
    share_endurance,
)

TB = 1e12


def test_share_of_a_given_endurance_has_one_end() -> None:
    """6 and 12 TB of 600 TB: 1 and 2 %."""
    share = share_endurance((6 * TB, 12 * TB), rate_endurance(600 * TB))
    assert (share["percent_min"], share["percent_max"]) == (1, 2)
    assert share["words"] == "the rated 600 TB"


def test_life_by_its_own_count_is_between_this_percent_and_the_next() -> None:
    """120 TB are 12 %, and less than 13 %: 923.08 TB to 1,000 TB in all."""
    life = estimate_endurance(DriveHealth(wear_percent=12, host_written_bytes=120 * TB))
    assert life is not None
    assert life.least_bytes == pytest.approx(923.0769 * TB)
    assert life.most_bytes == pytest.approx(1000 * TB)
    assert life.words == "its life, by its own count: 120 TB written so far are 12 %"
    share = share_endurance((10 * TB, 12 * TB), life)
    assert share["percent_min"] == pytest.approx(1)
    assert share["percent_max"] == pytest.approx(1.3)


@pytest.mark.parametrize(
    ("wear", "written"),
    [(None, 9e12), (10.0, None), (4.0, 9e12), (0.0, 9e12), (10.0, 0.0)],
)
def test_life_is_not_guessed_from_little(
    wear: float | None, written: float | None
) -> None:
    health = DriveHealth(wear_percent=wear, host_written_bytes=written)
    assert estimate_endurance(health) is None


@given(st.floats(1e12, 1e17), st.floats(0.05, 2.5))
def test_true_life_lies_in_the_interval_however_the_percent_was_cut(
    life_bytes: float, used: float
) -> None:
    wear = float(int(100 * used))
    health = DriveHealth(wear_percent=wear, host_written_bytes=life_bytes * used)
    found = estimate_endurance(health)
    assert found is not None
    slack = 1e-9 * life_bytes
    assert found.least_bytes - slack <= life_bytes <= found.most_bytes + slack


@given(st.floats(0, 1e15), st.floats(0, 1e15), st.floats(1e9, 1e17))
def test_least_share_is_never_more_than_the_most(
    one: float, other: float, rated: float
) -> None:
    written = (min(one, other), max(one, other))
    life = Endurance(least_bytes=rated, most_bytes=2 * rated, words="")
    share = share_endurance(written, life)
    assert float(share["percent_min"]) <= float(share["percent_max"])

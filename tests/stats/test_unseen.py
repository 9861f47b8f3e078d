"""What so many rounds cannot know."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.stats.unseen import unseen_ratio, unseen_text


@pytest.mark.parametrize(
    ("rounds", "ratio"), [(1, 0.95), (2, 0.7764), (5, 0.4507), (25, 0.1129)]
)
def test_share_by_hand(rounds: int, ratio: float) -> None:
    """0.05 = (1 - 0.4507)^5."""
    assert unseen_ratio(rounds) == pytest.approx(ratio, abs=5e-5)


@given(st.integers(1, 10_000), st.floats(50, 99.9))
def test_what_is_that_rare_spares_all_rounds_as_seldom_as_is_left(
    rounds: int, confidence_percent: float
) -> None:
    ratio = unseen_ratio(rounds, confidence_percent=confidence_percent)
    assert 0 < ratio < 1
    assert (1 - ratio) ** rounds == pytest.approx(1 - confidence_percent / 100)
    assert unseen_ratio(rounds + 1, confidence_percent=confidence_percent) < ratio


def test_stall_that_is_that_rare_is_not_seen_in_one_of_twenty_runs() -> None:
    rng = np.random.default_rng(5)
    strikes = rng.random((20_000, 5)) < unseen_ratio(5)
    assert 1 - strikes.any(axis=1).mean() == pytest.approx(0.05, abs=0.005)


def test_many_rounds_are_told_with_two_digits() -> None:
    assert unseen_text(360).endswith("fewer than 0.83 % of rounds")

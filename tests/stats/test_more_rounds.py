"""How many more rounds halve an interval."""

import numpy as np
import pytest

from ssdlab.stats.more_rounds import rounds_to_halve
from ssdlab.stats.trend import estimate_mean
from tools.coverage_cases.case import draw_noise


def test_foretold_rounds_do_halve_the_interval() -> None:
    """Drawn with the foretold rounds, half of the intervals are half as wide."""
    rng = np.random.default_rng(11)
    shares = []
    for _ in range(8):
        noise = draw_noise(rng, 500, 0.4)
        before = estimate_mean(noise[:25])
        more = rounds_to_halve(noise[:25])
        after = estimate_mean(noise[: 25 + int(min(more.estimate, 400))])
        shares.append((after.high - after.low) / (before.high - before.low))
        assert more.low <= more.estimate <= more.high
    assert np.median(shares) == pytest.approx(0.5, abs=0.2)


def test_independent_rounds_need_about_three_times_as_many_more() -> None:
    rng = np.random.default_rng(3)
    more = [rounds_to_halve(rng.standard_normal(20)).estimate for _ in range(5)]
    assert 20 < np.median(more) < 100

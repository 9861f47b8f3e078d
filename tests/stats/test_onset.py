"""The truncation that leaves the mean most certain."""

import math

import numpy as np
import pytest

from ssdlab.stats.pelt import find_truncation
from tools.coverage_cases.case import draw_noise


def test_cut_by_hand() -> None:
    """Batches 8.5 5.5 5.5 5.5: without the first nothing scatters."""
    found = find_truncation([9.0, 8, 5, 6, 5, 6, 5, 6], batch=2)
    assert (found.dropped, found.mean, found.is_found) == (2, 5.5, True)


def test_cut_is_made_where_the_transient_ends() -> None:
    rng = np.random.default_rng(2)
    series = 100 + draw_noise(rng, 100, 0.0)
    series[:15] += 40
    found = find_truncation(series)
    assert found.dropped == 15
    assert found.mean == pytest.approx(100, abs=0.5)
    assert found.note == ""


def test_series_that_falls_to_its_end_is_too_short_to_say() -> None:
    found = find_truncation(np.linspace(200, 100, 60))
    assert not found.is_found
    assert found.note.endswith("series too short")


def test_fewer_than_sixty_rounds_are_called_of_little_use() -> None:
    assert find_truncation(np.resize([1.0, -1, 0], 60)).note == ""
    short = find_truncation(np.resize([1.0, -1, 0], 59)).note
    assert short == "of little use below 60 rounds"
    falling = find_truncation(np.linspace(200, 100, 25)).note
    assert falling.endswith("series too short; of little use below 60 rounds")


def test_cuts_of_few_independent_rounds_are_chance() -> None:
    """What the note says: half of such series of 25 rounds lose ten or more."""
    rng = np.random.default_rng(3)
    dropped = [find_truncation(rng.standard_normal(25)).dropped for _ in range(300)]
    longer = [find_truncation(rng.standard_normal(60)).dropped for _ in range(300)]
    assert np.median(dropped) >= 10
    assert np.median(longer) <= 5


@pytest.mark.parametrize("values", [[1.0] * 4, [math.nan] * 5])
def test_missing_values_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="5 numbers or more"):
        find_truncation(values)

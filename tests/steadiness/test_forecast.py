"""How many rounds a test still needs, all its variables at once."""

from dataclasses import replace

import numpy as np
import pytest

from ssdlab.steadiness.forecast import (
    FORECAST_CLAIM,
    TESTED_DECAYS,
    find_first_steady,
    forecast_steady_state,
    forecast_text,
)
from ssdlab.steadiness.series import RoundSeries
from tests.stats.made_rounds import make_rounds, settled
from tools.coverage_cases.steadiness import CASES


def two(rounds: int) -> tuple[RoundSeries, RoundSeries]:
    """Return a steady variable and one that falls for longer."""
    even = 100 + 0.1 * np.random.default_rng(1).standard_normal(30)
    slow = make_rounds(settled(30, rounds=4)[:rounds], tracking="slow")
    return make_rounds(even[:rounds], tracking="even"), slow


def test_test_is_steady_when_all_are_in_the_same_window() -> None:
    even, slow = two(30)
    assert find_first_steady([even]) == 5
    alone = find_first_steady([slow])
    assert alone is not None
    assert find_first_steady([even, slow]) == alone > 5
    assert find_first_steady([even, make_rounds([1.0, 9.0] * 10)]) is None


def test_forecast_waits_for_the_variable_that_falls() -> None:
    came = find_first_steady(two(30))
    forecast = forecast_steady_state(two(6))
    row = forecast.iloc[-1]
    assert (row["after_round"], row["waits_for"]) == (6, "slow")
    assert came is not None
    assert row["more_low"] <= came - 6 <= row["more_high"]
    even, slow = two(6)
    alone = forecast_steady_state(slow).iloc[-1]
    assert row["chance_within_5"] <= alone["chance_within_5"] + 0.1
    assert forecast_steady_state(even).iloc[-1]["came_after"] == 5


def test_forecast_after_one_round_is_that_of_all_of_them() -> None:
    every = forecast_steady_state(two(6))
    for place, done in enumerate(every["after_round"]):
        row = forecast_steady_state(two(6), after=done)
        assert row.to_dict("records") == [every.iloc[place].to_dict()]


def test_rounds_that_only_some_have_are_not_known_yet() -> None:
    even, slow = two(6)
    longer = replace(even, rounds=(*even.rounds, 7), measured=(*even.measured, 100.0))
    forecast = forecast_steady_state([longer, slow])
    assert forecast["after_round"].max() == 6


def test_text_looks_ahead_and_says_when_it_is_steady() -> None:
    ahead = forecast_text(two(6), forecast_steady_state(two(6)))
    assert ahead.startswith("Not steady after round 6. Rounds still needed: ")
    assert ahead.endswith(f"The last to become steady: slow. {FORECAST_CLAIM}.")
    done = forecast_text(two(30), forecast_steady_state(two(30)))
    assert "all 2 tracking variables at once. No forecast is needed" in done
    early = forecast_text(two(3), forecast_steady_state(two(3)))
    assert early == "Not steady after round 3; a forecast needs four rounds."


def test_forecast_of_rounds_that_were_not_judged_is_not_to_be_relied_on() -> None:
    series = replace(two(6)[1], is_judged=False)
    forecast = forecast_steady_state(series)
    assert not forecast["is_supported"].any()
    assert "Do not rely on it: the run has judged no window" in forecast_text(
        [series], forecast
    )


@pytest.mark.parametrize("unit", [1e-3, 1e6])
def test_forecast_does_not_depend_on_the_unit(unit: float) -> None:
    plain = forecast_steady_state(two(6))
    other = [
        replace(series, measured=tuple(unit * value for value in series.measured))
        for series in two(6)
    ]
    scaled = forecast_steady_state(other)
    assert scaled["more_rounds"].tolist() == plain["more_rounds"].tolist()


def test_claim_names_what_the_page_of_coverage_shows_and_no_more() -> None:
    shown = {
        next(name for name in TESTED_DECAYS if case.case.startswith(name))
        for case in CASES
        if case.statistic == "rounds until steady, foretold"
    }
    assert shown == set(TESTED_DECAYS)
    assert all(name in FORECAST_CLAIM for name in TESTED_DECAYS)


def test_slow_second_decay_is_not_foretold_to_end_with_the_first() -> None:
    """Two decays, in 2 and 12 rounds: one exponential said 3 to 5 rounds of 10."""
    rounds = np.arange(40)
    level = 100 * (1 + 1.5 * np.exp(-rounds / 2) + np.exp(-rounds / 12))
    whole = make_rounds(level + np.random.default_rng(2).normal(0, 1.5, 40))
    came = find_first_steady([whole])
    row = forecast_steady_state(
        replace(whole, rounds=whole.rounds[:8], measured=whole.measured[:8])
    ).iloc[-1]
    assert came is not None
    assert row["more_low"] <= came - 8 <= row["more_high"]

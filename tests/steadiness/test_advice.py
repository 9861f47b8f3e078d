"""In words, what lies beyond the rule of the PTS."""

import numpy as np
import pytest

from ssdlab.stats.steady_state import find_first_steady_round
from ssdlab.stats.trend import LEVEL_CLAIM
from ssdlab.steadiness.advice import find_advice, steadiness_text
from ssdlab.steadiness.precision import find_drifts
from ssdlab.steadiness.series import RoundSeries
from ssdlab.steadiness.windows import summarise_fit
from tests.stats.made_rounds import make_rounds


def judged(values: np.ndarray) -> RoundSeries:
    """Return rounds up to the first steady window, as a run ends with it."""
    last = find_first_steady_round(values)
    assert last is not None
    window = (last - 4, last)
    return make_rounds(values[:last], window=window, is_window_steady=True)


def test_text_tells_the_verdict_of_the_pts_first_and_the_rest_apart() -> None:
    values = 100 * (1 + 1.5 * np.exp(-np.arange(40) / 12))
    values += np.random.default_rng(1).normal(0, 0.3, 40)
    lines = steadiness_text(make_rounds(values), "each-value").splitlines()
    assert lines[0].startswith("By PTS 2.0.2: steady in rounds")
    assert lines[1].startswith("each value and fit end within 10 %: steady")
    assert lines[2] == "Beyond the PTS:"
    assert lines[3].startswith("  Change points: rounds 1 - ")
    assert lines[4] == "  They do not confirm the verdict of the PTS."
    assert any("the level still drifts" in line for line in lines)


def test_text_warns_when_the_level_of_the_pts_is_another() -> None:
    values = 100 * (1 + 1.5 * np.exp(-np.arange(60) / 3))
    values += np.random.default_rng(60).normal(0, 0.5, 60)
    text = steadiness_text(make_rounds(values))
    assert "Since the last change the level differs by -" in text
    assert "from the PTS window." in text


@pytest.mark.parametrize(
    ("slope", "words"),
    [(0.0, "no drift is shown"), (0.04, "drifts a little"), (1.0, "still drifts")],
    ids=["none", "little", "much"],
)
def test_drift_that_is_sure_but_small_is_not_denied(slope: float, words: str) -> None:
    noise = 0.01 * np.random.default_rng(4).standard_normal(30)
    series = make_rounds(100 + slope * np.arange(30) + noise * (1 if slope else 50))
    told, claim = steadiness_text(series).splitlines()[-2:]
    assert words in told
    assert claim == f"  {LEVEL_CLAIM}."


def test_rounds_that_the_run_did_not_judge_get_no_verdict() -> None:
    text = steadiness_text(make_rounds([100.0] * 8, is_judged=False))
    assert "NOT steady: the run judged no window of these rounds" in text


def test_slow_decay_that_the_pts_calls_steady_is_advised_against() -> None:
    """A decay in 12 rounds is 40 % above its level where the rule is met."""
    rng = np.random.default_rng(6)
    decay = 100 * (1 + 2 * np.exp(-np.arange(25) / 12))
    advice = [find_advice(judged(decay + rng.standard_normal(25))) for _ in range(20)]
    assert sum(bool(one.words) for one in advice) >= 18
    drifts = [one.drift for one in advice if one.drift is not None]
    assert all(drift.ratio.high < 0 for drift in drifts)
    assert any("do not confirm it; still drifts, -" in one.words for one in advice)


def test_steady_rounds_are_seldom_advised_against() -> None:
    rng = np.random.default_rng(7)
    words = [
        find_advice(judged(100 + 3 * rng.standard_normal(25))).words for _ in range(60)
    ]
    assert sum(map(bool, words)) <= 3


def test_advice_is_of_what_the_pts_calls_steady_alone() -> None:
    falling = np.linspace(200, 100, 20)
    assert find_advice(make_rounds(falling, window=(16, 20))).words == ""
    assert find_advice(make_rounds([], is_window_steady=True)).words == ""


@pytest.mark.parametrize("values", [[0.0] * 8, [100.0] * 8])
def test_rounds_that_are_all_the_same_do_not_drift(values: list[float]) -> None:
    series = make_rounds(values, window=(4, 8), is_window_steady=True)
    assert find_advice(series).words == ""


def test_window_of_the_run_is_that_of_the_rule() -> None:
    """The run's own window is taken as it stands, which judging finds as well."""
    values = 100 + np.random.default_rng(8).standard_normal(20)
    series = make_rounds(values, window=(3, 7), is_window_steady=True)
    (window, _) = find_drifts(series)
    fit = summarise_fit(series)
    assert window.rounds.startswith("3 - 7, the window")
    line = np.polyfit(range(5), fit["value"].to_numpy(float), 1)[0]
    assert window.ratio.estimate == pytest.approx(4 * line / fit["value"].mean())

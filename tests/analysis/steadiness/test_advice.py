"""In words, what lies beyond the rule of the PTS."""

import numpy as np
import pytest

from ssdlab.analysis.steadiness.advice import steadiness_text
from tests.analysis.made_rounds import make_rounds


def test_text_tells_the_verdict_of_the_pts_first_and_the_rest_apart() -> None:
    values = 100 * (1 + 1.5 * np.exp(-np.arange(40) / 12))
    values += np.random.default_rng(1).normal(0, 0.3, 40)
    lines = steadiness_text(make_rounds(values), "each-value").splitlines()
    assert lines[0].startswith("By the rule of PTS 2.0.2: steady in rounds")
    assert lines[1].startswith("each value and fit end within 10 %: steady")
    assert lines[2] == "Beyond the PTS:"
    assert lines[3].startswith("  Change points: rounds 1 - ")
    assert lines[4] == "  They do not confirm the verdict of the PTS."
    assert any("the level still drifts" in line for line in lines)


def test_text_warns_when_the_level_of_the_pts_is_another() -> None:
    values = 100 * (1 + 1.5 * np.exp(-np.arange(60) / 3))
    values += np.random.default_rng(60).normal(0, 0.5, 60)
    text = steadiness_text(make_rounds(values))
    assert "Since the last change the level is -" in text
    assert "from the PTS window's." in text


@pytest.mark.parametrize(
    ("slope", "words"),
    [(0.0, "no drift is shown"), (0.04, "drifts a little"), (1.0, "still drifts")],
    ids=["none", "little", "much"],
)
def test_drift_that_is_sure_but_small_is_not_denied(slope: float, words: str) -> None:
    noise = 0.01 * np.random.default_rng(4).standard_normal(30)
    series = make_rounds(100 + slope * np.arange(30) + noise * (1 if slope else 50))
    assert words in steadiness_text(series).splitlines()[-1]


def test_rounds_that_the_run_did_not_judge_get_no_verdict() -> None:
    text = steadiness_text(make_rounds([100.0] * 8, is_judged=False))
    assert "NOT steady: the run judged no window of these rounds" in text

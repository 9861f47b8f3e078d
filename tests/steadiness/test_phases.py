"""Fresh, in transition, steady."""

import numpy as np
import pytest

from ssdlab.steadiness.phases import summarise_phases
from tests.stats.made_rounds import make_rounds, onsets_of


def test_phases_are_fresh_transition_and_steady() -> None:
    values = np.concatenate([np.full(6, 300.0), np.full(3, 200.0), np.full(20, 100.0)])
    values += np.random.default_rng(1).standard_normal(29)
    saturation = make_rounds(values, test="wsat", phase="saturation")
    phases = summarise_phases(saturation)
    assert phases["phase"].tolist() == ["FOB", "transition", "steady"]
    assert phases["first_round"].tolist() == [1, 7, 10]
    assert phases["level"].to_numpy() == pytest.approx([300, 200, 100], abs=1.5)
    after_fill = summarise_phases(make_rounds(values))
    assert after_fill["phase"].tolist() == ["transition", "transition", "steady"]


def test_level_that_changes_late_is_not_settled() -> None:
    values = np.concatenate([np.full(20, 100.0), np.full(4, 80.0)])
    values += 0.1 * np.random.default_rng(1).standard_normal(24)
    series = make_rounds(values)
    assert summarise_phases(series)["phase"].iloc[-1] == "not settled"
    onsets = onsets_of(series)
    assert not onsets.loc["pelt", "is_steady"]

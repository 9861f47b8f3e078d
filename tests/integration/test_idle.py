"""The idle gap between two cells is short, and is what the virtual SSD saw."""

import numpy as np
import pytest

import ssdlab
from ssdlab.virtual.counters import read_idle_gaps
from tests.integration.lab import Lab

pytestmark = [pytest.mark.fio, pytest.mark.timed]
LIMIT_S = 0.03
AGREEMENT_S = 0.01


def test_gap_within_a_round_is_short_and_agrees_with_the_drive(lab: Lab) -> None:
    folder = lab.runs / "gaps"
    measured = lab.measure(folder, "iops", profile="steps")
    assert measured.wait() == 0, measured.said
    steps = ssdlab.open_run(folder).steps
    within = steps[steps["was_armed"] & (steps["cell"] > 1)]
    assert len(within) >= 8
    stored_s = within["idle_before_s"].to_numpy()
    assert np.median(stored_s) < LIMIT_S

    truth = read_idle_gaps(folder / "target" / "counters.bin")
    ends_s = np.array([gap.end_ns for gap in truth]) / 1e9
    lengths_s = np.array([(gap.end_ns - gap.start_ns) for gap in truth]) / 1e9
    nearest = np.abs(ends_s - within["started_s"].to_numpy()[:, None]).argmin(axis=1)
    differences_s = np.abs(lengths_s[nearest] - stored_s)
    assert np.median(differences_s) < AGREEMENT_S, (stored_s, lengths_s[nearest])

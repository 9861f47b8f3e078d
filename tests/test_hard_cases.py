"""The page of hard cases, and the script that it is made by."""

import math
import re

import numpy as np
import pytest

from benchmarks.hard_cases import cases
from tests.paths import ROOT

CASES = list(cases())


def test_page_of_hard_cases_has_each_case_with_two_shares() -> None:
    page = (ROOT / "docs" / "hard-cases.md").read_text("utf-8")
    rows = re.findall(
        r"^\| (.+?) \| (.+?) \| (\d+) \| (\S+) \| (\S+) \|$", page, re.MULTILINE
    )
    assert [(claim, name, int(n)) for claim, name, n, *_ in rows] == [
        (claim, name, count) for claim, name, count, _ in CASES
    ]
    shares = [float(share) for *_, before, now in rows for share in (before, now)]
    assert all(0 <= share <= 1 or math.isnan(share) for share in shares)


@pytest.mark.parametrize("claim", sorted({claim for claim, *_ in CASES}))
def test_trial_of_each_claim_can_be_made(claim: str) -> None:
    trial = next(
        trial for name, _, count, trial in CASES if name == claim and count < 60
    )
    drawn = [trial(np.random.default_rng(seed)) for seed in range(3)]
    assert set(drawn) <= {True, False, None}

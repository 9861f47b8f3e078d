"""Intervals hold the truth as often as the page of coverage says."""

import math
import re
from itertools import tee

import pytest
from scipy.stats import binom

from ssdlab.stats import autoregressive
from tests.sequential import (
    Limit,
    Verdict,
    decide,
    error_rates,
    too_great,
    too_small,
)
from tools.coverage_cases.case import CoverageCase
from tools.measure_coverage import (
    PAGE,
    find_cases,
    render_page,
    render_row,
    update_page,
)

CASES = list(find_cases())
SEED = 7
# Where a share is as good as its bound this is enough in 998 of 1000; 200 mostly are.
MOST_TRIALS = 3000


def case_id(case: CoverageCase) -> str:
    return f"{case.statistic}, {case.case}, {case.n}"


def find_case(words: str) -> CoverageCase:
    (case,) = (case for case in CASES if case_id(case) == words)
    return case


def limits_of(case: CoverageCase) -> list[Limit]:
    """Return what the share of a case is held against: its bounds."""
    least = [too_small(case.low)] if case.low > 0 else []
    return least + ([too_great(case.high)] if case.high < 1 else [])


def verdicts_on(case: CoverageCase) -> list[Verdict]:
    outcomes, again = tee(case.outcomes(MOST_TRIALS, seed=SEED))
    streams = (outcomes, again)
    return [
        decide(stream, limit)[0]
        for stream, limit in zip(streams, limits_of(case), strict=False)
    ]


@pytest.mark.simulation
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_interval_covers_as_often_as_its_bounds_ask(case: CoverageCase) -> None:
    assert "broken" not in verdicts_on(case)


@pytest.mark.simulation
def test_interval_that_is_widened_too_little_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Narrowed to 0.73, an interval of 96 % is one of 88 %."""
    case = find_case("level of rounds, autocorrelation 0, 40")
    assert verdicts_on(case) == ["good", "good"]
    monkeypatch.setattr(autoregressive, "_widening", lambda *_: 0.73)
    assert case.measure(1000, seed=SEED).covered == pytest.approx(0.88, abs=0.02)
    assert verdicts_on(case)[0] == "broken"


def test_share_of_88_percent_is_seen_and_a_good_one_never_blamed() -> None:
    """Of one fixed number of trials, about 950 would be needed for the same errors."""
    limit = too_small(0.93)
    assert limit.broken == pytest.approx(0.88, abs=0.001)
    rates, trials = error_rates(limit, 0.88, most=MOST_TRIALS)
    assert rates["broken"] > 0.99
    assert trials < 500
    for share, mean in ((0.93, 350), (0.95, 200), (0.97, 130)):
        rates, trials = error_rates(limit, share, most=MOST_TRIALS)
        assert rates["good"] > 0.998
        assert trials < mean
    enough, too_few = binom(980, [0.93, 0.88]), binom(920, [0.93, 0.88])
    assert enough.ppf(0.001)[0] > enough.ppf(0.99)[1]
    assert too_few.ppf(0.001)[0] < too_few.ppf(0.99)[1]


def test_share_that_is_too_great_is_seen() -> None:
    limit = too_great(0.97)
    rates, _ = error_rates(limit, 0.99, most=MOST_TRIALS)
    assert rates["broken"] > 0.99
    rates, trials = error_rates(limit, 0.95, most=MOST_TRIALS)
    assert rates["good"] > 0.998
    assert trials < 150


def test_evidence_of_a_trial_is_by_hand() -> None:
    limit = Limit(good=0.9, broken=0.8)
    assert limit.hit == pytest.approx(math.log(8 / 9))
    assert limit.miss == pytest.approx(math.log(2))
    assert decide([0.0] * 20, limit) == ("broken", 10)  # 2^10 > 1000
    assert decide([1.0] * 99, limit) == ("good", 40)  # (8/9)^40 < 1/100
    assert decide([1.0] * 39, limit) == ("open", 39)
    assert decide([0.5] * 99, limit)[0] == "broken"


def test_page_lists_every_case_within_its_bounds() -> None:
    page = PAGE.read_text("utf-8")
    lines = re.findall(r"^\| (?!Statistic|---)(.+) \|$", page, re.MULTILINE)
    rows = [line.split(" | ") for line in lines]
    listed = [(row[0], row[1], int(row[2])) for row in rows]
    assert listed == [(case.statistic, case.case, case.n) for case in CASES]
    for row in rows:
        low, high = map(float, row[6].split(" - "))
        assert low <= float(row[5]) <= high, row


def test_cases_with_wide_bounds_say_why() -> None:
    wide = [case for case in CASES if case.low < 0.93 or case.high > 0.97]
    assert [case_id(case) for case in wide if not case.note] == []


def test_page_has_a_line_a_row() -> None:
    row = CoverageCase(statistic="s", case="c", n=3, trial=lambda _: True).measure(
        4, seed=1
    )
    line = render_row(row)
    assert line == "| s | c | 3 | 4 | 0.95 | 1.000 | 0.93 - 0.97 |  |\n"
    assert render_page([line, line]).endswith(2 * line)


def test_shares_of_cases_that_were_not_measured_stay() -> None:
    page = PAGE.read_text("utf-8")
    assert update_page(page, []) == page
    row = CASES[0].row(trials=7, covered=0.5)
    assert update_page(page, [row]).splitlines().count(render_row(row).rstrip()) == 1


def test_case_that_was_never_measured_has_no_line() -> None:
    assert update_page("", []) == render_page([])

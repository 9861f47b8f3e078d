"""Intervals hold the truth as often as the page of coverage says."""

import math
import re

import pytest

from tools.coverage_cases.case import CoverageCase
from tools.measure_coverage import (
    PAGE,
    find_cases,
    render_page,
    render_row,
    update_page,
)

CASES = list(find_cases())
TRIALS = 60
SEED = 7


def case_id(case: CoverageCase) -> str:
    return f"{case.statistic}, {case.case}, {case.n}"


@pytest.mark.simulation
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_interval_covers_as_often_as_its_bounds_ask(case: CoverageCase) -> None:
    row = case.measure(TRIALS, seed=SEED)
    slack = 3.5 * math.sqrt(case.nominal * (1 - case.nominal) / row.trials)
    assert row.low - slack <= row.covered <= row.high + slack


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

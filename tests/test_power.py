"""The page of what repeated runs find, and the sentences that rest on it."""

import re

import pytest

from ssdlab.compare.verdicts import FOUND_PERCENT
from tools.coverage_cases.comparison_runs import CASES
from tools.measure_power import (
    PAGE,
    PERCENT,
    RUNS,
    find_least,
    measure_line,
    questions,
    render_page,
)

LINES = re.findall(r"^\| \d+ \| \d %.*\|\n", PAGE.read_text("utf-8"), re.MULTILINE)


def test_page_has_a_line_of_each_scatter_and_is_that_of_the_tool() -> None:
    assert [tuple(map(int, re.findall(r"\d+", line)[:2])) for line in LINES] == [
        (runs, percent) for runs in RUNS for percent in PERCENT
    ]
    assert PAGE.read_text("utf-8") == render_page(LINES)


def test_line_is_made_of_as_many_answers_as_its_head_has() -> None:
    assert {line.count("|") for line in LINES} == {8}
    asked = list(questions(3, 1.0))
    assert len(asked) == 5
    assert 1 <= find_least(asked[-1], percent=1.0, trials=20) <= 20
    assert measure_line((10, 1.0), trials=1).count("|") == 8


@pytest.mark.parametrize("runs", FOUND_PERCENT)
def test_what_a_page_says_is_found_is_a_case_that_is_measured(runs: int) -> None:
    words = f"{FOUND_PERCENT[runs]:g} % in one of 68, runs scatter by 1 %"
    found = [case for case in CASES if case.case == words and case.n == runs]
    assert [case.low for case in found] == [0.8]

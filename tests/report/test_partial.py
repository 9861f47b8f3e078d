"""Runs that are not whole: plain words, no crash."""

from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.model.schema import TABLES
from ssdlab.model.spec import Rounds, SteadyStateCriteria
from ssdlab.report import render_report
from ssdlab.store.tables import rows_to_columns, write_table
from tests.made_run import Recipe, make_run, record_of
from tests.rendered import SMALL, Render, words


@pytest.mark.parametrize("test", ["iops", "tp", "lat", "wsat"])
def test_report_of_one_test_alone_has_no_other(render: Render, test: str) -> None:
    page = render(replace(SMALL, tests=(test,)))
    assert f'id="{test}"' in page
    for other in {"iops", "tp", "lat", "wsat"} - {test}:
        assert f'id="{other}"' not in page


@pytest.mark.parametrize(("test", "cells"), [("iops", 56), ("lat", 9)])
def test_report_of_three_rounds_says_that_a_window_has_five(
    render: Render, test: str, cells: int
) -> None:
    text = words(render(replace(SMALL, tests=(test,), steps=2 + 3 * cells)))
    assert "3 rounds were finished, and a measurement window has 5." in text
    assert "steady state NOT achieved 3 of 5 rounds" in text
    assert "The measurement window is not full yet" in text


@pytest.mark.parametrize("test", ["iops", "lat"])
def test_report_without_any_round_says_so(render: Render, test: str) -> None:
    text = words(render(replace(SMALL, tests=(test,), steps=2)))
    assert "No round was finished." in text
    assert "no round was finished" in text


def test_report_of_an_interrupted_run_says_so(render: Render) -> None:
    recipe = replace(SMALL, tests=("iops",), steps=2 + 2 * 56)
    assert "The run was interrupted" in words(render(recipe))


def test_report_of_a_failed_run_shows_its_message(render: Render) -> None:
    said = "Step 7: the target stopped."
    recipe = replace(SMALL, tests=("tp",), steps=6, status="failed", message=said)
    assert "ended with an error" in words(render(recipe))
    assert "Step 7: the target stopped." in words(render(recipe))


def test_report_names_a_test_that_was_asked_for_and_not_begun(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", replace(SMALL, tests=("lat",)))
    both = record_of(replace(SMALL, tests=("lat", "wsat")))
    text = words(render_report(replace(run, record=both)))
    assert "This test was requested but not started." in text


def test_report_of_a_run_that_did_nothing_renders(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Recipe(tests=()))
    for name in ("steps", "measurements", "windows"):
        table = TABLES[name]
        write_table(run.folder / "tables", table, rows_to_columns(table, []))
    assert "No test was requested." in words(render_report(run))


def test_report_uses_the_criteria_that_the_tests_were_judged_by(
    tmp_path: Path,
) -> None:
    run = make_run(tmp_path / "run", replace(SMALL, tests=("lat",)))
    (test,) = run.record.asked.tests
    criteria = SteadyStateCriteria(max_range_ratio=0.5, max_slope_ratio=0.3)
    phases = tuple(
        replace(phase, criteria=criteria) if isinstance(phase, Rounds) else phase
        for phase in test.phases
    )
    asked = replace(run.record.asked, tests=(replace(test, phases=phases),))
    other = replace(run, record=replace(run.record, asked=asked))
    assert "125 % of average" in words(render_report(other))

"""Findings on the front page and on every page that they concern."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.cli.outcome import answer_lines
from ssdlab.model.errors import RunFolderError
from ssdlab.model.finding import REMEDY_WORDS, SEVERITY_WORDS, make_finding
from ssdlab.model.records import CeilingPoint
from ssdlab.model.units import capacity_label, duration_label
from ssdlab.report import render_report
from tests.made_run import make_run
from tests.rendered import SMALL, Render, words

GRAVE = make_finding("clock-jump", "clock: 3 steps <went> back", test="lat")
BOTH = [
    make_finding("time-scaled", "time of a cell: 1 s", test=test)
    for test in ("iops", "lat")
]
MINOR = make_finding("rounds-allowed", "maximum rounds: 10", test="wsat")
RECIPE = replace(
    SMALL,
    tests=("iops", "lat", "wsat"),
    is_saturated=False,
    departures=("the target is a model",),
    findings=(GRAVE, *BOTH, MINOR),
)


@pytest.fixture(scope="module")
def shown(render: Render) -> str:
    return render(RECIPE)


def sections(page: str, test: str) -> list[str]:
    """Return the pages of a test."""
    return re.findall(rf'<section class="page" id="{test}-\d+">.*?</section>', page,
                      flags=re.DOTALL)  # fmt: skip


def test_front_page_counts_findings_and_groups_them_by_what_to_do(shown: str) -> None:
    front = words(shown[: shown.index('class="titleblock"')])
    places = [
        front.index(text)
        for text in (
            "Procedure departs from PTS 2.0.2 in 3 points (2 major, 1 minor)",
            f"Major {SEVERITY_WORDS['major']}: 2",
            f"Minor {SEVERITY_WORDS['minor']}: 1",
            "Steady state reached: IOPS, LAT; ended at its limit: WSAT",
            "Doubts 1 (1 critical)",
            "LAT: clock: 3 steps <went> back",
            "Results",
            REMEDY_WORDS["repeat"],
            "Critical LAT clock: 3 steps <went> back",
            REMEDY_WORDS["choice"],
            "Major the target is a model",
            "Major IOPS, LAT time of a cell: 1 s",
            "Minor WSAT maximum rounds: 10",
        )
    ]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("test", "count", "there", "absent"),
    [
        ("lat", "2 points (2 major)", ["clock: 3", "a cell"], ["at most"]),
        ("iops", "2 points (2 major)", ["a model", "a cell"], ["clock: 3"]),
        (
            "wsat",
            "2 points (1 major, 1 minor)",
            ["a model", "maximum rounds"],
            ["a cell"],
        ),
    ],
)
def test_each_page_has_the_findings_of_its_test_and_of_the_run(
    shown: str, test: str, count: str, *, there: list[str], absent: list[str]
) -> None:
    pages = sections(shown, test)
    assert len(pages) > 3
    for page in pages:
        box = words(re.search(r'<div class="findings">.*?</div>', page, re.DOTALL)[0])  # type: ignore[index] # the test fails where there is none
        assert f"Procedure: departs from PTS 2.0.2 in {count}" in box
        ended = "ended at its limit" if test == "wsat" else "reached"
        assert f"Steady state: {ended}" in box
        assert all(text in box for text in there)
        assert not any(text in box for text in absent)


def test_grave_findings_are_not_folded(shown: str) -> None:
    for page in sections(shown, "lat"):
        folded = re.search(r"<details class=\"bad\">.*?</details>", page, re.DOTALL)
        assert folded
        assert "clock: 3 steps" not in folded[0]
        assert "time of a cell" in folded[0]
        rest = page[folded.end() :]
        assert "clock: 3 steps &lt;went&gt; back" in rest


def test_page_that_no_finding_concerns_says_so(render: Render) -> None:
    page = render(replace(RECIPE, departures=(), findings=(GRAVE,)))
    for section in sections(page, "iops"):
        text = words(section)
        assert "Procedure: conforms to PTS 2.0.2" in text
        assert "Doubts: none" in text


def test_pages_of_a_conformant_run_say_so(render: Render) -> None:
    recipe = replace(RECIPE, tests=("lat",), departures=(), findings=(), kind="block")
    for section in sections(render(recipe), "lat"):
        assert "Procedure: conforms to PTS 2.0.2" in words(section)


def test_outcome_counts_by_severity(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", RECIPE)
    assert answer_lines(run) == [
        f"{'procedure':26}departs from PTS 2.0.2 in 3 points (2 major, 1 minor)",
        "steady state              reached: IOPS, LAT; ended at its limit: WSAT",
        "doubts about the numbers  1 (1 critical)",
    ]


def test_finished_run_without_the_table_is_refused_with_a_remedy(
    tmp_path: Path,
) -> None:
    run = make_run(tmp_path / "run", RECIPE)
    (run.path / "tables" / "findings.parquet").unlink()
    with pytest.raises(RunFolderError, match="ssdlab ingest"):
        render_report(run)


def test_ceiling_is_a_table_of_the_front_page_if_it_was_measured(
    render: Render, shown: str
) -> None:
    point = CeilingPoint(
        threads=4, queue_depth=32, block_size_bytes=4096, iops=2_500_000, read_percent=0
    )
    text = words(render(replace(RECIPE, ceiling=(point,))))
    assert "T4/Q32 null RND 4 KiB 0/100 2,500,000 1.6" in text
    assert "Host ceiling" not in words(shown)


def test_findings_that_follow_from_the_choice_are_folded(tmp_path: Path) -> None:
    page = render_report(make_run(tmp_path / "run", replace(SMALL, tests=("lat",))))
    folded = re.findall(
        r'<details class="remedy"( open)?><summary><strong>([^<]*)', page
    )
    assert {words for is_open, words in folded if not is_open} == {
        REMEDY_WORDS["choice"]
    }


def test_front_page_says_how_long_io_was_done_and_how_much_was_written(
    tmp_path: Path,
) -> None:
    run = make_run(tmp_path / "run", replace(SMALL, tests=("lat",)))
    (lead,) = re.findall(r'<p class="lead">([^<]* of IO[^<]*)</p>', render_report(run))
    totals = run.measurements[run.measurements["direction"] == "total"]
    assert f"{duration_label(totals['runtime_s'].sum())} of IO" in lead
    assert f"{capacity_label(run.steps['written_bytes'].sum())} written" in lead

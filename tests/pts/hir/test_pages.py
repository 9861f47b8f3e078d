"""Pages of HIR and XSR, their rows on the front page, and runs that are not whole."""

import csv
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ssdlab.paper.blocks import Note, Page, Plot
from ssdlab.paper.context import Context, read_context
from ssdlab.pts.hir.pages import hir_pages
from ssdlab.pts.profiles import suite_of
from ssdlab.pts.shared.verdict import SummaryRow
from ssdlab.pts.xsr.pages import xsr_pages
from ssdlab.report import render_report
from ssdlab.report.view import summary_rows
from ssdlab.text.table import Table
from tests.made_recovery import PROFILE, Recovery, make_recovery
from tests.paths import REFERENCE, require_folder
from tests.rendered import words

EDITION_1 = replace(PROFILE, spec_version="PTS-E 1.1")
SHORT = PROFILE.having(xsr_group_s=(3.0, 2.0, 3.0), xsr_round_s=1.0)
LONG = PROFILE.having(xsr_group_s=(360.0, 240.0, 360.0), xsr_round_s=120.0)
NEVER = ((600.0, 500.0, 400.0), (100.0, 80.0), (250.0, 300.0, 450.0))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Context:
    return read_context(make_recovery(tmp_path_factory.mktemp("made") / "run"))


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the whole report as a reader sees it."""
    return words(render_report(make_recovery(tmp_path_factory.mktemp("made") / "run")))


def context_of(folder: Path, **values: Any) -> Context:
    return read_context(make_recovery(folder / "run", Recovery(**values)))


def pages_of(context: Context) -> dict[str, Page]:
    return {
        page.plot_id: page
        for page in (*hir_pages(context, "hir"), *xsr_pages(context, "xsr"))
    }


def figure_of(page: Page) -> Any:
    (plot,) = (block for block in page.blocks if isinstance(block, Plot))
    return plot.figure


def tables_of(page: Page) -> list[Table]:
    return [block for block in page.blocks if isinstance(block, Table)]


def notes_of(page: Page) -> list[Note]:
    return [block for block in page.blocks if isinstance(block, Note)]


def test_threads_of_xsr_are_said_to_be_uncertain_in_the_edition_1_1(
    tmp_path: Path,
) -> None:
    unsure = "TC of access group 2 in PTS-E 1.1: implementations have 1 or 8"
    for name, profile in (("new", PROFILE), ("old", EDITION_1)):
        recipe = Recovery(tests=("xsr",), profile=profile)
        page = words(render_report(make_recovery(tmp_path / name, recipe)))
        assert (unsure in page) == (name == "old")


def required_plots(version: str) -> set[str]:
    table = require_folder(REFERENCE) / "pts_report_plots.csv"
    with table.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if version in row["spec_versions"]]
    return {f"{r['test']} {r['plot_id']}" for r in rows if r["test"] in {"HIR", "XSR"}}


def test_edition_2_has_every_plot_of_the_reference(whole: Context) -> None:
    assert pages_of(whole).keys() == required_plots("2.0.x")


def test_edition_1_1_has_its_own_plots(tmp_path: Path) -> None:
    pages = pages_of(context_of(tmp_path, profile=EDITION_1))
    assert pages.keys() == required_plots("1.1")
    assert notes_of(pages["XSR 3"])[0].text.startswith("Recovered after 3.0 min")
    for plot_id, unit in (("XSR 4", "Average"), ("XSR 5", "Maximum")):
        title = figure_of(pages[plot_id]).layout.yaxis.title.text
        assert title == f"{unit} latency [ms]"


def test_report_shows_its_pages(text: str) -> None:
    for title in (
        "Preconditioning: steady state measurement window, RND 4 KiB 0/100",
        "IOPS vs time, all wait states",
        "Throughput vs time, all access groups",
        "Recovered after 3.0 min: round 3 of group 3",
    ):
        assert title in text


def test_wait_states_and_baselines_are_series_of_their_own(whole: Context) -> None:
    series = figure_of(pages_of(whole)["HIR 3"]).data
    assert [(line.name, len(line.y)) for line in series] == [
        ("Wait state 1: 5/5 s", 3),
        ("Baseline: 5/0 s", 2),
        ("Wait state 10: 5/50 s", 3),
        ("Baseline: 5/0 s", 2),
    ]
    assert [line.y[0] for line in series] == [1250.0, 1000.0, 1500.0, 1000.0]


def test_wait_states_are_compared_with_their_baselines(whole: Context) -> None:
    states, accesses = tables_of(pages_of(whole)["HIR 3"])
    # Two accesses of the state and the first of the baseline rested: mean of three.
    waits = ("3 + 1", "0", "5.000", "5.250", "250.0", "1,167", "1,000", "1.167", "0")
    longer = ("3 + 1", "0", "50.00", "50.25", "250.0", "1,333", "1,000", "1.333", "0")
    assert states.rows == (("Wait state 1", *waits), ("Wait state 10", *longer))
    assert len(accesses.rows) == 10


def test_window_of_the_preconditioning_is_drawn_at_the_rounds_of_its_samples(
    tmp_path: Path,
) -> None:
    context = context_of(tmp_path, steady=False, tests=("hir",))
    page = {page.plot_id: page for page in hir_pages(context, "hir")}["HIR 2"]
    figure = figure_of(page)
    lines = {line.name: line for line in figure.data}
    rounds = [63, 66, 69, 72, 75]  # never steady: samples 21 - 25, three rounds apart
    assert list(lines["RND 4 KiB 0/100"].x) == rounds
    (window,) = context.final_windows("hir")
    assert lines["Best linear fit"].x == (63, 75)
    assert lines["Best linear fit"].y == pytest.approx([
        window.slope_per_round * sample + window.intercept for sample in (21, 25)
    ])
    subtitle = figure.layout.title.subtitle.text
    assert subtitle == "Samples 3 rounds apart, rounds 63 - 75: NOT steady"
    rows = {row[0]: row[2] for row in tables_of(page)[0].rows}
    assert rows["Measurement window"] == "rounds 63 - 75, samples 3 apart"
    assert " x sample + " in rows["Least squares fit"].replace(" - ", " + ")


def test_too_few_samples_are_no_window(tmp_path: Path) -> None:
    context = context_of(tmp_path, tests=("hir",), steps=8)
    context = replace(context, windows=context.windows.iloc[:0])
    second = {page.plot_id: page for page in hir_pages(context, "hir")}["HIR 2"]
    assert "a measurement window has 5 samples" in notes_of(second)[0].text
    (row,) = summary_rows(context)
    assert row.verdict == (
        "steady state NOT achieved: 7 rounds hold fewer than 5 samples"
    )


def test_summary_of_the_groups_is_that_of_the_standard(whole: Context) -> None:
    groups, gaps = tables_of(pages_of(whole)["XSR 7"])
    assert [row[:2] for row in groups.rows] == [
        ("Group 1: SEQ 1024 KiB 0/100", "3"),
        ("Group 2: RND 8 KiB 0/100", "2"),
        ("Group 3: SEQ 1024 KiB 0/100", "3"),
    ]
    rates = [float(rate) for row in groups.rows for rate in row[2:4]]
    whole_io = 1024**2 / 60 / 1e6  # as much of the last IO of a round is not done
    true = [400, 500, 80, 90, 500, 1249 / 3]
    assert rates == pytest.approx(true, abs=whole_io)
    assert [row[-1] for row in groups.rows] == ["", "", "180.000, round 3"]
    assert gaps.rows[2] == ("Group 3: SEQ 1024 KiB 0/100", "0.000", "0.000")


def test_group_that_never_recovers_says_how_far_it_came(tmp_path: Path) -> None:
    context = context_of(tmp_path, tests=("xsr",), throughput=NEVER)
    page = {page.plot_id: page for page in xsr_pages(context, "xsr")}["XSR 7"]
    assert tables_of(page)[0].rows[2][-1] == "to 89.9 %"
    (note,) = notes_of(page)
    assert note.text.startswith("Recovered to 89.9 % of the former mean")
    assert note.tone == "plain"


def test_group_that_has_not_ended_has_no_end(tmp_path: Path) -> None:
    context = context_of(tmp_path, tests=("xsr",), steps=1 + 3 + 2 + 2)
    page = {page.plot_id: page for page in xsr_pages(context, "xsr")}["XSR 7"]
    assert tables_of(page)[0].rows[2][1:3] == ("2 of 3", "-")


@pytest.mark.parametrize(
    ("profile", "title", "last"),
    [(SHORT, "Time [s]", 8.0), (LONG, "Time [min]", 16.0)],
    ids=["short", "long"],
)
def test_time_axis_has_minutes_and_seconds_of_a_short_run(
    tmp_path: Path, profile: Any, title: str, last: float
) -> None:
    context = context_of(tmp_path, tests=("xsr",), profile=profile)
    for plot_id in ("XSR 1", "XSR 6"):
        figure = figure_of({p.plot_id: p for p in xsr_pages(context, "xsr")}[plot_id])
        assert figure.layout.xaxis.title.text == title
        times = [time for line in figure.data for time in line.x if time is not None]
        assert max(times) == pytest.approx(last)


@pytest.mark.parametrize("scale", [1, 60], ids=["nominal", "scaled"])
def test_change_of_groups_is_drawn_two_hours_either_side(
    tmp_path: Path, scale: int
) -> None:
    hour_s = 3600.0 / scale
    hours = (8 * hour_s, 6 * hour_s, 8 * hour_s)
    profile = EDITION_1.having(xsr_group_s=hours, xsr_round_s=hour_s)
    throughput = ((5e2,) * 8, (1e2,) * 6, (5e2,) * 8)
    context = context_of(
        tmp_path, tests=("xsr",), profile=profile, throughput=throughput
    )
    pages = {page.plot_id: page for page in xsr_pages(context, "xsr")}
    around = "2 h" if scale == 1 else "2 min"
    title = figure_of(pages["XSR 2"]).layout.title.text
    assert f"groups 1 and 2, {around} either side of the change" in title
    for plot_id, before, after in (
        ("XSR 2", [6, 7, 8], [9, 10]),
        ("XSR 3", [12, 13, 14], [15, 16]),
    ):
        lines = figure_of(pages[plot_id]).data[:2]
        assert [[time * scale / 60 for time in line.x] for line in lines] == [
            before,
            after,
        ]


def test_change_to_a_group_that_was_not_begun_says_so(tmp_path: Path) -> None:
    context = context_of(tmp_path, profile=EDITION_1, tests=("xsr",), steps=1 + 3 + 1)
    pages = {page.plot_id: page for page in xsr_pages(context, "xsr")}
    assert notes_of(pages["XSR 2"]) == []
    assert notes_of(pages["XSR 3"])[0].text == "Group 3 was not started."
    assert "not measured" in notes_of(pages["XSR 3"])[1].text


@pytest.mark.parametrize(
    ("phase", "plot_id", "says"),
    [
        ("wait-10", "HIR 3", "Before 1 of 10 accesses the idle time was not as"),
        ("group-3", "XSR 1", "The drive was idle before round 2 of group 3"),
    ],
)
def test_break_of_the_run_is_said(
    tmp_path: Path, phase: str, plot_id: str, says: str
) -> None:
    page = pages_of(context_of(tmp_path, broken_phase=phase))[plot_id]
    (note,) = notes_of(page)
    assert note.text.startswith(says)
    assert note.tone == "warning"


@pytest.mark.parametrize("steps", [1, 4])
def test_pages_say_that_nothing_was_measured_yet(tmp_path: Path, steps: int) -> None:
    context = context_of(tmp_path, steps=steps)
    context = replace(context, windows=context.windows.iloc[:0])
    pages = pages_of(context)
    assert pages["HIR 3"].blocks[0] == Note(
        text="No access after preconditioning was finished.", tone="warning"
    )
    assert pages["XSR 1"].blocks[0] == Note(
        text="No round was finished.", tone="warning"
    )
    assert re.search("no round was finished", summary_rows(context)[-1].verdict)


def test_pages_of_a_profile_that_cannot_be_read_render(whole: Context) -> None:
    asked = suite_of(EDITION_1, whole.record.asked.tests)
    asked = replace(asked, spec_version=whole.spec_version, settings={})
    bare = replace(whole, record=replace(whole.record, asked=asked))
    pages = pages_of(bare)
    assert tables_of(pages["XSR 7"])[0].rows[2][-1] == "180.000, round 3"
    assert pages.keys() == pages_of(whole).keys()


def rows_of(context: Context) -> tuple[SummaryRow, SummaryRow]:
    hir, xsr = summary_rows(context)
    return hir, xsr


def test_front_page_judges_the_preconditioning_of_hir_alone(whole: Context) -> None:
    hir, _ = rows_of(whole)
    assert (hir.test, hir.tracked) == ("Host idle recovery", "RND 4 KiB 0/100")
    assert (hir.steady, hir.rounds) == ("1,000 IOPS", "3 - 15")
    assert hir.verdict == "steady: preconditioning"


def test_front_page_says_that_xsr_has_no_steady_state_by_design(
    whole: Context, tmp_path: Path
) -> None:
    _, xsr = rows_of(whole)
    assert xsr.is_steady is None
    assert xsr.verdict == (
        "recovered after 3.0 min: round 3 of group 3 reaches the mean of group 1; "
        "XSR has no steady state by design"
    )
    assert xsr.first == "600.0 MB/s"
    assert "NOT achieved" not in xsr.verdict
    (never,) = summary_rows(context_of(tmp_path, tests=("xsr",), throughput=NEVER))
    assert never.is_steady is None
    assert never.verdict.startswith("recovered to 89.9 % of the former mean: ")
    early = context_of(tmp_path / "early", tests=("xsr",), steps=1 + 3 + 2)
    (unknown,) = summary_rows(early)
    assert unknown.is_steady is False

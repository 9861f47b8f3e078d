"""The pages of CBW and DIRTH, their head, and runs that are not whole."""

import csv
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ssdlab.paper.blocks import Note, Page, Plot
from ssdlab.paper.context import Context, read_context
from ssdlab.pts import find_profile
from ssdlab.pts.demand.figures import plot_host_cpu_heat
from ssdlab.pts.demand.pages import cbw_pages, dirth_pages
from ssdlab.pts.fitting import ask_suite
from ssdlab.report import render_report
from ssdlab.report.header import test_columns as columns_of
from ssdlab.report.view import summary_rows
from ssdlab.text.table import Table
from tests.made_demand import CEILING, LAST_ROUND, PROFILE, Demand, make_demand
from tests.paths import REFERENCE, require_folder
from tests.rendered import words

ROUND = 1 + 9  # the pre-write and the points of a round
WDPC = 13  # five samples, three rounds apart, the first in round 1
EDITION_1 = replace(PROFILE, spec_version="PTS-E 1.1")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Context:
    return context_of(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="module")
def pages(whole: Context) -> dict[str, Page]:
    return pages_of(whole)


def context_of(folder: Path, **values: Any) -> Context:
    return read_context(make_demand(folder / "run", Demand(**values)))


def pages_of(context: Context) -> dict[str, Page]:
    return {
        page.plot_id: page
        for page in (*cbw_pages(context, "cbw"), *dirth_pages(context, "dirth"))
    }


def figure_of(page: Page) -> Any:
    return next(block.figure for block in page.blocks if isinstance(block, Plot))


def tables_of(page: Page) -> list[Table]:
    return [block for block in page.blocks if isinstance(block, Table)]


def notes_of(page: Page) -> list[str]:
    return [block.text for block in page.blocks if isinstance(block, Note)]


def required_plots() -> set[str]:
    table = require_folder(REFERENCE) / "pts_report_plots.csv"
    with table.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if "2.0.x" in row["spec_versions"]]
    tests = {"CBW", "DIRTH"}
    return {f"{r['test']} {r['plot_id']}" for r in rows if r["test"] in tests}


def all_figures(pages: dict[str, Page]) -> Iterator[Any]:
    for page in pages.values():
        for block in page.blocks:
            if isinstance(block, Plot):
                yield block.figure


def test_every_plot_of_the_reference_is_there_and_draws(pages: dict[str, Page]) -> None:
    assert pages.keys() == required_plots()
    assert len(pages) == 30
    for page in pages.values():
        assert figure_of(page).data


def test_composite_is_called_ecw_in_edition_1(tmp_path: Path) -> None:
    context = context_of(tmp_path, profile=EDITION_1, tests=("cbw",))
    pages = cbw_pages(context, "cbw")
    assert [page.plot_id for page in pages] == [f"ECW P{at}" for at in range(1, 16)]
    assert "enterprise composite workload (ECW)" in notes_of(pages[0])[0]


def test_second_axis_is_art_in_cbw_and_throughput_in_dirth(
    pages: dict[str, Page],
) -> None:
    titles = [
        figure_of(pages[f"{test} P15"]).layout.yaxis2.title.text
        for test in ("CBW", "DIRTH")
    ]
    assert titles == ["Average response time [ms]", "Throughput [MB/s]"]


def test_preconditioning_is_judged_on_its_samples(pages: dict[str, Page]) -> None:
    every, samples = figure_of(pages["CBW P1"]).data
    assert len(every.x) == WDPC
    assert list(samples.x) == [1, 4, 7, 10, 13]
    figure = figure_of(pages["CBW P2"])
    points = {line.name: line for line in figure.data}["RND composite 0/100 T32/Q32"]
    assert list(points.x) == [1, 4, 7, 10, 13]


def test_pre_writes_between_rounds_are_every_five_minutes(
    pages: dict[str, Page],
) -> None:
    assert list(figure_of(pages["DIRTH P3"]).data[0].x) == [5, 10, 15, 20, 25]


def test_tracking_variable_is_the_point_of_most_threads_and_depth(
    pages: dict[str, Page],
) -> None:
    for test in ("CBW", "DIRTH"):
        figure = figure_of(pages[f"{test} P5"])
        (points,) = [line for line in figure.data if line.mode == "markers"]
        assert list(points.x) == [1, 2, 3, 4, 5]
        rate = CEILING * 1024 / (1024 + 5)
        assert list(points.y) == pytest.approx([rate] * 4 + [rate * LAST_ROUND])


def test_points_of_the_truth_are_chosen_and_marked(pages: dict[str, Page]) -> None:
    """1,024 IOs outstanding take 20.6 ms; 128 have 48,120 IOPS, less 5 % at the end.

    Half way from there to 0.95 x 8,333 is 26,815: four outstanding are nearest. Of
    equal TOIO the fewest threads count.
    """
    page = pages["CBW P7"]
    table = next(t for t in tables_of(page) if t.caption.startswith("MaxIOPS"))
    assert [row[:4] for row in table.rows] == [
        ("Max", "T4/Q32", "128", "45,714"),
        ("Mid", "T1/Q4", "4", "21,111"),
        ("Min", "T1/Q1", "1", "7,917"),
    ]
    assert table.rows[0][6] == "48,120"  # the long run
    assert "round 5, the last" in table.note
    assert "below 5.000 ms" in table.note


def test_knee_is_the_point_farthest_below_the_chord(pages: dict[str, Page]) -> None:
    """Scaled IOPS less scaled ART is 0.70, 0.81 and 0.84 at 16, 32 and 128."""
    names = [line.name for line in figure_of(pages["CBW P7"]).data]
    assert names[-4:] == ["Knee: T4/Q32", "Max: T4/Q32", "Mid: T1/Q4", "Min: T1/Q1"]


def test_knee_says_by_which_rule(pages: dict[str, Page]) -> None:
    note = tables_of(pages["CBW P7"])[-1].note
    assert "ignores the response time limit" in note
    assert " is the knee: " in note
    assert "Satopää" in note
    assert "the PTS gives no rule" in note


def test_points_that_are_all_too_slow_are_a_departure_in_words(tmp_path: Path) -> None:
    context = context_of(tmp_path, service_s=6e-3, tests=("cbw",))
    page = {page.plot_id: page for page in cbw_pages(context, "cbw")}["CBW P7"]
    assert any("which departs from the PTS" in note for note in notes_of(page))


def test_system_cpu_is_that_of_the_host(pages: dict[str, Page]) -> None:
    page = pages["CBW P8"]
    assert tables_of(page)[0].rows == (
        ("T1", "1.250", "2.000", "9.000"),
        ("T4", "4.250", "5.000", "12.00"),
        ("T32", "32.25", "33.00", "40.00"),
    )
    assert "77" not in str([table.rows for table in tables_of(page)])
    assert "not fio's report of its own process" in notes_of(page)[0]
    assert "virtual SSD ran on the same host" in notes_of(page)[0]


def test_system_cpu_is_a_heat_map_and_then_the_columns_of_the_pts(
    pages: dict[str, Page],
) -> None:
    heat, columns = (b.figure for b in pages["CBW P8"].blocks if isinstance(b, Plot))
    assert [list(row) for row in heat.data[0].text] == [
        ["32.2", "33.0", "40.0"],
        ["4.25", "5.00", "12.0"],
        ["1.25", "2.00", "9.00"],
    ]
    assert list(heat.data[0].y) == ["T32", "T4", "T1"]
    assert {trace.type for trace in columns.data} == {"mesh3d"}


def test_heat_map_shows_a_measured_zero_and_leaves_out_what_was_not_measured() -> None:
    frame = pd.DataFrame({"threads": [1, 1], "queue_depth": [1, 4]})
    frame = frame.assign(host_system_cpu_percent=[0.0, math.nan])
    (heat,) = plot_host_cpu_heat(frame).data
    assert list(heat.text[0]) == ["0", ""]
    assert heat.z[0][0] is not None
    assert heat.z[0][1] is None


def test_system_cpu_is_not_drawn_when_the_host_was_not_watched(tmp_path: Path) -> None:
    context = context_of(tmp_path, has_host_cpu=False, tests=("cbw",))
    page = {page.plot_id: page for page in cbw_pages(context, "cbw")}["CBW P8"]
    assert page.blocks == (
        Note(text="The processor time of the host was not recorded.", tone="warning"),
    )


def test_histogram_of_each_point_is_its_own(pages: dict[str, Page]) -> None:
    titles = [figure_of(pages[f"CBW P{at}"]).layout.title.text for at in (10, 12, 14)]
    assert titles == [
        "MaxIOPS response time histogram, T4/Q32",
        "MidIOPS response time histogram, T1/Q4",
        "MinIOPS response time histogram, T1/Q1",
    ]
    outstanding = {10: 128, 12: 4, 14: 1}
    for at, count in outstanding.items():
        figure = figure_of(pages[f"CBW P{at}"])
        ios = 600 * CEILING * count / (count + 5)
        assert sum(figure.data[0].y) == pytest.approx(ios, abs=1)
        assert "max " in figure.layout.title.subtitle.text
    assert len(figure_of(pages["CBW P9"]).data[0].x) == 3


def test_table_has_all_points_with_equal_toio_apart(pages: dict[str, Page]) -> None:
    (table,) = tables_of(pages["DIRTH P15"])
    assert [row[:2] for row in table.rows] == [
        ("T1/Q1", "1"), ("T1/Q4", "4"), ("T4/Q1", "4"), ("T4/Q4", "16"),
        ("T1/Q32", "32"), ("T32/Q1", "32"), ("T4/Q32", "128"), ("T32/Q4", "128"),
        ("T32/Q32", "1,024"),
    ]  # fmt: skip


def test_head_names_stimulus_points_and_alignment(whole: Context) -> None:
    *_, set_up, stimulus = columns_of(whole, "cbw")
    facts = dict(set_up.facts)
    assert facts["Pre-condition 1"] == (
        "RND composite 0/100, TOIO 1,024 (TC 32 / QD 32); SS rounds 1 - 13"
    )
    assert facts["Inter-round pre-write"] == (
        "RND composite 0/100, TOIO 1,024 (TC 32 / QD 32), 5 min, 9.5 % of the "
        "user capacity"
    )
    facts = dict(stimulus.facts)
    assert facts["Test stimulus 1"] == "RND composite 40/60"
    assert facts["TC (outer loop)"] == facts["QD (inner loop)"] == "32, 4, 1"
    assert facts["Steady state"] == "SS rounds 1 - 5"
    assert facts["MaxIOPS point"] == "T4/Q32, 45,714 IOPS; histogram of 10 min"
    assert facts["IOs"] == (
        "aligned to the smallest block, 0.5 KiB, regardless of size"
    )


def test_head_names_the_other_alignment(tmp_path: Path) -> None:
    aligned = PROFILE.having(cbw_alignment_bytes=4096)
    context = context_of(tmp_path, profile=aligned, tests=("cbw",))
    facts = dict(columns_of(context, "cbw")[-1].facts)
    assert facts["IOs"] == "aligned to 4 KiB, small blocks included"


def test_block_sizes_are_those_that_fit_the_sector(
    whole: Context, pages: dict[str, Page]
) -> None:
    sizes, zones = tables_of(pages["CBW P1"])[1:]
    assert len(sizes.rows) == 12
    assert ("4 KiB", "67 %") in sizes.rows
    assert zones.rows[1] == ("B", "5 % to 20 %", "30 %")
    capacity = whole.record.target.capacity_bytes
    asked = ask_suite(
        PROFILE, whole.record.tests, capacity_bytes=capacity, sector_bytes=4096
    )
    large = replace(whole, record=replace(whole.record, asked=asked))
    sizes = tables_of(cbw_pages(large, "cbw")[0])[1]
    assert sizes.rows[0] == ("4 KiB", "77 %")


def test_front_page_has_both_windows_of_each_test(whole: Context) -> None:
    rows = summary_rows(whole)
    wanted = (
        "RND composite 0/100 T32/Q32",
        "RND composite 40/60 T32/Q32",
        "RND 8 KiB 0/100 T32/Q32",
        "RND 8 KiB 65/35 T32/Q32",
    )
    for row, start in zip(rows, wanted, strict=True):
        assert row.tracked.startswith(start)
    assert [row.tracked for row in rows][1::2] == list(wanted[1::2])
    assert all(row.is_steady for row in rows)


@pytest.mark.parametrize(
    "steps",
    [1, 5, 1 + WDPC, 1 + WDPC + 1, 1 + WDPC + 3 * ROUND + 4, 1 + WDPC + 5 * ROUND + 2],
    ids=["purge", "wdpc", "before", "pre-write", "in a round", "in a point"],
)
@pytest.mark.parametrize("test", ["cbw", "dirth"])
def test_report_of_a_run_that_is_not_whole_says_so(
    tmp_path: Path, test: str, steps: int
) -> None:
    recipe = Demand(tests=(test,), steps=steps)
    text = words(render_report(make_demand(tmp_path / "run", recipe)))
    has_window = steps > 1 + WDPC + 5 * ROUND
    assert ("The measurement window is not full yet" in text) != has_window
    assert "The histogram run was not carried out" in text


def test_points_of_a_round_that_was_cut_are_not_chosen(tmp_path: Path) -> None:
    context = context_of(tmp_path, tests=("cbw",), steps=1 + WDPC + 3 * ROUND + 4)
    page = {page.plot_id: page for page in cbw_pages(context, "cbw")}["CBW P7"]
    assert "No round was finished, so Max, Mid and Min" in notes_of(page)[-1]
    facts = dict(columns_of(context, "cbw")[-1].facts)
    assert facts["MaxIOPS point"] == "not yet chosen"
    assert facts["Steady state"] == "SS NOT ACHIEVED: no full window"


def test_window_that_is_not_steady_is_marked(tmp_path: Path) -> None:
    context = context_of(tmp_path, tests=("cbw",), steady=False)
    facts = dict(columns_of(context, "cbw")[-1].facts)
    assert facts["Steady state"] == "SS rounds 21 - 25: SS NOT ACHIEVED"
    page = {page.plot_id: page for page in cbw_pages(context, "cbw")}["CBW P5"]
    assert "NOT achieved" in notes_of(page)[0]


def test_dirth_of_writes_alone_does_not_take_pre_writes_for_its_cells(
    tmp_path: Path,
) -> None:
    writes = PROFILE.having(dirth_read_percent=0)
    context = context_of(tmp_path, profile=writes, tests=("dirth",))
    figure = figure_of(
        {p.plot_id: p for p in dirth_pages(context, "dirth")}["DIRTH P5"]
    )
    (points,) = [line for line in figure.data if line.mode == "markers"]
    assert list(points.x) == [1, 2, 3, 4, 5]


def test_no_figure_has_a_trace_without_a_name(pages: dict[str, Page]) -> None:
    for figure in all_figures(pages):
        assert all(trace.name for trace in figure.data)
        assert figure.layout.title.text


def test_nominal_profile_has_the_49_points(tmp_path: Path) -> None:
    profile = find_profile("pts-2.0-enterprise").having(point_pre_write_s=60.0)
    context = context_of(tmp_path, profile=profile, tests=("dirth",))
    pages = {page.plot_id: page for page in dirth_pages(context, "dirth")}
    assert len(tables_of(pages["DIRTH P15"])[0].rows) == 49
    assert len(tables_of(pages["DIRTH P8"])[0].rows) == 7

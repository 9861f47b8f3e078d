"""TKperf's tables in reports: of its profile, of its own results, and of no others."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from ssdlab.engine.suite import run_suite
from ssdlab.importers import import_run
from ssdlab.paper.blocks import Note, Page, Plot
from ssdlab.paper.context import read_context
from ssdlab.report import render_report
from ssdlab.report.header import test_columns as columns_of
from ssdlab.report.view import pages_of, summary_rows
from ssdlab.store.run import Run
from ssdlab.text.table import Table
from tests.importers.tables import find_table
from tests.importers.tkperf_files import read_csv
from tests.made_run import ENTERPRISE, Recipe, make_run
from tests.paths import REFERENCE, ROOT, require_folder
from tests.rendered import words

TITLE = "TKperf's table"
XML = ROOT / "tests" / "data" / "tkperf-made.xml"
PROFILE = """
based_on = "tkperf"
name = "tkperf-small"
tests = ["lat", "tp", "wsat"]
cell_s = 0.1
max_rounds = 5
wipc_capacity_multiple = 1
lat_mixes = [65, 0]
lat_block_sizes = ["4 KiB"]
tp_block_sizes = ["1024 KiB", "4 KiB"]
wsat_round_s = 0.1
wsat_time_limit_s = 1
"""


def tkperf_pages(run: Run, test: str) -> list[Page]:
    pages = pages_of(read_context(run), test)
    return [page for page in pages if page.title == TITLE]


def tables(pages: Sequence[Page]) -> dict[str, dict[str, tuple[str, ...]]]:
    return {
        block.caption: {row[0]: row[1:] for row in block.rows}
        for page in pages
        for block in page.blocks
        if isinstance(block, Table)
    }


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("tkperf")
    profile = folder / "small.toml"
    profile.write_text(PROFILE)
    return run_suite(
        "virtual:size=32MiB",
        str(profile),
        "lat,tp,wsat",
        runs=folder / "runs",
        tell=lambda _: None,
    )


def side(run: Run, step_ids: Sequence[str], direction: str) -> pd.DataFrame:
    rows = run.measurements[run.measurements["direction"] == direction]
    return rows.set_index("step_id").loc[list(step_ids)]


@pytest.mark.fio
def test_mixed_latency_of_a_measured_run_is_made_of_its_directions(
    measured: Run,
) -> None:
    shown = tables(tkperf_pages(measured, "lat"))
    steps = measured.steps
    mixed = steps[
        (steps["test"] == "lat")
        & (steps["kind"] == "cell")
        & (steps["read_percent"] == 65)
    ]
    assert len(mixed) == 5
    names = mixed["step_id"].tolist()
    read, write = (side(measured, names, name) for name in ("read", "write"))
    mean_ns = (0.65 * read["lat_mean_ns"] + 0.35 * write["lat_mean_ns"]).mean()
    greatest_us = max(
        0.65 * (r // 1000) + 0.35 * (w // 1000)
        for r, w in zip(read["lat_max_ns"], write["lat_max_ns"], strict=True)
    )
    # The columns are 0/100 and 65/35.
    average = float(shown["TKperf: average latency [ms]"]["4k"][1])
    maximum = float(shown["TKperf: maximum latency [ms]"]["4k"][1])
    assert average == pytest.approx(mean_ns / 1e6, abs=0.00051)
    assert maximum == pytest.approx(greatest_us / 1e3, abs=0.00051)
    own = side(measured, names, "total")["lat_max_ns"].max() / 1e6
    (differing,) = (rows for name, rows in shown.items() if name.startswith("Where"))
    assert float(differing["maximum 4k 65/35"][1]) == pytest.approx(own, abs=0.00051)
    assert "ours: the greatest of all IOs" in differing["maximum 4k 65/35"][2]


@pytest.mark.fio
def test_throughput_of_a_measured_run_has_the_sizes_that_are_not_judged(
    measured: Run,
) -> None:
    shown = tables(tkperf_pages(measured, "tp"))
    mib = shown["TKperf: throughput [MB/s, which is MiB/s here]"]
    own = shown["Ours: throughput [MB/s, decimal], means of the same rounds"]
    assert list(mib) == list(own) == ["1024k", "4k"]
    for size in mib:
        for ours, theirs in zip(own[size], mib[size], strict=True):
            # Less than one KiB/s is dropped, and both are rounded.
            assert float(ours) == pytest.approx(1.048576 * float(theirs), abs=0.0026)
    text = words(render_report(measured))
    assert "this block size has no steady state of its own" in text
    rows = [row.tracked for row in summary_rows(read_context(measured))]
    assert rows == ["RND 4 KiB 0/100", "SEQ 1024 KiB 0/100", "-"]


@pytest.mark.fio
def test_write_saturation_that_is_not_to_be_steady_is_not_judged(
    measured: Run,
) -> None:
    context = read_context(measured)
    (row,) = (r for r in summary_rows(context) if r.test == "Write saturation")
    assert row.verdict == "not judged: the profile requires none"
    assert row.is_steady is None
    html = render_report(measured)
    cell = '<td class="words">not judged <span>the profile requires none</span>'
    assert html.count(cell) == 1
    facts = [fact for column in columns_of(context, "wsat") for fact in column.facts]
    assert ("Steady state", row.verdict) in facts
    assert "NOT ACHIEVED" not in str(facts)
    found = measured.findings
    assert "not-steady" not in set(found[found["test"] == "wsat"]["code"])
    said = [
        block.text
        for page in pages_of(context, "wsat")
        for block in page.blocks
        if isinstance(block, Note) and "teady state" in block.text
    ]
    assert f"Steady state: {row.verdict}." in said
    assert not any("did not fill a window" in text for text in said)


@pytest.mark.fio
def test_write_saturation_has_iops_and_latency_against_the_round(
    measured: Run,
) -> None:
    (page,) = tkperf_pages(measured, "wsat")
    iops, latency = (b.figure for b in page.blocks if isinstance(b, Plot))
    steps = measured.steps
    cells = steps[(steps["test"] == "wsat") & (steps["kind"] == "cell")]
    rows = side(measured, cells.sort_values("round")["step_id"].tolist(), "total")
    rounds = tuple(range(1, len(rows) + 1))
    assert len(rounds) > 1
    (line,) = iops.data
    assert line.x == rounds
    assert list(line.y) == pytest.approx(rows["iops"].tolist())
    assert [line.name for line in latency.data] == ["Maximum", "Average", "Minimum"]
    for line, name in zip(latency.data, ("max", "mean", "min"), strict=True):
        values = (rows[f"lat_{name}_ns"] / 1e6).tolist()
        assert line.x == rounds
        assert list(line.y) == pytest.approx(values)
    for figure, unit in ((iops, "IOPS"), (latency, "ms")):
        assert figure.layout.xaxis.title.text == "Round"
        assert unit in figure.layout.yaxis.title.text


def test_result_of_tkperfs_own_shows_the_tables_of_its_report(tmp_path: Path) -> None:
    reference = require_folder(REFERENCE)
    run = import_run(XML, runs=tmp_path)
    report = run.path / "report.html"
    shown = find_table(report, "TKperf: IOPS, average")
    shown.pop("Block size \\ R/W")
    assert [text for texts in shown.values() for text in texts] == [
        row["avg_iops"] for row in read_csv(reference / "tkperf_crucial_mx200_iops.csv")
    ]
    state = find_table(report, "TKperf: steady state of SEQ 1024KiB write")
    assert state["Rounds"][:2] == ["4, 5, 6, 7, 8", "5, 6, 7, 8, 9"]
    assert state["Average"][:2] == ["310882", "310882.4"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Run:
    profile = replace(ENTERPRISE, name="tkperf", nominal="pts-e-1.1")
    recipe = Recipe(saturation_rounds=40, profile=profile)
    return make_run(tmp_path_factory.mktemp("made") / "run", recipe)


def test_run_of_the_profile_has_a_page_for_each_test(made: Run) -> None:
    for test in ("iops", "tp", "lat", "wsat"):
        assert len(tkperf_pages(made, test)) == 1, test
    (page,) = tkperf_pages(made, "wsat")
    (note, *_) = page.blocks
    assert isinstance(note, Note)
    assert "no table" in note.text


def test_iops_have_small_blocks_at_the_top_and_reads_at_the_left(made: Run) -> None:
    (page,) = tkperf_pages(made, "iops")
    (table, *_) = (block for block in page.blocks if isinstance(block, Table))
    assert table.head[1:] == (
        "100/0",
        "95/5",
        "65/35",
        "50/50",
        "35/65",
        "5/95",
        "0/100",
    )
    names = ["512", "4k", "8k", "16k", "32k", "64k", "128k", "1024k"]
    assert [row[0] for row in table.rows] == names


def test_other_profiles_have_no_page_of_tkperfs(tmp_path: Path) -> None:
    recipe = Recipe(saturation_rounds=40)
    run = make_run(tmp_path / "run", recipe)
    assert not tkperf_pages(run, "iops")
    assert TITLE not in render_report(run)


def test_test_without_a_window_says_so(tmp_path: Path) -> None:
    profile = replace(ENTERPRISE, name="tkperf", nominal="pts-e-1.1")
    recipe = Recipe(tests=("iops",), steps=170, profile=profile)  # three rounds
    (page,) = tkperf_pages(make_run(tmp_path / "run", recipe), "iops")
    note, glossary = page.blocks
    assert isinstance(glossary, Table)
    assert isinstance(note, Note)
    assert (note.tone, "has none" in note.text) == ("warning", True)


def test_imported_report_says_which_rounds_are_known(tmp_path: Path) -> None:
    run = import_run("reference:tkperf-crucial-mx200", runs=tmp_path)
    text = words((run.path / "report.html").read_text("utf-8"))
    assert "prints rounds of the tracking variable only" in text
    assert "No round was finished" not in text
    assert "NOT achieved" not in text
    assert "2015-04-01 00:00" not in text
    context = read_context(run)
    firsts = {row.test: row.first for row in summary_rows(context)}
    # Rounds 1 of IOPS and throughput are not printed.
    assert firsts == {"IOPS": "-", "Throughput": "-", "Latency": "206.2 μs"}


def test_published_report_says_how_tkperf_was_called_once(tmp_path: Path) -> None:
    run = import_run(["reference:tkperf-crucial-mx200"], runs=tmp_path)
    first, *others = run.record.tests
    called = tables(tkperf_pages(run, first))["How TKperf was called"]
    assert called["TKperf"] == ("2.0",)
    assert called["Options of the command line"] == ("-nj 2 -iod 16 -rfb",)
    assert called["TC/QD"] == ("T2/Q16",)
    for test in others:
        assert "How TKperf was called" not in tables(tkperf_pages(run, test))
    assert "one less" in words(render_report(run))


def test_setup_that_was_spoiled_is_left_out(tmp_path: Path) -> None:
    run = import_run(["reference:tkperf-crucial-mx200"], runs=tmp_path)
    (run.path / "source" / "tkperf_crucial_mx200.toml").unlink(missing_ok=True)
    for path in (run.path / "source").glob("*.toml"):
        path.write_text("title = [", "utf-8")
    found = tables(tkperf_pages(run, run.record.tests[0]))
    assert "How TKperf was called" not in found
    assert "Words of TKperf's report" in found

"""The pages of the optional stimuli of write saturation."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from ssdlab.model.schema import TABLES
from ssdlab.pts.suite import CATALOG, OPTIONAL_SUITE
from ssdlab.report import render_report
from ssdlab.report.display import show_tests
from ssdlab.store.run import Run, open_tables
from ssdlab.store.tables import write_table
from tests.made_run import Recipe, make_run
from tests.rendered import SMALL, Render, words

SATURATIONS = ("wsat", *OPTIONAL_SUITE)
MIXES = replace(
    SMALL,
    tests=("wsat", "wsat-oltp", "wsat-vod"),
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    made = make_run(tmp_path_factory.mktemp("mixes") / "run", MIXES)
    return open_tables(made.path)


@pytest.fixture(scope="module")
def mixes(run: Run) -> str:
    return render_report(run)


def pages_of(page: str, test: str) -> Iterator[str]:
    """Return the pages of a test, each as its words."""
    for section in re.findall(
        rf'<section class="page" id="{test}-\d+">.*?</section>', page, re.DOTALL
    ):
        yield words(section)


def test_every_saturation_has_a_title_and_its_section() -> None:
    assert {CATALOG[test].section for test in SATURATIONS} == {"10"}
    assert len({CATALOG[test].title for test in SATURATIONS}) == len(SATURATIONS)


@pytest.mark.parametrize(
    ("test", "stimulus"),
    [
        ("wsat", "RND 4 KiB 0/100"),
        ("wsat-oltp", "RND 8 KiB 65/35"),
        ("wsat-vod", "SEQ 128 KiB 90/10"),
    ],
)
def test_each_saturation_has_the_five_plots_titled_by_its_own_stimulus(
    mixes: str, test: str, stimulus: str
) -> None:
    *pages, slower = pages_of(mixes, test)
    assert f"How many IOs are slower: {stimulus} T4/Q32" in slower
    before = f"Write saturation, {stimulus} T4/Q32"
    for number, title, page in zip(
        (1, 2, 5, 6, 7),
        (
            f"{before}: IOPS vs time",
            f"{before}: IOPS vs TGBW",
            f"{before}: IOPS vs drive fills",
            f"{before}: response times and IOPS vs drive fills",
            f"Response time histogram and confidence levels, {stimulus}, T4/Q32",
        ),
        pages,
        strict=True,
    ):
        assert f"{test.upper()} {number} " in page
        assert title in page


def test_mix_says_that_writes_alone_count_and_shows_its_directions(mixes: str) -> None:
    first, *_, sixth, _, _ = pages_of(mixes, "wsat-oltp")
    assert "Of the IOs 35 % are writes. TGBW, drive fills and the stop rule of" in first
    assert "reads hit blocks without data" in first
    assert "Round IOPS Read IOPS Write IOPS TGBW [GB] Drive fills" in first
    assert "Reads and writes separately, each round" in sixth
    assert "Read average [ms] Write average [ms] Read max [ms] Write max [ms]" in sixth
    assert "Each round begins" not in first


def test_sequential_mix_says_where_its_rounds_begin(mixes: str) -> None:
    first, *_ = pages_of(mixes, "wsat-vod")
    assert "Of the IOs 10 % are writes." in first
    assert "Each round begins, for reads and writes," in first
    assert "All 4 threads do so, over the same blocks." in first


def test_writes_alone_say_nothing_of_mixes(mixes: str) -> None:
    text = " ".join(pages_of(mixes, "wsat"))
    for said in ("Of the IOs", "Read IOPS", "Reads and writes", "Each round begins"):
        assert said not in text
    assert "Round IOPS TGBW [GB] Drive fills" in text


def test_first_round_is_fob_and_windows_count_samples_in_each(mixes: str) -> None:
    summary = words(mixes[: mixes.index('id="wsat-oltp"')])
    assert summary.count("(FOB)") == 3
    for test in MIXES.tests:
        assert " x sample + " in " ".join(pages_of(mixes, test))


def test_stop_reason_of_a_stimulus_is_not_that_of_another(run: Run) -> None:
    """All of them call their phase ``saturation``."""
    windows = run.windows
    is_oltp = windows["test"] == "wsat-oltp"
    rows = windows.assign(
        is_round_steady=is_oltp & windows["is_final"].astype(bool),
        is_steady=is_oltp & windows["is_final"].astype(bool),
    )
    table = TABLES["windows"]
    held = (run.path / "tables" / "windows.parquet").read_bytes()
    write_table(
        run.folder / "tables", table, {str(name): rows[name].tolist() for name in rows}
    )
    page = render_report(open_tables(run.path))
    (run.path / "tables" / "windows.parquet").write_bytes(held)
    reasons = {
        test: next(pages_of(page, test)).split("Stopped: ")[1].split(".")[0]
        for test in MIXES.tests
    }
    assert reasons["wsat-oltp"].startswith("steady state")
    assert "steady state" not in reasons["wsat"] + reasons["wsat-vod"]


@pytest.fixture(scope="module")
def shell() -> Iterator[None]:
    """Have what a notebook displays captured, which only a shell can."""
    InteractiveShell.instance()
    yield
    InteractiveShell.clear_instance()


def headings_of(run: Run, *tests: str) -> list[str]:
    """Return the titles and lone lines that a notebook shows of tests."""
    with capture_output() as captured:
        show_tests(run, *tests)
    pieces = [output.data.get("text/html", "") for output in captured.outputs]
    return [html for html in pieces if html.startswith(("<h2>", "<p>"))]


@pytest.mark.usefixtures("shell")
def test_notebook_shows_each_test_that_was_asked_for_with_what_it_is(run: Run) -> None:
    shown = ("wsat", "wsat-oltp", "wsat-vod")
    headings = [
        f"<h2>{CATALOG[test].title}</h2><p>{CATALOG[test].words.removesuffix('.')} "
        "(PTS 2.0.2, section 10).</p>"
        for test in shown
    ]
    assert headings_of(run) == headings
    assert headings_of(run, "wsat-oltp") == headings[1:2]
    assert headings_of(run, "iops") == ["<p>IOPS was not requested.</p>"]


def test_saturation_of_two_rounds_says_that_nothing_was_judged(render: Render) -> None:
    recipe = replace(MIXES, tests=("wsat-vod",), saturation_rounds=2)
    assert "No steady state was judged" in words(render(recipe))


def flat(folder: Path, recipe: Recipe, *, fills: float = 1.0) -> str:
    """Return the report of write saturations that never decline."""
    run = make_run(folder, recipe)
    frame = run.measurements.copy()
    cells = frame["phase"] == "saturation"
    frame.loc[cells, "iops"] = 900.0
    steps = run.steps.assign(drive_fills=run.steps["drive_fills"] * fills)
    for name, table in (("measurements", frame), ("steps", steps)):
        columns = {
            str(column): [None if pd.isna(value) else value for value in table[column]]
            for column in table
        }
        write_table(run.folder / "tables", TABLES[name], columns)
    return render_report(open_tables(run.path))


def test_random_writes_that_do_not_decline_warn_of_the_host(tmp_path: Path) -> None:
    page = flat(tmp_path / "run", replace(MIXES, saturation_rounds=120), fills=100.0)
    for test, is_warned in (("wsat", True), ("wsat-oltp", True), ("wsat-vod", False)):
        text = " ".join(pages_of(page, test))
        assert ("The curve does not decline" in text) == is_warned, test
        assert ("the host may be the bottleneck" in text) == is_warned, test


def test_host_is_not_warned_of_when_writes_decline_or_were_too_few(
    mixes: str, tmp_path: Path
) -> None:
    assert "The curve does not decline" not in words(mixes)
    page = flat(tmp_path / "run", MIXES, fills=1e-6)
    assert "The curve does not decline" not in words(page)

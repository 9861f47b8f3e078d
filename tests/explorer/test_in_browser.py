"""Notebook 05 in JupyterLab and in Voilà: run, moved, clicked, saved."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.jupyter_browser import (
    browse,
    error_outputs,
    place_notebook,
    run_notebook,
    serve_lab,
)
from tests.made_run import Recipe, make_run
from tests.made_series import PEAK_IOPS, write_series

pytestmark = pytest.mark.browser

NOTEBOOK = "05_explore.ipynb"
MATRIX, CELL = 0, 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("explore")
    (place / "runs").mkdir()
    brief = {"saturation_rounds": 8}
    one = make_run(place / "runs" / "one", Recipe(serial="MADE0001", **brief))  # type: ignore[arg-type]
    write_series(one, 20_000)
    make_run(place / "runs" / "two", Recipe(serial="MADE0002", **brief))  # type: ignore[arg-type]
    place_notebook(NOTEBOOK, place, runs=str(place / "runs"), run="one")
    return place


@pytest.fixture(scope="module")
def page(folder: Path) -> Iterator[Any]:
    with serve_lab(folder) as server, browse(height=1500) as page:
        assert run_notebook(page, server, NOTEBOOK) == []
        wait_for(page, CELL, "IOPS over rounds")
        page.evaluate("document.querySelector('.ssdlab-explorer').scrollIntoView()")
        yield page


def graph(page: Any, number: int) -> Any:
    return page.locator(".js-plotly-plot").nth(number)


def wait_for(page: Any, number: int, words: str) -> None:
    graph(page, number).locator(f"text={words}").first.wait_for(state="attached")


def values(page: Any) -> list[float]:
    """Return what the first line of the rounds draws."""
    script = "graph => Array.from(graph._fullData[0].y)"
    return [float(value) for value in graph(page, CELL).evaluate(script)]


def choose(page: Any, name: str, label: str) -> None:
    page.locator(f".widget-dropdown:has(label:text-is('{name}')) select").select_option(
        label=label
    )


def test_a_list_another_block_size_and_the_line_changes(page: Any) -> None:
    before = values(page)
    choose(page, "Block size", "8 KiB")
    wait_for(page, CELL, "R/W 0/100, 8 KiB")
    assert values(page) != before


def test_a_key_on_the_slider_leaves_a_round_out(page: Any) -> None:
    assert len(values(page)) == 6
    page.locator(".noUi-handle").last.focus()
    page.keyboard.press("ArrowLeft")
    wait_for(page, MATRIX, "one, rounds 1–5")  # noqa: RUF001 - a range
    page.wait_for_function(
        "() => document.querySelectorAll('.js-plotly-plot')[1]"
        "._fullData[0].y.length === 5"
    )
    page.keyboard.press("ArrowRight")
    wait_for(page, MATRIX, "one, all rounds")


def test_a_click_on_a_cell_shows_its_rounds_and_job(page: Any) -> None:
    box = graph(page, MATRIX).locator(".nsewdrag").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.95, box["y"] + box["height"] * 0.05)
    wait_for(page, CELL, "R/W 100/0, 1024 KiB")
    page.locator("pre:has-text('bs=1048576')").first.wait_for()


def test_a_click_on_a_round_rings_it(page: Any) -> None:
    box = graph(page, CELL).locator(".scatterlayer .point").nth(1).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function(
        "() => document.querySelectorAll('.js-plotly-plot')[1]"
        "._fullData.at(-1).x[0] === 2"
    )


def test_reads_of_a_mixed_workload_are_shown_alone(page: Any) -> None:
    choose(page, "R/W mix", "65/35")
    wait_for(page, CELL, "R/W 65/35, 1024 KiB")
    before = values(page)
    choose(page, "IOs", "reads")
    wait_for(page, CELL, "R/W 65/35, 1024 KiB, reads only")
    assert values(page) == pytest.approx([0.65 * value for value in before], rel=0.02)
    choose(page, "IOs", "reads and writes")
    graph(page, CELL).locator("text=reads only").wait_for(state="detached")
    choose(page, "R/W mix", "100/0")
    wait_for(page, CELL, "R/W 100/0, 1024 KiB")


def test_raw_output_is_shown_as_text(page: Any) -> None:
    page.locator(".lm-TabBar-tabLabel:text-is('Raw output')").click()
    page.locator(r"text=/: all [\d,]{3,} characters/").wait_for()
    page.locator(".lm-TabBar-tabLabel:text-is('fio job')").click()


@pytest.mark.parametrize(
    ("button", "begins"), [("PNG", b"\x89PNG"), ("SVG", b"<svg"), ("CSV", b"read_perc")]
)
def test_what_is_on_the_screen_is_saved(page: Any, button: str, begins: bytes) -> None:
    with page.expect_download() as download:
        page.locator(f".ssdlab-saver button:text-is('{button}')").click()
    content = Path(download.value.path()).read_bytes()
    assert download.value.suggested_filename == f"one-iops-iops-matrix.{button.lower()}"
    assert content.startswith(begins)
    if button == "CSV":
        assert len(list(csv.DictReader(io.StringIO(content.decode())))) == 56


def test_code_cell_is_shown(page: Any) -> None:
    page.locator(".ssdlab-saver button:text-is('Code')").click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.widget-textarea textarea')]"
        ".some((area) => area.value.includes('ssdlab.figures.plot_cell_map('))"
    )


def test_the_view_over_time_has_its_own_title_and_axis(page: Any) -> None:
    page.click("button:text-is('over time')")
    wait_for(page, CELL, "IOPS over time")
    wait_for(page, CELL, "this test kept no intervals")
    page.click("button:text-is('over rounds')")
    wait_for(page, CELL, "IOPS over rounds")
    assert page.locator("text=this test kept no intervals").count() == 0


def test_a_part_of_a_long_series_is_drawn_from_its_own_points(page: Any) -> None:
    choose(page, "Test", "wsat")
    page.click("button:text-is('over time')")
    wait_for(page, CELL, "20,000 points in")
    box = graph(page, CELL).locator(".nsewdrag").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.25, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, middle, steps=4)
    page.mouse.up()
    page.locator("button:text-is('Whole series')").wait_for()
    graph(page, CELL).locator("text=20,000 points in").wait_for(state="detached")
    wait_for(page, CELL, " points in 1,000 columns")
    assert max(values(page)) == PEAK_IOPS
    page.click("button:text-is('Whole series')")
    wait_for(page, CELL, "20,000 points in")
    page.click("button:text-is('over rounds')")
    choose(page, "Test", "iops")
    wait_for(page, CELL, "IOPS over rounds")


def test_search_finds_a_run_and_both_are_compared(page: Any) -> None:
    rows = page.locator(".ssdlab-runs tr[tabindex]")
    page.locator("input[placeholder^='search']").fill("MADE0002")
    page.locator("text=1 of 2 found").first.wait_for()
    rows.nth(0).click()
    rows.nth(1).click(modifiers=["Control"])
    wait_for(page, CELL, "2 runs")


def test_nothing_overlaps_the_room_of_a_narrow_window(page: Any) -> None:
    page.set_viewport_size({"width": 800, "height": 1500})
    page.wait_for_function(
        """() => [...document.querySelectorAll(".js-plotly-plot")].every((graph) =>
          graph._fullLayout.width <= graph.parentElement.clientWidth + 1)"""
    )
    assert error_outputs(page) == []

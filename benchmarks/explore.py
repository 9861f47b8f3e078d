"""Measure the response times of the explorer in a real browser.


Usage: ``python -m benchmarks.explore [--runs 200] [--points 1000000]``

Makes runs in a temporary folder, one of them with a long series, opens notebook
05_explore in JupyterLab in a headless Chromium and uses it. Times are taken in the
page, from the browser event (a selection, a click, a key) until plotly has drawn the
last figure that changes. Each interaction is repeated; the table has median and worst.
"""

import argparse
import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ssdlab.store.run import open_tables
from tests.jupyter_browser import browse, place_notebook, run_notebook, serve_lab
from tests.made_run import Recipe, make_run
from tests.made_series import write_series

Action = Callable[[Any, int], None]

_TIMES = 5
_KINDS = 4
_LISTEN = """() => {
  window.began = window.drawn = 0;
  for (const kind of ["change", "click", "mouseup", "keydown"])
    document.addEventListener(kind, () => (window.began = performance.now()), true);
  for (const graph of document.querySelectorAll(".js-plotly-plot"))
    graph.on("plotly_afterplot", () => {
      window.drawn = performance.now();
      window.first = Math.min(window.first, window.drawn);
    });
}"""
_FORGET = "() => { window.drawn = 0; window.first = window.began = Infinity }"
_IS_DRAWN = (
    "() => window.drawn > window.began && performance.now() - window.drawn > 700"
)


def make_runs(folder: Path, count: int, points: int) -> None:
    """Write runs of eight drives and four kinds; the newest has the long series."""
    kinds = [
        make_run(folder / f"kind-{n}", Recipe(rounds=6 + n)) for n in range(_KINDS)
    ]
    for number in range(count):
        copy = folder / f"made-{number:03d}"
        original = kinds[number % _KINDS].path
        shutil.copytree(original, copy, copy_function=os.link)
        record = json.loads((copy / "run.json").read_bytes())
        record["target"]["serial"] = f"MADE{number % 8:04d}"
        day = 1 + number % 20 if number else 21
        record["started_at"] = f"2026-11-{day:02d}T{number % 24:02d}:00:00"
        (copy / "run.json").unlink()
        (copy / "run.json").write_text(json.dumps(record), "utf-8")
    for kind in kinds:
        shutil.rmtree(kind.path)
    write_series(open_tables(folder / "made-000"), points)


def time_action(page: Any, act: Action) -> list[float]:
    """Return how long each repetition took [ms]."""
    taken = []
    for number in range(_TIMES):
        page.evaluate(_FORGET)
        act(page, number)
        try:
            page.wait_for_function(_IS_DRAWN, timeout=15_000)
        except Exception as error:  # noqa: BLE001 - nothing changed by this one
            print(f"not redrawn: {str(error)[:80]}")
            continue
        taken.append(float(page.evaluate("() => window.drawn - window.began")))
    return taken


def choose(name: str, values: list[str]) -> Action:
    """Return the action of selecting in a labelled list, one value after another."""

    def act(page: Any, number: int) -> None:
        box = page.locator(f".widget-dropdown:has(label:text-is('{name}')) select")
        box.select_option(label=values[number % len(values)])

    return act


def click_cell(page: Any, number: int) -> None:
    """Click on another cell of the matrix."""
    box = page.locator(".js-plotly-plot").first.locator(".nsewdrag").bounding_box()
    x = box["x"] + box["width"] * (0.07 + 0.12 * number)
    page.mouse.click(x, box["y"] + box["height"] * (0.2 + 0.1 * (number % 5)))


def move_slider(page: Any, number: int) -> None:
    """Move one end of the rounds slider by one."""
    page.locator(".noUi-handle").last.focus()
    page.keyboard.press("ArrowLeft" if number % 2 == 0 else "ArrowRight")


def choose_run(page: Any, number: int) -> None:
    """Select another run in the list, one that was not read before."""
    box = page.locator(".widget-select-multiple select")
    box.select_option(index=[number + 20])


def add_run(page: Any, number: int) -> None:
    """Select more runs in addition to the selected ones."""
    box = page.locator(".widget-select-multiple select")
    box.select_option(index=list(range(number + 4)))


def choose_all(page: Any, _number: int) -> None:
    """Select every run."""
    page.evaluate(
        """() => {
          const box = document.querySelector(".widget-select-multiple select");
          for (const option of box.options) option.selected = true;
          box.dispatchEvent(new Event("change", { bubbles: true }));
        }"""
    )


def zoom(page: Any, number: int) -> None:
    """Zoom into a part of the series, then out again."""
    graph = page.locator(".js-plotly-plot").nth(1).locator(".nsewdrag")
    box = graph.bounding_box()
    y = box["y"] + box["height"] / 2
    if number % 2:
        page.click("button:text-is('Whole series')")
        return
    page.mouse.move(box["x"] + box["width"] * 0.25, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, y, steps=4)
    page.mouse.up()


def measure(page: Any) -> dict[str, list[float]]:
    """Use the explorer as a user would."""
    taken = {
        "another metric": time_action(
            page, choose("Metric", ["Throughput [MB/s]", "IOPS"])
        ),
        "a click on a cell": time_action(page, click_cell),
        "another block size": time_action(
            page, choose("Block size", ["8 KiB", "4 KiB"])
        ),
        "the rounds slider": time_action(page, move_slider),
        "another test": time_action(page, choose("Test", ["lat", "iops"])),
        "another run, not read before": time_action(page, choose_run),
        "one run more, up to 8": time_action(page, add_run),
        "8 runs: a click on a cell": time_action(page, click_cell),
        "8 runs: another metric": time_action(
            page, choose("Metric", ["IOPS", "Throughput [MB/s]"])
        ),
    }
    page.evaluate(_FORGET)
    choose_all(page, 0)
    page.wait_for_function(
        "() => window.drawn > window.began && performance.now() - window.drawn > 4000",
        timeout=600_000,
    )
    for words, name in (("first", "first"), ("last", "drawn")):
        at = page.evaluate(f"() => window.{name} - window.began")
        taken[f"all runs chosen, until the {words} is read and drawn"] = [float(at)]
    taken["all runs: a click on a cell"] = time_action(page, click_cell)
    taken["all runs: another metric"] = time_action(
        page, choose("Metric", ["Throughput [MB/s]", "IOPS"])
    )
    return taken


def measure_series(page: Any) -> dict[str, list[float]]:
    """Use the view over time."""
    choose("Test", ["wsat"])(page, 0)
    page.wait_for_timeout(2000)
    page.click("button:text-is('over time')")
    page.wait_for_selector("text=least and greatest", state="attached")
    page.wait_for_timeout(2000)
    return {
        "series: zoom in and out": time_action(page, zoom),
        "series: another metric": time_action(
            page, choose("Metric", ["Throughput [MB/s]", "IOPS"])
        ),
    }


def main() -> None:
    """Make the runs, measure, print the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--runs", type=int, default=200)
    asked.add_argument("--points", type=int, default=1_000_000)
    asked.add_argument("--shots", type=Path, help="folder for screenshots")
    choices = asked.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "runs").mkdir()
        make_runs(folder / "runs", choices.runs, choices.points)
        name = "05_explore.ipynb"
        place_notebook(name, folder, runs=str(folder / "runs"), test="iops")
        with serve_lab(folder) as server, browse(width=1280, height=1500) as page:
            faults = run_notebook(page, server, name)
            page.wait_for_selector(".js-plotly-plot .main-svg")
            page.wait_for_timeout(3000)
            page.evaluate(
                "() => document.querySelector('.ssdlab-explorer').scrollIntoView()"
            )
            page.evaluate(_LISTEN)
            taken = {} if faults else measure(page)
            show(taken)
            shoot(page, choices.shots, "explore-200-runs.png")
            choose_run(page, -20)
            page.wait_for_timeout(2000)
            show(measure_series(page))
            shoot(page, choices.shots, "explore-series.png")
    print(*faults, f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def show(taken: dict[str, list[float]]) -> None:
    """Print the rows of the table: interaction, times, median and worst [ms]."""
    for words, times in taken.items():
        middle, worst = statistics.median(times), max(times)
        print(f"| {words} | {len(times)} | {middle:.0f} | {worst:.0f} |", flush=True)


def shoot(page: Any, folder: Path | None, name: str) -> None:
    """Save a screenshot of the page."""
    if folder is not None:
        page.screenshot(path=folder / name)


if __name__ == "__main__":
    main()

"""Notebook 05 as a page of Voilà."""

from pathlib import Path

import pytest

from tests.explorer.test_in_browser import CELL, MATRIX, choose, graph, wait_for
from tests.jupyter_browser import TOKEN, browse, place_notebook, serve_voila
from tests.made_run import Recipe, make_run

pytestmark = pytest.mark.browser

NOTEBOOK = "05_explore.ipynb"


def test_voila_shows_the_explorer_and_it_follows(tmp_path: Path) -> None:
    brief = Recipe(saturation_rounds=8)
    make_run(tmp_path / "runs" / "one", brief)
    place_notebook(NOTEBOOK, tmp_path, runs=str(tmp_path / "runs"))
    with serve_voila(tmp_path, NOTEBOOK) as server, browse(height=1500) as page:
        page.goto(f"{server.url}/?token={TOKEN}")
        wait_for(page, CELL, "IOPS over rounds")
        choose(page, "Block size", "8 KiB")
        wait_for(page, CELL, "R/W 0/100, 8 KiB")
        assert page.locator(".jp-CodeCell .cm-content").count() == 0
        title = graph(page, MATRIX).locator(".gtitle").first.text_content()
        assert title.startswith("IOPS")
        assert page.locator(".js-plotly-plot").count() == 3  # and no stills of them

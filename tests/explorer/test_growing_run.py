"""A run that goes on, watched in JupyterLab while it grows and until it ends."""

from pathlib import Path

import pytest

from tests.explorer.test_in_browser import CELL, choose, values, wait_for
from tests.growing_run import begin, grow, hold, set_status
from tests.jupyter_browser import browse, place_notebook, run_notebook, serve_lab

pytestmark = pytest.mark.browser

NOTEBOOK = "05_explore.ipynb"


def test_rounds_appear_while_the_run_goes_on_and_its_end_is_told(
    tmp_path: Path,
) -> None:
    run = begin(tmp_path / "runs" / "growing")
    place_notebook(NOTEBOOK, tmp_path, runs=str(tmp_path / "runs"), refresh_s=0.3)
    with serve_lab(tmp_path) as server, browse(height=1500) as page:
        with hold(run):
            assert run_notebook(page, server, NOTEBOOK) == []
            page.locator("text=growing is running, 0 steps read").first.wait_for()
            grow(run, 0, 20)
            page.locator("text=growing is running, 20 steps read").first.wait_for()
            wait_for(page, CELL, "IOPS over rounds")
            assert len(values(page)) == 2
            choose(page, "Block size", "8 KiB")
            wait_for(page, CELL, "R/W 0/100, 8 KiB")
            grow(run, 20, 38)
            page.wait_for_function(
                "() => document.querySelectorAll('.js-plotly-plot')[1]"
                "._fullData[0].y.length === 4"
            )
            wait_for(page, CELL, "R/W 0/100, 8 KiB")  # what was chosen stays chosen
            (run / "progress.json").write_text('{"line": "lat | 8 s left"}', "utf-8")
            page.locator("text=38 steps read: lat | 8 s left").first.wait_for()
            grow(run, 38, 1000)
            set_status(run, "finished")
        page.locator("text=growing has ended, 66 steps read: finished").first.wait_for()
        assert len(values(page)) == 7

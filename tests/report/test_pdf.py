"""The report as PDF: drawn whole by a real browser, or a clear error."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from ssdlab.cli import main
from ssdlab.model.errors import BrowserFailedError, MissingToolError
from ssdlab.paper.notebook_page import write_notebook_page
from ssdlab.report.pdf import print_html
from ssdlab.system import browser
from tests.browser import find_browser
from tests.made_run import Recipe, make_run
from tests.paper.made_notebook import code_cell, figure, text_cell, write_notebook

SMALL = Recipe(tests=("lat",), rounds=5)


@pytest.mark.browser
def test_report_is_printed_when_its_figures_are_drawn(tmp_path: Path) -> None:
    find_browser()
    run = make_run(tmp_path / "run", SMALL)
    done = CliRunner().invoke(main, ["report", str(run.path), "--format", "pdf"])
    assert done.exit_code == 0, done.output
    pdf = (run.path / "report.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 5


@pytest.mark.browser
def test_page_whose_figures_cannot_be_drawn_is_not_printed(tmp_path: Path) -> None:
    find_browser()
    cells = (text_cell("# T"), code_cell("f", figure()))
    notebook = write_notebook(tmp_path / "n.ipynb", *cells)
    page = write_notebook_page(notebook, tmp_path / "page.html")
    broken = page.read_text("utf-8").replace(
        'id="packed-figures">', 'id="packed-figures">AAAA'
    )
    page.write_text(broken, "utf-8")
    with pytest.raises(BrowserFailedError, match="The plots could not be drawn"):
        print_html(page)


def test_system_without_pipes_for_a_browser_is_told_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as changed:
        changed.setattr(os, "name", "nt")
        with pytest.raises(MissingToolError, match="Print the HTML page"):
            browser.find_browser()


def test_missing_browser_is_named_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "BROWSERS", ("no-such-browser",))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    with pytest.raises(MissingToolError, match="apt install chromium"):
        browser.find_browser()
    run = make_run(tmp_path / "run", SMALL)
    done = CliRunner().invoke(main, ["report", str(run.path), "--format", "pdf"])
    assert done.exit_code == 2
    assert "Chromium or Chrome is needed for PDF" in done.output


def test_browser_that_ends_at_once_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER_PATH", "/bin/false")
    (tmp_path / "page.html").write_text("<html></html>")
    with pytest.raises(BrowserFailedError, match="it ended"):
        print_html(tmp_path / "page.html")


WAITING = """\
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup may have it ignored
from ssdlab.system.programs import run_in_foreground
try:
    sys.exit(run_in_foreground([sys.executable, "-c", sys.argv[1]]))
except KeyboardInterrupt:
    sys.exit(130)
"""
SERVER = """\
import pathlib, signal, sys, time
def end(*_):
    pathlib.Path("ended").touch()
    sys.exit(0)
signal.signal(signal.SIGINT, end)
pathlib.Path("began").touch()
time.sleep(60)
"""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_server_in_the_foreground_ends_with_us(tmp_path: Path, stop: int) -> None:
    words = [sys.executable, "-c", WAITING, SERVER]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    process = subprocess.Popen(words, cwd=tmp_path, env=environment)
    while not (tmp_path / "began").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(stop)
    assert process.wait(20) == 130
    assert (tmp_path / "ended").exists()

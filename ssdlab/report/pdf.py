"""A page as PDF, printed by a browser of this machine."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from ssdlab.report import render_report
from ssdlab.store.run import Run
from ssdlab.system.browser import find_browser, print_page
from ssdlab.system.durable import write_whole

_DRAWN: Final = """(() => {
  if (document.readyState !== "complete") return false;
  const trouble = document.getElementById("no-plots");
  if (trouble && !trouble.hidden) throw Error(trouble.textContent);
  return document.documentElement.dataset.plots !== undefined;
})()"""
_PAPER: Final = {"printBackground": True, "preferCSSPageSize": True}


def write_report_pdf(run: Run, path: Path | None = None) -> Path:
    """Write the report of a run as PDF; every figure is drawn, or nothing is written.

    Parameters
    ----------
    run : Run
        The run, as `ssdlab.open_run` returns it.
    path : Path, optional
        Where to write it; without it ``report.pdf`` in the run folder.

    Returns
    -------
    Path
        Where it lies.

    Raises
    ------
    MissingToolError
        If no browser is installed.
    BrowserFailedError
        If the browser did not draw the report.
    """
    find_browser()
    place = run.path / "report.pdf" if path is None else path
    with TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(render_report(run), "utf-8")
        write_whole(place, print_html(page))
    return place


def print_html(page: Path) -> bytes:
    """Return a page that ssdlab wrote as PDF, printed when its figures are drawn.

    Parameters
    ----------
    page : Path
        A report, a document or the page of a notebook.

    Returns
    -------
    bytes
        The PDF.

    Raises
    ------
    MissingToolError
        If no browser is installed.
    BrowserFailedError
        If the browser did not draw the page.
    """
    return print_page(page, ready=_DRAWN, paper=_PAPER)

"""A page as PDF, printed by a browser of this machine."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from ssdlab.paper.notebook_page import render_notebook_page
from ssdlab.report import render_report
from ssdlab.store.run import Run
from ssdlab.system.browser import find_browser, open_page
from ssdlab.system.outputs import PDF_MARK, choose_format, write_output

_DRAWN: Final = """(() => {
  if (document.readyState !== "complete") return false;
  const trouble = document.getElementById("no-plots");
  if (trouble && !trouble.hidden) throw Error(trouble.textContent);
  return document.documentElement.dataset.plots !== undefined;
})()"""
_NAME: Final = "report.pdf"
_PAPER: Final = {
    "printBackground": True,
    "preferCSSPageSize": True,
    "generateTaggedPDF": True,
    "generateDocumentOutline": True,  # bookmarks, by the headings
}


def write_report_pdf(run: Run, path: Path | None = None) -> Path:
    """Write the report of a run as PDF; if a figure fails, nothing is written."""
    choose_format(path, "pdf", ("pdf",))
    find_browser()
    if path is not None:
        return _write(render_report(run), path)
    run.folder.write(_NAME, _print(render_report(run)))
    return run.path / _NAME


def write_notebook_pdf(executed: Path, output: Path) -> Path:
    """Write an executed notebook as PDF; if a figure fails, nothing is written."""
    choose_format(output, "pdf", ("pdf",))
    find_browser()
    return _write(render_notebook_page(executed), output)


def _write(html: str, place: Path) -> Path:
    write_output(place, _print(html))
    return place


def _print(html: str) -> bytes:
    with TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(html, "utf-8")
        return print_html(page) + PDF_MARK


def print_html(page: Path) -> bytes:
    """Return a page that ssdlab wrote as PDF, printed when its figures are drawn."""
    with open_page(page, ready=_DRAWN) as opened:
        return opened.print(_PAPER)

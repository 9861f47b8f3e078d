"""The notebooks as pages, executed on the sample runs, and the report of a sample."""

import contextlib
from pathlib import Path
from tempfile import TemporaryDirectory

import ssdlab
from ssdlab.notebook import RUN_PTS, execute_notebook

ROOT = Path(__file__).resolve().parents[2]
_SAMPLE = ROOT / "data" / "samples" / "virtual-all"


def write_notebooks(folder: Path) -> str:
    """Write the pages into a folder ``notebooks``; return the links to them.

    The notebook that measures is left out: the report of a sample is in its place.
    """
    folder.mkdir(parents=True)
    links = [_link("report.html", "The report of a run, as notebook 01 writes it")]
    ssdlab.write_report(ssdlab.open_run(_SAMPLE), folder / "report.html")
    for notebook in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        if notebook.name == RUN_PTS:
            continue
        page = f"{notebook.stem}.html"
        with TemporaryDirectory() as aside, contextlib.chdir(ROOT):
            executed = Path(aside) / notebook.name
            execute_notebook(notebook, executed, {}, keeps_saving=False)
            ssdlab.write_notebook_page(executed, folder / page)
        links.append(_link(page, notebook.stem))
    return "".join(links)


def _link(page: str, words: str) -> str:
    return f'- <a href="notebooks/{page}">{words}</a>\n'

"""An executed notebook as one self-contained HTML page."""

from pathlib import Path

import orjson

from ssdlab.model.errors import NotebookFileError
from ssdlab.model.version import VERSION
from ssdlab.report.cells import Section, read_sections
from ssdlab.report.html import render_html
from ssdlab.system.durable import write_whole


def write_notebook_page(executed: Path, output: Path, *, title: str) -> Path:
    """Write an executed notebook as a page; it appears whole or not at all.

    Parameters
    ----------
    executed : Path
        The executed notebook.
    output : Path
        Where the page goes.
    title : str
        The title of the page.

    Returns
    -------
    Path
        Where it lies.

    Raises
    ------
    NotebookFileError
        If the notebook cannot be read.
    """
    write_whole(output, render_notebook_page(executed, title=title).encode())
    return output


def render_notebook_page(executed: Path, *, title: str) -> str:
    """Return an executed notebook as HTML that loads nothing and opens from disk.

    Text, tables and figures stand as in the notebook, code is folded away. HTML that
    the notebook shows loses what could run or reach out.

    Parameters
    ----------
    executed : Path
        The executed notebook.
    title : str
        The title of the page.

    Returns
    -------
    str
        The page.

    Raises
    ------
    NotebookFileError
        If the notebook cannot be read.
    """
    sections = _read(executed)
    values = {"front": sections[0], "sections": sections[1:], "title": title}
    return render_html("notebook.html.j2", values | {"version": VERSION}, title=title)


def _read(executed: Path) -> list[Section]:
    try:
        notebook = orjson.loads(executed.read_bytes())
    except OSError as error:
        reason = str(error.strerror)
        raise NotebookFileError(notebook=str(executed), reason=reason) from None
    except ValueError as error:
        raise NotebookFileError(notebook=str(executed), reason=str(error)) from None
    try:
        return read_sections(notebook["cells"])
    except (KeyError, TypeError, AttributeError) as error:
        reason = f"it is no notebook of nbformat 4: {error!r}"
        raise NotebookFileError(notebook=str(executed), reason=reason) from None

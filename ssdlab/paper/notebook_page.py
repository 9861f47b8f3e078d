"""An executed notebook as one self-contained HTML page."""

from pathlib import Path

import orjson

from ssdlab.model.errors import NotebookFileError
from ssdlab.model.version import VERSION
from ssdlab.paper.cells import Section, find_title, is_executed, read_sections
from ssdlab.paper.html import render_html
from ssdlab.system.outputs import choose_format, write_output


def write_notebook_page(executed: str | Path, output: str | Path) -> Path:
    """Write an executed notebook as a page, atomically.

    Parameters
    ----------
    executed : str or Path
        The executed notebook, as JupyterLab or papermill saved it.
    output : str or Path
        Where the page goes.

    Returns
    -------
    Path
        Its path.

    Raises
    ------
    NotebookFileError
        If the notebook cannot be read, or none of its cells was executed.
    ExportError
        If the path ends in the suffix of another format.

    Examples
    --------
    >>> write_notebook_page("executed.ipynb", "page.html")  # doctest: +SKIP
    """
    choose_format(Path(output), "html", ("html",))
    write_output(Path(output), render_notebook_page(executed).encode())
    return Path(output)


def render_notebook_page(executed: str | Path) -> str:
    """Return an executed notebook as HTML that loads nothing and opens from disk.

    Text, tables and figures appear as in the notebook, code is folded. HTML of the
    notebook loses what could run or load anything.
    """
    title, sections = _read(Path(executed))
    values = {"front": sections[0], "sections": sections[1:], "title": title}
    return render_html("notebook.html.j2", values | {"version": VERSION}, title=title)


def _read(executed: Path) -> tuple[str, list[Section]]:
    """Return the title of a notebook and its sections."""
    try:
        cells = orjson.loads(executed.read_bytes())["cells"]
        if is_executed(cells):
            return find_title(cells) or executed.stem, read_sections(cells)
        reason = "none of its cells was executed"
    except OSError as error:
        reason = str(error.strerror)
    except ValueError as error:
        reason = str(error)
    except (KeyError, TypeError, AttributeError) as error:
        reason = f"it is not a notebook of nbformat 4: {error!r}"
    raise NotebookFileError(notebook=str(executed), reason=reason)

"""A run as one self-contained HTML report: pages, plots and tables of the PTS."""

from pathlib import Path

from ssdlab.paper.context import read_context
from ssdlab.report.render import render_page
from ssdlab.store.run import Run
from ssdlab.system.outputs import choose_format, write_output

__all__ = ["render_report", "write_report"]

_NAME = "report.html"


def render_report(run: Run) -> str:
    """Return the report of a run as one self-contained HTML page.

    Parameters
    ----------
    run : Run
        The run, as `ssdlab.open_run` returns it. It need not be finished: the report
        says what was not measured yet.

    Returns
    -------
    str
        The page. It loads nothing, sends nothing, and opens from disk.

    Raises
    ------
    RunFolderError
        If a table is missing or damaged.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, sections 5 to 10.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> "<title>" in render_report(run)
    True
    """
    return render_page(read_context(run))


def write_report(run: Run, path: Path | None = None) -> Path:
    """Write the report of a run, atomically.

    Parameters
    ----------
    run : Run
        The run, as `ssdlab.open_run` returns it.
    path : Path, optional
        Where to write it; without it ``report.html`` in the run folder.

    Returns
    -------
    Path
        Its path.

    Raises
    ------
    RunFolderError
        If a table is missing or damaged; nothing is written then.
    ExportError
        If the path ends in the suffix of another format.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> page = Path(tempfile.mkdtemp()) / "report.html"
    >>> write_report(run, page) == page
    True
    """
    choose_format(path, "html", ("html",))
    page = render_report(run).encode()
    if path is not None:
        write_output(Path(path), page)
        return Path(path)
    run.folder.write(_NAME, page)
    return run.path / _NAME

"""Files that a user named for a command to write: which format, and what is replaced.

What a command writes says in the file that ssdlab wrote it, so that the next command
may replace it. What lies at such a place and does not say so is somebody's own.

A link that the user named is followed, but none in a run folder: that may be of others.
"""

import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import BinaryIO, Final

from ssdlab.model.errors import ExportError
from ssdlab.system.durable import opened_whole
from ssdlab.system.folders import Folder

HTML_MARK: Final = b'<meta name="generator" content="ssdlab">'
PDF_MARK: Final = b"%made by ssdlab\n"  # a comment after the end, which no reader reads
SVG_MARK: Final = b"<!-- made by ssdlab -->\n"
PNG_MARK: Final = b"Software\0ssdlab"
ZIP_MARK: Final = b"made by ssdlab"  # the comment of the archive that a workbook is
TABLE_MARK: Final = b"ssdlab_schema"  # a key in the metadata of Parquet

_MARKS: Final = (HTML_MARK, PDF_MARK, SVG_MARK, PNG_MARK, ZIP_MARK, TABLE_MARK)
_END_BYTES: Final = 1 << 16
ENDINGS: Final[Mapping[str, str]] = {
    ".html": "html",
    ".htm": "html",
    ".pdf": "pdf",
    ".svg": "svg",
    ".png": "png",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
}


def choose_format(
    output: Path | None, asked: str | None, formats: Sequence[str]
) -> str:
    """Return the format of a file that a user named: that of its ending.

    Parameters
    ----------
    output : Path or None
        The file; ``None`` where the user named none.
    asked : str or None
        The format that the user asked for, if any.
    formats : sequence of str
        Those that the command writes; the first is the usual one.

    Returns
    -------
    str
        One of the formats.

    Raises
    ------
    ExportError
        If the ending is that of another format than was asked for, or of none that the
        command writes.

    Examples
    --------
    >>> choose_format(Path("report.pdf"), None, ("html", "pdf"))
    'pdf'
    """
    ending = PurePath(output).suffix.lower() if output is not None else ""
    told = ENDINGS.get(ending)
    if not ending or (told is None and asked is not None):
        return asked or formats[0]
    if told is not None and told in formats and asked in {None, told}:
        return told
    endings = [name for name, kind in ENDINGS.items() if kind in formats]
    wanted = f"{asked} was asked for" if asked else f"it can be {' or '.join(formats)}"
    raise ExportError(
        place=str(output),
        reason=f"its name ends in {ending}, and {wanted}",
        remedy=f"Give it the ending of its format: {', '.join(endings)}.",
    )


def write_output(path: Path, content: bytes) -> None:
    """Write a file as `opened_output` does."""
    with opened_output(path) as file:
        file.write(content)


@contextmanager
def opened_output(path: Path) -> Iterator[BinaryIO]:
    """Open a file that a user named, which appears when it is whole.

    Raises
    ------
    RunFolderError
        If it lies in a run folder, and a link or another thing that is no file of a
        run stands there or on the way.
    """
    folder = output_folder(path.parent)
    is_in_run = _is_in_run(folder)
    with folder.writing(path.name) if is_in_run else opened_whole(path) as file:
        yield file


def output_folder(path: Path) -> Folder:
    """Return a folder that a user named; one in a run folder as a folder of that run.

    Parameters
    ----------
    path : Path
        The folder, which need not be there yet.

    Returns
    -------
    Folder
        Its root is a run folder if it lies in one, or is one.
    """
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - links stay as they are named
    for run in (whole, *whole.parents):
        if os.path.lexists(run / "run.json"):
            return Folder(run, whole.relative_to(run).parts)
    return Folder(path)


def _is_in_run(folder: Folder) -> bool:
    return os.path.lexists(folder.root / "run.json")


def require_folder_name(output: Path | None, what: str) -> None:
    """Require that the name of a folder is not that of a file.

    Raises
    ------
    ExportError
        If it ends as that of a file does.
    """
    if output is None or output.is_dir():
        return
    ending = output.suffix.lower()
    if ending in ENDINGS:
        raise ExportError(
            place=str(output),
            reason=f"{what} are a folder of files, and its name ends in {ending}",
            remedy="Name a folder.",
        )


def require_replaceable(
    output: Path, *, overwrite: bool, columns: Sequence[str] = ()
) -> None:
    """Require that nothing is lost when a file is written there.

    Devices and pipes are written to and not replaced. Of an empty file nothing is lost.

    Parameters
    ----------
    output : Path
        The file.
    overwrite : bool
        Whether the user wants it replaced whatever it is.
    columns : sequence of str, optional
        The columns of a table of text: one with the same columns is taken for ours.

    Raises
    ------
    ExportError
        If a file lies there that ssdlab did not write.
    RunFolderError
        If it lies in a run folder, where `opened_output` would refuse it.
    """
    folder = output_folder(output.parent)
    if _is_in_run(folder):
        folder.has_file(output.name)
    if overwrite or not _is_strange(output, columns):
        return
    raise ExportError(
        place=str(output),
        reason="a file lies there that ssdlab did not write",
        remedy="Name another file, or replace it with --overwrite.",
    )


def _is_strange(output: Path, columns: Sequence[str]) -> bool:
    try:
        status = output.stat()
    except OSError:
        return False  # nothing is there, or writing says why it cannot be
    if not stat.S_ISREG(status.st_mode) or not status.st_size:
        return False
    try:
        with output.open("rb") as file:
            head = file.read(_END_BYTES)
            file.seek(max(status.st_size - _END_BYTES, 0))
            ends = head + file.read(_END_BYTES)
    except OSError:
        return True
    return not (any(mark in ends for mark in _MARKS) or _has_columns(head, columns))


def _has_columns(head: bytes, columns: Sequence[str]) -> bool:
    """Tell whether a file begins as a table of text with these columns does."""
    first = head.partition(b"\n")[0].rstrip(b"\r")
    if not columns:
        return False
    if first == ",".join(columns).encode():
        return True
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and list(row) == list(columns)

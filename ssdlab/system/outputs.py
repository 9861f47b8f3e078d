"""Output files that the user named: their format, and what may be replaced.

A file that ssdlab writes is marked as such, so that the next command may replace it. A
file without the mark is the user's own. A link that the user named is followed, but
none in a run folder, which may be from others.
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

OCP_MARK: Final = b'"ssdlab check"'  # the name of the test run

_MARKS: Final = (
    *(HTML_MARK, PDF_MARK, SVG_MARK, PNG_MARK, ZIP_MARK, TABLE_MARK, OCP_MARK),
)
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
    """Return the format of an output file, by its extension.

    Examples
    --------
    >>> choose_format(Path("report.pdf"), None, ("html", "pdf"))
    'pdf'
    """
    ending = PurePath(output).suffix.lower() if output is not None else ""
    raw = ENDINGS.get(ending)
    if not ending or (raw is None and asked is not None):
        return asked or formats[0]
    if raw is not None and raw in formats and asked in {None, raw}:
        return raw
    endings = [name for name, kind in ENDINGS.items() if kind in formats]
    wanted = f"{asked} was requested" if asked else f"it can be {' or '.join(formats)}"
    raise ExportError(
        place=str(output),
        reason=f"its name ends in {ending}, and {wanted}",
        remedy=f"Use the extension of its format: {', '.join(endings)}.",
    )


@contextmanager
def exporting(place: Path, *, remedy: str) -> Iterator[None]:
    """Say which output cannot be written, and what to do.

    Raises
    ------
    ExportError
        In place of an OSError.
    """
    try:
        yield
    except OSError as error:
        reason = f"it cannot be written ({error.strerror})"
        raise ExportError(place=str(place), reason=reason, remedy=remedy) from None


def write_output(path: Path, content: bytes) -> None:
    """Write a file as `opened_output` does."""
    with opened_output(path) as file:
        file.write(content)


@contextmanager
def opened_output(path: Path) -> Iterator[BinaryIO]:
    """Open an output file, which appears when it is whole."""
    folder = output_folder(path.parent)
    is_in_run = _is_in_run(folder)
    with folder.writing(path.name) if is_in_run else opened_whole(path) as file:
        yield file


def output_folder(path: Path) -> Folder:
    """Return an output folder; one in a run folder as a folder of that run."""
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - links stay as they are named
    for run in (whole, *whole.parents):
        if os.path.lexists(run / "run.json"):
            return Folder(run, whole.relative_to(run).parts)
    return Folder(path)


def _is_in_run(folder: Folder) -> bool:
    return os.path.lexists(folder.root / "run.json")


def require_folder_name(output: Path | None, what: str) -> None:
    """Require that the name of an output folder does not look like a file's."""
    if output is None or output.is_dir():
        return
    ending = output.suffix.lower()
    if ending in ENDINGS:
        raise ExportError(
            place=str(output),
            reason=f"{what} are written as a folder, and the name ends in {ending}",
            remedy="Name a folder.",
        )


def require_replaceable(
    output: Path, *, overwrite: bool, columns: Sequence[str] = ()
) -> None:
    """Require that writing a file there loses nothing.

    Devices and pipes are written to and not replaced. An empty file may be replaced.
    """
    folder = output_folder(output.parent)
    if _is_in_run(folder):
        folder.has_file(output.name)
    if overwrite or not _is_foreign(output, columns):
        return
    raise ExportError(
        place=str(output),
        reason="the file exists, and ssdlab did not write it",
        remedy="Name another file, or replace it with --overwrite.",
    )


def _is_foreign(output: Path, columns: Sequence[str]) -> bool:
    try:
        status = output.stat()
    except OSError:
        return False  # it does not exist, or writing it will raise the error
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
    """Tell whether a file begins like a text table with these columns."""
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

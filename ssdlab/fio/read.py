"""Read any output of fio into data frames."""

import gzip
import zlib
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from ssdlab.fio.frames import FioResult, tabulate
from ssdlab.fio.parse import parse_documents
from ssdlab.model.errors import FioOutputError

_GZIP_MAGIC = b"\x1f\x8b"
_UNNAMED = "fio output"

FioSource = str | PathLike[str] | bytes | BinaryIO


def read_fio(source: FioSource) -> FioResult:
    """Read fio's JSON or JSON+ output, of fio 2.x or 3.x.

    Parameters
    ----------
    source : path, bytes or binary file
        The output itself or where it is; compressed by gzip or not. There may be
        text around the JSON, and several documents (``status-interval``).

    Returns
    -------
    FioResult
        The frames ``documents``, ``jobs`` (a row per document, entry and direction),
        ``percentiles``, ``bins``, ``options`` and ``issues``.

    Raises
    ------
    FioOutputError
        If it cannot be read, holds no JSON of fio, or lacks a value.

    Examples
    --------
    >>> read_fio(b"fio: no JSON here")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ssdlab.model.errors.FioOutputError: fio output: it holds no JSON of fio. Give...
    """
    data, name = read_output(source)
    return tabulate([parse_documents(data, source=name)])


def read_output(source: FioSource) -> tuple[bytes, str]:
    """Return the bytes of an output, uncompressed, and what to call it.

    Raises
    ------
    FioOutputError
        If it cannot be read.
    """
    name = _UNNAMED
    try:
        if isinstance(source, bytes):
            data = source
        elif isinstance(source, str | PathLike):
            name = str(source)
            data = Path(source).read_bytes()
        else:
            name = str(getattr(source, "name", _UNNAMED))
            data = source.read()
        return (gzip.decompress(data) if data[:2] == _GZIP_MAGIC else data), name
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise FioOutputError(
            source=name,
            reason=f"it cannot be read ({getattr(error, 'strerror', None) or error})",
            remedy="Give a file that fio wrote with --output-format=json or json+.",
        ) from error

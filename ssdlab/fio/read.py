"""Read any output of fio into data frames."""

from collections.abc import Iterator, Mapping

from ssdlab.fio.document import Doubt
from ssdlab.fio.frames.result import FioFile, FioResult, tabulate_files
from ssdlab.fio.from_json.taken_bins import prepare
from ssdlab.fio.identify import FileKind
from ssdlab.fio.output import parse_output
from ssdlab.fio.sources import (
    FioSource,
    FioSources,
    NamedSource,
    doubt_unread,
    list_sources,
    name_source,
    read_content,
    read_whole,
)
from ssdlab.model.errors import FioOutputError, LargeInputError
from ssdlab.system.unpack import MAX_INPUT_BYTES

__all__ = ["FilesRead", "FioSource", "FioSources", "read_fio", "read_output"]

_REMEDY = "Use output of fio, such as of --output-format=json+."
_MEANINGS: Mapping[FileKind, str] = {
    "log": "it is a log of fio, not its output",
    "histogram-log": "it is a histogram log of fio, not its output",
    "job-file": "it is a job file of fio, which has no result",
    "other": "it has no output of fio",
}
_REMEDIES: Mapping[str, str] = {
    "log": "Read it with read_fio_log(), or ssdlab parse --table log.",
    "histogram-log": (
        "Read it with read_fio_histogram_log(), or ssdlab parse --table histogram."
    ),
    "too-large": LargeInputError.REMEDY,
    "unreadable": "Name a file or folder that exists and that you may read.",
}


def read_fio(
    source: FioSources, *, max_input_bytes: int = MAX_INPUT_BYTES
) -> FioResult:
    """Read fio's output in any form, of fio 2.0 or later.

    Parameters
    ----------
    source : path, bytes or binary file, or a sequence of them
        The output or its path: JSON, JSON+, terse or normal text, optionally within
        other text, and optionally compressed by gzip or zstd. Of a folder all files
        are read; ``"-"`` is standard input.
    max_input_bytes : int, default 512 MiB
        The most that is read of one file, unpacked [B].

    Returns
    -------
    FioResult
        The frames ``documents``, ``jobs`` (a row per document, entry and direction),
        ``percentiles``, ``bins``, ``options``, ``disks``, ``steadystate`` and
        ``issues``, which also names each file that has no output of fio.

    Raises
    ------
    FioOutputError
        If no output of fio can be read there.

    Examples
    --------
    >>> read_fio(b"fio: no JSON here")
    Traceback (most recent call last):
    ssdlab.model.errors.FioOutputError: fio output: it has no output of fio. Use...
    """
    files = FilesRead(source, max_input_bytes=max_input_bytes)
    result = tabulate_files(files)
    files.require_output()
    return result


class FilesRead:
    """The files of a source, read one after the other during iteration.

    A file that is not output of fio has no documents, but a doubt that says what it is.
    """

    def __init__(
        self, source: FioSources, *, max_input_bytes: int = MAX_INPUT_BYTES
    ) -> None:
        self._source, self._is_any_output = source, False
        self._max_bytes = max_input_bytes
        self._first: FioFile | None = None
        self.count = 0

    def __iter__(self) -> Iterator[FioFile]:
        sources = list(list_sources(self._source, max_bytes=self._max_bytes))
        prepare(sum(named.size_bytes for named in sources))
        for named in sources:
            file = _read_file(named)
            self.count += 1
            self._first = self._first or file
            self._is_any_output = self._is_any_output or bool(file.documents)
            yield file

    def require_output(self) -> None:
        """Require that something was read."""
        if self._is_any_output:
            return
        if self._first is None:
            raise FioOutputError(
                source="fio output", reason="there is no file to read", remedy=_REMEDY
            )
        doubt = self._first.doubts[-1]
        reason, remedy = doubt.meaning, _REMEDIES.get(doubt.kind, _REMEDY)
        if self.count > 1:
            reason += f"; none of the other {self.count} files is output of fio either"
        raise FioOutputError(source=self._first.source, reason=reason, remedy=remedy)


def _read_file(named: NamedSource) -> FioFile:
    try:
        content = read_content(named)
    except FioOutputError as error:
        return FioFile(source=named.name, documents=(), doubts=(doubt_unread(error),))
    if content.kind != "output":
        kind = "not-fio" if content.kind == "other" else content.kind
        doubt = Doubt(kind=kind, place="file", meaning=_MEANINGS[content.kind])
        return FioFile(source=named.name, documents=(), doubts=(*content.doubts, doubt))
    try:
        documents = parse_output(content.data, source=named.name)
    except FioOutputError as error:
        doubt = Doubt(kind="not-fio", place="file", meaning=error.reason)
        return FioFile(source=named.name, documents=(), doubts=(*content.doubts, doubt))
    return FioFile(source=named.name, documents=documents, doubts=content.doubts)


def read_output(
    source: FioSource, *, max_bytes: int = MAX_INPUT_BYTES
) -> tuple[bytes, str]:
    """Return the bytes of an output, uncompressed, and its name."""
    named = name_source(source, max_bytes=max_bytes)
    return read_whole(named), named.name

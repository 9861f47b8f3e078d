"""Sources of fio's output, one file after the other, each with a name."""

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import chain, count
from os import PathLike
from pathlib import Path
from typing import BinaryIO, cast

from ssdlab.fio.document import Doubt
from ssdlab.fio.encodings import guess_encoding
from ssdlab.fio.identify import (
    HEAD_BYTES,
    FileKind,
    holds_output,
    identify,
    is_text,
)
from ssdlab.model.errors import FioOutputError, LargeInputError
from ssdlab.system.unpack import (
    MAX_INPUT_BYTES,
    DamagedArchiveError,
    InputTooLargeError,
    read_pieces,
)

FioSource = str | PathLike[str] | bytes | BinaryIO
FioSources = FioSource | Sequence[FioSource]

_UNNAMED = "fio output"
_STANDARD_INPUT = "standard input"
_KEPT_BYTES = 1 << 16
_LOOK_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class NamedSource:
    """One file or stream, its name, and its state.

    At most ``max_bytes`` of its unpacked content are read.
    """

    name: str
    given: Path | bytes | BinaryIO
    status: os.stat_result | None = None
    max_bytes: int = MAX_INPUT_BYTES

    @property
    def size_bytes(self) -> int:
        """Its size, if known before it is read; else 0."""
        if isinstance(self.given, bytes):
            return len(self.given)
        return self.status.st_size if self.status else 0

    @property
    def identity(self) -> object:
        """A key that is equal for the same file."""
        status = self.status
        if status and stat.S_ISREG(status.st_mode):
            return status.st_dev, status.st_ino
        return self.given

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open it for reading."""
        try:
            if isinstance(self.given, bytes):
                yield BytesIO(self.given)
            elif isinstance(self.given, Path):
                with self.given.open("rb") as file:
                    yield file
            else:
                yield self.given
        except InputTooLargeError as error:
            raise LargeInputError(
                source=self.name, reason=str(error), remedy=LargeInputError.REMEDY
            ) from error
        except (OSError, ValueError) as error:
            raise FioOutputError(**_unreadable(self.name, error)) from error

    def pieces(self, file: BinaryIO) -> Iterator[bytes]:
        """Yield the unpacked content of the open file, up to the limit."""
        return read_pieces(file, max_bytes=self.max_bytes)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Content:
    """The kind of a file, and its bytes if it may have fio's output."""

    kind: FileKind
    data: bytes
    doubts: tuple[Doubt, ...]


def list_sources(
    sources: FioSources, *, max_bytes: int = MAX_INPUT_BYTES
) -> Iterator[NamedSource]:
    """Yield each file once, folders walked in the order of their names.

    Hidden files and folders are left out, unless they are named explicitly.
    """
    seen: set[object] = set()
    expanded = map(_expand, _each(sources), count())
    for named in chain.from_iterable(expanded):
        if isinstance(named.given, Path):
            if named.identity in seen:
                continue
            seen.add(named.identity)
        yield replace(named, max_bytes=max_bytes)


def _each(sources: FioSources) -> Sequence[FioSource]:
    if isinstance(sources, str | PathLike | bytes) or hasattr(sources, "read"):
        return [cast("FioSource", sources)]
    return sources


def _expand(source: FioSource, number: int) -> Iterator[NamedSource]:
    unnamed = f"{_UNNAMED} {number + 1}" if number else _UNNAMED
    named = _name(source, unnamed)
    if isinstance(named.given, Path) and _is_folder(named.status):
        yield from _files_below(named.given)
    else:
        yield named


def name_source(
    source: FioSource, unnamed: str = _UNNAMED, *, max_bytes: int = MAX_INPUT_BYTES
) -> NamedSource:
    """Return a source of one file with its name."""
    return replace(_name(source, unnamed), max_bytes=max_bytes)


def _name(source: FioSource, unnamed: str) -> NamedSource:
    if isinstance(source, bytes):
        return NamedSource(name=unnamed, given=source)
    if isinstance(source, str) and source == "-":
        return NamedSource(name=_STANDARD_INPUT, given=sys.stdin.buffer)
    if isinstance(source, str | PathLike):
        return _of_path(source)
    is_input = source is sys.stdin.buffer
    name = getattr(source, "name", unnamed)
    name = _STANDARD_INPUT if is_input else printable_path(name)
    return NamedSource(name=name, given=source)


def _files_below(path: Path) -> Iterator[NamedSource]:
    for folder, names, files in os.walk(path):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(files):
            if name.startswith("."):
                continue
            named = _of_path(Path(folder, name))
            if not _may_block(named.status):
                yield named


def _of_path(given: str | PathLike[str]) -> NamedSource:
    path = given if isinstance(given, Path) else Path(given)
    status = None
    with suppress(OSError, ValueError):  # reading it will report that
        status = path.stat()
    return NamedSource(name=printable_path(given), given=path, status=status)


def _is_folder(status: os.stat_result | None) -> bool:
    return status is not None and stat.S_ISDIR(status.st_mode)


def _may_block(status: os.stat_result | None) -> bool:
    """Tell whether it is not a regular file, so reading it may block for ever."""
    return status is not None and not stat.S_ISREG(status.st_mode)


def printable_path(path: object) -> str:
    """Return the name of a file as printable text."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def read_content(source: NamedSource) -> Content:
    """Return the kind of a file, and its content if it may have fio's output.

    Of other files only the beginning is kept, whatever their size.
    """
    with source.open() as file:
        pieces = source.pieces(file)
        held: list[bytes] = []
        try:
            kind = _hold_head(pieces, held)
            if kind == "output" or (kind == "other" and _hold_late(pieces, held)):
                kind = "output"
                held.extend(pieces)
            doubts: tuple[Doubt, ...] = ()
        except DamagedArchiveError as error:
            kind = identify(b"".join(held)[:HEAD_BYTES])
            doubts = (_doubt_of(error),)
    data = b"".join(held) if kind == "output" else b""
    return Content(kind=kind, data=data, doubts=doubts)


def _hold_head(pieces: Iterator[bytes], held: list[bytes]) -> FileKind:
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= HEAD_BYTES:
            break
    return identify(b"".join(held)[:HEAD_BYTES])


def _hold_late(pieces: Iterator[bytes], held: list[bytes]) -> bool:
    """Search for output after other text; keep the text from just before it."""
    head = b"".join(held)
    encoding = guess_encoding(head)
    if not is_text(head[:HEAD_BYTES]):
        return False
    while True:
        looked_at = b"".join(held)
        if holds_output(looked_at, encoding):
            return True
        taken = _take(pieces)
        if not taken:
            return False
        held[:] = [looked_at[-_KEPT_BYTES:], *taken]


def _take(pieces: Iterator[bytes]) -> list[bytes]:
    """Return the next pieces, as many as are searched at once."""
    taken: list[bytes] = []
    size = 0
    for piece in pieces:
        taken.append(piece)
        size += len(piece)
        if size >= _LOOK_BYTES:
            break
    return taken


def identify_source(source: NamedSource) -> FileKind:
    """Return the kind of a file by its beginning; a path can be read again."""
    held: list[bytes] = []
    with source.open() as file, suppress(DamagedArchiveError):
        return _hold_head(source.pieces(file), held)
    return identify(b"".join(held)[:HEAD_BYTES])


def read_whole(source: NamedSource) -> bytes:
    """Return the content of a file, unpacked."""
    with source.open() as file:
        try:
            return b"".join(source.pieces(file))
        except DamagedArchiveError as error:
            raise FioOutputError(**_unreadable(source.name, error)) from error


def doubt_unread(error: FioOutputError, *, place: str = "file") -> Doubt:
    """Return the doubt that a file was not read, and why."""
    kind = "too-large" if isinstance(error, LargeInputError) else "unreadable"
    return Doubt(kind=kind, place=place, meaning=error.reason, is_grave=True)


def _doubt_of(error: DamagedArchiveError) -> Doubt:
    meaning = f"the archive is truncated or damaged ({error}): what follows is lost"
    return Doubt(kind="truncated-archive", place="file", meaning=meaning, is_grave=True)


def _unreadable(name: str, error: Exception) -> dict[str, str]:
    reason = getattr(error, "strerror", None) or error
    return {
        "source": name,
        "reason": f"it cannot be read ({reason})",
        "remedy": "Use a file that fio wrote and that you may read.",
    }

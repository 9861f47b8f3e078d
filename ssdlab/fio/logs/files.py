"""A log as bytes that can be read at any position: a file, or in memory."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ssdlab.fio.sources import FioSource, NamedSource, name_source
from ssdlab.model.errors import FioOutputError
from ssdlab.system.unpack import (
    GZIP_MAGIC,
    MAX_INPUT_BYTES,
    ZSTD_MAGIC,
    DamagedArchiveError,
)

_FIO_PACKED_MAGIC: Final = b"\x78\x9c"  # zlib, as log_store_compressed writes it
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_PIECE_BYTES: Final = 1 << 12
_SPAN_BYTES: Final = 32 << 20
_MOST_SPANS: Final = 64
LOG_REMEDY: Final = "Use a log made by write_bw_log, write_iops_log or write_lat_log"

Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LogFile:
    """A log that can be opened again; ``path`` is ``None`` if it is in ``content``.

    ``begin`` is after a byte order mark; ``damage`` is what is wrong with its archive,
    of which the content is then the good part.
    """

    name: str
    path: Path | None
    content: bytes
    size: int
    begin: int = 0
    mtime_ns: int = 0
    damage: str = ""

    @contextmanager
    def open(self) -> Iterator["OpenLog"]:
        """Open it for reading."""
        if self.path is None:
            yield OpenLog(fd=-1, content=self.content, size=self.size)
            return
        try:
            with self.path.open("rb") as file:
                status = os.fstat(file.fileno())
                if (status.st_size, status.st_mtime_ns) != (self.size, self.mtime_ns):
                    raise FioOutputError(**changed(self.name))
                yield OpenLog(fd=file.fileno(), content=b"", size=self.size)
        except OSError as error:
            raise FioOutputError(**_unreadable(self.name, error)) from error


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class OpenLog:
    """The bytes of a log: of an open file, or the content if ``fd`` is -1."""

    fd: int
    content: bytes
    size: int

    def read(self, begin: int, size: int) -> bytes:
        """Return up to ``size`` bytes, fewer only at the end."""
        if self.fd < 0:
            return self.content[begin : begin + size]
        pieces: list[bytes] = []
        end = min(begin + size, self.size)
        while begin < end and (piece := os.pread(self.fd, end - begin, begin)):
            pieces.append(piece)
            begin += len(piece)
        return b"".join(pieces)

    def newline(self, begin: int) -> int | None:
        """Return the position of the next newline."""
        while piece := self.read(begin, _PIECE_BYTES):
            found = piece.find(b"\n")
            if found >= 0:
                return begin + found
            begin += len(piece)
        return None

    def spans(self, begin: int, step: int | None = None) -> tuple[Span, ...]:
        """Return parts of ``step`` bytes or a little more that begin at lines."""
        step = step or max(_SPAN_BYTES, -(-self.size // _MOST_SPANS))
        begins = [begin]
        while begins[-1] + step < self.size:
            newline = self.newline(begins[-1] + step - 1)
            if newline is None or newline + 1 >= self.size:
                break
            begins.append(newline + 1)
        return tuple(zip(begins, [*begins[1:], self.size], strict=True))


def find_log(source: FioSource, *, max_bytes: int = MAX_INPUT_BYTES) -> LogFile:
    """Return the log of a source; anything but a plain file is read to memory."""
    named = name_source(source, max_bytes=max_bytes)
    if isinstance(named.given, Path):
        file = _plain_file(named.given, named.name)
        if file is not None:
            return file
    content, damage = _unpack(named)
    require_unpacked(named.name, content)
    return LogFile(
        name=named.name,
        path=None,
        content=content,
        size=len(content),
        begin=_behind_mark(content),
        damage=damage,
    )


def _unpack(named: NamedSource) -> tuple[bytes, str]:
    """Return the complete lines of a log, and what is wrong with its archive."""
    pieces: list[bytes] = []
    with named.open() as file:
        try:
            pieces.extend(named.pieces(file))
        except DamagedArchiveError as error:
            content = b"".join(pieces)
            content = content[: content.rfind(b"\n") + 1]
            if not content:
                raise FioOutputError(**_unreadable(named.name, error)) from error
            return content, str(error)
    return b"".join(pieces), ""


def require_unpacked(name: str, head: bytes) -> None:
    """Require that a log is not one that fio packed itself."""
    if head.startswith(_FIO_PACKED_MAGIC):
        raise FioOutputError(
            source=name,
            reason="fio packed it (log_store_compressed), and only fio "
            "--inflate-log=FILE can unpack it",
            remedy="Use the output of that.",
        )


def _plain_file(path: Path, name: str) -> LogFile | None:
    """Return a file that can be read in place, or ``None`` if it cannot."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return None
        with path.open("rb") as file:
            head = file.read(len(_BYTE_ORDER_MARK) + 1)
    except (OSError, ValueError) as error:
        raise FioOutputError(**_unreadable(name, error)) from error
    if head.startswith((GZIP_MAGIC, ZSTD_MAGIC)):
        return None
    require_unpacked(name, head)
    return LogFile(
        name=name,
        path=path,
        content=b"",
        size=status.st_size,
        begin=_behind_mark(head),
        mtime_ns=status.st_mtime_ns,
    )


def _behind_mark(head: bytes) -> int:
    return len(_BYTE_ORDER_MARK) if head.startswith(_BYTE_ORDER_MARK) else 0


def changed(name: str) -> dict[str, str]:
    """Return the parts of the error for a log that has changed."""
    return {
        "source": name,
        "reason": "it changed while it was being read",
        "remedy": "Read it again when fio has ended.",
    }


def _unreadable(name: str, error: Exception) -> dict[str, str]:
    return {
        "source": name,
        "reason": f"it cannot be read ({getattr(error, 'strerror', None) or error})",
        "remedy": f"{LOG_REMEDY}, and that you may read.",
    }

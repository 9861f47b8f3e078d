"""The content of a file, unpacked if it is gzip or zstd, up to a limit.

A few MB of an archive can unpack to any size. All that ssdlab unpacks goes through
here, so no archive costs more memory or time than `MAX_INPUT_BYTES`.
"""

import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

from ssdlab.model.units import MIB

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
MAX_INPUT_BYTES = 512 * MIB

_PIECE_BYTES = 1 << 20
_PACKED_PIECE_BYTES = 1 << 16
_ZSTD_PIECE_BYTES = 1 << 14  # the output of a damaged piece is lost
_ANY_GZIP = 31


class DamagedArchiveError(Exception):
    """An archive that is truncated or damaged; what was yielded before is good."""


class InputTooLargeError(Exception):
    """Content that is larger than its limit [B]."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        in_mib, rest = divmod(max_bytes, MIB)
        bound = f"{max_bytes:,} B" if rest else f"{in_mib:,} MiB"
        super().__init__(f"it holds more than {bound}, the limit of --max-input")


def read_pieces(file: BinaryIO, *, max_bytes: int = MAX_INPUT_BYTES) -> Iterator[bytes]:
    """Yield the content of a file from its start, packed or not."""
    packed = _Headed(file, file.read(_PACKED_PIECE_BYTES))
    return _bounded(_choose(packed)(packed), max_bytes)


def gunzip(file: BinaryIO, *, max_bytes: int = MAX_INPUT_BYTES) -> bytes:
    """Return the content of a gzip archive, all of it."""
    packed = _Headed(file, file.read(_PACKED_PIECE_BYTES))
    if not packed.head:
        msg = "it is empty"
        raise DamagedArchiveError(msg)
    return b"".join(_bounded(_unpack_gzip(packed), max_bytes))


def read_held(file: BinaryIO, *, max_bytes: int = MAX_INPUT_BYTES) -> bytes:
    """Return the content of a file as it is."""
    pieces = iter(lambda: file.read(_PIECE_BYTES), b"")
    return b"".join(_bounded(pieces, max_bytes))


class _Headed:
    """A file whose first piece was read and is read again."""

    closed = False

    def close(self) -> None:
        """Leave the file open: it is its owner's."""

    def __init__(self, file: BinaryIO, head: bytes) -> None:
        self.head = head
        self._file, self._left = file, head

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, at most ``size``."""
        if not self._left:
            return self._file.read(size)
        cut = size if size >= 0 else len(self._left)
        piece, self._left = self._left[:cut], self._left[cut:]
        return piece


def _choose(packed: _Headed) -> Callable[[_Headed], Iterator[bytes]]:
    if packed.head.startswith(GZIP_MAGIC):
        return _unpack_gzip
    if packed.head.startswith(ZSTD_MAGIC):
        return _unpack_zstd
    return _as_it_is


def _bounded(pieces: Iterator[bytes], max_bytes: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > max_bytes:
            raise InputTooLargeError(max_bytes)
        yield piece


def _as_it_is(plain: _Headed) -> Iterator[bytes]:
    while piece := plain.read(_PIECE_BYTES):
        yield piece


def _unpack_gzip(packed: _Headed) -> Iterator[bytes]:
    """Yield the content of all members, one after the other."""
    unpacker, left, is_begun = zlib.decompressobj(_ANY_GZIP), b"", False
    while left or (left := packed.read(_PACKED_PIECE_BYTES)):
        try:
            piece = unpacker.decompress(left, _PIECE_BYTES)
        except zlib.error as error:
            raise DamagedArchiveError(str(error)) from error
        if piece:
            yield piece
        is_begun = not unpacker.eof
        left = unpacker.unconsumed_tail
        if unpacker.eof:
            left = unpacker.unused_data.lstrip(b"\0") or packed.read(
                _PACKED_PIECE_BYTES
            )
            unpacker = zlib.decompressobj(_ANY_GZIP)
    if is_begun:
        msg = "it is truncated"
        raise DamagedArchiveError(msg)


def _unpack_zstd(packed: _Headed) -> Iterator[bytes]:
    import pyarrow as pa  # noqa: PLC0415 - 0.1 s that plain files need not pay

    stream = pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), "zstd")
    while True:
        try:
            piece = stream.read(_ZSTD_PIECE_BYTES)
        except (OSError, pa.ArrowException) as error:
            raise DamagedArchiveError(str(error)) from error
        if not piece:
            return
        yield piece

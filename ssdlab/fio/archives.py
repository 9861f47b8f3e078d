"""The content of a file piece by piece, unpacked where it is gzip or zstd."""

import zlib
from collections.abc import Iterator
from typing import BinaryIO

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"

_PIECE_BYTES = 1 << 20
_PACKED_PIECE_BYTES = 1 << 16
_ZSTD_PIECE_BYTES = 1 << 14  # what comes of the piece that is damaged is lost
_ANY_GZIP = 31
# More than deflate can pack: an archive that unpacks to so much is made to do harm.
_MOST_RATIO = 1100
_ALWAYS_ALLOWED_BYTES = 1 << 28


class DamagedArchiveError(Exception):
    """An archive that is cut short or damaged; what came before it is whole."""


def read_pieces(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content of a file that is read from its start.

    Raises
    ------
    DamagedArchiveError
        After what is whole of an archive that is cut short or damaged.
    """
    packed = _Counted(file, file.read(_PACKED_PIECE_BYTES))
    if packed.head.startswith(GZIP_MAGIC):
        yield from _bounded(_unpack_gzip(packed), packed)
    elif packed.head.startswith(ZSTD_MAGIC):
        yield from _bounded(_unpack_zstd(packed), packed)
    else:
        yield packed.head
        while piece := file.read(_PIECE_BYTES):
            yield piece


class _Counted:
    """A file of which the first piece has been read, and how much was read of it."""

    closed = False

    def close(self) -> None:
        """Leave the file open: it is its owner's."""

    def __init__(self, file: BinaryIO, head: bytes) -> None:
        self.head, self.read_bytes = head, 0
        self._file, self._left = file, head

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, at most ``size``."""
        if not self._left:
            piece = self._file.read(size)
        else:
            cut = size if size >= 0 else len(self._left)
            piece, self._left = self._left[:cut], self._left[cut:]
        self.read_bytes += len(piece)
        return piece


def _bounded(pieces: Iterator[bytes], packed: _Counted) -> Iterator[bytes]:
    unpacked_bytes = 0
    for piece in pieces:
        unpacked_bytes += len(piece)
        if unpacked_bytes > max(_ALWAYS_ALLOWED_BYTES, _MOST_RATIO * packed.read_bytes):
            msg = f"it unpacks to more than {_MOST_RATIO} times its size"
            raise DamagedArchiveError(msg)
        yield piece


def _unpack_gzip(packed: _Counted) -> Iterator[bytes]:
    """Yield the content of all members, one after the other.

    Raises
    ------
    DamagedArchiveError
        After what is whole.
    """
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
        msg = "it ends too early"
        raise DamagedArchiveError(msg)


def _unpack_zstd(packed: _Counted) -> Iterator[bytes]:
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

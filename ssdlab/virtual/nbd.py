"""A small NBD client to purge and check the virtual SSD without fio.

The protocol is that of the NBD project, doc/proto.md: fixed newstyle, simple replies.
"""

import socket
import struct
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_CLIENT_FLAGS: Final = 3  # fixed newstyle, no zeroes
_OPTION_EXPORT_NAME: Final = 1
_OPTION_MAGIC: Final = 0x49484156454F5054
_REQUEST_MAGIC: Final = 0x25609513
_REPLY_MAGIC: Final = 0x67446698
_READ, _WRITE, _DISCONNECT, _FLUSH, _TRIM = range(5)
_TIMEOUT_S: Final = 60.0


class NbdClient:
    """A connection to the default export of an NBD server; one request at a time."""

    def __init__(self, socket_path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(_TIMEOUT_S)
            self._socket.connect(str(socket_path))
            self.size_bytes = self._shake_hands()
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect and close the connection."""
        with self._socket, suppress(ConnectionError):
            self._send(_DISCONNECT)

    def read(self, offset: int, count: int) -> bytes:
        """Read ``count`` bytes at ``offset``."""
        self._send(_READ, offset=offset, count=count)
        self._require_success()
        return self._receive(count)

    def write(self, offset: int, data: bytes) -> None:
        """Write bytes at ``offset``."""
        self._send(_WRITE, offset=offset, count=len(data), data=data)
        self._require_success()

    def trim(self, offset: int, count: int) -> None:
        """Tell the device that these bytes are no longer needed."""
        self._send(_TRIM, offset=offset, count=count)
        self._require_success()

    def flush(self) -> None:
        """Wait until the write buffer is flushed."""
        self._send(_FLUSH)
        self._require_success()

    def _shake_hands(self) -> int:
        magic, option_magic, _ = struct.unpack(">8sQH", self._receive(18))
        if (magic, option_magic) != (b"NBDMAGIC", _OPTION_MAGIC):
            msg = "the server does not speak the NBD protocol"
            raise ConnectionError(msg)
        asked = struct.pack(
            ">IQII", _CLIENT_FLAGS, _OPTION_MAGIC, _OPTION_EXPORT_NAME, 0
        )
        self._socket.sendall(asked)
        size_bytes, _ = struct.unpack(">QH", self._receive(10))
        return int(size_bytes)

    def _send(
        self, command: int, *, offset: int = 0, count: int = 0, data: bytes = b""
    ) -> None:
        header = struct.pack(">IHHQQI", _REQUEST_MAGIC, 0, command, 0, offset, count)
        self._socket.sendall(header + data)

    def _require_success(self) -> None:
        magic, error, _ = struct.unpack(">IIQ", self._receive(16))
        if magic != _REPLY_MAGIC:
            msg = "the NBD server sent a reply that is not valid"
            raise ConnectionError(msg)
        if error:
            raise OSError(error, "the NBD server refused a request")

    def _receive(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            part = self._socket.recv(count - len(parts))
            if not part:
                msg = "the NBD server closed the connection"
                raise ConnectionError(msg)
            parts += part
        return bytes(parts)

"""QEMU's monitor, where the machine is changed while it runs."""

import json
import time
from typing import Any

from tests.vm.link import CHUNK_BYTES, GuestLostError, connect


class MonitorError(Exception):
    """QEMU refused a command of its monitor."""


class Monitor:
    """The connection; nothing else may use it at the same time."""

    def __init__(self, path: str) -> None:
        self._socket = connect(path, 10)
        self._unread = b""
        self._events: list[dict[str, Any]] = []
        self._receive(time.monotonic() + 10)  # its greeting
        self.execute("qmp_capabilities")

    def execute(self, command: str, **arguments: object) -> Any:
        """Return what QEMU answers.

        Raises
        ------
        MonitorError
            If it refuses.
        """
        request = {"execute": command, "arguments": arguments}
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        deadline = time.monotonic() + 60
        while True:
            message = self._receive(deadline)
            if "event" in message:
                self._events.append(message)
            elif "error" in message:
                text = f"{command}: {message['error']['desc']}"
                raise MonitorError(text)
            else:
                return message["return"]

    def wait_for_event(self, name: str, *, device: str, timeout_s: float) -> None:
        """Wait until QEMU has told that this happened to a device.

        Raises
        ------
        TimeoutError
            If it has not by then.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            for event in self._events:
                if event["event"] == name and event["data"].get("device") == device:
                    self._events.remove(event)
                    return
            message = self._receive(deadline)
            if "event" in message:
                self._events.append(message)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _receive(self, deadline: float) -> dict[str, Any]:
        while b"\n" not in self._unread:
            self._socket.settimeout(max(0.01, deadline - time.monotonic()))
            chunk = self._socket.recv(CHUNK_BYTES)
            if not chunk:
                text = "QEMU has hung up"
                raise GuestLostError(text)
            self._unread += chunk
        line, self._unread = self._unread.split(b"\n", 1)
        message: dict[str, Any] = json.loads(line)
        return message

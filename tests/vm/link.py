"""The host's end of the wire to the agent: jobs, and what they said."""

import contextlib
import itertools
import json
import signal
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

CHUNK_BYTES: Final = 65536
READY: Final = 0  # the number under which the agent says that it is there


class GuestLostError(Exception):
    """The guest is gone, or never came."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """How a command in the guest ended; ``output`` holds both streams as they came."""

    exit_code: int
    output: str
    stdout: str
    stderr: str

    def json(self) -> Any:
        """Return what it wrote to standard output, read as JSON."""
        return json.loads(self.stdout)


class Job:
    """A command that runs in the guest."""

    def __init__(self, link: "Link", number: int) -> None:
        self._link = link
        self._number = number
        self._said: list[tuple[str, bytes]] = []
        self._exit_code: int | None = None
        self._changed = threading.Condition()

    @property
    def output(self) -> str:
        """What it has said so far, on both streams."""
        return self._text("out", "err")

    @property
    def is_running(self) -> bool:
        """Whether it runs, as far as the host has heard."""
        return self._exit_code is None and self._link.is_open

    def wait(self, timeout_s: float = 120) -> Answer:
        """Return how it ended.

        Raises
        ------
        TimeoutError
            If it has not ended by then; it is killed.
        GuestLostError
            If the guest went first.
        """
        if not self.ends_within(timeout_s):
            self.stop(signal.SIGKILL)
            text = f"no end within {timeout_s} s; it said: {self.output[-2000:]}"
            raise TimeoutError(text)
        if self._exit_code is None:
            text = f"the guest went away; the command had said: {self.output[-2000:]}"
            raise GuestLostError(text)
        return Answer(
            exit_code=self._exit_code,
            output=self.output,
            stdout=self._text("out"),
            stderr=self._text("err"),
        )

    def ends_within(self, timeout_s: float) -> bool:
        """Wait so long at most, and tell whether it has ended or the guest is gone."""
        with self._changed:
            return self._changed.wait_for(lambda: not self.is_running, timeout_s)

    def wait_for_output(self, text: str, timeout_s: float = 60) -> None:
        """Wait until it has said this.

        Raises
        ------
        TimeoutError
            If it has not said it by then, or ended without.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: text in self.output or not self.is_running, timeout_s
            )
        if text not in self.output:
            message = f"{text!r} was not said; this was: {self.output[-2000:]}"
            raise TimeoutError(message)

    def stop(self, sent: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal to it and to what it started."""
        self._link.tell({"do": "signal", "job": self._number, "signal": int(sent)})

    def hear(self, message: Mapping[str, Any]) -> None:
        """Take note of what the agent tells about it."""
        with self._changed:
            if "text" in message:
                said = message["text"].encode("latin-1")
                self._said.append((message["stream"], said))
            if "exit_code" in message:
                self._exit_code = message["exit_code"]
            self._changed.notify_all()

    def wake(self) -> None:
        """Let those who wait look again."""
        with self._changed:
            self._changed.notify_all()

    def _text(self, *streams: str) -> str:
        parts = (said for stream, said in tuple(self._said) if stream in streams)
        return b"".join(parts).decode(errors="replace")


class Link:
    """The wire itself; a thread reads it until the guest goes."""

    def __init__(self, path: str, patience_s: float = 10) -> None:
        self._socket = connect(path, patience_s)
        self._numbers = itertools.count(READY + 1)
        self._sending = threading.Lock()
        self.is_open = True
        self.ready = Job(self, READY)
        self._jobs = {READY: self.ready}
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def ask(self, request: Mapping[str, Any]) -> Job:
        """Send a request; return the job that it began."""
        number = next(self._numbers)
        job = self._jobs[number] = Job(self, number)
        self.tell({**request, "id": number})
        return job

    def tell(self, request: Mapping[str, Any]) -> None:
        """Send a request that has no answer.

        Raises
        ------
        GuestLostError
            If the guest is gone.
        """
        with self._sending:
            try:
                self._socket.sendall(json.dumps(request).encode() + b"\n")
            except OSError as error:
                text = f"the guest is gone ({error})"
                raise GuestLostError(text) from error

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):  # the other end may have gone first
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(timeout=10)
        self._socket.close()

    def _listen(self) -> None:
        unread = b""
        try:
            while chunk := self._socket.recv(CHUNK_BYTES):
                *lines, unread = (unread + chunk).split(b"\n")
                for line in lines:
                    message = json.loads(line)
                    self._jobs[message["id"]].hear(message)
        except OSError:
            pass  # the power went away
        finally:
            self.is_open = False
            for job in tuple(self._jobs.values()):
                job.wake()


def connect(path: str, patience_s: float) -> socket.socket:
    """Return a connection to a socket that may not be there yet.

    Raises
    ------
    GuestLostError
        If it is not there by then.
    """
    deadline = time.monotonic() + patience_s
    while True:
        wire = socket.socket(socket.AF_UNIX)
        try:
            wire.connect(path)
        except OSError as error:
            wire.close()
            if time.monotonic() > deadline:
                text = f"the machine cannot be reached ({error})"
                raise GuestLostError(text) from error
            time.sleep(0.02)
        else:
            return wire

"""What answers inside the guest: one process without threads, so that it may fork.

It reads requests and writes events, one JSON object a line, through a virtio serial
port. Python code runs in a fork of this process: a module that was loaded here once
costs nothing there, while its import takes seconds where every instruction is emulated.
"""

import contextlib
import importlib
import json
import os
import selectors
import signal
import site
import sys
from collections.abc import Callable
from typing import Any, Final

PORT_NAME: Final = "ssdlab.agent"
_CHUNK_BYTES: Final = 65536

Message = dict[str, Any]


class Agent:
    """Carries out requests until the other side is gone."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._unread = b""
        self._selector = selectors.DefaultSelector()
        self._groups: dict[int, int] = {}  # process groups, by job
        self._has_site = False

    def serve(self) -> None:
        """Answer for ever."""
        self._selector.register(self._port, selectors.EVENT_READ, self._read_requests)
        self._send({"id": 0, "exit_code": 0})
        while True:
            for key, _ in self._selector.select():
                key.data()

    def _send(self, message: Message) -> None:
        line = memoryview(json.dumps(message).encode() + b"\n")
        while line:
            line = line[os.write(self._port, line) :]

    def _read_requests(self) -> None:
        *lines, self._unread = (self._unread + os.read(self._port, _CHUNK_BYTES)).split(
            b"\n"
        )
        for line in lines:
            self._carry_out(json.loads(line))

    def _carry_out(self, request: Message) -> None:
        match request["do"]:
            case "run":
                words: list[str] = request["argv"]
                self._begin(request["id"], lambda: _run_program(words))
            case "python":
                code: str = request["code"]
                self._load_site()
                self._begin(request["id"], lambda: _run_code(code))
            case "warm":
                self._warm(request)
            case "signal":
                group = self._groups.get(request["job"])
                if group:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(group, request["signal"])
            case unknown:
                raise ValueError(unknown)

    def _begin(self, job: int, become: Callable[[], int]) -> None:
        """Fork; the new process does this with pipes for output, and ends."""
        pipes = [os.pipe(), os.pipe()]
        pid = os.fork()
        if pid == 0:
            os.close(self._port)
            _end_with(become, [write for _, write in pipes])
        for _, write in pipes:
            os.close(write)
        self._watch(job, pid, [read for read, _ in pipes])

    def _load_site(self) -> None:
        """Make installed packages known; a guest that runs only programs saves that."""
        if not self._has_site:
            self._has_site = True
            site.main()
            sys.path[:0] = os.environ["PYTHONPATH"].split(os.pathsep)

    def _warm(self, request: Message) -> None:
        exit_code = 0
        try:
            self._load_site()
            for name in request["modules"]:
                importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - told to the one who asked
            text = f"{name}: {type(error).__name__}: {error}"
            self._send({"id": request["id"], "stream": "err", "text": text})
            exit_code = 1
        self._send({"id": request["id"], "exit_code": exit_code})

    def _watch(self, job: int, pid: int, pipes: list[int]) -> None:
        readers = []
        for stream, pipe in zip(("out", "err"), pipes, strict=True):
            os.set_blocking(pipe, False)
            readers.append(self._reader(job, stream, pipe))
            self._selector.register(pipe, selectors.EVENT_READ, readers[-1])
        self._groups[job] = pid
        ended = os.pidfd_open(pid)

        def end() -> None:
            self._selector.unregister(ended)
            os.close(ended)
            exit_code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            del self._groups[job]
            for reader in readers:  # what it said last; others may keep the pipe open
                reader()
            self._send({"id": job, "exit_code": exit_code})

        self._selector.register(ended, selectors.EVENT_READ, end)

    def _reader(self, job: int, stream: str, pipe: int) -> Callable[[], None]:
        is_open = True

        def read() -> None:
            nonlocal is_open
            while is_open:
                try:
                    text = os.read(pipe, _CHUNK_BYTES)
                except BlockingIOError:
                    return
                if text:
                    said = text.decode("latin-1")  # a chunk may end inside a letter
                    self._send({"id": job, "stream": stream, "text": said})
                    continue
                is_open = False
                self._selector.unregister(pipe)
                os.close(pipe)

        return read


def _end_with(become: Callable[[], int], outputs: list[int]) -> None:
    exit_code = 1
    try:
        os.setsid()
        for number, opened in enumerate((os.open(os.devnull, os.O_RDONLY), *outputs)):
            os.dup2(opened, number)
        exit_code = become()
    except SystemExit as error:
        exit_code = _exit_code(error)
    except BaseException:  # noqa: BLE001 - told on stderr, as Python does
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(exit_code)


def _run_program(words: list[str]) -> int:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores
    try:
        os.execvp(words[0], words)
    except OSError as error:
        print(f"{words[0]}: {error.strerror}", file=sys.stderr)
        return 127


def _run_code(code: str) -> int:
    exec(compile(code, "<guest>", "exec"), {"__name__": "__main__"})
    return 0


def _exit_code(error: SystemExit) -> int:
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    print(error.code, file=sys.stderr)
    return 1


def open_port() -> int:
    """Return the open port, found by its name.

    Raises
    ------
    FileNotFoundError
        If the machine has none of this name.
    """
    ports = "/sys/class/virtio-ports"
    for port in os.listdir(ports):  # noqa: PTH208 - pathlib takes long to load here
        with open(f"{ports}/{port}/name") as name:  # noqa: PTH123 - as above
            if name.read().strip() == PORT_NAME:
                return os.open(f"/dev/{port}", os.O_RDWR)
    raise FileNotFoundError(PORT_NAME)


def main() -> None:
    """Serve, with the signals as a shell would find them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    Agent(open_port()).serve()

"""A page in a browser of this machine: queried and printed once it is ready."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ssdlab.model.errors import BrowserFailedError, MissingToolError

BROWSERS: Final = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    *("chrome", "microsoft-edge"),
)
_FLAGS: Final = (
    *("--headless", "--disable-gpu", "--no-first-run", "--disable-quic"),
    *("--no-default-browser-check", "--enable-unsafe-swiftshader"),
    "--remote-debugging-pipe",
)
_TO_START_S: Final = 60.0
_TO_DRAW_S: Final = 600.0  # a page of a hundred figures on a slow machine
_PATIENCE_S: Final = 180.0
_TO_END_S: Final = 5.0
# The browser reads its orders from 3 and writes its answers to 4.
_PLUG: Final = """\
import fcntl, os, sys
aside = [fcntl.fcntl(int(n), fcntl.F_DUPFD_CLOEXEC, 10) for n in sys.argv[1:3]]
os.dup2(aside[0], 3)
os.dup2(aside[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
_A_MOMENT: Final = "new Promise((then) => setTimeout(then, 50))"


def find_browser() -> str:
    """Return the path of a browser that prints without a window."""
    if os.name == "nt":
        raise MissingToolError(
            tool="Linux or macOS",
            needed_for="PDF and figures as files",
            remedy="Print the HTML page in a browser; each figure has a camera button.",
        )
    named = os.environ.get("BROWSER_PATH", "")
    for name in (named, *BROWSERS):
        path = shutil.which(name) if name else None
        if path:
            return path
    raise MissingToolError(
        tool="Chromium or Chrome",
        needed_for="PDF and figures as files",
        remedy="Install one (apt install chromium), or name it in BROWSER_PATH.",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenPage:
    """A page that is open in a browser."""

    talk: "_Talk"
    session: str

    def evaluate(self, script: str, *, patience_s: float = _PATIENCE_S) -> Any:
        """Return the value of a JavaScript expression, awaited if it is a promise."""
        asked = {"expression": script, "awaitPromise": True, "returnByValue": True}
        answer = self.talk.ask(
            "Runtime.evaluate", asked, session=self.session, patience_s=patience_s
        )
        if "exceptionDetails" in answer:
            raise BrowserFailedError(reason=_said(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def print(self, paper: Mapping[str, Any]) -> bytes:
        """Return the page as PDF; `paper` holds the options of ``Page.printToPDF``."""
        printed = self.talk.ask(
            "Page.printToPDF", paper, session=self.session, patience_s=_TO_DRAW_S
        )
        return base64.b64decode(printed["data"])


@contextmanager
def open_page(page: Path, *, ready: str) -> Iterator[OpenPage]:
    """Open a page in a browser of its own and wait until it is ready."""
    with _browser(find_browser()) as talk:
        blank = {"url": "about:blank"}
        target = talk.ask("Target.createTarget", blank, patience_s=_TO_START_S)
        asked = {"targetId": target["targetId"], "flatten": True}
        session = str(talk.ask("Target.attachToTarget", asked)["sessionId"])
        opened = OpenPage(talk=talk, session=session)
        talk.ask("Page.navigate", {"url": page.resolve().as_uri()}, session=session)
        wait = f"(async () => {{ while (!({ready})) await {_A_MOMENT}; }})()"
        opened.evaluate(wait, patience_s=_TO_DRAW_S)
        yield opened


def _said(details: Mapping[str, Any]) -> str:
    """Return the first line of what a script threw."""
    thrown = details.get("exception", {}).get("description", details["text"])
    return str(thrown).partition("\n")[0]


@dataclass(slots=True)
class _Talk:
    """Requests and answers over two pipes: JSON, each ended by a zero byte."""

    process: subprocess.Popen[bytes]
    to_browser: int
    from_browser: int
    heard: bytearray = field(default_factory=bytearray)
    asked: int = 0

    def ask(
        self,
        method: str,
        parameters: Mapping[str, Any],
        *,
        session: str = "",
        patience_s: float = _PATIENCE_S,
    ) -> dict[str, Any]:
        """Return the answer to one request."""
        self.asked += 1
        request = {"id": self.asked, "method": method, "params": dict(parameters)}
        if session:
            request["sessionId"] = session
        self._send(json.dumps(request).encode() + b"\0")
        deadline = time.monotonic() + patience_s
        while True:
            said = self._next(deadline)
            if said is None:
                reason = f"{method} took longer than {patience_s:.0f} s"
                raise BrowserFailedError(reason=reason)
            if said.get("id") == self.asked:
                break
        if "error" in said:
            raise BrowserFailedError(reason=f"{method}: {said['error']['message']}")
        return dict(said["result"])

    def _send(self, message: bytes) -> None:
        try:
            os.write(self.to_browser, message)
        except BrokenPipeError:
            raise BrowserFailedError(reason="it ended at once") from None

    def _next(self, deadline: float) -> dict[str, Any] | None:
        """Return its next message, or None if there is none in time."""
        while b"\0" not in self.heard:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.from_browser], [], [], left)[0]:
                return None
            piece = os.read(self.from_browser, 1 << 20)
            if not piece:
                raise BrowserFailedError(reason="it ended while drawing the page")
            self.heard += piece
        message, _, rest = bytes(self.heard).partition(b"\0")
        self.heard = bytearray(rest)
        return dict(json.loads(message))


@contextmanager
def _browser(program: str) -> Iterator[_Talk]:
    """Start a browser with a profile of its own, and end it."""
    orders, to_browser = os.pipe()
    from_browser, answers = os.pipe()
    # It refuses to run in a sandbox as root.
    as_root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        words = (sys.executable, "-ISc", _PLUG, str(orders), str(answers), program)
        process = subprocess.Popen(
            (*words, *_FLAGS, *as_root, f"--user-data-dir={profile}"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(orders, answers),
        )
        os.close(orders)
        os.close(answers)
        try:
            yield _Talk(process, to_browser, from_browser)
        finally:
            os.close(to_browser)  # it ends when this pipe is closed
            os.close(from_browser)
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    for stop in (process.terminate, process.kill):
        with suppress(subprocess.TimeoutExpired):
            process.wait(_TO_END_S)
            return
        stop()
    process.wait()

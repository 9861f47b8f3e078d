"""Reads in threads; the results are handled in the kernel's own thread."""

import asyncio
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread

from ssdlab.explorer.run_cache import RunCache, Wanted
from ssdlab.ingest.live import LiveNews, RunWatcher
from ssdlab.model.errors import SsdlabError

_POLL_S = 0.01

Post = Callable[[Callable[[], None]], None]


def post_to_kernel() -> Post | None:
    """Return a function that runs a call in the kernel's event loop, if it has one."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    return lambda call: None if loop.is_closed() else _soon(loop, call)


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    loop.call_soon_threadsafe(call)


class Loader:
    """Reads the tables of runs one after the other, and notifies after each."""

    def __init__(
        self, run_cache: RunCache, notify: Callable[[], None], post: Post | None
    ):
        self._cache, self._notify, self._post = run_cache, notify, post
        self._queue: SimpleQueue[tuple[Wanted, ...] | None] = SimpleQueue()
        self._newest: tuple[Wanted, ...] = ()
        self._thread: Thread | None = None

    def request(self, wanted: Iterable[Wanted]) -> None:
        """Read these next; earlier requests that have not started are dropped.

        Without an event loop in the kernel they are read at once.
        """
        requested = tuple(wanted)
        if self._post is None:
            for one in requested:
                self._read(one)
            return
        if requested == self._newest:
            return
        self._newest = requested
        if self._thread is None:
            self._thread = Thread(target=self._work, name="ssdlab-reads", daemon=True)
            self._thread.start()
        self._queue.put(requested)

    def wait(self) -> None:
        """Wait until the last request is read."""
        while self._thread is not None and self._cache.missing(self._newest):
            time.sleep(_POLL_S)

    def close(self) -> None:
        """Stop the thread after the table that is being read."""
        self._newest = ()
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(timeout=10)
            self._thread = None

    def _work(self) -> None:
        while (requested := self._queue.get()) is not None:
            for one in requested:
                if requested is not self._newest:
                    break
                self._read(one)
                if self._post is not None:
                    self._post(self._notify)

    def _read(self, one: Wanted) -> None:
        if self._cache.has(one):
            return
        try:
            self._cache.load(one)
        except (SsdlabError, OSError, ValueError, KeyError) as error:
            self._cache.troubles[one[0]] = str(error)


class Follower:
    """Reads a running run every few seconds until it ends."""

    def __init__(
        self,
        run: Path,
        on_news: Callable[[LiveNews], None],
        *,
        post: Post | None,
        every_s: float,
    ):
        self.run = run
        self._on_news, self._post, self._every_s = on_news, post, every_s
        self._is_over = Event()
        self._thread = Thread(target=self._work, name="ssdlab-follows", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether it has stopped."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Stop, and wait for the read in progress."""
        self._is_over.set()
        self._thread.join(timeout=10)

    def _work(self) -> None:
        try:
            watcher = RunWatcher(self.run)
            while not self._is_over.is_set():
                news = watcher.look()
                self._send(news)
                if not news.is_behind and not news.is_running:
                    return
                self._is_over.wait(0.05 if news.is_behind else self._every_s)
        except (SsdlabError, OSError, ValueError) as error:
            self._send(
                LiveNews(line=str(error), is_running=False, steps=0, is_behind=False)
            )

    def _send(self, news: LiveNews) -> None:
        if self._is_over.is_set():
            return
        if self._post is None:
            self._on_news(news)
        else:
            self._post(lambda: None if self._is_over.is_set() else self._on_news(news))

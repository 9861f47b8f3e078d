"""What takes long is done in threads; what follows from it, in that of the kernel."""

import asyncio
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread

from ssdlab.campaign.live import LiveNews, RunWatcher
from ssdlab.explorer.shelf import Shelf, Wanted
from ssdlab.model.errors import SsdlabError

_A_MOMENT_S = 0.01

Post = Callable[[Callable[[], None]], None]


def post_to_kernel() -> Post | None:
    """Return what runs a call in the loop of this kernel, or nothing without one."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    return lambda call: None if loop.is_closed() else _soon(loop, call)


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    loop.call_soon_threadsafe(call)


class Loader:
    """Reads the tables of runs one after the other, and tells when each is there."""

    def __init__(self, shelf: Shelf, tell: Callable[[], None], post: Post | None):
        self._shelf, self._tell, self._post = shelf, tell, post
        self._queue: SimpleQueue[tuple[Wanted, ...] | None] = SimpleQueue()
        self._newest: tuple[Wanted, ...] = ()
        self._thread: Thread | None = None

    def ask(self, wanted: Iterable[Wanted]) -> None:
        """Read these next; what was asked before and is not begun is dropped.

        Where the kernel has no loop they are read here and now.
        """
        asked = tuple(wanted)
        if self._post is None:
            for one in asked:
                self._read(one)
            return
        if asked == self._newest:
            return
        self._newest = asked
        if self._thread is None:
            self._thread = Thread(target=self._work, name="ssdlab-reads", daemon=True)
            self._thread.start()
        self._queue.put(asked)

    def wait(self) -> None:
        """Wait until what was asked for last is read."""
        while self._thread is not None and self._shelf.missing(self._newest):
            time.sleep(_A_MOMENT_S)

    def close(self) -> None:
        """End the thread; a table that is being read is the last."""
        self._newest = ()
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(timeout=10)
            self._thread = None

    def _work(self) -> None:
        while (asked := self._queue.get()) is not None:
            for one in asked:
                if asked is not self._newest:
                    break
                self._read(one)
                if self._post is not None:
                    self._post(self._tell)

    def _read(self, one: Wanted) -> None:
        if self._shelf.has(one):
            return
        try:
            self._shelf.load(one)
        except (SsdlabError, OSError, ValueError, KeyError) as error:
            self._shelf.troubles[one[0]] = str(error)


class Follower:
    """Looks at a run that goes on every few seconds, until it ends."""

    def __init__(
        self,
        run: Path,
        hear: Callable[[LiveNews], None],
        *,
        post: Post | None,
        every_s: float,
    ):
        self.run = run
        self._hear, self._post, self._every_s = hear, post, every_s
        self._is_over = Event()
        self._thread = Thread(target=self._work, name="ssdlab-follows", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether it has stopped looking."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Stop looking, and wait for the look that is under way."""
        self._is_over.set()
        self._thread.join(timeout=10)

    def _work(self) -> None:
        try:
            watcher = RunWatcher(self.run)
            while not self._is_over.is_set():
                news = watcher.look()
                self._say(news)
                if not news.is_behind and not news.is_running:
                    return
                self._is_over.wait(0.05 if news.is_behind else self._every_s)
        except (SsdlabError, OSError, ValueError) as error:
            self._say(
                LiveNews(line=str(error), is_running=False, steps=0, is_behind=False)
            )

    def _say(self, news: LiveNews) -> None:
        if self._is_over.is_set():
            return
        if self._post is None:
            self._hear(news)
        else:
            self._post(lambda: None if self._is_over.is_set() else self._hear(news))

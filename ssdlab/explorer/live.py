"""Follows the run that is shown while it is running."""

from collections.abc import Callable
from pathlib import Path

from ssdlab.explorer.run_cache import RunCache
from ssdlab.explorer.worker import Follower, Post
from ssdlab.ingest.live import LiveNews


class LiveUpdates:
    """Follows one run at a time; ``on_news`` is called with its name and its news.

    ``line`` is its status for the page.
    """

    def __init__(
        self,
        run_cache: RunCache,
        on_news: Callable[[str, LiveNews], None],
        *,
        post: Post | None,
        every_s: float,
    ) -> None:
        self._cache, self._on_news, self._post, self._every_s = (
            run_cache,
            on_news,
            post,
            every_s,
        )
        self.name = self.line = ""
        self._follower: Follower | None = None

    def follow(self, name: str) -> None:
        """Follow this run if it is running, and no other."""
        listed = self._cache.listed.get(name)
        running = listed if listed is not None and listed.is_running else None
        if self.name == (name if running else ""):
            return
        self.close()
        if running is not None:
            self.name = name
            self._follower = Follower(
                Path(running.path), self._handle, post=self._post, every_s=self._every_s
            )

    def _handle(self, news: LiveNews) -> None:
        state = "is running" if news.is_running else "has ended"
        self.line = f"{self.name} {state}, {news.steps} steps read: {news.line}"
        self._on_news(self.name, news)

    def close(self) -> None:
        """Stop following."""
        if self._follower is not None:
            self._follower.close()
        self._follower, self.name, self.line = None, "", ""

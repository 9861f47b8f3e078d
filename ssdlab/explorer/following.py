"""Follows the run that is shown while it goes on."""

from collections.abc import Callable
from pathlib import Path

from ssdlab.campaign.live import LiveNews
from ssdlab.explorer.shelf import Shelf
from ssdlab.explorer.worker import Follower, Post


class Following:
    """One run at a time; ``hear`` is told its name and what was found of it.

    ``line`` is what a page says of it.
    """

    def __init__(
        self,
        shelf: Shelf,
        hear: Callable[[str, LiveNews], None],
        *,
        post: Post | None,
        every_s: float,
    ) -> None:
        self._shelf, self._hear, self._post, self._every_s = shelf, hear, post, every_s
        self.name = self.line = ""
        self._follower: Follower | None = None

    def follow(self, name: str) -> None:
        """Follow this run if it goes on, and no other."""
        listed = self._shelf.listed.get(name)
        goes_on = listed if listed is not None and listed.is_running else None
        if self.name == (name if goes_on else ""):
            return
        self.close()
        if goes_on is not None:
            self.name = name
            self._follower = Follower(
                Path(goes_on.path), self._look, post=self._post, every_s=self._every_s
            )

    def _look(self, news: LiveNews) -> None:
        state = "goes on" if news.is_running else "has ended"
        self.line = f"{self.name} {state}, {news.steps} steps read: {news.line}"
        self._hear(self.name, news)

    def close(self) -> None:
        """Stop following."""
        if self._follower is not None:
            self._follower.close()
        self._follower, self.name, self.line = None, "", ""

"""Show where a run is while it works: a live picture, or lines of a log."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from ssdlab.system.folders import Folder

if TYPE_CHECKING:
    from rich.live import Live

    from ssdlab.cli.dashboard import View
    from ssdlab.cli.monitor import Monitor
    from ssdlab.plan.endurance import Endurance

_LOOK_S: Final = 1.0  # a display must not take time from what is measured
_BETWEEN_LINES_S: Final = 60.0
_MOST_WIDTH: Final = 120
_PROGRESS: Final = "progress.json"
_clock: Callable[[], float] = time.monotonic


class Display:
    """The picture of one run on standard error; in a file, at most a line a minute.

    With ``ignores_old``, what an earlier session of the run wrote is not shown. ``saw``
    is called with each view.
    """

    def __init__(
        self,
        run: Path,
        *,
        endurance: "Sequence[Endurance]" = (),
        ignores_old: bool = False,
        saw: "Callable[[View], None] | None" = None,
    ) -> None:
        self._run, self._endurance, self._saw = run, tuple(endurance), saw
        self._begun_s = _clock()
        self._old_ns = Folder(run).changed_ns(_PROGRESS) if ignores_old else 0
        self._live = _open_live()
        self._note = ""
        self._printed: tuple[str, int, float] = ("", 0, 0.0)  # test, change, time

    def look(self) -> None:
        """Read where the run is, and show it."""
        from ssdlab.cli.dashboard import draw, log_line, read_view

        changed_ns = Folder(self._run).changed_ns(_PROGRESS)
        if changed_ns == self._old_ns:
            self._draw(None)
            return
        now_s = time.time()  # noqa: TID251 - here clocks are made
        view = read_view(self._run, now_s=now_s, endurance=self._endurance)
        if view is not None and self._saw is not None:
            self._saw(view)
        if self._live is not None:
            size = self._live.console.size
            room = size.height - 1 - bool(self._note)
            width = min(size.width, _MOST_WIDTH)
            self._draw(view and draw(view, width=width, height=max(1, room)))
        elif view is not None:
            test, before_ns, before_s = self._printed
            is_due = changed_ns != before_ns and _clock() - before_s >= _BETWEEN_LINES_S
            if view.progress.test != test or is_due:
                self._printed = (view.progress.test, changed_ns, _clock())
                click.echo(log_line(view), err=True)

    def say(self, words: str) -> None:
        """Show a sentence: below the picture, or as a line of the log."""
        self._note = words
        if self._live is None:
            with suppress(OSError):  # the terminal was closed
                click.echo(words, err=True)

    def close(self) -> None:
        """Clear the picture and give the terminal back."""
        if self._live is not None:
            self._live.stop()

    def _draw(self, picture: object) -> None:
        if self._live is None:
            return
        from rich.console import Group
        from rich.text import Text

        waited_s = _clock() - self._begun_s
        shown = picture or Text(f"starting … {waited_s:.0f} s", style="dim")
        note = [Text(self._note, style="bold yellow")] if self._note else []
        self._live.update(Group(shown, *note), refresh=True)  # type: ignore[arg-type] # a renderable


def _open_live() -> "Live | None":
    """Take the terminal, if standard error is one that can be drawn on."""
    if not sys.stderr.isatty():
        return None
    from rich.console import Console
    from rich.live import Live

    context = click.get_current_context(silent=True)
    is_grey = context is not None and context.color is False
    console = Console(stderr=True, no_color=is_grey or None)
    if console.is_dumb_terminal:
        return None
    live = Live(
        console=console,
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    live.start()
    return live


@contextmanager
def following(
    run: Path,
    *,
    endurance: "Sequence[Endurance]" = (),
    ignores_old: bool = True,
    monitor: "Monitor | None" = None,
) -> Iterator[Callable[[str], None]]:
    """Show where a run is until the block ends; yield what shows a sentence with it.

    The monitor tells others of it, and records its power.
    """
    display = Display(
        run,
        endurance=endurance,
        ignores_old=ignores_old,
        saw=monitor.saw if monitor else None,
    )
    done = threading.Event()
    thread = threading.Thread(target=_follow, args=(display, done), daemon=True)
    thread.start()
    if monitor is not None:
        monitor.begin()
    try:
        yield display.say
    finally:
        done.set()
        thread.join(timeout=5)
        with suppress(OSError):
            display.close()
        if monitor is not None:
            monitor.ended()


def _follow(display: Display, done: threading.Event) -> None:
    try:
        while not done.wait(_LOOK_S):
            display.look()
    except OSError:  # standard error was closed; the run continues
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())

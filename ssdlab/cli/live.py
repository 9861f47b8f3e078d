"""A line on a terminal that says what takes long, cleared at the end."""

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import click

from ssdlab.model.units import duration_label

_QUIET_S: Final = 1.0  # shorter work shows nothing
_BETWEEN_S: Final = 0.25


@contextmanager
def working(words: str) -> Iterator[Callable[[str], None]]:
    """Show what is done and for how long; yield what replaces the words.

    It is silent unless standard error is a terminal.
    """
    if not sys.stderr.isatty():
        yield lambda _text: None
        return
    said = [words]
    done = threading.Event()
    thread = threading.Thread(target=_show, args=(said, done), daemon=True)
    thread.start()

    def tell(text: str) -> None:
        said[0] = text

    try:
        yield tell
    finally:
        done.set()
        thread.join(timeout=5)


def _show(said: list[str], done: threading.Event) -> None:
    """Write the words and the time until the work is done; then clear the line."""
    clock: Callable[[], float] = time.monotonic
    begun_s, is_shown = clock(), False
    width = shutil.get_terminal_size().columns - 1
    with suppress(OSError):  # stderr was closed; the work continues
        while not done.wait(_BETWEEN_S):
            if (waited_s := clock() - begun_s) < _QUIET_S:
                continue
            line = f"{said[0]} … {duration_label(int(waited_s))}"
            click.echo(f"\r{line[:width]:<{width}}", nl=False, err=True)
            is_shown = True
        if is_shown:
            click.echo(f"\r{'':<{width}}\r", nl=False, err=True)

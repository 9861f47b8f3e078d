"""One line on a terminal that says how far a command is, and is gone at its end."""

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import click

_QUIET_S: Final = 0.5  # what is done sooner needs no word
_BETWEEN_S: Final = 0.1


@contextmanager
def live_line() -> Iterator[Callable[[str], None]]:
    """Yield what takes the words of the moment; it is silent but on a terminal."""
    if not sys.stderr.isatty():
        yield lambda _words: None
        return
    width = shutil.get_terminal_size().columns - 1
    clock: Callable[[], float] = time.monotonic
    due_s, is_shown = clock() + _QUIET_S, False

    def show(words: str) -> None:
        with suppress(OSError):  # nobody reads any more; the work goes on
            click.echo(f"\r{words[:width]:<{width}}", nl=False, err=True)

    def tell(words: str) -> None:
        nonlocal due_s, is_shown
        if clock() >= due_s:
            due_s, is_shown = clock() + _BETWEEN_S, True
            show(words)

    try:
        yield tell
    finally:
        if is_shown:
            show("")
            with suppress(OSError):
                click.echo("\r", nl=False, err=True)

"""A progress line on a terminal, cleared at the end."""

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import click

_QUIET_S: Final = 0.5  # shorter work shows no progress
_BETWEEN_S: Final = 0.1


@contextmanager
def live_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows progress; it is silent unless on a terminal."""
    if not sys.stderr.isatty():
        yield lambda _text: None
        return
    width = shutil.get_terminal_size().columns - 1
    clock: Callable[[], float] = time.monotonic
    due_s, is_shown = clock() + _QUIET_S, False

    def show(text: str) -> None:
        with suppress(OSError):  # stderr was closed; the work continues
            click.echo(f"\r{text[:width]:<{width}}", nl=False, err=True)

    def tell(text: str) -> None:
        nonlocal due_s, is_shown
        if clock() >= due_s:
            due_s, is_shown = clock() + _BETWEEN_S, True
            show(text)

    try:
        yield tell
    finally:
        if is_shown:
            show("")
            with suppress(OSError):
                click.echo("\r", nl=False, err=True)

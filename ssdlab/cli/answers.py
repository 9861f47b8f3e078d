"""How commands give their answer: as JSON, and as a page beside what they print."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from ssdlab.text.terminal import printable

if TYPE_CHECKING:
    from ssdlab.paper.document import Document

PAGE_REMEDY: Final = "Create the folder, or name another file with -o."


def echo_json(plain: object) -> None:
    """Print plain data as JSON."""
    click.echo(json.dumps(plain, indent=1, allow_nan=False))


def require_page(output: Path | None, *, overwrite: bool) -> None:
    """Require a file for a page that may be written, if one is asked for."""
    if output is None:
        return
    from ssdlab.system.outputs import choose_format, require_replaceable

    choose_format(output, None, ("html",))
    require_replaceable(output, overwrite=overwrite)


def write_page(output: Path | None, render: Callable[[], "Document"]) -> None:
    """Write a page, if one is asked for."""
    if output is None:
        return
    from ssdlab.paper.document import write_document
    from ssdlab.system.outputs import exporting

    with exporting(output, remedy=PAGE_REMEDY):
        write_document(render(), output)


def echo_page(output: Path | None) -> None:
    """Print where the page is, alone on the last line."""
    if output is not None:
        click.echo(f"\n{printable(str(output))}")

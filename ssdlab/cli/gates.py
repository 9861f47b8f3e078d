"""What commands that judge by a file of limits share: options, files, exit codes."""

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ssdlab.cli.group import add_options, json_option, overwrite_option

EXIT_NOT_MET, EXIT_UNKNOWN = 3, 4
Command = Callable[..., Any]


def takes_limits(words: str) -> Callable[[Command], Command]:
    """Let a command take a file of limits, and how its answer is printed and kept."""

    def decorate(command: Command) -> Command:
        options = (
            click.option(
                "--limits",
                required=True,
                metavar="FILE.toml",
                type=click.Path(path_type=Path, dir_okay=False),
                help=words,
            ),
            click.option(
                "--strict",
                is_flag=True,
                help="what is not shown fails: exit code 3, not 4",
            ),
            click.option(
                "--junit",
                metavar="FILE.xml",
                type=click.Path(path_type=Path, dir_okay=False),
                help="also write JUnit XML, a test case for each verdict",
            ),
            click.option(
                "--markdown", is_flag=True, help="print Markdown, for the page of a job"
            ),
            overwrite_option,
            json_option,
        )
        return add_options(command, options)

    return decorate


def require_outputs(
    *files: Path | None, as_json: bool, markdown: bool, overwrite: bool
) -> None:
    """Require one form to print, and files that may be written."""
    from ssdlab.system.outputs import require_replaceable

    if as_json and markdown:
        msg = "Print one of JSON and Markdown."
        raise click.UsageError(msg)
    for file in files:
        if file is not None:
            require_replaceable(file, overwrite=overwrite)


def write_junit(junit: Path | None, render: Callable[..., bytes], **asked: Any) -> None:
    """Write JUnit XML, if it is asked for, with the time of now."""
    if junit is not None:
        now = f"{datetime.now(tz=UTC):%Y-%m-%dT%H:%M:%S}"
        write_lines(junit, render(timestamp=now, **asked))


def write_lines(place: Path, content: bytes) -> None:
    """Write a file of lines that was asked for."""
    from ssdlab.system.outputs import exporting, write_output

    with exporting(place, remedy="Create the folder, or name another file."):
        write_output(place, content)


def exit_with(code: int, *, strict: bool) -> None:
    """Exit with the code of an answer."""
    sys.exit(EXIT_NOT_MET if strict and code else code)

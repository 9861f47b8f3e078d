"""The commands ``notebooks`` and ``lab``: notebooks where a user works with them."""

import sys
from importlib.util import find_spec
from pathlib import Path

import click

from ssdlab.cli.group import fail, main
from ssdlab.model.errors import MissingToolError

_SAID = {
    "new": "new",
    "as it was": "as it was",
    "kept": "kept: it differs from ssdlab's; move it away to get that",
}
folder_argument = click.argument(
    "folder",
    metavar="[DIR]",
    default="notebooks",
    type=click.Path(path_type=Path, file_okay=False),
)


@main.command()
@folder_argument
def notebooks(folder: Path) -> None:
    """Copy the notebooks into DIR, to work with them there.

    Without DIR into ./notebooks. Sample runs come with them where none are found. A
    notebook that is there and was changed is kept.
    """
    _copy(folder)
    click.echo(f"\nOpen them:  ssdlab lab {folder}")


@main.command()
@folder_argument
@click.option("--port", type=click.IntRange(1, 65535), help="of the local server")
@click.option("--no-browser", is_flag=True, help="print the address, open nothing")
@click.option("--allow-root", is_flag=True, help="also when you are root")
def lab(folder: Path, port: int | None, *, no_browser: bool, allow_root: bool) -> None:
    """Start JupyterLab on the notebooks in DIR; Ctrl-C ends it.

    Without DIR on ./notebooks. Notebooks that are not there yet are copied first, as
    `ssdlab notebooks` does.
    """
    from ssdlab.system.programs import run_in_foreground

    _require_jupyterlab()
    _copy(folder)
    words = [sys.executable, "-m", "jupyterlab", "-y", f"--notebook-dir={folder}"]
    words += [f"--port={port}"] if port else []
    words += ["--no-browser"] if no_browser else []
    words += ["--allow-root"] if allow_root else []
    try:
        exit_code = run_in_foreground(words)
    except KeyboardInterrupt:
        fail("JupyterLab was stopped.", 130)
    if exit_code:
        fail(f"JupyterLab ended with exit code {exit_code}; see above.", 1)


def _require_jupyterlab() -> None:
    """Require JupyterLab.

    Raises
    ------
    MissingToolError
        If it is not installed.
    """
    if find_spec("jupyterlab") is None:
        raise MissingToolError(
            tool="JupyterLab",
            needed_for="ssdlab lab",
            remedy="pip install 'ssdlab[lab]'",
        )


def _copy(folder: Path) -> None:
    from ssdlab.notebook import copy_notebooks

    for name, state in copy_notebooks(folder).items():
        click.echo(f"{folder / name}  {_SAID[state]}")

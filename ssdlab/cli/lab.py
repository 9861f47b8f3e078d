"""The commands ``notebooks`` and ``lab``: copy the notebooks and open them."""

import sys
from importlib.util import find_spec
from pathlib import Path

import click

from ssdlab.cli.group import fail, main
from ssdlab.model.errors import MissingToolError

_STATES = {
    "new": "new",
    "unchanged": "unchanged",
    "kept": "kept: differs from the original; move it away to get that",
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
    """Copy the notebooks into DIR.

    DIR is ./notebooks by default. Sample runs are copied too if there are none. A
    notebook that you changed is kept.
    """
    _copy(folder)
    click.echo(f"\nOpen them:  ssdlab lab {folder}")


@main.command()
@folder_argument
@click.option("--port", type=click.IntRange(1, 65535), help="port of the local server")
@click.option(
    "--no-browser", is_flag=True, help="print the address; do not open a browser"
)
@click.option("--allow-root", is_flag=True, help="start even as root")
def lab(folder: Path, port: int | None, *, no_browser: bool, allow_root: bool) -> None:
    """Start JupyterLab on the notebooks in DIR.

    DIR is ./notebooks by default. Missing notebooks are copied first, as `ssdlab
    notebooks` does. Ctrl-C stops JupyterLab.
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
        fail(f"JupyterLab failed with exit code {exit_code}; see above.", 1)


def _require_jupyterlab() -> None:
    """Require JupyterLab."""
    if find_spec("jupyterlab") is None:
        raise MissingToolError(
            tool="JupyterLab",
            needed_for="ssdlab lab",
            remedy="pip install 'ssdlab[lab]'",
        )


def _copy(folder: Path) -> None:
    from ssdlab.notebook import copy_notebooks

    for name, state in copy_notebooks(folder).items():
        click.echo(f"{folder / name}  {_STATES[state]}")

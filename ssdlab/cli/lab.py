"""The commands ``notebooks`` and ``lab``: copy the notebooks and open them."""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from ssdlab.cli.group import fail, main
from ssdlab.model.errors import MissingToolError, RunFolderError

if TYPE_CHECKING:
    from ssdlab.notebook import CopyState

_START = "00_start.ipynb"
_STATES = {
    "new": "new",
    "unchanged": "unchanged",
    "kept": "kept: differs from the original; move it away to get that",
}
_QUIET = (
    "--LabApp.news_url=None",  # no window about news in front of the notebook
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.extension_manager=readonly",
)
_CARDS = Path(__file__).parent / "launcher"  # an extension, loaded in this server only
_LAST_LINES = 15  # of JupyterLab's log, if it fails
_LOOK_EVERY_S = 0.1
_ANY = {"", "*", "0.0.0.0", "::"}  # noqa: S104 - what is listened on is only read
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
    for name, state in _copy(folder).items():
        click.echo(f"{folder / name}  {_STATES[state]}")
    click.echo(f"\nOpen them:  ssdlab lab {folder}")


@main.command()
@folder_argument
@click.option("--port", type=click.IntRange(1, 65535), help="port of the local server")
@click.option(
    "--no-browser", is_flag=True, help="print the address; do not open a browser"
)
@click.option("--allow-root", is_flag=True, help="start even as root")
@click.option("--verbose", is_flag=True, help="print JupyterLab's own log")
def lab(
    folder: Path,
    port: int | None,
    *,
    no_browser: bool,
    allow_root: bool,
    verbose: bool,
) -> None:
    """Start JupyterLab on the notebooks in DIR.

    DIR is ./notebooks by default. Missing notebooks are copied first, as `ssdlab
    notebooks` does. Ctrl-C stops JupyterLab.
    """
    from ssdlab.system.programs import run_in_foreground

    _require_jupyterlab()
    if os.geteuid() == 0 and not allow_root:
        fail(
            "JupyterLab as root would run every notebook as root. Start it as another "
            "user, or add --allow-root.",
            2,
        )
    new = [name for name, state in _copy(folder).items() if state == "new"]
    if new:
        click.echo(f"Copied to {folder}: {', '.join(new)}")
    # Warnings of its packages are for their authors; kernels keep their own.
    words = [sys.executable, "-W", "ignore", "-m", "jupyterlab", "-y", *_QUIET]
    words += [f"--notebook-dir={folder}", f"--LabApp.default_url=/lab/tree/{_START}"]
    words += [f"--LabApp.extra_labextensions_path={_CARDS}"]
    words += [f"--port={port}"] if port else []
    words += ["--no-browser"] if no_browser else []
    words += ["--allow-root"] if allow_root else []
    with tempfile.TemporaryFile() as log:
        try:
            exit_code = run_in_foreground(
                words, output=None if verbose else log, watch=_tell_address
            )
        except KeyboardInterrupt:
            fail("JupyterLab was stopped.", 130)
        if exit_code:
            click.echo(_end_of(log), err=True, nl=False)
            fail(f"JupyterLab failed with exit code {exit_code}; see above.", 1)


def _require_jupyterlab() -> None:
    """Require JupyterLab."""
    if find_spec("jupyterlab") is None:
        raise MissingToolError(
            tool="JupyterLab",
            needed_for="ssdlab lab",
            remedy="pip install 'ssdlab[lab]'",
        )


def _copy(folder: Path) -> "dict[str, CopyState]":
    from ssdlab.notebook import copy_notebooks

    return copy_notebooks(folder)


def _tell_address(process_id: int, is_running: Callable[[], bool]) -> None:
    """Print the address of a JupyterLab when it answers.

    It writes it down first: on a busy machine a second before it listens.
    """
    import socket

    from jupyter_core.paths import jupyter_runtime_dir

    from ssdlab.system.folders import Folder

    folder, name = Folder(Path(jupyter_runtime_dir())), f"jpserver-{process_id}.json"
    with suppress(OSError, RunFolderError):
        folder.remove(name)  # of another process that had this number
    while is_running():
        with suppress(OSError, ValueError, KeyError, RunFolderError):
            noted = json.loads(folder.read(name))
            token = f"?token={noted['token']}" if noted["token"] else ""
            host = "localhost" if noted["hostname"] in _ANY else noted["hostname"]
            place = host, noted["port"]
            socket.create_connection(place, timeout=_LOOK_EVERY_S).close()
            address = f"{noted['url']}lab/tree/{_START}{token}"
            click.echo(f"JupyterLab: {address}  (Ctrl-C ends it)")
            return
        time.sleep(_LOOK_EVERY_S)


def _end_of(log: IO[bytes]) -> str:
    """Return the last lines of a log."""
    log.seek(0)
    lines = log.read().decode(errors="replace").splitlines(keepends=True)
    return "".join(lines[-_LAST_LINES:])

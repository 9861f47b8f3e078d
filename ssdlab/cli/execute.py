"""Run the tests in their notebook, show progress, and stop cleanly."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.group import fail
from ssdlab.model.errors import RunFolderError, RunInterruptedError
from ssdlab.system.folders import Folder

if TYPE_CHECKING:
    from ssdlab.cli.monitor import Monitor
    from ssdlab.plan.endurance import Endurance

_NOTEBOOK = "notebook.ipynb"


def execute(
    folder: Path,
    parameters: Mapping[str, str | float],
    *,
    endurance: Sequence["Endurance"] = (),
    monitor: "Monitor | None" = None,
) -> None:
    """Run the notebook on a run folder and show its progress."""
    from ssdlab.cli.following import following
    from ssdlab.cli.outcome import result_lines
    from ssdlab.ingest.opening import open_run
    from ssdlab.notebook import NotebookFailedError, execute_notebook, find_notebook
    from ssdlab.store.records import read_record, read_state
    from ssdlab.targets.virtual import waiting_words

    notebook = folder / _NOTEBOOK
    with _new_folder(folder):
        click.echo(f"run      {folder}")
        try:
            with (
                following(folder, endurance=endurance, monitor=monitor) as say,
                _forward_interrupts(folder, say),
            ):
                execute_notebook(find_notebook(), notebook, parameters)
        except (KeyboardInterrupt, NotebookFailedError) as error:
            if not Folder(folder).has("run.json"):
                raise
            is_stopped = read_state(folder).status == "interrupted"
            if isinstance(error, KeyboardInterrupt) or is_stopped:
                waits = waiting_words(read_record(folder).target)
                raise RunInterruptedError(folder=str(folder), waits=waits) from None
            kept = "What was measured is kept. Resume it with"
            fail(f"{error} {kept}: ssdlab resume {folder}", error.exit_code)
    click.echo(f"notebook {notebook}")
    click.echo(f"tables   {folder / 'tables'}")
    click.echo(f"report   {folder / 'report.html'}")
    click.echo("\n".join(("", *result_lines(open_run(folder)))))


@contextmanager
def _new_folder(folder: Path) -> Iterator[None]:
    """Make the folder; if no run began in it, remove what was made."""
    from ssdlab.engine.leftovers import sweep_leftovers

    made = [path for path in (folder, *folder.parents) if not path.exists()]
    now_s = time.time()  # noqa: TID251 - here clocks are made
    sweep_leftovers(folder.parent, now_s=now_s)
    try:
        _make_writable(folder)
        yield
    finally:
        if not Folder(folder).has("run.json"):
            _remove(folder, made)


def _remove(run: Path, folders: list[Path]) -> None:
    with suppress(OSError):
        Folder(run).remove(_NOTEBOOK)
        for folder in folders:
            folder.rmdir()


def _make_writable(folder: Path) -> None:
    """Make the folder and require that a file can be written in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        Folder(folder).write(_NOTEBOOK, b"")
    except OSError as error:
        raise RunFolderError(
            folder=str(folder),
            reason=f"the folder cannot be written ({error.strerror})",
            remedy="Name another folder for runs with --runs.",
        ) from None


@contextmanager
def _forward_interrupts(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Forward Ctrl-C to the process that measures; a later one stops this one too."""
    import os
    import signal

    from ssdlab.store.lock import read_holder
    from ssdlab.system.signals import stopped_by

    signalled: list[int] = []

    def forward() -> None:
        holder = read_holder(folder)
        if signalled or holder is None or holder == os.getpid():
            raise KeyboardInterrupt
        signalled.append(holder)
        say("Stopping; completed steps are kept …")
        with suppress(ProcessLookupError):
            os.kill(holder, signal.SIGINT)

    with stopped_by(forward):
        yield

"""The command ``watch``: where a run is, from another shell."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from ssdlab.cli.group import EXIT_INTERRUPTED, fail, main, parse_tbw, takes_run

_LOOK_S = 1.0


@main.command()
@takes_run("run", "running")
@click.option(
    "--tbw",
    callback=parse_tbw,
    metavar="BYTES",
    help="rated endurance, such as 600TB: shows what share of it was written",
)
def watch(run: Path, tbw: Any) -> None:
    """Watch a run that was started in another shell.

    Ends when the run ends. Ctrl-C stops watching; the run continues. Exit codes: 0 the
    run has finished, 1 it failed or was killed, 130 it was stopped.
    """
    from ssdlab.cli.following import Display
    from ssdlab.plan.endurance import rate_endurance
    from ssdlab.store.lock import read_holder
    from ssdlab.store.records import read_state

    read_state(run)
    endurance = () if tbw is None else (rate_endurance(tbw),)
    if read_holder(run) is not None:
        with _left_alone(), closing(Display(run, endurance=endurance)) as display:
            while read_holder(run) is not None:
                display.look()
                time.sleep(_LOOK_S)
    state = read_state(run)
    match state.status:
        case "finished":
            click.echo(f"finished; its results: ssdlab show {run}")
        case "interrupted":
            fail(f"The run was stopped. Resume it: ssdlab resume {run}", 130)
        case "failed":
            fail(f"The run failed. {state.message}", 1)
        case _:
            fail(f"The run was killed. Resume it: ssdlab resume {run}", 1)


@contextmanager
def _left_alone() -> Iterator[None]:
    """End at Ctrl-C with what that means for the run: nothing."""
    try:
        yield
    except KeyboardInterrupt:
        fail("No longer watching; the run continues.", EXIT_INTERRUPTED)

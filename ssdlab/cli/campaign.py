"""``campaign``: runs on many drives of many hosts."""

import sys
import time
from pathlib import Path

import click

from ssdlab.cli.group import main


@main.group()
def campaign() -> None:
    """Measure many drives on many hosts."""


_folder = click.argument(
    "folder", metavar="DIR", type=click.Path(path_type=Path, exists=True)
)


@campaign.command()
@_folder
@click.argument("job")
def work(folder: Path, job: str) -> None:
    """Work on one job: begin its run, resume it, or publish it.

    This is what an engine starts on the host of the drive, also several times: a job
    that is published is left alone, and one that is worked on is refused. The exit code
    is 0 when its run is published, 1 if it failed or was stopped, 2 if what is asked
    cannot be carried out, and 75 if the job should be started again.
    """
    from ssdlab.campaign.work import work as work_on

    clock = time.time  # noqa: TID251 - here clocks are made
    sys.exit(work_on(folder, job, clock=clock, sleep=time.sleep))

"""Seven published jobs for peak numbers."""

from typing import Any

import click

from ssdlab.cli.carry_out import carry_out, procedure_options
from ssdlab.cli.group import main


@main.command()
@click.option(
    "--seconds",
    default=30,
    show_default=True,
    type=click.IntRange(1, 86_400),
    help="how long a job is measured; published are 30",
)
@click.option(
    "--ramp",
    default=5,
    show_default=True,
    type=click.IntRange(0, 86_400),
    help="seconds of IO before that; published are 5",
)
@procedure_options
def peak(*, seconds: int, ramp: int, **asked: Any) -> None:
    """Run the seven peak jobs of HGST/WD: writes, a fill, reads.

    They are as published: the device is to be purged before each job that writes, and
    job 04 writes everything once before any that reads. What a target or host does not
    allow is said in the report. These are no tests of the PTS.
    """
    from ssdlab.procedures.peak import peak as peak_procedure

    carry_out(peak_procedure(seconds=seconds, ramp_s=ramp), asked)

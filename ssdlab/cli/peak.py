"""The command ``peak``: seven published jobs for peak numbers."""

from typing import Any

import click

from ssdlab.cli.group import main, require_finite
from ssdlab.cli.procedure import procedure_options, run_and_report


@main.command()
@click.option(
    "--seconds",
    default=30.0,
    show_default=True,
    type=click.FloatRange(0.1, 86_400),
    callback=require_finite,
    help="measured time of a job [s]; published: 30",
)
@click.option(
    "--ramp",
    default=5,
    show_default=True,
    type=click.IntRange(0, 86_400),
    help="ramp time before that [s]; published: 5",
)
@procedure_options
def peak(*, seconds: float, ramp: int, **options: Any) -> None:
    """Run the seven peak jobs of HGST/WD.

    The jobs are as published: the device is purged before each job that writes, and
    job 04 fills it once before the jobs that read. The report states what the target or
    host did not allow. These are not tests of the PTS.
    """
    from ssdlab.procedures.peak.spec import peak as peak_procedure

    run_and_report(peak_procedure(seconds=seconds, ramp_s=ramp), options)

"""The command that adds the power of a drive to a run."""

from pathlib import Path

import click

from ssdlab.cli.group import main, takes_run


@main.command()
@takes_run("run", "finished", "failed", "interrupted")
@click.option(
    "--csv",
    "source",
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE.csv",
    help="time_s (Unix) or time (ISO 8601), and watts, or a watts_… for each rail",
)
@click.option(
    "--offset",
    type=float,
    metavar="SECONDS",
    help="added to its times; default: found from the power itself",
)
@click.option(
    "--clock-error",
    type=click.FloatRange(0, 3600),
    metavar="SECONDS",
    help="how far the clocks may be apart after that; needs --offset",
)
def meter(  # noqa: PLR0917 - its options
    run: Path, source: Path, offset: float | None, clock_error: float | None
) -> None:
    """Add the power that another program recorded to a finished run.

    `ssdlab run --meter` records it with the run. The report then has the power of each
    stimulus, IOPS per watt, and the energy of an IO.
    """
    from ssdlab.importers.power import import_power
    from ssdlab.ingest.opening import open_run
    from ssdlab.report import write_report
    from ssdlab.telemetry.clocks import ClockOffset

    if (offset is None) != (clock_error is None):
        msg = "--offset and --clock-error belong together"
        raise click.UsageError(msg)
    given = None
    if offset is not None and clock_error is not None:
        given = ClockOffset(offset_s=offset, error_s=clock_error)
    found = import_power(run, source, offset=given)
    click.echo(
        f"clocks   {found.offset_s:+.2f} s added to the times of {source.name}, "
        f"to {found.error_s:.2f} s"
    )
    click.echo(f"report   {write_report(open_run(run))}")

"""The command that measures what this host can issue at all."""

import json

import click

from ssdlab.cli.group import json_option, main


@main.command()
@click.option(
    "--seconds",
    default=60.0,
    show_default=True,
    type=click.FloatRange(0.1, 3600),
    help="time in all, shared among the points",
)
@json_option
def ceiling(seconds: float, *, as_json: bool) -> None:
    """Measure what this host can issue at all, with fio's null engine.

    No device is touched. A result of a run within a tenth of it may be the host's and
    not the device's: measure it before a run with `ssdlab run --host-ceiling`.
    """
    from dataclasses import asdict

    from ssdlab.analysis.findings.ceiling import thread_time_us
    from ssdlab.campaign.ceiling import ceiling_lines, measure_ceiling

    points = measure_ceiling(
        seconds=seconds, tell=lambda words: click.echo(words, err=True)
    )
    if as_json:
        found = [
            asdict(point) | {"thread_time_us": thread_time_us(point)}
            for point in points
        ]
        click.echo(json.dumps(found, indent=1))
    else:
        click.echo("\n".join(ceiling_lines(points)))

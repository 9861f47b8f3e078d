"""The command that measures the host ceiling."""

import json

import click

from ssdlab.cli.group import json_option, main


@main.command()
@click.option(
    "--seconds",
    default=60.0,
    show_default=True,
    type=click.FloatRange(0.1, 3600),
    help="total time of all points",
)
@click.option(
    "--engine",
    default="libaio",
    show_default=True,
    help="IO engine and flags, as a profile has them: 'io_uring fixedbufs'; or null",
)
@json_option
def ceiling(seconds: float, engine: str, *, as_json: bool) -> None:
    """Measure the IOPS limit of this host, without a device.

    The engine reads and writes /dev/zero; fio's null engine does not even enter the
    kernel. A result within 10 % of this limit may be limited by the host
    rather than the device. `ssdlab run --host-ceiling` measures it before a run.
    """
    from dataclasses import asdict

    from ssdlab.engine.ceiling import ceiling_lines, measure_ceiling
    from ssdlab.findings.ceiling import thread_time_us

    points = measure_ceiling(
        engine=engine, seconds=seconds, tell=lambda words: click.echo(words, err=True)
    )
    if as_json:
        found = [
            asdict(point) | {"thread_time_us": thread_time_us(point)}
            for point in points
        ]
        click.echo(json.dumps(found, indent=1))
    else:
        click.echo("\n".join(ceiling_lines(points)))

"""The command ``hot-cold``: fill what an application holds, rewrite its hot part."""

from typing import Any

import click

from ssdlab.cli.group import main, require_finite
from ssdlab.cli.procedure import procedure_options, run_and_report


@main.command("hot-cold")
@click.option(
    "--used",
    default=80.0,
    show_default=True,
    type=click.FloatRange(0, 100, min_open=True),
    callback=require_finite,
    help="part of the user capacity that the application holds [%]",
)
@click.option(
    "--hot",
    default=20.0,
    show_default=True,
    type=click.FloatRange(0, 100, min_open=True, max_open=True),
    callback=require_finite,
    help="part of that which is rewritten [%]",
)
@click.option(
    "--stimulus",
    default="RND 4KiB 0/100",
    show_default=True,
    help="access, block size, R/W mix, and optionally threads and queue depth: "
    "'RND 8KiB 65/35 T4/Q32'",
)
@click.option(
    "--rounds",
    default=25,
    show_default=True,
    type=click.IntRange(5, 10_000),
    help="most rounds of a stage; it ends earlier when it is steady",
)
@click.option(
    "--minutes",
    default=5.0,
    show_default=True,
    type=click.FloatRange(0.005, 24 * 60),
    callback=require_finite,
    help="duration of a round",
)
@procedure_options
def hot_cold(**options: Any) -> None:
    """Measure a drive with hot and cold data (HGST/WD).

    Purge, fill the capacity that an application holds, and rewrite only its hot part
    until steady state; then again, rewriting all of it. The report compares both.
    """
    from ssdlab.procedures.hotcold.spec import hot_cold as hot_cold_procedure
    from ssdlab.procedures.saturate.stimulus_text import parse_stimulus

    procedure = hot_cold_procedure(
        parse_stimulus(options["stimulus"]),
        used_percent=options["used"],
        hot_percent=options["hot"],
        rounds=options["rounds"],
        minutes=options["minutes"],
    )
    run_and_report(procedure, options)

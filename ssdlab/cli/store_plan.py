"""The command ``store plan``: how many drives, runs and rounds a comparison takes."""

import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.answers import echo_json
from ssdlab.cli.gates import EXIT_UNKNOWN
from ssdlab.cli.group import json_option, terminal_width
from ssdlab.cli.live import working
from ssdlab.cli.store import store, store_argument
from ssdlab.text.terminal import printable, table_lines, wrapped

if TYPE_CHECKING:
    from ssdlab.fleet.pilot import Pilot
    from ssdlab.fleet.repetitions import Repetitions
    from ssdlab.stats.repetitions import Purpose

_MOST_WIDTH = 120
_HOUR_S = 3600.0
_PERCENT = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*%?\s*")
_HELP = """Plan how many drives, runs and rounds it takes to show a difference.

The runs of the store are the pilot: two drives at least, one of them run twice. From
how much drives, runs and rounds scatter, and what each costs, follow the rounds of a
run and the runs of a drive that cost least, and the number of drives that find the
difference. Costs are read from the run folders of the pilot, or given.

\b
ssdlab store plan lab --difference 5%
ssdlab store plan lab --difference 2% --same-drives
ssdlab store plan lab --half-width 3% --cell 'RND 4KiB 0/100' --test lat --drive-hours 8

Without --cell and --test it is the workload that the most drives have.

Exit codes: 0 planned; 2 invalid request; 4 that cannot be told: a level that the pilot
did not sample, a cost that is not known, a difference that is too small.
"""


def parse_percent(_: click.Context, option: click.Parameter, value: str | None) -> Any:
    """Return a percentage such as ``5%``; None if there is none."""
    if value is None:
        return None
    match = _PERCENT.fullmatch(value)
    if not match:
        msg = f"{value!r} is not a percentage; write it as 5%"
        raise click.BadParameter(msg, param=option)
    return float(match[1])


def takes_study(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command choose a workload and the runs of a store that it looks at."""
    for option in (
        click.option(
            "--accept",
            default="",
            metavar="CONDITION,...",
            help="conditions that may differ: kernel, steady state, ...; or all",
        ),
        click.option(
            "--where",
            multiple=True,
            metavar="COLUMN=VALUE",
            help="only such runs, such as device_firmware=1.1; may be repeated",
        ),
        click.option(
            "--direction",
            type=click.Choice(["total", "read", "write", "trim"]),
            default="total",
            show_default=True,
            help="which IOs",
        ),
        click.option(
            "--metric",
            default="",
            help="iops, bw, or of latency mean, p50, p90, p99, p99.9, p99.99, p99.999; "
            "default: bw of tp, mean of lat, else iops",
        ),
        click.option(
            "--test", default="", help="the test; default: that of most drives"
        ),
        click.option(
            "--cell",
            default="",
            help="first words of a workload: 'RND 4KiB 0/100'",
        ),
    ):
        command = option(command)
    return command


@store.command(help=_HELP)
@store_argument
@takes_study
@click.option(
    "--difference",
    metavar="PERCENT",
    callback=parse_percent,
    help="show such a difference of two populations of drives",
)
@click.option(
    "--half-width",
    metavar="PERCENT",
    callback=parse_percent,
    help="bound the mean of one population so narrowly",
)
@click.option(
    "--same-drives",
    is_flag=True,
    help="of --difference: the same drives are measured before and after",
)
@click.option(
    "--power",
    "power_percent",
    metavar="PERCENT",
    default="80%",
    show_default=True,
    callback=parse_percent,
    help="how often a true difference is to be found",
)
@click.option(
    "--confidence",
    "confidence_percent",
    metavar="PERCENT",
    default="95%",
    show_default=True,
    callback=parse_percent,
    help="of the test or the interval",
)
@click.option(
    "--assurance",
    "assurance_percent",
    metavar="PERCENT",
    default="80%",
    show_default=True,
    callback=parse_percent,
    help="how certainly the drives are enough",
)
@click.option("--drives", type=click.IntRange(2), help="there are no more, a side")
@click.option("--round-hours", type=float, help="time of a round; default: as recorded")
@click.option(
    "--run-hours",
    type=float,
    help="time of a run besides its window: purge, preconditioning, ...; default: as "
    "recorded",
)
@click.option(
    "--drive-hours",
    type=float,
    default=0.0,
    show_default=True,
    help="what one more drive costs besides its runs",
)
@json_option
def plan(  # noqa: PLR0913 - one argument an option
    url: str, *, difference: float | None, half_width: float | None, same_drives: bool,
    drives: int | None, round_hours: float | None, run_hours: float | None,
    drive_hours: float, as_json: bool, **choices: Any,
) -> None:  # fmt: skip
    """Plan how many drives, runs and rounds it takes to show a difference."""
    from ssdlab.fleet.repetitions import find_repetitions
    from ssdlab.fleet.repetitions_text import repetitions_as_dict

    if (difference is None) == (half_width is None):
        msg = "Give one of --difference and --half-width."
        raise click.UsageError(msg)
    if same_drives and difference is None:
        msg = "--same-drives is of --difference."
        raise click.UsageError(msg)
    percent = half_width if difference is None else difference
    purpose: Purpose = "change" if same_drives else "difference"
    with working("reading the pilot runs"):
        found = find_repetitions(
            url,
            purpose="half-width" if difference is None else purpose,
            percent=percent or 0.0,
            most_drives=drives,
            round_s=None if round_hours is None else _HOUR_S * round_hours,
            run_s=None if run_hours is None else _HOUR_S * run_hours,
            drive_s=_HOUR_S * drive_hours,
            **choices,
        )
    if as_json:
        echo_json(repetitions_as_dict(found))
    else:
        _print(found)
    sys.exit(EXIT_UNKNOWN if found.planned is None else 0)


def _print(found: "Repetitions") -> None:
    from ssdlab.fleet.repetitions_text import (
        answer_lines,
        components_table,
        note_lines,
        ways_table,
    )

    width = terminal_width(_MOST_WIDTH)
    for line in answer_lines(found):
        click.echo("\n".join(wrapped(line, width=width)))
    for table in (components_table(found), ways_table(found)):
        if table.rows:
            lines = map(printable, table_lines(table, width=width))
            click.echo("\n".join(["", printable(table.caption), *lines]))
    click.echo("")
    for line in note_lines(found):
        click.echo("\n".join(wrapped(line, width=width)))
    print_left_out(found.pilot, width)


def print_left_out(pilot: "Pilot", width: int) -> None:
    """Print which runs are left out, by reason, if any are."""
    from ssdlab.fleet.pages import reasons_table

    if (pilot.runs["left_out"] != "").any():
        lines = map(printable, table_lines(reasons_table(pilot.runs), width=width))
        click.echo("\n".join(["", *lines]))

"""The command ``qos``: percentiles with their intervals, and a target's verdict."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.group import json_option, main, printable, run_argument

if TYPE_CHECKING:
    import pandas as pd

_EXIT_NOT_MET = 3
_TARGET_EXAMPLE = "'p99.99 <= 1 ms at >= 20000 IOPS'"


@main.command()
@run_argument
@click.option("--target", help=f"what the load is to keep, such as {_TARGET_EXAMPLE}")
@click.option("--test", default="", help="the test, such as lat; else those that ran a "
              "histogram")  # fmt: skip
@click.option("--workload", default="", help="its first words: 'RND 4KiB 0/100'")
@click.option(
    "--direction",
    default="total",
    show_default=True,
    type=click.Choice(["total", "read", "write"]),
)
@click.option("--all-rounds", is_flag=True, help="not those of the window alone")
@json_option
@click.pass_context
def qos(  # noqa: PLR0913 - one argument an option
    ctx: click.Context,
    run: Path,
    *,
    target: str | None,
    test: str,
    workload: str,
    direction: str,
    all_rounds: bool,
    as_json: bool,
) -> None:
    """Show the latency percentiles of a run with their intervals.

    An interval that is open says which IOs are missing: "not supported by N IOs". With
    --target each load gets a verdict; the exit code is 3 unless all of them are met.
    """
    from ssdlab.analysis import (
        assess_loads,
        parse_qos_target,
        qos_as_dict,
        select_loads,
        summarise_qos,
        verdict_of_target_as_dict,
    )
    from ssdlab.store.run import open_run

    wanted = parse_qos_target(target) if target is not None else None
    opened = open_run(run)
    loads = select_loads(
        opened.measurements,
        opened.bins,
        None if all_rounds else opened.windows,
        test=test,
        workload=workload,
        direction=direction,
    )
    tables = [summarise_qos(load, series=opened.series) for load in loads]
    verdicts = assess_loads(loads, wanted, series=opened.series) if wanted else []
    if as_json:
        pairs = zip(loads, tables, strict=True)
        found = {
            "run": opened.record.run_id,
            "loads": [qos_as_dict(load, table) for load, table in pairs],
            "verdicts": [verdict_of_target_as_dict(verdict) for verdict in verdicts],
        }
        click.echo(json.dumps(found, indent=1, allow_nan=False))
    else:
        from ssdlab.analysis import claim_text

        for load, table in zip(loads, tables, strict=True):
            click.echo(printable_lines(claim_text(load, table)))
            click.echo("\n".join(table_lines(table)) + "\n")
        if wanted:
            click.echo(f"Target: {wanted.text}")
        for verdict in verdicts:
            click.echo(printable(f"{verdict.load}: {verdict.words}."))
    is_kept = all(verdict.verdict == "met" for verdict in verdicts)
    ctx.exit(0 if is_kept else _EXIT_NOT_MET)


def printable_lines(text: str) -> str:
    """Return lines of text as a terminal may get them."""
    return "\n".join(map(printable, text.splitlines()))


def table_lines(table: "pd.DataFrame") -> list[str]:
    """Return percentiles and intervals in columns, one line each."""
    from ssdlab.analysis import tabulate_qos

    shown = tabulate_qos(table)
    columns = [shown[name] for name in shown.columns]
    heads = ["", "ms", "95 % interval", "claimed", "if IOs were independent", "worth"]
    cells = [
        [head, *map(str, column)] for head, column in zip(heads, columns, strict=False)
    ]
    widths = [max(map(len, column)) for column in cells]
    notes = ["", *map(str, shown["note"])]
    rows = zip(*cells, strict=True)
    return [
        printable(_line(row, widths, note)).rstrip()
        for row, note in zip(rows, notes, strict=True)
    ]


def _line(row: tuple[str, ...], widths: list[int], note: str) -> str:
    level, value, *rest = row
    first = f"  {level:>{widths[0]}}  {value:>{widths[1]}}"
    others = (f"{cell:<{width}}" for cell, width in zip(rest, widths[2:], strict=True))
    return "  ".join([first, *others, note])

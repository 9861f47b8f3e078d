"""The command ``qos``: percentiles with their intervals, and a target's verdict."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.group import json_option, main, run_argument
from ssdlab.cli.qos_lines import (
    column_lines,
    table_lines,
    terminal_width,
    wrapped_lines,
)
from ssdlab.model.spec import DIRECTIONS

if TYPE_CHECKING:
    from ssdlab.store.run import Run

_EXIT_NOT_MET = 3
_TARGET_EXAMPLE = "'p99.99 <= 1 ms at >= 20000 IOPS'"


_HELP = """Show the latency percentiles of a run with their intervals.

Without --test and --workload: the loads that a test ran a histogram of; --list names
all, and up to which level their IOs would do. An interval that is open says which IOs
are missing: "not supported by N IOs".

With --target each load gets a verdict and its certainty: met where the whole 95 %
interval is within the limit, not met where it is beyond, else it cannot be told.

\b
ssdlab qos data/runs/RUN
ssdlab qos data/runs/RUN --test lat --target 'p99.9 <= 1 ms'
ssdlab qos data/runs/RUN --workload 'RND 4KiB 65/35' --direction read

Exit codes: 0 shown, and the target met by every load shown; 3 a load did not meet
it, or that cannot be told; 2 the request was wrong.
"""


@main.command(help=_HELP)
@run_argument
@click.option("--target", help=f"what the load is to keep, such as {_TARGET_EXAMPLE}")
@click.option("--test", default="", help="the test, such as lat")
@click.option(
    "--workload", default="", help="its first words, such as 'RND 4KiB 0/100'"
)
@click.option(
    "--direction",
    default="total",
    show_default=True,
    type=click.Choice(DIRECTIONS),
)
@click.option("--all-rounds", is_flag=True, help="count every round, not those of the "
              "measurement window alone")  # fmt: skip
@click.option(
    "--list", "lists", is_flag=True, help="name the loads of the run, and end"
)
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
    lists: bool,
    as_json: bool,
) -> None:
    """Show percentiles with their intervals, and whether a target is met."""
    from ssdlab.analysis import (
        assess_loads,
        parse_qos_target,
        select_loads,
        summarise_qos,
    )
    from ssdlab.analysis.qos.text import qos_as_dict, verdict_of_target_as_dict
    from ssdlab.campaign.opening import open_run

    wanted = parse_qos_target(target) if target is not None else None
    opened = open_run(run)
    if lists:
        _show_loads(opened, as_json=as_json)
        return
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
            "target_kind": opened.record.target.kind,
            "loads": [qos_as_dict(load, table) for load, table in pairs],
            "verdicts": [verdict_of_target_as_dict(verdict) for verdict in verdicts],
        }
        click.echo(json.dumps(found, indent=1, allow_nan=False))
    else:
        from ssdlab.analysis import claim_text, run_text, tabulate_qos, targets_text

        width = terminal_width()
        click.echo("\n".join([*wrapped_lines(run_text(opened.record), width), ""]))
        for load, table in zip(loads, tables, strict=True):
            lines = wrapped_lines(claim_text(load, table), width)
            click.echo("\n".join([*lines, *table_lines(tabulate_qos(table), width)]))
            click.echo()
        if wanted:
            click.echo("\n".join(wrapped_lines(targets_text(verdicts), width)))
    is_kept = all(verdict.verdict == "met" for verdict in verdicts)
    ctx.exit(0 if is_kept else _EXIT_NOT_MET)


def _show_loads(opened: "Run", *, as_json: bool) -> None:
    """Name what was measured with a latency histogram.

    Raises
    ------
    NoHistogramError
        If nothing was.
    """
    from ssdlab.analysis import summarise_loads, tabulate_loads
    from ssdlab.analysis.plain_rows import plain_rows
    from ssdlab.model.errors import NoHistogramError

    table = summarise_loads(opened.measurements, opened.bins)
    if table.empty:
        raise NoHistogramError
    if as_json:
        click.echo(json.dumps(plain_rows(table), indent=1, allow_nan=False))
        return
    shown = tabulate_loads(table).drop(columns="Told apart")
    short = shown.assign(
        What=shown["What"].str.removeprefix("one "), IOs=shown["IOs"].map("{:,}".format)
    )
    click.echo("\n".join(column_lines(short.rename(columns={"Enough for": "Up to"}))))

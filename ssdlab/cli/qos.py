"""The command ``qos``: latency percentiles with intervals, and targets."""

import json
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.group import json_option, main, run_argument, terminal_width
from ssdlab.model.spec import DIRECTIONS
from ssdlab.text.table import Table, column, tabulate
from ssdlab.text.terminal import table_lines, wrapped

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.store.run import Run

_EXIT_NOT_MET = 3
_MOST_WIDTH = 120
_LEAST_NOTE = 38  # characters: a narrower column is hard to read
_HEADS = {"Level": "", "Response time [ms]": "ms"}  # of columns of numbers
_ALWAYS = ("Level", "Response time [ms]", "95 % interval [ms]", "Note")
_TARGET_EXAMPLE = "'p99.99 <= 1 ms at >= 20000 IOPS'"


_HELP = """Show latency percentiles with their intervals.

By default, the loads for which a test measured a histogram are shown. --list names all
loads, and the highest level that their number of IOs supports. An open interval means
that there are too few IOs: "not supported by N IOs".

With --target each load gets a verdict with its confidence: met if the whole 95 %
interval is within the limit, not met if it is beyond, otherwise undecided.

\b
ssdlab qos data/runs/RUN
ssdlab qos data/runs/RUN --test lat --target 'p99.9 <= 1 ms'
ssdlab qos data/runs/RUN --workload 'RND 4KiB 65/35' --direction read

Exit codes: 0 shown, and every load meets the target; 2 invalid request; 3 a load does
not meet the target, or that is undecided.
"""


@main.command(help=_HELP)
@run_argument
@click.option("--target", help=f"QoS target, such as {_TARGET_EXAMPLE}")
@click.option("--test", default="", help="only this test, such as lat")
@click.option(
    "--workload", default="", help="only loads that begin with 'RND 4KiB 0/100'"
)
@click.option(
    "--direction",
    default="total",
    show_default=True,
    type=click.Choice(DIRECTIONS),
)
@click.option(
    "--all-rounds",
    is_flag=True,
    help="use every round, not only those of the measurement window",
)
@click.option(
    "--list", "lists", is_flag=True, help="list the loads of the run, and exit"
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
    """Show latency percentiles with their intervals, and whether a target is met."""
    from ssdlab.analysis import (
        assess_loads,
        parse_qos_target,
        select_loads,
        summarise_qos,
    )
    from ssdlab.ingest.opening import open_run
    from ssdlab.qos.text import qos_as_dict, verdict_of_target_as_dict

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

        width = terminal_width(_MOST_WIDTH)
        click.echo("\n".join([*_lines(run_text(opened.record), width), ""]))
        for load, table in zip(loads, tables, strict=True):
            lines = _lines(claim_text(load, table), width)
            shown = _fitting(tabulate_qos(table), width)
            click.echo("\n".join([*lines, *table_lines(shown, width=width), ""]))
        if wanted:
            click.echo("\n".join(_lines(targets_text(verdicts), width)))
    is_kept = all(verdict.verdict == "met" for verdict in verdicts)
    ctx.exit(0 if is_kept else _EXIT_NOT_MET)


def _show_loads(opened: "Run", *, as_json: bool) -> None:
    """List the loads that were measured with a latency histogram."""
    from ssdlab.analysis import summarise_loads, tabulate_loads
    from ssdlab.model.errors import NoHistogramError
    from ssdlab.stats.plain_rows import plain_rows

    bins = opened.read("bins", ("step_id", "direction", "count"))
    table = summarise_loads(opened.measurements, bins)
    if table.empty:
        raise NoHistogramError
    if as_json:
        click.echo(json.dumps(plain_rows(table), indent=1, allow_nan=False))
        return
    shown = tabulate_loads(table).drop(columns="Split by")
    words = {name: column(name, name, is_words=True) for name in map(str, shown)}
    columns = words | {
        "What": column(
            "What", lambda row: row["What"].removeprefix("one "), is_words=True
        ),
        "IOs": column("IOs", "IOs", "{:,}".format),
        "Supports": column("Up to", "Supports", is_words=True),
    }
    listed = tabulate(shown, tuple(columns.values()), caption="")
    click.echo("\n".join(table_lines(listed)))


def _lines(text: str, width: int) -> list[str]:
    """Return the lines of a text, wrapped where they are too long."""
    return [
        part
        for line in text.splitlines()
        for part in wrapped(line, width=width, rest="  ")
    ]


def _fitting(shown: "pd.DataFrame", width: int) -> Table:
    """Return the table of percentiles, without columns that leave no room for notes.

    Level, value, interval and note are always shown.
    """
    names = [str(name) for name in shown]
    heads = {name: _HEADS.get(name, name.removesuffix(" [ms]")) for name in names}
    sizes = (
        max(shown[name].astype(str).str.len().max(), len(head)) + 2
        for name, head in heads.items()
    )
    columns = [
        column(head, name, is_words=name not in _HEADS)
        for (name, head), used in zip(heads.items(), accumulate(sizes), strict=True)
        if name in _ALWAYS or used <= width - _LEAST_NOTE
    ]
    return tabulate(shown, columns, caption="")

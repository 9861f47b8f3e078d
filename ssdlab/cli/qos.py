"""The command ``qos``: latency percentiles with intervals, and targets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.answers import echo_json
from ssdlab.cli.group import (
    json_option,
    main,
    run_argument,
    shows_colour,
    terminal_width,
)
from ssdlab.model.spec import DIRECTIONS
from ssdlab.text.numbers import NOT_MEASURED
from ssdlab.text.table import Column, Table, column, tabulate
from ssdlab.text.terminal import table_lines, without_columns, wrapped

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.qos.load import Load
    from ssdlab.qos.verdict import QosVerdict
    from ssdlab.store.run import Run

_EXIT_NOT_MET = 3
_MOST_WIDTH = 120
_LEAST_NOTE = 38  # characters: a narrower column is hard to read
_NS_PER_MS = 1e6
_HUNDRED = 100
_SHOWN_LEVELS = {
    "average": "mean",
    "50 %": "p50",
    "99 %": "p99",
    "99.9 %": "p99.9",
    "99.99 %": "p99.99",
}
_LESS_NEEDED = ("p50", "p99.99", "mean", "of", "p99", "IOs")
_VERDICTS = {"met": "✓ met", "not met": "✗ not met", "cannot be told": "? inconclusive"}
_BRIEF_NOTE = (
    "Latencies in ms, with 95 % intervals; from: no upper end, as the IOs are too few "
    "or the rounds too different. Every level and why: --all"
)
_HEADS = {"Level": "", "Response time [ms]": "ms"}  # of columns of numbers
_ALWAYS = ("Level", "Response time [ms]", "95 % interval [ms]", "Note")
_GOAL_EXAMPLE = "'p99.99 <= 1 ms at >= 20000 IOPS'"


_HELP = """Show latency percentiles with their intervals.

By default the loads for which a test measured a histogram are shown, a line for each:
its IOs and its latencies in ms with their 95 % intervals. "from" is an open interval:
the IOs are too few, or the rounds too different, to bound the percentile from above.
--all shows every level of each load, with what its interval rests on.

With --goal each load gets a verdict: met if the whole 95 % interval is within the
limit, not met if it is beyond, otherwise inconclusive.

\b
ssdlab qos latest
ssdlab qos latest --test lat --goal 'p99.9 <= 1 ms'
ssdlab qos latest --workload 'RND 4KiB 65/35' --direction read --all

Exit codes: 0 shown, and every load meets the goal; 2 invalid request; 3 a load does not
meet the goal, or that is inconclusive.
"""


@main.command(help=_HELP)
@run_argument
@click.option("--goal", help=f"latency goal, such as {_GOAL_EXAMPLE}")
@click.option("--target", hidden=True, help="as --goal, by its former name")
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
@click.option("--all", "shows_all", is_flag=True, help="show every level of each load")
@click.option(
    "--list", "lists", is_flag=True, help="list the loads of the run, and exit"
)
@json_option
@click.pass_context
def qos(  # noqa: PLR0913 - one argument an option
    ctx: click.Context,
    run: Path,
    *,
    goal: str | None,
    target: str | None,
    test: str,
    workload: str,
    direction: str,
    all_rounds: bool,
    shows_all: bool,
    lists: bool,
    as_json: bool,
) -> None:
    """Show latency percentiles with their intervals, and whether a goal is met."""
    from ssdlab.analysis import (
        assess_loads,
        parse_qos_target,
        select_loads,
        summarise_qos,
    )
    from ssdlab.ingest.opening import open_run
    from ssdlab.qos.text import qos_as_dict, verdict_of_target_as_dict

    goal = target if goal is None else goal
    wanted = None if goal is None else parse_qos_target(goal)
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
        echo_json(found)
    else:
        from ssdlab.compare.measured_on import run_text

        width = terminal_width(_MOST_WIDTH)
        click.echo("\n".join([*_lines(run_text(opened.record), width), ""]))
        show = _show_all if shows_all else _show_briefly
        paired = zip_longest(loads, tables, verdicts)
        show([_Shown(*three) for three in paired], width)
    is_kept = all(verdict.verdict == "met" for verdict in verdicts)
    ctx.exit(0 if is_kept else _EXIT_NOT_MET)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A load, its levels as `summarise_qos` returns them, and its verdict, if any."""

    load: "Load"
    levels: "pd.DataFrame"
    verdict: "QosVerdict | None"

    def level(self, marker: str) -> "pd.Series[Any]":
        """Return the row of a level."""
        return self.levels[self.levels["marker"] == marker].iloc[0]


def _show_all(loads: Sequence[_Shown], width: int) -> None:
    """Show every level of each load, then the verdicts in words."""
    from ssdlab.qos.text import claim_text, tabulate_qos, targets_text

    for one in loads:
        lines = _lines(claim_text(one.load, one.levels), width)
        shown = _fitting(tabulate_qos(one.levels), width)
        click.echo("\n".join([*lines, *table_lines(shown, width=width), ""]))
    verdicts = [one.verdict for one in loads if one.verdict]
    if verdicts:
        click.echo("\n".join(_lines(targets_text(verdicts), width)))


def _show_briefly(loads: Sequence[_Shown], width: int) -> None:
    """Show a line for each load, with its verdict if there is a goal."""
    levels = (_level(marker, head) for marker, head in _SHOWN_LEVELS.items())
    columns = [
        column("test", lambda one: one.load.test, is_words=True),
        column("load", _load_words, is_words=True),
        column("of", lambda one: one.load.what.removeprefix("one "), is_words=True),
        column("IOs", lambda one: one.level("average")["total_ios"], "{:,}".format),
        *levels,
    ]
    goal = next((one.verdict.target for one in loads if one.verdict), "")
    if goal:
        columns.append(column(goal, "verdict", _verdict, is_words=True))
    whole = tabulate(loads, columns, caption="")
    table = without_columns(whole, _LESS_NEEDED, width=width)
    lines = table_lines(table, width=width, is_coloured=shows_colour())
    click.echo("\n".join([*lines, "", *_lines(_BRIEF_NOTE, width)]))


def _load_words(one: _Shown) -> str:
    load = one.load
    side = "" if load.direction == "total" else f" {load.direction}s"
    return f"{load.workload}{side}"


def _level(marker: str, head: str) -> Column:
    """Return the column of a percentile: its value and its interval, in ms."""

    def text(one: _Shown) -> str:
        level = one.level(marker)
        if math.isnan(level["lat_ns"]):
            return NOT_MEASURED
        value, low, high = (
            _brief_number(level[name] / _NS_PER_MS)
            for name in ("lat_ns", "low_ns", "high_ns")
        )
        if marker == "average":
            return value
        is_open = not (level["is_supported"] and math.isfinite(level["high_ns"]))
        return f"from {low}" if is_open else f"{value} ({low}-{high})"

    return Column(head, text)


def _verdict(verdict: "QosVerdict") -> str:
    return _VERDICTS[verdict.verdict]


def _brief_number(value: float) -> str:
    """Return a number with three significant digits."""
    return f"{value:#.3g}" if value < _HUNDRED else f"{value:,.0f}"


def _show_loads(opened: "Run", *, as_json: bool) -> None:
    """List the loads that were measured with a latency histogram."""
    from ssdlab.model.errors import NoHistogramError
    from ssdlab.qos.loads import summarise_loads
    from ssdlab.qos.text import tabulate_loads
    from ssdlab.stats.plain_rows import plain_rows

    bins = opened.read("bins", ("step_id", "direction", "count"))
    table = summarise_loads(opened.measurements, bins)
    if table.empty:
        raise NoHistogramError
    if as_json:
        echo_json(plain_rows(table))
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

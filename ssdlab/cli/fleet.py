"""The command ``fleet``: what a store of runs says of its drives."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.answers import echo_json, echo_page, require_page, write_page
from ssdlab.cli.group import (
    json_option,
    main,
    overwrite_option,
    page_option,
    terminal_width,
)
from ssdlab.cli.live import working
from ssdlab.cli.store import store_argument
from ssdlab.text.terminal import printable

if TYPE_CHECKING:
    from ssdlab.fleet.fleet import Fleet

_MOST_WIDTH = 120


@main.command()
@store_argument
@page_option
@click.option(
    "--cell",
    default="",
    help="first words of a workload: 'RND 4KiB 0/100'; default: that of most drives",
)
@click.option("--test", default="", help="the test; default: that of most drives")
@click.option(
    "--metric",
    default="",
    help="iops, bw, waf (write amplification), cpu (processor time per IO), watts, "
    "energy (of an IO), or of latency mean, p50, p90, p99, p99.9, p99.99, p99.999; "
    "default: bw of tp, mean of lat, else iops",
)
@click.option(
    "--direction",
    type=click.Choice(["total", "read", "write", "trim"]),
    default="total",
    show_default=True,
    help="which IOs",
)
@click.option(
    "--by",
    type=click.Choice(["model", "firmware", "host"]),
    help="group drives by this; default: firmware where a model has several",
)
@click.option(
    "--accept",
    default="",
    metavar="CONDITION,...",
    help="conditions that may differ: kernel, steady state, neighbours, ...; or all",
)
@overwrite_option
@json_option
def fleet(
    url: str,
    *,
    output: Path | None,
    by: str | None,
    overwrite: bool,
    as_json: bool,
    **choices: str,
) -> None:
    """Show how the drives of a store differ, and which are outliers.

    STORE is a store of runs: ssdlab store. The page also has differences of firmware,
    ageing, history, latencies of all drives, what was left out, and which drive has
    which test.
    """
    from ssdlab.fleet.as_json import fleet_as_dict
    from ssdlab.fleet.fleet import summarise_fleet
    from ssdlab.fleet.pages import fleet_document

    require_page(output, overwrite=overwrite)
    with working("reading the store"):
        found = summarise_fleet(url, by=by or "", **choices)
        write_page(output, lambda: fleet_document(found))
    if as_json:
        echo_json(fleet_as_dict(found))
        return
    click.echo("\n".join(_lines(found)))
    echo_page(output)


def _lines(found: "Fleet") -> Iterator[str]:
    """Yield the answer, and the tables of groups, outliers and reasons."""
    from ssdlab.fleet.pages import answer_texts, terminal_tables
    from ssdlab.text.terminal import table_lines, wrapped

    width = terminal_width(_MOST_WIDTH)
    for text in answer_texts(found):
        yield from wrapped(text, width=width)
    for table in terminal_tables(found):
        yield ""
        yield printable(table.caption)
        yield from map(printable, table_lines(table, width=width))

"""The command ``store gauge``: what of the scatter is the measurement's."""

import sys
from pathlib import Path
from typing import Any

import click

from ssdlab.cli.answers import echo_json, echo_page, require_page, write_page
from ssdlab.cli.gates import EXIT_UNKNOWN
from ssdlab.cli.group import json_option, overwrite_option, page_option, terminal_width
from ssdlab.cli.live import working
from ssdlab.cli.store import store, store_argument
from ssdlab.cli.store_plan import print_left_out, takes_study
from ssdlab.text.terminal import printable, table_lines, wrapped

_MOST_WIDTH = 120
_HELP = """Tell how much of the scatter is the measurement's: gauge R&R.

Hosts are the appraisers, drives the parts, and runs of a drive on a host the repeats.
Where drives were measured on several hosts, hosts and drives are crossed, otherwise
drives are nested in hosts. Shown are repeatability (EV), reproducibility by host (AV),
host x drive, gauge R&R, drive to drive (PV), each with its interval, %GRR and the
number of distinct categories (ndc).

\b
ssdlab store gauge lab
ssdlab store gauge lab --test lat --metric p99.9 -o gauge.html
ssdlab store gauge lab --accept kernel --hosts label

Runs of other hosts often have another kernel: accept what is meant to differ.

Exit codes: 0 shown; 2 invalid request; 4 that cannot be told: one host, one drive, no
repeats, hosts without drives in common.
"""


@store.command(help=_HELP)
@store_argument
@takes_study
@click.option(
    "--hosts",
    default="platform,cpu",
    show_default=True,
    metavar="COLUMN,...",
    help="columns of runs that distinguish hosts",
)
@page_option
@overwrite_option
@json_option
def gauge(
    url: str, *, hosts: str, output: Path | None, overwrite: bool, as_json: bool,
    **choices: Any,
) -> None:  # fmt: skip
    """Tell how much of the scatter is the measurement's: gauge R&R."""
    from ssdlab.fleet.gauge import assess_gauge
    from ssdlab.fleet.gauge_pages import (
        answer_texts,
        gauge_as_dict,
        gauge_document,
        note_texts,
        parts_table,
    )

    require_page(output, overwrite=overwrite)
    columns = [name.strip() for name in hosts.split(",") if name.strip()]
    with working("reading the store"):
        found = assess_gauge(url, hosts=columns, **choices)
        write_page(output, lambda: gauge_document(found))
    if as_json:
        echo_json(gauge_as_dict(found))
    else:
        width = terminal_width(_MOST_WIDTH)
        for text in answer_texts(found):
            click.echo("\n".join(wrapped(text, width=width)))
        if found.parts:
            lines = map(printable, table_lines(parts_table(found), width=width))
            click.echo("\n".join(["", *lines]))
        click.echo("")
        for text in note_texts(found):
            click.echo("\n".join(wrapped(text, width=width)))
        print_left_out(found.pilot, width)
        echo_page(output)
    sys.exit(EXIT_UNKNOWN if found.reason else 0)

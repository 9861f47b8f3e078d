"""The command ``budget``: the uncertainty of a result, and what it is made of."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.answers import echo_json, echo_page, require_page, write_page
from ssdlab.cli.gates import EXIT_UNKNOWN
from ssdlab.cli.group import (
    json_option,
    main,
    overwrite_option,
    page_option,
    run_argument,
    terminal_width,
)
from ssdlab.cli.live import working
from ssdlab.cli.store_plan import parse_percent, takes_study
from ssdlab.text.terminal import printable, table_lines, without_columns, wrapped

if TYPE_CHECKING:
    from ssdlab.budget.budget import Budget

_MOST_WIDTH = 120
_LESS_NEEDED = ("c", "u(x)", "Distribution", "Freedom", "Type")
_HELP = """Show the uncertainty of a steady-state result, and what it is made of.

A budget as the GUM (JCGM 100:2008) has it: each source with its standard uncertainty,
type, distribution, sensitivity and degrees of freedom, then the combined and the
expanded uncertainty. Sources are rounds, drift in the window, histogram bins, the
resolution of times, idle gaps, temperature, host ceiling, and with --store run to run
and drive to drive. What is not known is not evaluated, and named.

\b
ssdlab budget latest
ssdlab budget latest --test lat --metric p99.9
ssdlab budget latest --cell 'RND 4KiB 65/35' --store lab -o budget.html

Exit codes: 0 shown; 2 invalid request; 4 that cannot be told: the result is not one of
steady state, or its scatter is not known.
"""


@main.command(help=_HELP)
@run_argument
@takes_study
@click.option(
    "--store",
    metavar="STORE",
    help="a store that tells how runs and drives of the model scatter",
)
@click.option(
    "--confidence",
    "confidence_percent",
    metavar="PERCENT",
    default="95%",
    show_default=True,
    callback=parse_percent,
    help="of the expanded uncertainty",
)
@page_option
@overwrite_option
@json_option
def budget(
    run: Path, *, output: Path | None, overwrite: bool, as_json: bool, **choices: Any
) -> None:
    """Show the uncertainty of a steady-state result, and what it is made of."""
    from ssdlab.budget.budget import summarise_budget
    from ssdlab.budget.pages import budget_as_dict, budget_document

    require_page(output, overwrite=overwrite)
    with working("reading the run"):
        found = summarise_budget(run, **choices)
        write_page(output, lambda: budget_document(found))
    if as_json:
        echo_json(budget_as_dict(found))
    else:
        _print(found)
        echo_page(output)
    sys.exit(EXIT_UNKNOWN if found.reason else 0)


def _print(found: "Budget") -> None:
    from ssdlab.budget.pages import answer_texts, basis_table, budget_table

    width = terminal_width(_MOST_WIDTH)
    for text in answer_texts(found):
        click.echo("\n".join(wrapped(text, width=width)))
    table = without_columns(budget_table(found), _LESS_NEEDED, width=width)
    for one in (table, basis_table(found)):
        if one.rows:
            lines = map(printable, table_lines(one, width=width))
            click.echo("\n".join(["", *lines]))
    click.echo("\n".join(["", *wrapped(table.note, width=width)]))

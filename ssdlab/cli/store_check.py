"""The command ``store check``: a gate over a store of runs."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.answers import echo_json
from ssdlab.cli.gates import (
    EXIT_NOT_MET,
    EXIT_UNKNOWN,
    exit_with,
    require_outputs,
    takes_limits,
    write_junit,
)
from ssdlab.cli.group import shows_colour, terminal_width
from ssdlab.cli.live import working
from ssdlab.cli.store import store, store_argument
from ssdlab.text.terminal import table_lines, without_columns, wrapped

if TYPE_CHECKING:
    from ssdlab.fleet.check import Check

_EXIT_CODES = {
    "within": 0,
    "regression": EXIT_NOT_MET,
    "not shown": EXIT_UNKNOWN,
}
_MOST_WIDTH = 140
_LESS_NEEDED = ("Drives", "Baseline", "Candidate", "Why", "90 % interval")
_HELP = """Check drives against others, by limits of what may be lost.

Baseline and candidate are runs of the store, such as those of two firmwares. The drives
are the sample, and the runs of a drive its repeats; drives that are on both sides are
compared each with itself. Each condition is COLUMN=VALUE of the table runs, where VALUE
may have * and ?; of several all must hold.

\b
ssdlab store check lab --baseline device_firmware=1.0 \\
    --candidate device_firmware=1.1 --limits gate.toml --junit gate.xml

gate.toml names what may be lost, in percent: of a rate how much lower, of a latency how
much longer. The last limit for a cell counts; a cell is the first words of a workload,
with * and ?. Metrics: iops, bw, mean, p50, p90, p99, p99.9, p99.99, p99.999.

\b
[[limit]]
metric = "iops"
loss_percent = 5
[[limit]]
metric = "p99.9"
loss_percent = 10
test = "lat"
cell = "RND 4KiB 0/100"

A regression is shown where the drives are worse than the limit, and the gate is
passed only if every cell is shown to be within its limit; either is wrong in at most
one of 20 checks. It takes at least three drives of each side. Runs measured under
unlike conditions are refused, and runs that were not steady or shared their host are
left out, both by name.

Exit codes: 0 all shown within limits; 2 invalid request; 3 a regression shown; 4 not
shown: too few drives, wide intervals, a cell not measured.
"""


@store.command(help=_HELP)
@store_argument
@click.option(
    "--baseline",
    required=True,
    multiple=True,
    metavar="COLUMN=VALUE",
    help="which runs the candidate is checked against",
)
@click.option(
    "--candidate",
    required=True,
    multiple=True,
    metavar="COLUMN=VALUE",
    help="which runs are checked",
)
@click.option(
    "--accept",
    default="",
    metavar="CONDITION,...",
    help="conditions that may differ: kernel, host, ...; steady state and neighbours "
    "keep such runs; or all",
)
@takes_limits("what may be lost")
def check(  # noqa: PLR0913 - one argument an option
    url: str, *, baseline: tuple[str, ...], candidate: tuple[str, ...], limits: Path,
    accept: str, strict: bool, junit: Path | None, markdown: bool, overwrite: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Check drives against others, by limits of what may be lost."""
    from ssdlab.fleet.check import CheckAsked, check_store
    from ssdlab.fleet.check_text import check_as_dict, check_junit, check_markdown
    from ssdlab.fleet.conditions import parse_accepted
    from ssdlab.fleet.limits import read_limits
    from ssdlab.fleet.selection import parse_conditions
    from ssdlab.fleet.store import open_store

    require_outputs(junit, as_json=as_json, markdown=markdown, overwrite=overwrite)
    asked = CheckAsked(
        baseline=parse_conditions(baseline),
        candidate=parse_conditions(candidate),
        limits=read_limits(limits),
        source=str(limits),
        accepted=parse_accepted(accept),
    )
    with working("reading the cells of both sides"):
        found = check_store(open_store(url), asked)
    if as_json:
        echo_json(check_as_dict(found))
    elif markdown:
        click.echo(check_markdown(found), nl=False)
    else:
        _print(found)
    write_junit(junit, partial(check_junit, found), is_strict=strict)
    exit_with(_EXIT_CODES[found.outcome], strict=strict)


def _print(found: "Check") -> None:
    """Print the sides, every cell that is not within its limit, and the answer."""
    from ssdlab.fleet.check_text import (
        INTERVALS,
        answer_text,
        check_lines,
        check_table,
        why_lines,
    )

    width = terminal_width(_MOST_WIDTH)
    for line in check_lines(found):
        click.echo("\n".join(wrapped(line, width=width, rest=" " * 12)))
    listed = [one for one in found.cells if one.outcome != "within"]
    if listed:
        table = without_columns(check_table(listed), _LESS_NEEDED, width=width)
        lines = table_lines(table, width=width, is_coloured=shows_colour())
        click.echo("\n".join(["", *lines]))
        click.echo("\n".join(["", *wrapped(INTERVALS, width=width)]))
    click.echo("")
    for line in (answer_text(found), *why_lines(found)):
        click.echo("\n".join(wrapped(line, width=width)))

"""The command ``check``: runs against limits of a file."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.answers import echo_json, echo_page, require_page, write_page
from ssdlab.cli.gates import (
    EXIT_NOT_MET,
    EXIT_UNKNOWN,
    exit_with,
    require_outputs,
    takes_limits,
    write_junit,
    write_lines,
)
from ssdlab.cli.group import (
    main,
    page_option,
    shows_colour,
    takes_run,
    terminal_width,
)
from ssdlab.cli.live import working
from ssdlab.text.terminal import table_lines, without_columns, wrapped

if TYPE_CHECKING:
    from ssdlab.limits.check import LimitCheck
    from ssdlab.paper.document import Document

_EXIT_CODES = {"met": 0, "not met": EXIT_NOT_MET, "cannot be told": EXIT_UNKNOWN}
_MOST_WIDTH = 170
_LESS_NEEDED = ("Confidence", "Rests on", "Interval")
_HELP = """Check runs against limits, such as those of a specification.

RUN is a run folder, a folder of runs, or runs of a store: STORE:ID, or
'STORE:COLUMN=VALUE'. Every run is judged by itself: what is shown is that run, not all
drives of its model.

\b
ssdlab check latest --limits limits.toml
ssdlab check lab:device_firmware=1.1 --limits limits.toml -o check.html
ssdlab check latest --limits reference:enterprise-sata
ssdlab check latest --limits fiosynth:wkldsuites/MySuite

limits.toml bounds a metric in the cells that a limit names: test and cell, which is
the first words of a workload, may have * and ?. Every limit for a cell holds. Metrics:
iops, bw, mean, percentiles such as p99.99, and readings of the drive such as
temperature_celsius, of which a counter is bounded by its rise in a test.

\b
[[limit]]
metric = "iops"
at_least = 40_000
test = "iops"
cell = "RND 4KiB 0/100"
[[limit]]
metric = "p99.9"
at_most = "1.5 ms"
test = "lat"
confidence_percent = 99     # 95 if left out
accept = ["steady state"]   # also if it was not steady
[[limit]]
metric = "temperature_celsius"
at_most = 70

A limit is met if the whole interval is within it, and not met if it is beyond it at a
confidence that holds for all limits and runs together. Otherwise it cannot be told: too
few IOs or rounds, no steady state, a cell that was not measured.

Exit codes: 0 all met; 2 invalid request; 3 one shown not to be met; 4 cannot be told.
"""


@main.command(help=_HELP)
@takes_run("runs", metavar="RUN...", nargs=-1, are_several=True)
@page_option
@takes_limits("what is asked of the runs")
@click.option(
    "--ocptv",
    metavar="FILE.jsonl",
    type=click.Path(path_type=Path, dir_okay=False),
    help="also write the line-JSON of OCP's test and validation, of one run; needs: "
    "pip install 'ssdlab[ocp]'",
)
def check(  # noqa: PLR0913 - one argument an option
    runs: tuple[Path, ...], *, output: Path | None, limits: Path, strict: bool,
    junit: Path | None, ocptv: Path | None, markdown: bool, overwrite: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Check runs against limits, such as those of a specification."""
    from ssdlab.limits.check import check_limits
    from ssdlab.limits.ocp import check_ocptv
    from ssdlab.limits.text import check_as_dict, check_junit, check_markdown

    require_outputs(
        junit, ocptv, as_json=as_json, markdown=markdown, overwrite=overwrite
    )
    require_page(output, overwrite=overwrite)
    with working("reading the runs"):
        found = check_limits(runs, limits)
        write_page(output, partial(_document, found))
    if as_json:
        echo_json(check_as_dict(found))
    elif markdown:
        click.echo(check_markdown(found), nl=False)
    else:
        _print(found)
        echo_page(output)
    write_junit(junit, partial(check_junit, found), is_strict=strict)
    if ocptv is not None:
        write_lines(ocptv, check_ocptv(found, is_strict=strict))
    exit_with(_EXIT_CODES[found.verdict], strict=strict)


def _document(found: "LimitCheck") -> "Document":
    from ssdlab.limits.pages import check_document

    return check_document(found)


def _print(found: "LimitCheck") -> None:
    """Print what was checked, every verdict, and the answer."""
    from ssdlab.limits.text import (
        answer_text,
        cases_by_verdict,
        check_lines,
        check_table,
        why_lines,
    )

    width = terminal_width(_MOST_WIDTH)
    for line in check_lines(found):
        click.echo("\n".join(wrapped(line, width=width, rest=" " * 9)))
    cases = [one for own in cases_by_verdict(found).values() for one in own]
    whole = check_table(found, cases)
    table = without_columns(whole, _LESS_NEEDED, width=width)
    lines = table_lines(table, width=width, is_coloured=shows_colour())
    click.echo("\n".join(["", *lines, ""]))
    for line in (answer_text(found), *why_lines(found)):
        click.echo("\n".join(wrapped(line, width=width)))

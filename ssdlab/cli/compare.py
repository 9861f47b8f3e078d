"""The command ``compare``: several runs side by side, and which drive is faster."""

import shutil
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.answers import (
    PAGE_REMEDY,
    echo_json,
    echo_page,
    require_page,
    write_page,
)
from ssdlab.cli.group import (
    json_option,
    main,
    overwrite_option,
    page_option,
    require_finite,
    takes_run,
)
from ssdlab.model.errors import ExportError
from ssdlab.text.terminal import printable

if TYPE_CHECKING:
    from ssdlab.compare.comparison import Comparison
    from ssdlab.compare.gate import Gate
    from ssdlab.paper.document import Document

_MOST_WIDTH = 120
_EXIT_CODES = {"not worse": 0, "worse": 3, "unknown": 4}


@main.command()
@takes_run("runs", metavar="RUN...", nargs=-1, are_several=True)
@page_option
@click.option(
    "--accept",
    default="",
    metavar="CONDITION,...",
    help="conditions that may differ: kernel, host, ...; or all",
)
@click.option(
    "--least-percent",
    type=click.FloatRange(min=0),
    callback=require_finite,
    default=0.0,
    help="ignore differences smaller than this [%]",
)
@click.option(
    "--same-percent",
    type=click.FloatRange(min=0, min_open=True),
    callback=require_finite,
    default=3.0,
    show_default=True,
    help="largest difference at which two drives count as the same [%]",
)
@click.option(
    "--primary",
    default="",
    metavar="CELLS",
    help="cells declared in advance as primary, which get half of the error rate: "
    "'iops 4 KiB 0/100'",
)
@click.option(
    "--control",
    type=click.Choice(["fwer", "fdr"]),
    default="fwer",
    show_default=True,
    help="error rate to control over the table: of any wrong verdict (Holm), or the "
    "share of wrong ones (Benjamini-Hochberg)",
)
@click.option(
    "--score",
    default="",
    metavar="WEIGHTS",
    help="your weights: 'iops 4 KiB 0/100: 2, lat mean: 1'",
)
@click.option(
    "--watts",
    default="",
    metavar="POWER",
    help="power of each drive [W]: 'Model A: 6.5, Model B: 5'",
)
@click.option(
    "--include-virtual",
    is_flag=True,
    help="also score virtual SSDs and files, marked as such",
)
@click.option(
    "--fail-if-worse",
    type=click.FloatRange(min=0),
    metavar="PERCENT",
    callback=require_finite,
    help="exit with 3 if a drive is shown to be worse than the first by more than "
    "this, with 4 if it cannot be told [%]",
)
@overwrite_option
@json_option
def compare(
    runs: tuple[Path, ...],
    *,
    output: Path | None,
    fail_if_worse: float | None,
    overwrite: bool,
    as_json: bool,
    **choices: str | float | bool,
) -> None:
    """Compare runs cell by cell and print which drive is faster.

    RUN is a run folder, a folder of runs, or runs of a store: STORE, STORE:ID or
    'STORE:COLUMN=VALUE'. Two or more runs are needed. Each difference has an interval,
    and the error rate holds for the whole table.

    With --fail-if-worse the first drive is the baseline. The exit code is 3 if another
    is shown to be worse by more than PERCENT in any cell, 0 if every cell shows that
    none is, and 4 if neither is shown: too few runs (it takes three of each drive),
    other conditions, or wide intervals. Either claim is wrong in at most one of 20
    comparisons.
    """
    from ssdlab.compare.as_json import comparison_as_dict
    from ssdlab.compare.runs import compare_runs

    if output is not None:
        _require_place(output, overwrite=overwrite)
    found = compare_runs(runs, **choices)  # type: ignore[arg-type] # as click parsed them
    gate = _judge(found, fail_if_worse)
    if as_json:
        plain = comparison_as_dict(found) | _gate_as_dict(gate)
        echo_json(plain)
    else:
        _print(found, gate)
    if output is not None:
        write_page(output, partial(_document, found))
        if not as_json:
            echo_page(output)
    if gate is not None:
        sys.exit(_EXIT_CODES[gate.outcome])


def _judge(comparison: "Comparison", percent: float | None) -> "Gate | None":
    if percent is None:
        return None
    from ssdlab.compare.gate import judge_gate

    return judge_gate(comparison, percent)


def _gate_as_dict(gate: "Gate | None") -> dict[str, object]:
    if gate is None:
        return {}
    from ssdlab.compare.gate import gate_as_dict

    return {"fail_if_worse": gate_as_dict(gate)}


def _require_place(output: Path, *, overwrite: bool) -> None:
    """Require that the page can be written, before anything is computed."""
    require_page(output, overwrite=overwrite)
    if not output.parent.is_dir():
        reason = f"there is no folder {str(output.parent)!r}"
        raise ExportError(place=str(output), reason=reason, remedy=PAGE_REMEDY)


def _document(comparison: "Comparison") -> "Document":
    """Return the pages of a comparison as one."""
    from ssdlab.compare.pages import comparison_document

    return comparison_document(comparison)


def _print(comparison: "Comparison", gate: "Gate | None") -> None:
    """Print the answer, the verdicts, the conditions, and what is missing."""
    from ssdlab.compare.gate import gate_lines
    from ssdlab.compare.terminal import comparison_lines
    from ssdlab.text.terminal import wrapped

    width = min(shutil.get_terminal_size().columns, _MOST_WIDTH)
    lines = [*comparison_lines(comparison, width=width)]
    if gate is not None:
        lines.append("")
        for line in gate_lines(gate, comparison.short_names):
            lines += wrapped(line, width=width)
    click.echo("\n".join(map(printable, lines)))

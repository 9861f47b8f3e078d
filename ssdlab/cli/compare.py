"""The command ``compare``: several runs side by side, and which drive is faster."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.group import json_option, main, overwrite_option, require_finite
from ssdlab.model.errors import ExportError
from ssdlab.text.terminal import printable

if TYPE_CHECKING:
    from ssdlab.compare.comparison import Comparison

_MOST_WIDTH = 120
_REMEDY = "Create the folder, or name another file with -o."


@main.command()
@click.argument(
    "runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "-o",
    "--output",
    metavar="FILE.html",
    type=click.Path(path_type=Path, dir_okay=False),
    help="also write a page of figures and tables",
)
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
@overwrite_option
@json_option
def compare(
    runs: tuple[Path, ...],
    *,
    output: Path | None,
    overwrite: bool,
    as_json: bool,
    **choices: str | float | bool,
) -> None:
    """Compare runs cell by cell and print which drive is faster.

    RUN is a run folder, or a folder of runs; two or more runs are needed. Each
    difference has an interval, and the error rate holds for the whole table.
    """
    from ssdlab.compare.as_json import comparison_as_dict
    from ssdlab.compare.runs import compare_runs

    if output is not None:
        _require_place(output, overwrite=overwrite)
    found = compare_runs(runs, **choices)  # type: ignore[arg-type] # as click parsed them
    if as_json:
        click.echo(json.dumps(comparison_as_dict(found), indent=1, allow_nan=False))
    else:
        _print(found)
    if output is not None:
        _write_page(found, output)
        if not as_json:
            click.echo(f"\n{printable(str(output))}")


def _require_place(output: Path, *, overwrite: bool) -> None:
    """Require that the page can be written, before anything is computed."""
    from ssdlab.system.outputs import choose_format, require_replaceable

    choose_format(output, None, ("html",))
    require_replaceable(output, overwrite=overwrite)
    if not output.parent.is_dir():
        reason = f"there is no folder {str(output.parent)!r}"
        raise ExportError(place=str(output), reason=reason, remedy=_REMEDY)


def _write_page(comparison: "Comparison", output: Path) -> None:
    """Write the pages of a comparison as one."""
    from ssdlab.compare.pages import comparison_document
    from ssdlab.paper.document import write_document

    try:
        write_document(comparison_document(comparison), output)
    except OSError as error:
        reason = f"it cannot be written ({error.strerror})"
        place = str(output)
        raise ExportError(place=place, reason=reason, remedy=_REMEDY) from None


def _print(comparison: "Comparison") -> None:
    """Print the answer, the verdicts, the conditions, and what is missing."""
    from ssdlab.compare.terminal import comparison_lines

    width = min(shutil.get_terminal_size().columns, _MOST_WIDTH)
    lines = [printable(line) for line in comparison_lines(comparison, width=width)]
    click.echo("\n".join(lines))

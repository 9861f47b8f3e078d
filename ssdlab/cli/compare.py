"""The command ``compare``: several runs side by side, and which drive is faster."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.group import json_option, main, overwrite_option, require_finite
from ssdlab.model.errors import ExportError
from ssdlab.text.terminal import printable

if TYPE_CHECKING:
    from ssdlab.compare.comparison import Comparison

_NOTEBOOK = "04_compare_drives.ipynb"
_DEFAULT = Path("comparison.html")
_MOST_WIDTH = 120
_REMEDY = "Create the folder, or name another file with -o."


@main.command()
@click.argument(
    "runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="page to write; default: comparison.html",
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
    help="smallest difference that matters [%]",
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
    difference has an interval, and the error rate holds for the whole table. The page
    is the executed notebook 04_compare_drives. With --json the numbers are printed, and
    a page is written only if -o is given.
    """
    from ssdlab.compare.as_json import comparison_as_dict
    from ssdlab.compare.runs import compare_runs

    if output is not None or not as_json:
        _require_place(output or _DEFAULT, overwrite=overwrite)
    found = compare_runs(runs, **choices)  # type: ignore[arg-type] # as click parsed them
    if as_json:
        click.echo(json.dumps(comparison_as_dict(found), indent=1, allow_nan=False))
    else:
        _print(found)
    if as_json and output is None:
        return
    named = "\n".join(map(str, runs))
    page = _write_page(output or _DEFAULT, {"runs": named, **choices})
    if not as_json:
        click.echo(f"\npage  {printable(str(page))}")


def _require_place(output: Path, *, overwrite: bool) -> None:
    """Require that the page can be written, before anything is computed."""
    from ssdlab.system.outputs import choose_format, require_replaceable

    choose_format(output, None, ("html",))
    require_replaceable(output, overwrite=overwrite)
    if not output.parent.is_dir():
        reason = f"there is no folder {str(output.parent)!r}"
        raise ExportError(place=str(output), reason=reason, remedy=_REMEDY)


def _write_page(output: Path, parameters: dict[str, str | float | bool]) -> Path:
    """Run the notebook, and write it as a page."""
    from ssdlab.notebook import execute_notebook, find_notebook
    from ssdlab.paper.notebook_page import write_notebook_page

    with tempfile.TemporaryDirectory(prefix="ssdlab-compare-") as folder:
        executed = Path(folder) / _NOTEBOOK
        execute_notebook(
            find_notebook(_NOTEBOOK), executed, parameters, keeps_saving=False
        )
        try:
            return write_notebook_page(executed, output)
        except OSError as error:
            reason = f"it cannot be written ({error.strerror})"
            place = str(output)
            raise ExportError(place=place, reason=reason, remedy=_REMEDY) from None


def _print(comparison: "Comparison") -> None:
    """Print the conditions, the verdicts, and what is missing."""
    from ssdlab.compare.terminal import comparison_lines

    width = min(shutil.get_terminal_size().columns, _MOST_WIDTH)
    lines = [printable(line) for line in comparison_lines(comparison, width=width)]
    click.echo("\n".join(lines))

"""The command ``compare``: several runs side by side, and who beats whom."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.group import (
    json_option,
    main,
    overwrite_option,
    printable,
    require_finite,
)
from ssdlab.model.errors import ExportError

if TYPE_CHECKING:
    from ssdlab.report.comparison.comparison import Comparison

_NOTEBOOK = "04_compare_drives.ipynb"
_DEFAULT = Path("comparison.html")
_MOST_WIDTH = 120
_ELSEWHERE = "Make it, or name another place with -o."


@main.command()
@click.argument(
    "runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="where to write the page; without it comparison.html",
)
@click.option(
    "--accept",
    default="",
    metavar="CONDITION,...",
    help="conditions that count as equal though they differ: kernel, host; or all",
)
@click.option(
    "--least-percent",
    type=click.FloatRange(min=0),
    callback=require_finite,
    default=0.0,
    help="what a difference must surely exceed to matter [%]",
)
@click.option(
    "--same-percent",
    type=click.FloatRange(min=0, min_open=True),
    callback=require_finite,
    default=3.0,
    show_default=True,
    help="within what two drives must surely lie to be called the same [%]",
)
@click.option(
    "--primary",
    default="",
    metavar="CELLS",
    help="cells declared beforehand as what matters, which get half of the error: "
    "'iops 4 KiB 0/100'",
)
@click.option(
    "--control",
    type=click.Choice(["fwer", "fdr"]),
    default="fwer",
    show_default=True,
    help="error rate of the whole table: of any wrong verdict (Holm), or the share of "
    "wrong ones (Benjamini-Hochberg)",
)
@click.option(
    "--score",
    default="",
    metavar="WEIGHTS",
    help="your weights: 'iops 4 KiB 0/100: 2, lat mean: 1'",
)
@click.option(
    "--watts", default="", metavar="POWER", help="'Model A: 6.5, Model B: 5' [W]"
)
@click.option(
    "--include-virtual",
    is_flag=True,
    help="take models and files into the score; they stay marked as such",
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
    """Compare two or more runs, or all runs in a folder, cell by cell.

    Each difference has its interval; the verdicts hold for the whole table. The page
    is the notebook 04_compare_drives, carried out. With --json the numbers are
    printed, and a page is written only where -o says so.
    """
    from ssdlab.comparing.compare import compare_runs
    from ssdlab.report.comparison.plain import comparison_as_dict

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
    """Refuse a place where no page can be written, before anything is computed.

    Raises
    ------
    ExportError
        If its folder is not there, or something is that is not to be replaced.
    """
    from ssdlab.system.outputs import choose_format, require_replaceable

    choose_format(output, None, ("html",))
    require_replaceable(output, overwrite=overwrite)
    if not output.parent.is_dir():
        reason = f"there is no folder {str(output.parent)!r}"
        raise ExportError(place=str(output), reason=reason, remedy=_ELSEWHERE)


def _write_page(output: Path, parameters: dict[str, str | float | bool]) -> Path:
    """Carry out the notebook, and write it as a page.

    Raises
    ------
    ExportError
        If the page cannot be written.
    """
    from ssdlab.notebook import execute_notebook, find_notebook
    from ssdlab.report.notebook_page import write_notebook_page

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
            raise ExportError(place=place, reason=reason, remedy=_ELSEWHERE) from None


def _print(comparison: "Comparison") -> None:
    """Print conditions, verdicts, and what is missing."""
    from ssdlab.report.comparison.lines import comparison_lines

    width = min(shutil.get_terminal_size().columns, _MOST_WIDTH)
    lines = [printable(line) for line in comparison_lines(comparison, width=width)]
    click.echo("\n".join(lines))

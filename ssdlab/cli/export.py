"""The command ``export``: the tables of a run for other programs."""

from pathlib import Path
from typing import Any

import click

from ssdlab.cli.group import main, overwrite_option, run_argument


@main.command()
@run_argument
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["csv", "parquet", "xlsx"]),
    help="csv or parquet: a folder with a file a table; xlsx: one workbook; without it "
    "xlsx if -o ends in .xlsx, else csv",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="the folder, or the workbook NAME.xlsx; without it RUN/export/...",
)
@overwrite_option
def export(
    run: Path, file_format: Any, output: Path | None, *, overwrite: bool
) -> None:
    """Write the tables of a run for other programs.

    Values are those of the tables: nanoseconds, bytes, bytes per second. Text that a
    spreadsheet would take for a formula stays text; in csv it has an apostrophe first.
    A sheet of xlsx holds 1,048,575 rows. xlsx needs: pip install 'ssdlab[export]'
    """
    from ssdlab.campaign.opening import open_run
    from ssdlab.store.export import export_run

    file_format = _choose(output, file_format)
    if output is not None and not overwrite:
        _require_replaceable(output, file_format)
    click.echo(export_run(open_run(run), file_format, output))


def _choose(output: Path | None, asked: str | None) -> str:
    """Return the format, which the name of the folder or workbook must not contradict.

    Raises
    ------
    ExportError
        If it does.
    """
    from ssdlab.system.outputs import choose_format, require_folder_name

    if asked == "xlsx" or (output is not None and output.suffix.lower() == ".xlsx"):
        return choose_format(output, asked, ("xlsx",))
    require_folder_name(output, "csv and parquet")
    return asked or "csv"


def _require_replaceable(output: Path, file_format: str) -> None:
    """Require that no file is replaced that ssdlab did not write.

    Raises
    ------
    ExportError
        If one would be.
    """
    from ssdlab.model.schema import TABLES
    from ssdlab.system.outputs import require_replaceable

    if file_format == "xlsx":
        require_replaceable(output, overwrite=False)
        return
    for name, table in TABLES.items():
        require_replaceable(
            output / f"{name}.{file_format}",
            overwrite=False,
            columns=table.column_names,
        )

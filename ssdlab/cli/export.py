"""The command ``export``: the tables of a run for other programs."""

from pathlib import Path
from typing import Any

import click

from ssdlab.cli.group import main, overwrite_option, run_argument
from ssdlab.cli.live import working


@main.command()
@run_argument
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["csv", "parquet", "xlsx"]),
    help="csv or parquet: a folder with one file per table; xlsx: one workbook; "
    "default: xlsx if -o ends in .xlsx, otherwise csv",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="folder, or workbook NAME.xlsx; default: RUN/export/...",
)
@overwrite_option
def export(
    run: Path, file_format: Any, output: Path | None, *, overwrite: bool
) -> None:
    """Export the tables of a run for other programs.

    Units are those of the tables: ns, bytes, bytes per second. Text that a spreadsheet
    would evaluate as a formula stays text; in CSV it gets a leading apostrophe. An
    xlsx sheet holds at most 1,048,575 rows. xlsx needs: pip install 'ssdlab[export]'
    """
    from ssdlab.ingest.opening import open_run
    from ssdlab.store.export import export_run

    file_format = _choose(output, file_format)
    if output is not None and not overwrite:
        _require_replaceable(output, file_format)
    with working("writing the tables"):
        written = export_run(open_run(run), file_format, output)
    click.echo(written)


def _choose(output: Path | None, options: str | None) -> str:
    """Return the format."""
    from ssdlab.system.outputs import choose_format, require_folder_name

    if options == "xlsx" or (output is not None and output.suffix.lower() == ".xlsx"):
        return choose_format(output, options, ("xlsx",))
    require_folder_name(output, "csv and parquet")
    return options or "csv"


def _require_replaceable(output: Path, file_format: str) -> None:
    """Require that every file to be replaced was written by ssdlab."""
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

"""The command ``export``: the tables of a run for other programs."""

from pathlib import Path
from typing import Any

import click

from ssdlab.cli.group import main, run_argument


@main.command()
@run_argument
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["csv", "parquet", "xlsx"]),
    default="csv",
    show_default=True,
    help="csv or parquet: a folder with a file a table; xlsx: one workbook",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="the folder, or the workbook NAME.xlsx; without it RUN/export/...",
)
def export(run: Path, file_format: Any, output: Path | None) -> None:
    """Write the tables of a run for other programs.

    Values are those of the tables: nanoseconds, bytes, bytes per second. Text that a
    spreadsheet would take for a formula stays text; in csv it has an apostrophe first.
    A sheet of xlsx holds 1,048,575 rows. xlsx needs: pip install 'ssdlab[export]'
    """
    from ssdlab.campaign.opening import open_run
    from ssdlab.store.export import export_run

    click.echo(export_run(open_run(run), file_format, output))

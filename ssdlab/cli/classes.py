"""The command ``classes``: runs compared with nine published storage classes."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.answers import echo_json, require_page
from ssdlab.cli.group import (
    fail,
    json_option,
    main,
    overwrite_option,
    page_option,
    takes_run,
    terminal_width,
)
from ssdlab.text.terminal import printable

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.classes.runs import ClassRun

_MOST_WIDTH = 120


@main.command()
@takes_run("runs", metavar="[RUN]...", nargs=-1, is_required=False)
@page_option
@click.option(
    "--rank-virtual",
    is_flag=True,
    help="also rank virtual SSDs and files, marked as such",
)
@overwrite_option
@json_option
def classes(
    runs: tuple[Path, ...],
    *,
    output: Path | None,
    rank_virtual: bool,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Rank runs among nine storage classes (Calypso, 2014).

    Without RUN, only the nine classes are shown.
    """
    from ssdlab.classes.pages import storage_class_document
    from ssdlab.classes.runs import class_runs_as_dict, read_class_runs
    from ssdlab.ingest.opening import open_run
    from ssdlab.paper.document import write_document
    from ssdlab.reference.storage_classes import read_storage_classes

    require_page(output, overwrite=overwrite)
    published = read_storage_classes()
    found = read_class_runs(
        [open_run(run) for run in runs],
        published,
        virtual="ranked" if rank_virtual else "left out",
    )
    if output is not None:
        try:
            write_document(storage_class_document(found, published), output)
        except OSError as error:
            fail(f"{printable(str(output))} cannot be written ({error.strerror}).", 2)
    if as_json:
        plain = class_runs_as_dict(found, published)
        echo_json(plain)
        return
    click.echo("\n".join(_lines(found, published)))
    if output is not None:
        click.echo(f"\n{printable(str(output))}")


def _lines(runs: "Sequence[ClassRun]", published: "pd.DataFrame") -> Iterator[str]:
    """Yield the place of each run among the classes; without runs the classes."""
    from ssdlab.classes.tables import classes_table, places_table, values_table
    from ssdlab.text.terminal import table_lines

    width = terminal_width(_MOST_WIDTH)
    tables = [places_table(run) if run.is_ranked else values_table(run) for run in runs]
    for table in tables or [classes_table(published, ())]:
        yield printable(table.caption)
        yield from map(printable, table_lines(table, width=width))
        yield ""
    unranked = [run.name for run in runs if not run.is_ranked]
    if unranked:
        names = printable(", ".join(unranked))
        yield f"Not drives, so not ranked without --rank-virtual: {names}"

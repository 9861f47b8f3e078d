"""The command ``classes``: runs among nine published storage classes."""

import json
from pathlib import Path

import click

from ssdlab.cli.group import fail, json_option, main, overwrite_option, printable

_DEFAULT = Path("storage-classes.html")


@main.command()
@click.argument("runs", metavar="[RUN]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="where to write the page; without it storage-classes.html",
)
@click.option(
    "--rank-virtual",
    is_flag=True,
    help="rank models and files as well; they stay marked as such",
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
    """Place runs among the nine storage classes that Calypso published in 2014.

    Without RUN the nine classes alone are shown. With --json the numbers are printed,
    and a page is written only where -o says so.
    """
    from ssdlab.campaign.opening import open_run
    from ssdlab.reference.storage_classes import read_storage_classes
    from ssdlab.report.class_runs import class_runs_as_dict, read_class_runs
    from ssdlab.report.document import write_document
    from ssdlab.report.storage_classes import storage_class_document
    from ssdlab.system.outputs import choose_format, require_replaceable

    path = output or _DEFAULT
    if output is not None or not as_json:
        choose_format(path, None, ("html",))
        require_replaceable(path, overwrite=overwrite)
    published = read_storage_classes()
    found = read_class_runs(
        [open_run(run) for run in runs],
        published,
        virtual="ranked" if rank_virtual else "left out",
    )
    if as_json:
        plain = class_runs_as_dict(found, published)
        click.echo(json.dumps(plain, indent=1, allow_nan=False))
    if as_json and output is None:
        return
    try:
        write_document(storage_class_document(found, published), path)
    except OSError as error:
        fail(f"{printable(str(path))} cannot be written ({error.strerror}).", 2)
    if not as_json:
        click.echo(printable(str(path)))

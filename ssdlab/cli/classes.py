"""The command ``classes``: runs compared with nine published storage classes."""

import json
from pathlib import Path

import click

from ssdlab.cli.group import fail, json_option, main, overwrite_option
from ssdlab.text.terminal import printable

_DEFAULT = Path("storage-classes.html")


@main.command()
@click.argument("runs", metavar="[RUN]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="page to write; default: storage-classes.html",
)
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

    Without RUN, only the nine classes are shown. With --json the numbers are printed,
    and a page is written only if -o is given.
    """
    from ssdlab.classes.pages import storage_class_document
    from ssdlab.classes.runs import class_runs_as_dict, read_class_runs
    from ssdlab.ingest.opening import open_run
    from ssdlab.paper.document import write_document
    from ssdlab.reference.storage_classes import read_storage_classes
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

"""``ssdlab quick``: four numbers in a minute, on a file, without privileges."""

import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.group import fail, main, read_size, runs_option
from ssdlab.model.errors import RunInterruptedError
from ssdlab.text.terminal import printable

if TYPE_CHECKING:
    from ssdlab.pts.shared.headlines import Headline

_CLASSES = {  # a column of the storage classes by access and R/W mix
    ("rnd", 100): "read_iops",
    ("rnd", 0): "write_iops",
    ("seq", 100): "tp_read_mb_per_s",
    ("seq", 0): "tp_write_mb_per_s",
}
_LEAST_BYTES = 32 * 1024**2


@main.command()
@click.argument(
    "folder",
    default=".",
    metavar="[PATH]",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
@click.option(
    "--size",
    "size_bytes",
    default="1GiB",
    show_default=True,
    callback=read_size,
    help="size of the file",
)
@click.option(
    "--seconds",
    default=60.0,
    show_default=True,
    type=click.FloatRange(4, 3600),
    help="measured time in all [s]",
)
@runs_option
def quick(folder: Path, *, size_bytes: int, seconds: float, runs: Path) -> None:
    """Measure the SSD below a folder in a minute.

    Writes a file in PATH (default: here), measures sequential and random reads and
    writes on it, and removes it. It needs no root, and no data are lost. This is a
    first look, not a test: it shows no steady state.
    """
    from ssdlab.cli.following import following
    from ssdlab.cli.outcome import headline_lines
    from ssdlab.engine.folders import new_run_id
    from ssdlab.engine.request import RunChoices
    from ssdlab.engine.suite import run_procedure
    from ssdlab.paper.context import read_context
    from ssdlab.procedures.quick.spec import quick as quick_procedure
    from ssdlab.report import write_report
    from ssdlab.report.view import headlines_of

    if size_bytes < _LEAST_BYTES:
        fail("The file is too small to measure. Give --size 32MiB or more.", 2)
    click.echo(f"Writing a file of {size_bytes / 1024**2:,.0f} MiB …", err=True)
    run_folder = runs / new_run_id("quick")
    try:
        with _temporary_file(folder) as file, following(run_folder, endurance=()):
            run = run_procedure(
                quick_procedure(seconds=seconds),
                f"file:{file},size={size_bytes}",
                RunChoices(runs=runs, run_folder=run_folder),
            )
    except RunInterruptedError as error:
        fail(
            "Stopped. The file was removed, so this look cannot be resumed; what was "
            f"measured is in {printable(str(run_folder))}.",
            error.exit_code,
        )
    headlines = headlines_of(read_context(run))
    width = shutil.get_terminal_size((120, 24)).columns
    lines = headline_lines(headlines, width=width)
    click.echo("\n".join(map(printable, (*lines, "", *_class_lines(headlines)))))
    click.echo(f"\n{write_report(run)}")


@contextmanager
def _temporary_file(folder: Path) -> Iterator[Path]:
    """Yield the path of a new file; what is made there is removed."""
    from ssdlab.targets.file import remove_file

    path = folder.resolve() / f"ssdlab-quick-{uuid.uuid4().hex[:8]}.img"
    try:
        yield path
    finally:
        if path.exists():
            remove_file(path)


def _class_lines(headlines: "Sequence[Headline]") -> Iterator[str]:
    """Yield how many of the nine storage classes each result is faster than."""
    import pandas as pd

    from ssdlab.classes.places import summarise_class_places
    from ssdlab.reference.storage_classes import read_storage_classes
    from ssdlab.text.table import Table
    from ssdlab.text.terminal import table_lines

    scale = {"iops": 1.0, "bw_bytes_per_s": 1e-6}
    found = {_CLASSES[one.access, one.read_percent or 0]: one for one in headlines}
    values = pd.DataFrame({
        "metric": list(found),
        "value": [one.value * scale[one.metric] for one in found.values()],
    })
    rows = []
    for place in summarise_class_places(values, read_storage_classes()).to_dict(
        "records"
    ):
        compared, equal = int(place["n_compared"]), str(place["equal"])
        worse = compared - int(place["rank"]) + 1
        worse -= len(equal.split(", ")) if equal else 0
        bar = "█" * worse + "░" * (compared - worse)
        words = f"faster than {worse} of {compared}, near {place['nearest']}"
        rows.append((found[str(place["metric"])].name, bar, words))
    yield "Among nine storage classes published in 2014, as an orientation:"
    table = Table(caption="", head=("", "", ""), rows=tuple(rows), words=(0, 1, 2))
    yield from table_lines(table)

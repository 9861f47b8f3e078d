"""The commands ``store …``: many runs in one place, asked at once."""

import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.group import json_option, main, overwrite_option
from ssdlab.cli.live import working
from ssdlab.model.spec import DIRECTIONS
from ssdlab.text.terminal import printable

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.cli.tables import TableFormat
    from ssdlab.fleet.place import Place

_EXIT_FAULTS = 3
_EXPORTED = ("runs", "cells")
_HELP = """Keep an index of many runs, and ask it.

STORE is a folder, or s3://BUCKET/PREFIX with the usual AWS_ variables. It has three
tables in Delta Lake: runs, cells (rates and percentiles of each workload) and
histograms (merged bins). Run folders are read and never changed, and the store can be
made anew from them at any time. Needs: pip install 'ssdlab[fleet]'

\b
ssdlab store init lab
ssdlab store add lab data/runs
ssdlab store query lab --cell 'RND 4KiB 0/100' --test iops --by device_firmware
ssdlab store sql lab 'select device_serial, count(*) from runs group by 1'
ssdlab show lab:latest
"""


@main.group(help=_HELP)
def store() -> None:
    """Keep an index of many runs, and ask it."""


store_argument = click.argument("url", metavar="STORE")
format_option = click.option(
    "--format",
    "table_format",
    type=click.Choice(["box", "csv", "jsonl"]),
    help="default: csv, and on a terminal a view of what fits",
)


@store.command()
@store_argument
def init(url: str) -> None:
    """Make an empty store; one that is there is left as it is."""
    from ssdlab.fleet.delta import create_tables

    place = find_place(url, is_new=True)
    create_tables(place)
    click.echo(printable(place.url))


@store.command()
@store_argument
@click.argument(
    "runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
def add(url: str, runs: tuple[Path, ...]) -> None:
    """Add runs that have ended: run folders, or folders of runs.

    A run is in the store once, however often and by how many processes it is added. One
    that has changed since takes the place of what it was.
    """
    if not add_all(find_place(url), runs):
        sys.exit(2)


def add_all(place: "Place", paths: tuple[Path, ...]) -> bool:
    """Add runs; those that cannot be read are named, and the others added."""
    from collections import Counter

    from ssdlab.fleet.add import add_run, find_runs
    from ssdlab.fleet.delta import Writer
    from ssdlab.model.errors import RunFolderError

    done: Counter[str] = Counter()
    writer = Writer(place)
    with working("adding runs"):
        for path in find_runs(paths):
            try:
                now_s = time.time()  # noqa: TID251 - here clocks are made
                done[add_run(writer, path, now_s=now_s)] += 1
            except RunFolderError as error:
                done["not added"] += 1
                click.echo(printable(f"not added {error}"), err=True)
    words = [f"{number} {how}" for how, number in sorted(done.items())]
    click.echo(f"runs: {', '.join(words) or 'none'}")
    return not done["not added"]


@store.command()
@store_argument
@json_option
def ls(url: str, *, as_json: bool) -> None:
    """List the runs of a store, the newest first."""
    from ssdlab.cli.runs import show_entries
    from ssdlab.fleet.listing import list_store

    entries = list_store(url)
    if not entries and not as_json:
        click.echo(printable(f"No runs in {url}. Add some: ssdlab store add"))
        return
    show_entries(entries, as_json=as_json)


@store.command("open")
@store_argument
@click.argument("run", metavar="ID")
def open_(url: str, run: str) -> None:
    """Print the run folder of a run, by its id or the beginning of that."""
    from ssdlab.fleet.listing import find_folder

    click.echo(printable(str(find_folder(url, run))))


@store.command()
@store_argument
@click.argument("runs", metavar="ID...", nargs=-1, required=True)
def rm(url: str, runs: tuple[str, ...]) -> None:
    """Remove runs from a store, by their ids or the beginnings of those.

    Their folders are not touched, and adding them again puts them back. If one of them
    is not in the store, none is removed. What the store held of them is dropped by
    ssdlab store tend, a day after it was added or later.
    """
    from ssdlab.fleet.delta import remove_run
    from ssdlab.fleet.listing import find_entry, list_store

    place = find_place(url)
    entries = list_store(url)
    chosen = {one["run_id"]: one for one in (find_entry(entries, run) for run in runs)}
    for run_id, entry in chosen.items():
        was_there = remove_run(place, run_id)
        words = "removed" if was_there else "was removed meanwhile"
        click.echo(printable(f"{run_id}: {words}; its folder stays: {entry['path']}"))


@store.command()
@store_argument
@click.argument("text", metavar="SELECT")
@format_option
def sql(url: str, text: str, table_format: Any) -> None:
    """Print the rows of one select over runs, cells and histograms, by DuckDB."""
    from ssdlab.fleet.store import open_store

    _print_frame(open_store(url).sql(text), table_format)


@store.command()
@store_argument
@click.option("--cell", default="", help="first words of a workload: 'RND 4KiB 0/100'")
@click.option("--test", default="", help="only this test, such as iops")
@click.option(
    "--direction",
    default="total",
    show_default=True,
    type=click.Choice(DIRECTIONS),
)
@click.option(
    "--by",
    default="device_serial",
    show_default=True,
    help="columns of runs, separated by commas: equal runs are merged; '' merges all",
)
@click.option(
    "--quantile",
    "q",
    default=0.9999,
    show_default=True,
    type=float,
    help="quantile of latency: more than 0 and at most 1",
)
@format_option
def query(  # noqa: PLR0913 - one argument an option
    url: str, *, cell: str, test: str, direction: str, by: str, q: float,
    table_format: Any,
) -> None:  # fmt: skip
    """Print a quantile of latency over runs, from their merged bins."""
    from ssdlab.fleet.store import open_store

    names = [name.strip() for name in by.split(",") if name.strip()]
    found = open_store(url).quantile(cell, q, by=names, test=test, direction=direction)
    _print_frame(found, table_format)


@store.command()
@store_argument
def tend(url: str) -> None:
    """Pack files, and drop what was never added as a whole.

    It may run beside anything else, and often: from cron, or a systemd timer. Files
    that are no longer of the store are kept for 7 days, for who still reads them.
    """
    from ssdlab.fleet.delta import tend_tables

    place = find_place(url)
    with working("packing"):
        now_s = time.time()  # noqa: TID251 - here clocks are made
        done = tend_tables(place, now_s=now_s)
    click.echo(
        f"packs written: {done.packs}; adds dropped: {done.orphans}; files deleted: "
        f"{done.files}"
    )


@store.command()
@store_argument
@click.argument(
    "folders",
    metavar="FOLDER...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
)
def rebuild(url: str, folders: tuple[Path, ...]) -> None:
    """Make a store anew from run folders, or folders of runs.

    The former tables are kept beside the new ones, as NAME.before-TIME.
    """
    from ssdlab.fleet.add import find_runs, rebuild_tables, require_runs

    place = find_place(url, is_new=True)
    paths = tuple(find_runs(folders))
    require_runs(paths)
    rebuild_tables(place, f"{datetime.now(tz=UTC):%Y%m%d-%H%M%S}")
    if not add_all(place, paths):
        sys.exit(2)


@store.command()
@store_argument
@json_option
def verify(url: str, *, as_json: bool) -> None:
    """Compare a store with its run folders.

    A run is gone if its folder is, changed if that is not as it was added, and
    incomplete if the store lacks rows of it. Exit codes: 0 none is, 3 some are.
    """
    from dataclasses import asdict

    from ssdlab.fleet.add import verify_store

    with working("reading run folders"):
        count, faults = verify_store(find_place(url))
    if as_json:
        plain = {"runs": count, "faults": [asdict(one) for one in faults]}
        click.echo(json.dumps(plain, indent=1))
    else:
        for one in faults:
            click.echo(printable(f"{one.fault:10}  {one.run_id}  {one.folder}"))
        click.echo(f"runs: {count}, {len(faults)} of them gone, changed or incomplete")
    if faults:
        sys.exit(_EXIT_FAULTS)


@store.command()
@store_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="folder for runs and cells, a file each",
)
@click.option(
    "--format",
    "file_format",
    default="csv",
    show_default=True,
    type=click.Choice(["csv", "parquet"]),
)
@click.option(
    "--to",
    "database",
    metavar="URL",
    help="database for them instead: postgresql://USER@HOST/NAME; the password is "
    "taken from PGPASSWORD or ~/.pgpass",
)
@click.option(
    "--schema",
    default="ssdlab",
    show_default=True,
    help="schema of the tables in that database",
)
@overwrite_option
def export(
    url: str,
    output: Path | None,
    *,
    file_format: str,
    database: str | None,
    schema: str,
    overwrite: bool,
) -> None:
    """Write runs and cells for other programs, in the units of the tables.

    Tables in PostgreSQL are brought up to date: repeat it by a timer.
    """
    if (output is None) == (database is None):
        msg = "Name a folder with -o, or a database with --to."
        raise click.UsageError(msg)
    if database is not None:
        _export_to_database(url, database, schema=schema, overwrite=overwrite)
    elif output is not None:
        _export_to_folder(url, output, file_format=file_format, overwrite=overwrite)


def _export_to_database(
    url: str, database: str, *, schema: str, overwrite: bool
) -> None:
    from ssdlab.fleet.postgresql import SCHEMES, export_to_postgresql
    from ssdlab.fleet.store import open_store

    if not database.startswith(SCHEMES):
        msg = f"--to must begin with {SCHEMES[0]}"
        raise click.UsageError(msg)
    with working("writing to the database"):
        done = export_to_postgresql(
            open_store(url), database, schema=schema, overwrite=overwrite
        )
    click.echo(
        f"{done.runs} runs in the schema {schema}: {done.written} written, "
        f"{done.removed} removed"
    )


def _export_to_folder(
    url: str, output: Path, *, file_format: str, overwrite: bool
) -> None:
    from ssdlab.fleet.store import open_store
    from ssdlab.fleet.tables import FLEET_TABLES
    from ssdlab.store.export import write_frames
    from ssdlab.system.outputs import (
        output_folder,
        require_folder_name,
        require_replaceable,
    )

    require_folder_name(output, "csv and parquet")
    for name in _EXPORTED:
        require_replaceable(
            output / f"{name}.{file_format}",
            overwrite=overwrite,
            columns=FLEET_TABLES[name].column_names,
        )
    opened = open_store(url)
    frames = {
        name: frame[list(FLEET_TABLES[name].column_names)]
        for name, frame in (("runs", opened.runs()), ("cells", opened.cells()))
    }
    folder = output_folder(output).make()
    write_frames(frames, FLEET_TABLES, folder, file_format=file_format)
    click.echo(printable(str(folder.path)))


def find_place(url: str, *, is_new: bool = False) -> "Place":
    """Return where a store is; refuse a place without one, unless it is to be new."""
    from ssdlab.fleet.place import place_of

    return place_of(url, is_new=is_new)


def _print_frame(frame: "pd.DataFrame", table_format: Any) -> None:
    """Print a frame; in CSV a list is JSON."""
    from ssdlab.cli.tables import opened_output, table_writer

    is_shown = sys.stdout.isatty()
    chosen: TableFormat = table_format or ("box" if is_shown else "csv")
    if chosen == "csv":
        frame = frame.map(_flat)
    with opened_output(None) as file:
        writer = table_writer(chosen, file)
        writer.write(frame)
        writer.close()


def _flat(value: Any) -> Any:
    """Return a list as text, and anything else as it is."""
    is_list = getattr(value, "ndim", 0) == 1
    return json.dumps(value.tolist()) if is_list else value

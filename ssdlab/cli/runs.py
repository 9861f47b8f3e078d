"""The command ``runs``: the runs in a folder, newest first."""

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.group import (
    json_option,
    main,
    output_width,
    runs_option,
    shows_colour,
)
from ssdlab.text.table import Table, column, tabulate
from ssdlab.text.terminal import printable, table_lines, without_columns

if TYPE_CHECKING:
    from ssdlab.store.catalog import RunEntry

_LESS_NEEDED = ("procedure", "profile", "device", "tests", "took", "doubts", "label")
_UNKNOWN = "unknown"
_LONGEST, _LONGEST_IF_NARROW = 28, 21  # of a label or device in a row of a terminal
_WIDE = 100
_MOST_COLOURED = 500  # drawing more takes seconds
_STEADY = {True: "✓ steady", False: "✗ not steady", None: "finished"}
_PROCEDURES = {True: "conforms", False: "departs"}


@main.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@runs_option
@json_option
@click.pass_context
def runs(ctx: click.Context, folder: Path | None, runs: Path, *, as_json: bool) -> None:
    """List the runs in a folder or a store with their results.

    FOLDER is that of --runs, or a store of runs (ssdlab store). The newest run is the
    first. A narrow terminal leaves columns out; a file or a pipe gets all of them.
    """
    from click.core import ParameterSource

    from ssdlab.store.catalog import list_runs
    from ssdlab.store.places import is_store

    source = ctx.get_parameter_source("runs")
    if folder is not None and source is ParameterSource.COMMANDLINE:
        msg = "Name the folder once: as FOLDER or by --runs."
        raise click.UsageError(msg)
    runs = folder or runs
    is_default = folder is None and source is ParameterSource.DEFAULT
    if is_store(runs):
        from ssdlab.fleet.listing import list_store

        entries = list_store(runs)
    else:
        listed = list_runs(None if is_default else runs)
        entries = [_as_plain(entry) for entry in listed]
    if not entries and not as_json:
        click.echo(f"No runs in {runs}. Make one: ssdlab run virtual --profile demo")
        return
    show_entries(entries, as_json=as_json)


def show_entries(entries: Sequence[Mapping[str, Any]], *, as_json: bool) -> None:
    """Print a table of runs, or JSON."""
    if as_json:
        click.echo(json.dumps(entries, indent=1))
        return
    sound = [entry for entry in entries if not entry["trouble"]]
    if sound:
        width = output_width()
        table = without_columns(_tabulate(sound), _LESS_NEEDED, width=width)
        is_coloured = shows_colour() and len(sound) <= _MOST_COLOURED
        lines = table_lines(table, width=width, is_coloured=is_coloured)
        click.echo("\n".join(lines))
    for entry in entries:
        if entry["trouble"]:
            click.echo(printable(f"{entry['path']}: {entry['trouble']}"), err=True)


def _as_plain(entry: "RunEntry") -> dict[str, Any]:
    """Return the facts of a run; one that no process holds was killed."""
    from dataclasses import asdict

    from ssdlab.model.errors import RunFolderError
    from ssdlab.store.catalog import find_outcome
    from ssdlab.store.lock import read_holder

    if entry.trouble:
        return asdict(entry)
    plain = asdict(entry) | asdict(find_outcome(entry.path))
    try:
        if entry.status == "running" and not read_holder(Path(entry.path)):
            plain["status"] = "killed"
    except RunFolderError as error:
        plain["trouble"] = error.reason
    return plain


def _tabulate(entries: Sequence[Mapping[str, Any]]) -> Table:
    from ssdlab.model.units import duration_label

    columns = (
        column("run", lambda entry: Path(entry["path"]).name, is_words=True),
        column("started", "started_at", _local_time, is_words=True),
        column("took", "duration_s", duration_label, is_words=True),
        column("label", "label", _short, is_words=True),
        column("device", "device", _short, is_words=True),
        column("profile", "profile", is_words=True),
        column("tests", "tests", ",".join, is_words=True),
        column("result", _result, is_words=True),
        column("procedure", "is_conformant", _PROCEDURES.__getitem__, missing=_UNKNOWN),
        column("doubts", "doubts", str, missing=_UNKNOWN),
    )
    return tabulate(entries, columns, caption="")


def _local_time(text: str) -> str:
    """Return a time as ``2026-11-24 18:51``, here; a text that is none as it is."""
    try:
        return f"{datetime.fromisoformat(text).astimezone():%Y-%m-%d %H:%M}"
    except ValueError:
        return text


def _result(entry: Mapping[str, Any]) -> str:
    """Return whether a run got steady; of one that did not finish, its status."""
    if entry["status"] != "finished":
        return str(entry["status"]).replace("interrupted", "stopped")
    return _STEADY[entry.get("is_steady")]


def _short(text: str) -> str:
    """Return a text as far as a row of a terminal has room for it."""
    longest = _LONGEST if output_width() >= _WIDE else _LONGEST_IF_NARROW
    if not sys.stdout.isatty() or len(text) <= longest:
        return text
    return f"{text[: longest - 1]}…"

"""The command that reads what fio wrote into tables."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ssdlab.cli.group import (
    EXIT_INTERRUPTED,
    fail,
    main,
    max_input_option,
    overwrite_option,
    printable,
)
from ssdlab.cli.tables import TableFormat, TableWriter, opened_output, table_writer

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.fio.document import Doubt
    from ssdlab.fio.frames.result import FioResult
    from ssdlab.fio.read import FilesRead
    from ssdlab.fio.read_logs import LogsRead

_TABLES = (
    "jobs",
    "documents",
    "percentiles",
    "bins",
    "options",
    "disks",
    "steadystate",
    "intervals",
    "log",
    "histogram",
    "issues",
)
_FORMATS = ("csv", "jsonl", "parquet")
_LOG_KINDS = ("bw", "iops", "lat", "clat", "slat")
_QUIET_S = 2.0
_BETWEEN_LINES_S = 0.2
_MOST_DOUBTS_SHOWN = 10
_EXIT_CUT = 3
_CUT_KINDS = frozenset({"cut-short", "truncated", "truncated-archive"})

_HELP = """Read whatever fio wrote into one table, in ns, bytes and bytes per second.

PATH is a file, a folder, which is walked, or - for standard input: JSON, JSON+,
terse and normal output of fio 2.0 or later, with other text around it or not, also
in gzip or zstd. Each table holds all files; what is missing was not measured.

\b
jobs         a row per document, job entry and direction
documents    the documents, and which of them are results
percentiles  fio's percentiles, each with the edges of its bin
bins         the histograms of JSON+
options      job options and global options
disks        what the kernel counted
steadystate  fio's own steady-state rule
intervals    the true values between documents of --status-interval
issues       every doubt about the numbers, and files that are none of fio's
log          bandwidth, IOPS and latency logs
histogram    histogram logs

\b
ssdlab parse fio.json
ssdlab parse results/ --table percentiles --format parquet -o p.parquet
ssdlab parse results/ --table issues
fio job.fio --output-format=json+ | ssdlab parse - --format jsonl
ssdlab parse logs/ --table log -o logs.csv

The exit code is 0 if all of fio's output was read, 3 if some of it was cut short or
damaged, so that the table holds what is whole, or holds no job entry at all, and 2 if
nothing was read.
"""

_Item = TypeVar("_Item")


@main.command(help=_HELP)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--table",
    type=click.Choice(_TABLES),
    default="jobs",
    show_default=True,
    help="what to write: see below",
)
@click.option(
    "--format",
    "table_format",
    type=click.Choice(_FORMATS),
    help="without it that of the ending of -o, or csv; parquet needs -o",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="the file to write; without it, or with -, standard output",
)
@click.option(
    "--log-kind",
    type=click.Choice(_LOG_KINDS),
    help="what logs hold whose names do not tell, such as standard input",
)
@click.option(
    "--fio-version",
    help="the fio that wrote the logs; before 2.99 their latencies were in us",
)
@max_input_option
@overwrite_option
def parse(paths: tuple[str, ...], **asked: Any) -> None:
    """Read whatever fio wrote into one table."""
    from ssdlab.fio.read import FilesRead
    from ssdlab.fio.read_logs import LogsRead

    table: str = asked["table"]
    path: Path | None = None if asked["output"] == Path("-") else asked["output"]
    try:
        _require_not_read(path, paths)
        output = _choose_output(path, asked)
        if table in {"log", "histogram"}:
            logs = LogsRead(
                paths,
                "log" if table == "log" else "histogram-log",
                log_kind=asked["log_kind"],
                fio_version=asked["fio_version"],
                max_input_bytes=asked["max_input_bytes"],
            )
            _parse_logs(logs, output)
        else:
            files = FilesRead(paths, max_input_bytes=asked["max_input_bytes"])
            _parse_output(files, table, output)
    except KeyboardInterrupt:
        fail("Stopped; what was written is not whole.", EXIT_INTERRUPTED)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Output:
    """What to write, and where; ``path`` is ``None`` for standard output."""

    table_format: TableFormat
    path: Path | None
    overwrite: bool

    def require_replaceable(self, frame: "pd.DataFrame") -> None:
        """Require that no file is replaced that is no such table of ours."""
        from ssdlab.system.outputs import require_replaceable

        if self.path is not None:
            columns = list(map(str, frame.columns))
            require_replaceable(self.path, overwrite=self.overwrite, columns=columns)


def _choose_output(path: Path | None, asked: Mapping[str, Any]) -> _Output:
    from ssdlab.system.outputs import choose_format

    table_format = choose_format(path, asked["table_format"], _FORMATS)
    if table_format == "parquet" and path is None:
        fail("Parquet is no text: name a file for it with -o FILE.", 2)
    return _Output(
        table_format=cast("TableFormat", table_format),
        path=path,
        overwrite=asked["overwrite"],
    )


def _require_not_read(output: Path | None, paths: Sequence[str]) -> None:
    """See that the table is not written over what fio wrote."""
    from ssdlab.fio.sources import list_sources, name_source, read_content

    if output is None or not output.is_file():
        return
    written = name_source(output)
    is_read = any(named.identity == written.identity for named in list_sources(paths))
    if is_read and read_content(written).kind != "other":
        meaning = "is one of the files to read, and the table would replace it"
        fail(f"{printable(str(output))} {meaning}. Name another file with -o.", 2)


def _parse_output(files: "FilesRead", table: str, output: _Output) -> None:
    from ssdlab.fio.frames.result import tabulate_files

    result = tabulate_files(_shown(files))
    files.require_output()
    frame = result.intervals().jobs if table == "intervals" else getattr(result, table)
    output.require_replaceable(frame)
    with _opened(output) as writer:
        writer.write(frame)
    _summarise(result, files.count, is_shown=table == "issues")
    issues, documents = result.issues, result.documents
    cut = {
        *issues.loc[issues["kind"].isin(_CUT_KINDS), "file"],
        *documents.loc[~documents["is_whole"], "file"],
    }
    _require_whole(len(cut), files.count)
    if result.jobs.empty:
        meaning = "No job entry was read: fio ran no job, or said nothing of it here."
        fail(f"{meaning} See --table issues.", _EXIT_CUT)


def _require_whole(cut_count: int, count: int) -> None:
    """End with an exit code of its own where some output was cut short or damaged."""
    if cut_count:
        meaning = f"{cut_count} of {count} files were cut short or damaged"
        fail(f"{meaning}. The table holds what is whole of them.", _EXIT_CUT)


@contextmanager
def _opened(output: _Output) -> Iterator[TableWriter]:
    with opened_output(output.path) as file:
        writer = table_writer(output.table_format, file)
        yield writer
        writer.close()


def _summarise(result: "FioResult", count: int, *, is_shown: bool) -> None:
    """Say in one line what was not read and what is in doubt, if anything."""
    read = result.documents["file"].nunique()
    doubtful = result.issues["file"].nunique()
    if read == count and not doubtful:
        return
    line = f"read {read} of {count} files; {doubtful} have issues"
    click.echo(line if is_shown else f"{line}: see --table issues", err=True)


def _parse_logs(logs: "LogsRead", output: _Output) -> None:
    """Write the rows of all logs of a kind, one file after the other."""
    with _opened(output) as writer:
        for frame in _shown(logs):
            output.require_replaceable(frame)
            writer.write(frame)
        logs.require_logs()
    _say_doubts(logs.doubts)
    if logs.read_count < logs.count:
        click.echo(f"read {logs.read_count} of {logs.count} files", err=True)
    cut = {name for name, doubt in logs.doubts if doubt.kind in _CUT_KINDS}
    _require_whole(len(cut), logs.count)


def _say_doubts(doubts: Sequence[tuple[str, "Doubt"]]) -> None:
    for name, doubt in doubts[:_MOST_DOUBTS_SHOWN]:
        line = f"{name}: {doubt.place}: {doubt.meaning}"
        click.echo(printable(line), err=True)
    if len(doubts) > _MOST_DOUBTS_SHOWN:
        click.echo(f"and {len(doubts) - _MOST_DOUBTS_SHOWN} more issues", err=True)


def _shown(items: Iterable[_Item]) -> Iterator[_Item]:
    """Yield items; count them on a terminal once that takes long."""
    clock: Callable[[], float] = time.monotonic
    is_shown = sys.stderr.isatty()
    said = begun = clock()
    count = 0
    for count, item in enumerate(items, start=1):
        yield item
        now = clock()
        if is_shown and now - begun > _QUIET_S and now - said > _BETWEEN_LINES_S:
            said = now
            click.echo(f"\r{count} files read ...", err=True, nl=False)
    if said > begun:
        click.echo(f"\r{count} files read    ", err=True)

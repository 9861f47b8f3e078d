"""The command that reads fio output into tables."""

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
)
from ssdlab.cli.tables import TableFormat, TableWriter, opened_output, table_writer
from ssdlab.text.terminal import printable

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
    "seconds",
    "issues",
)
_SUMMARY_TABLES = ("percentiles", "bins", "seconds", "issues")
_FORMATS = ("csv", "jsonl", "parquet")
_LOG_KINDS = ("bw", "iops", "lat", "clat", "slat")
_QUIET_S = 2.0
_BETWEEN_LINES_S = 0.2
_MOST_DOUBTS_SHOWN = 10
_EXIT_CUT = 3
_CUT_KINDS = frozenset({"cut-short", "truncated", "truncated-archive"})

_HELP = """Read fio output of any kind into one table.

PATH is a file, a folder (searched recursively), or - for standard input: JSON, JSON+,
terse or normal output of fio 2.0 or later, also within other text, or compressed with
gzip or zstd. A table covers all files. Units are ns, bytes and bytes per second; a
missing value was not measured.


\b
jobs         a row per document, job entry and direction
documents    the documents, and which of them are results
percentiles  fio's percentiles, each with the bounds of its bin
bins         the histograms of JSON+
options      job options and global options
disks        disk statistics of the kernel
steadystate  fio's own steady-state detection
intervals    values of each interval between documents of --status-interval
issues       every doubt about the numbers, and files that fio did not write
log          bandwidth, IOPS and latency logs
histogram    histogram logs
seconds      with --summary: rate, mean, least and greatest value of each second

With --summary, bandwidth, IOPS and latency logs larger than memory are summed up, and
--table is percentiles (the default), bins, seconds or issues. A log is split into parts
at line ends, each with a small file; a command that was stopped goes on with the parts
that are missing. Their sums are those of the whole log, exactly.

\b
ssdlab parse fio.json
ssdlab parse results/ --table percentiles --format parquet -o p.parquet
ssdlab parse results/ --table issues
fio job.fio --output-format=json+ | ssdlab parse - --format jsonl
ssdlab parse logs/ --table log -o logs.csv
ssdlab parse --summary big_lat.1.log -o percentiles.csv

Exit codes: 0 all output was read; 2 nothing was read; 3 some output was cut short or
damaged (the table holds what is complete), or no job entry was found.
"""

_Item = TypeVar("_Item")


@main.command(help=_HELP)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--table",
    type=click.Choice(_TABLES),
    help="table to write; see above  [default: jobs, or percentiles with --summary]",
)
@click.option(
    "--format",
    "table_format",
    type=click.Choice(_FORMATS),
    help="default: by the suffix of -o, or csv; on a terminal a view of what fits; "
    "parquet needs -o",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="file to write; default, and -: standard output",
)
@click.option(
    "--log-kind",
    type=click.Choice(_LOG_KINDS),
    help="kind of logs whose name does not tell it, such as standard input",
)
@click.option(
    "--fio-version",
    help="version of fio that wrote the logs; latencies were in μs before 2.99",
)
@click.option(
    "--summary", is_flag=True, help="sum up logs of any size, without keeping rows"
)
@click.option(
    "--parts",
    type=click.IntRange(min=1),
    metavar="N",
    help="with --summary, parts of a log; default: one a core, of 1 to 4 GB",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "slurm"]),
    default="local",
    show_default=True,
    help="who sums up the parts: processes of this machine, or an array of Slurm",
)
@click.option(
    "--node", default="", help="node of Slurm on which the log lies; default: any"
)
@click.option(
    "--parts-folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="folder for the parts, which stay; default: OUTPUT.parts until it is written",
)
@max_input_option
@overwrite_option
def parse(paths: tuple[str, ...], **options: Any) -> None:
    """Read fio output of any kind into one table."""
    from ssdlab.fio.read import FilesRead
    from ssdlab.fio.read_logs import LogsRead

    table = _choose_table(options)
    path: Path | None = None if options["output"] == Path("-") else options["output"]
    try:
        _require_not_read(path, paths)
        output = _choose_output(path, options)
        if options["summary"]:
            _summarise_logs(paths, table, output, options=options)
        elif table in {"log", "histogram"}:
            logs = LogsRead(
                paths,
                "log" if table == "log" else "histogram-log",
                log_kind=options["log_kind"],
                fio_version=options["fio_version"],
                max_input_bytes=options["max_input_bytes"],
            )
            _parse_logs(logs, output)
        else:
            files = FilesRead(paths, max_input_bytes=options["max_input_bytes"])
            _parse_output(files, table, output)
    except KeyboardInterrupt:
        fail("Stopped; the output is incomplete.", EXIT_INTERRUPTED)


def _choose_table(options: Mapping[str, Any]) -> str:
    """Return the table to write; refuse one that is not of what is read."""
    is_summary: bool = options["summary"]
    table: str = options["table"] or ("percentiles" if is_summary else "jobs")
    if is_summary and table not in _SUMMARY_TABLES:
        fail(f"--summary gives --table {', '.join(_SUMMARY_TABLES)}.", 2)
    if not is_summary and table == "seconds":
        fail("--table seconds needs --summary.", 2)
    given = [name for name in ("parts", "parts_folder", "node") if options[name]]
    if not is_summary and (given or options["engine"] != "local"):
        fail("--parts, --engine, --node and --parts-folder need --summary.", 2)
    return table


@dataclass(frozen=True, kw_only=True, slots=True)
class _Output:
    """Format and path of the output; ``path`` is ``None`` for standard output."""

    table_format: TableFormat
    path: Path | None
    overwrite: bool

    def require_replaceable(self, frame: "pd.DataFrame") -> None:
        """Require that a file to be replaced is such a table of ssdlab."""
        from ssdlab.system.outputs import require_replaceable

        if self.path is not None:
            columns = list(map(str, frame.columns))
            require_replaceable(self.path, overwrite=self.overwrite, columns=columns)

    def print_path(self) -> None:
        """Print the path of the file that was written, if it is one."""
        if self.path is not None:
            click.echo(printable(str(self.path)))


def _choose_output(path: Path | None, options: Mapping[str, Any]) -> _Output:
    from ssdlab.system.outputs import choose_format

    table_format = choose_format(path, options["table_format"], _FORMATS)
    if path is None and options["table_format"] is None and sys.stdout.isatty():
        table_format = "box"
    if table_format == "parquet" and path is None:
        fail("Parquet is a binary format: name a file with -o FILE.", 2)
    return _Output(
        table_format=cast("TableFormat", table_format),
        path=path,
        overwrite=options["overwrite"],
    )


def _require_not_read(output: Path | None, paths: Sequence[str]) -> None:
    """Require that the table does not replace one of the files to read."""
    from ssdlab.fio.sources import list_sources, name_source, read_content

    if output is None or not output.is_file():
        return
    written = name_source(output)
    is_read = any(named.identity == written.identity for named in list_sources(paths))
    if is_read and read_content(written).kind != "other":
        meaning = "is one of the input files and would be replaced"
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
    output.print_path()
    issues, documents = result.issues, result.documents
    cut = {
        *issues.loc[issues["kind"].isin(_CUT_KINDS), "file"],
        *documents.loc[~documents["is_whole"], "file"],
    }
    _require_whole(len(cut), files.count)
    if result.jobs.empty:
        meaning = "No job entry found: fio ran no job, or did not report it here."
        fail(f"{meaning} See --table issues.", _EXIT_CUT)


def _require_whole(cut_count: int, count: int) -> None:
    """Exit with a code of its own if some output was cut short or damaged."""
    if cut_count:
        meaning = f"{cut_count} of {count} files were cut short or damaged"
        fail(f"{meaning}. The table holds what is complete.", _EXIT_CUT)


@contextmanager
def _opened(output: _Output) -> Iterator[TableWriter]:
    with opened_output(output.path) as file:
        writer = table_writer(output.table_format, file)
        yield writer
        writer.close()


def _summarise(result: "FioResult", count: int, *, is_shown: bool) -> None:
    """Print in one line what was not read and what is in doubt, if anything."""
    read = result.documents["file"].nunique()
    doubtful = result.issues["file"].nunique()
    if read == count and not doubtful:
        return
    verb = "has" if doubtful == 1 else "have"
    line = f"read {read} of {count} files; {doubtful} {verb} issues"
    click.echo(line if is_shown else f"{line}: see --table issues", err=True)


def _parse_logs(logs: "LogsRead", output: _Output) -> None:
    """Write the rows of all logs of a kind, file by file."""
    with _opened(output) as writer:
        for frame in _shown(logs):
            output.require_replaceable(frame)
            writer.write(frame)
        logs.require_logs()
    _end_logs(logs, output)


def _summarise_logs(
    paths: Sequence[str], table: str, output: _Output, *, options: Mapping[str, Any]
) -> None:
    """Write one table of all logs, which are read in parts."""
    from ssdlab.cli.live import working
    from ssdlab.cli.parse_summary import Summaries, parts_folder, summary_frame
    from ssdlab.fio.read_logs import LogsRead

    engine: str = options["engine"]
    with (
        parts_folder(options["parts_folder"], output.path, engine) as folder,
        working("reading") as tell,
    ):
        summaries = Summaries(
            folder=folder,
            engine=engine,
            parts=options["parts"],
            node=options["node"],
            tell=tell,
        )
        logs = LogsRead(
            paths,
            "log",
            log_kind=options["log_kind"],
            fio_version=options["fio_version"],
            max_input_bytes=options["max_input_bytes"],
            adder=summaries.adder,
        )
        frame = summary_frame(logs, table, tell)
        output.require_replaceable(frame)
        with _opened(output) as writer:
            writer.write(frame)
    _end_logs(logs, output, is_shown=table == "issues")


def _end_logs(logs: "LogsRead", output: _Output, *, is_shown: bool = False) -> None:
    """Print what is in doubt, and fail if something was cut short."""
    if not is_shown:
        _print_doubts(logs.doubts)
    if logs.read_count < logs.count:
        click.echo(f"read {logs.read_count} of {logs.count} files", err=True)
    cut = {name for name, doubt in logs.doubts if doubt.kind in _CUT_KINDS}
    output.print_path()
    _require_whole(len(cut), logs.count)


def _print_doubts(doubts: Sequence[tuple[str, "Doubt"]]) -> None:
    for name, doubt in doubts[:_MOST_DOUBTS_SHOWN]:
        line = f"{name}: {doubt.place}: {doubt.meaning}"
        click.echo(printable(line), err=True)
    if len(doubts) > _MOST_DOUBTS_SHOWN:
        click.echo(f"and {len(doubts) - _MOST_DOUBTS_SHOWN} more issues", err=True)


def _shown(items: Iterable[_Item]) -> Iterator[_Item]:
    """Yield items; on a terminal, show their count once it takes long."""
    clock: Callable[[], float] = time.monotonic
    is_shown = sys.stderr.isatty()
    shown_at = begun = clock()
    count = 0
    for count, item in enumerate(items, start=1):
        yield item
        now = clock()
        if is_shown and now - begun > _QUIET_S and now - shown_at > _BETWEEN_LINES_S:
            shown_at = now
            click.echo(f"\r{count} files read ...", err=True, nl=False)
    if shown_at > begun:
        click.echo(f"\r{count} files read    ", err=True)

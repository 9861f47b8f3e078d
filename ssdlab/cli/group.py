"""The command group, the options that commands share, and the exit codes."""

import math
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any, NoReturn

import click

from ssdlab.model.errors import SsdlabError
from ssdlab.model.shortages import find_shortage
from ssdlab.model.units import parse_size
from ssdlab.model.version import VERSION

# Heavy modules are imported inside the commands: --help must answer at once.

EXIT_WRONG, EXIT_INTERRUPTED = 2, 130
_STREAMS = 3  # standard input, output and errors
_SECTIONS = {
    "Measure": "run resume plan",
    "Look": "runs report qos figures steady-state",
    "Compare": "compare classes",
    "Import and export": "import parse ingest export",
    "Drives and host": "devices purge doctor ceiling profiles",
    "Notebooks": "lab notebooks page",
    "Published procedures": "peak saturate precondition-time sequence compare-hosts "
    "rwsw",
}
_RATED_UNITS = {"G": 1e9, "T": 1e12, "P": 1e15}
_RATED = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([GTP])B\s*", re.IGNORECASE)


class _Group(click.Group):
    """Turns every ``SsdlabError`` into one message and its exit code."""

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the commands by section, with their summaries in full."""
        width = max(map(len, self.list_commands(ctx)))
        for title, names in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([
                    (name.ljust(width), self.commands[name].get_short_help_str(999))
                    for name in names.split()
                ])

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command; report a failed write to standard output too."""
        _require_output()
        try:
            try:
                return super().main(*args, **extra)
            finally:
                _flush()
        except BrokenPipeError:
            _exit_quietly()
        except OSError as error:
            _exit_with(error)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SsdlabError as error:
            fail(str(error), error.exit_code)
        except KeyboardInterrupt:
            fail("Stopped; nothing was measured.", EXIT_INTERRUPTED)
        except BrokenPipeError:
            _exit_quietly()
        except MemoryError as error:
            fail(str(find_shortage(error)), 1)


def _require_output() -> None:
    """Require a standard output; open the other two on /dev/null if they are closed.

    Otherwise the next file to be opened would get their numbers, and every program
    that is started would write to it: to a table, or a drive.
    """
    is_closed = sys.stdout is None
    while (nowhere := os.open(os.devnull, os.O_RDWR)) < _STREAMS:
        os.set_inheritable(nowhere, True)  # noqa: FBT003 - as the standard streams are
    os.close(nowhere)
    if is_closed:
        fail(
            "Standard output is closed. Redirect it to a file, or to /dev/null.",
            EXIT_WRONG,
        )


def _exit_quietly() -> NoReturn:
    """Exit with 0: the reader of the output has closed it."""
    discard_output()
    sys.stderr.close()
    sys.exit(0)


def _exit_with(error: OSError) -> NoReturn:
    """Report in one line what the system refused."""
    if any(code in _WRITERS for code in _codes_of(error)):
        discard_output()
        fail(f"Cannot write to standard output ({error.strerror}).", 1)
    shortage = find_shortage(error)
    fail(str(shortage or error), shortage.exit_code if shortage else 1)


def _codes_of(error: BaseException) -> Iterator[CodeType]:
    """Yield the code objects in an error's traceback, outermost first."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code
        trace = trace.tb_next


def _flush() -> None:
    sys.stdout.flush()


_WRITERS = frozenset((_flush.__code__, click.echo.__code__))


def discard_output() -> None:
    """Discard what is still to be written."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def fail(message: str, exit_code: int) -> NoReturn:
    """Print an error and exit."""
    click.echo(f"ssdlab: {message}", err=True)
    sys.exit(exit_code)


_HELP = """Measure solid state drives by the SNIA SSS PTS, with fio.

A first run, on a virtual SSD:  ssdlab run --target virtual --profile demo

\b
Exit codes:
0    success
1    the run failed
2    invalid request
3    steady-state: the series is not steady
     qos: a target was not shown to be met
     parse: some of fio's output was cut short
     import: results may be missing
     compare: a drive is worse than --fail-if-worse allows
4    compare: that cannot be told
130  stopped
"""


@click.group(
    cls=_Group, help=_HELP, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(VERSION, prog_name="ssdlab")
def main() -> None:
    """Measure solid state drives by the SNIA SSS PTS, with fio."""


runs_option = click.option(
    "--runs",
    default="data/runs",
    show_default=True,
    type=click.Path(path_type=Path),
    help="folder of runs",
)
json_option = click.option("--json", "as_json", is_flag=True, help="print JSON")
page_format_option = click.option(
    "--format",
    "file_format",
    type=click.Choice(["html", "pdf"]),
    help="default: by the suffix of -o, or html; pdf needs Chromium or Chrome",
)
overwrite_option = click.option(
    "--overwrite",
    is_flag=True,
    help="replace a file that ssdlab did not write",
)
run_argument = click.argument("run", type=click.Path(path_type=Path))


def read_size(_: click.Context, option: click.Parameter, value: str) -> int:
    """Return the bytes of a size such as ``512MiB``."""
    try:
        return parse_size(value)
    except ValueError as error:
        raise click.BadParameter(str(error), param=option) from error


max_input_option = click.option(
    "--max-input",
    "max_input_bytes",
    metavar="SIZE",
    default="512MiB",
    show_default=True,
    callback=read_size,
    help="most that is read from one file, after decompression",
)


def require_finite(_: click.Context, option: click.Parameter, value: Any) -> Any:
    """Require a finite number: click accepts infinity and NaN."""
    if value is not None and not math.isfinite(value):
        msg = f"{value} is not a finite number"
        raise click.BadParameter(msg, param=option)
    return value


def parse_tbw(_: click.Context, option: click.Parameter, value: str | None) -> Any:
    """Return the bytes of a rated endurance such as ``600TB``, in decimal units."""
    if value is None:
        return None
    match = _RATED.fullmatch(value)
    rated = float(match[1]) * _RATED_UNITS[match[2].upper()] if match else 0.0
    if not rated:
        msg = f"{value!r} is not a valid endurance; write it as 600TB or 1.2PB"
        raise click.BadParameter(msg, param=option)
    return rated


def terminal_width(most: int = 100) -> int:
    """Return the width of lines: that of the terminal, but at most ``most``."""
    columns = shutil.get_terminal_size(fallback=(most, 1)).columns
    return max(40, min(columns, most))

"""The group of all commands, what they share, and how they end."""

import math
import os
import re
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
_RATED_UNITS = {"G": 1e9, "T": 1e12, "P": 1e15}
_RATED = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([GTP])B\s*", re.IGNORECASE)


class _Group(click.Group):
    """Turns every error of ours into one message and its exit code."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command; what it could not write to its output is told too."""
        _require_output()
        try:
            try:
                return super().main(*args, **extra)
            finally:
                _flush()
        except BrokenPipeError:
            _end_unheard()
        except OSError as error:
            _end_by(error)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SsdlabError as error:
            fail(str(error), error.exit_code)
        except KeyboardInterrupt:
            fail("Stopped; nothing was measured.", EXIT_INTERRUPTED)
        except BrokenPipeError:
            _end_unheard()
        except MemoryError as error:
            fail(str(find_shortage(error)), 1)


def _require_output() -> None:
    """Require a standard output, and give the other two to nobody if they are closed.

    What is opened next would get their numbers, and every program that is started
    would write there: into a table, or a drive.
    """
    is_closed = sys.stdout is None
    while (nowhere := os.open(os.devnull, os.O_RDWR)) < _STREAMS:
        os.set_inheritable(nowhere, True)  # noqa: FBT003 - as the standard streams are
    os.close(nowhere)
    if is_closed:
        fail(
            "Standard output is closed, so nothing can be shown. Let it go to a file, "
            "or to /dev/null.",
            EXIT_WRONG,
        )


def _end_unheard() -> NoReturn:
    """End well: nobody reads any more."""
    forget_output()
    sys.stderr.close()
    sys.exit(0)


def _end_by(error: OSError) -> NoReturn:
    """Say in one line what the system refused, of the output or of anything else."""
    if any(code in _WRITERS for code in _codes_of(error)):
        forget_output()
        fail(f"Standard output cannot be written ({error.strerror}).", 1)
    shortage = find_shortage(error)
    fail(str(shortage or error), shortage.exit_code if shortage else 1)


def _codes_of(error: BaseException) -> Iterator[CodeType]:
    """Yield the code that an error came through, from the outermost."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code
        trace = trace.tb_next


def _flush() -> None:
    sys.stdout.flush()


_WRITERS = frozenset((_flush.__code__, click.echo.__code__))


def forget_output() -> None:
    """Let what is still to be written go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def fail(message: str, exit_code: int) -> NoReturn:
    """Say what is wrong, and end."""
    click.echo(f"ssdlab: {message}", err=True)
    sys.exit(exit_code)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="ssdlab")
def main() -> None:
    """SNIA SSS PTS measurements of solid state drives with fio.

    A first run, on a virtual SSD:  ssdlab run --target virtual --profile demo

    Exit codes: 0 done, 1 the run failed, 2 the request was wrong, 130 stopped; of
    steady-state 3: the series is not steady; of qos 3: a target was not shown to be
    met; of parse 3: some of fio's output was cut short; of import 3: results may be
    missing.
    """


runs_option = click.option(
    "--runs",
    default="data/runs",
    show_default=True,
    type=click.Path(path_type=Path),
    help="the folder of runs",
)
json_option = click.option("--json", "as_json", is_flag=True, help="print JSON")
page_format_option = click.option(
    "--format",
    "file_format",
    type=click.Choice(["html", "pdf"]),
    help="without it as -o ends, or html; pdf is printed by a Chromium or Chrome of "
    "this machine",
)
overwrite_option = click.option(
    "--overwrite",
    is_flag=True,
    help="replace a file that ssdlab did not write",
)
run_argument = click.argument("run", type=click.Path(path_type=Path))


def read_size(_: click.Context, option: click.Parameter, value: str) -> int:
    """Return the bytes of a size such as ``512MiB``.

    Raises
    ------
    click.BadParameter
        If it is none.
    """
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
    help="the most that is read of one file, once it is unpacked",
)


def require_finite(_: click.Context, option: click.Parameter, value: Any) -> Any:
    """Refuse a number that is infinite or none: click lets both pass.

    Raises
    ------
    click.BadParameter
        If it is.
    """
    if value is not None and not math.isfinite(value):
        msg = f"{value} is no number"
        raise click.BadParameter(msg, param=option)
    return value


def parse_tbw(_: click.Context, option: click.Parameter, value: str | None) -> Any:
    """Return the bytes of a rated endurance such as ``600TB``: decimal, as it is sold.

    Raises
    ------
    click.BadParameter
        If it is none.
    """
    if value is None:
        return None
    match = _RATED.fullmatch(value)
    rated = float(match[1]) * _RATED_UNITS[match[2].upper()] if match else 0.0
    if not rated:
        msg = f"{value!r} is no endurance; write it as 600TB or 1.2PB"
        raise click.BadParameter(msg, param=option)
    return rated


def printable(text: str) -> str:
    """Return text from a device or file as a terminal may get it."""
    return "".join(sign if sign.isprintable() else "�" for sign in text)

"""The group of all commands, what they share, and how they end."""

import math
import os
import re
import sys
from pathlib import Path
from typing import Any, NoReturn

import click

from ssdlab.model.errors import SsdlabError
from ssdlab.model.units import parse_size
from ssdlab.model.version import VERSION

# Heavy modules are imported inside the commands: --help must answer at once.

EXIT_INTERRUPTED = 130
_RATED_UNITS = {"G": 1e9, "T": 1e12, "P": 1e15}
_RATED = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([GTP])B\s*", re.IGNORECASE)


class _Group(click.Group):
    """Turns every error of ours into one message and its exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SsdlabError as error:
            fail(str(error), error.exit_code)
        except KeyboardInterrupt:
            fail("Stopped; nothing was measured.", EXIT_INTERRUPTED)
        except BrokenPipeError:
            _forget_output()
            sys.exit(0)


def _forget_output() -> None:
    """Let what is still to be written go nowhere: nobody reads any more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    sys.stderr.close()


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

"""The command group, the options that commands share, and the exit codes."""

import gc
import math
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import CodeType, MappingProxyType
from typing import Any, NoReturn

import click

from ssdlab.cli.completion import complete_runs, complete_targets
from ssdlab.model.errors import SsdlabError
from ssdlab.model.shortages import find_shortage
from ssdlab.model.units import parse_size
from ssdlab.model.version import VERSION
from ssdlab.text.terminal import ANY_WIDTH

# Heavy modules are imported inside the commands: --help must answer at once.

EXIT_WRONG, EXIT_INTERRUPTED = 2, 130
_LEAST_WIDTH = 40
_OBJECTS_BETWEEN_SEARCHES = 50_000  # some MB, if all of them were cycles
_STREAMS = 3  # standard input, output and errors
_SECTIONS = MappingProxyType({
    "Measure": "quick run resume watch plan profiles",
    "A lab": "campaign store",
    "Look": "show runs report qos check budget figures steady-state lab notebooks",
    "Compare": "compare fleet classes",
    "Import and export": "import meter parse ingest export page",
    "Drives and host": "devices purge doctor ceiling",
    "Published procedures": "peak hot-cold saturate precondition-time sequence "
    "compare-hosts rwsw",
})
Command = Callable[..., Any]
_RATED_UNITS = {"G": 1e9, "T": 1e12, "P": 1e15}
_RATED = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([GTP])B\s*", re.IGNORECASE)


class _Commands(click.Group):
    """Commands whose summaries are never cut, and that accept ``--color`` too."""

    sections: Mapping[str, str] = MappingProxyType({})

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the commands by section, if there are any."""
        names = self.list_commands(ctx)
        width = max(map(len, names))
        for title, listed in (self.sections or {"Commands": " ".join(names)}).items():
            with formatter.section(title):
                formatter.write_dl([
                    (name.ljust(width), self.commands[name].get_short_help_str(999))
                    for name in listed.split()
                    if name in self.commands
                ])

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, and the option without a line of help."""
        cmd.params.append(click.Option(["--color"], hidden=True, **_COLOUR))
        super().add_command(cmd, name)


class _Group(_Commands):
    """Turns every ``SsdlabError`` into one message and its exit code."""

    group_class = _Commands
    sections = _SECTIONS

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command; report a failed write to standard output too."""
        _require_output()
        _collect_seldom()
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


def _choose_colour(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    """Set whether this process and its displays use colour."""
    if value is None:
        if ctx.parent is None and os.environ.get("NO_COLOR"):
            ctx.color = False
        return
    at: click.Context | None = ctx
    while at is not None:
        at.color = {"always": True, "never": False}.get(value)
        at = at.parent


_COLOUR: dict[str, Any] = {
    "type": click.Choice(["auto", "always", "never"]),
    "expose_value": False,
    "is_eager": True,
    "callback": _choose_colour,
    "help": "colour: auto (default) is on a terminal, unless NO_COLOR is set",
}


def _collect_seldom() -> None:
    """Let the search for cycles wait: imports and figures make many objects that stay.

    Searching them took a sixth of the time of a report.
    """
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_SEARCHES)


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
    name = click.style("ssdlab:", fg="red", bold=True)
    click.echo(f"{name} {message}", err=True)
    sys.exit(exit_code)


_HELP = """Measure solid state drives by the SNIA SSS PTS, with fio.

\b
A first run, on a virtual SSD:  ssdlab run virtual --profile demo
RUN is a path, the name of a run folder or its beginning, or latest; of a store of
runs it is STORE:ID, or STORE:latest.

\b
Complete commands, runs, profiles and tests with Tab, in bash (zsh, fish alike):
echo 'eval "$(_SSDLAB_COMPLETE=bash_source ssdlab)"' >> ~/.bashrc

\b
Exit codes:
0    success
1    the run failed
2    invalid request
3    steady-state: the series is not steady
     qos: a goal was not shown to be met
     parse: some of fio's output was cut short
     import: results may be missing
     compare: a drive is worse than --fail-if-worse allows
     check: a limit is not met
     store check: drives are worse than a limit
     store verify: runs are gone, changed or incomplete
4    compare, check, budget, store check, store plan, store gauge: that cannot be told
130  stopped
"""


@click.group(
    cls=_Group,
    help=_HELP,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(VERSION, prog_name="ssdlab")
@click.option("--color", **_COLOUR)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Measure solid state drives by the SNIA SSS PTS, with fio."""
    if ctx.invoked_subcommand is None:
        from ssdlab.cli.next_steps import next_step_lines

        lines = next_step_lines()
        click.echo("\n".join(lines) if lines else ctx.get_help())


RUNS_VARIABLE = "SSDLAB_RUNS"
runs_option = click.option(
    "--runs",
    default="data/runs",
    show_default=True,
    envvar=RUNS_VARIABLE,
    show_envvar=True,
    type=click.Path(path_type=Path),
    help="folder of runs",
)


def add_options(
    command: Callable[..., Any], options: Sequence[Callable[..., Any]]
) -> Callable[..., Any]:
    """Add options to a command, which shows them in this order."""
    for option in reversed(options):
        command = option(command)
    return command


json_option = click.option("--json", "as_json", is_flag=True, help="print JSON")
page_format_option = click.option(
    "--format",
    "file_format",
    type=click.Choice(["html", "pdf"]),
    help="default: by the suffix of -o, or html; pdf needs Chromium or Chrome",
)
page_option = click.option(
    "-o",
    "--output",
    metavar="FILE.html",
    type=click.Path(path_type=Path, dir_okay=False),
    help="also write a page of figures and tables",
)
overwrite_option = click.option(
    "--overwrite",
    is_flag=True,
    help="replace a file that ssdlab did not write",
)


class RunType(click.ParamType[Path]):
    """A run: a path, the name of its folder or the beginning of that, or ``latest``.

    It may be of a store: ``STORE:RUN``. ``statuses`` is what ``latest`` may be. With
    ``are_several`` a store is left to the command, as it means all of its runs.
    """

    name = "run"

    def __init__(self, *statuses: str, are_several: bool = False) -> None:
        self._statuses = statuses or ("finished",)
        self._are_several = are_several

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """Return the folder of the run."""
        from ssdlab.store.catalog import find_run
        from ssdlab.store.places import split_store

        del param, ctx
        if named := split_store(value):
            if self._are_several:
                return Path(value)
            from ssdlab.fleet.listing import find_one_stored

            return find_one_stored(*named)
        runs = os.environ.get(RUNS_VARIABLE)
        return find_run(value, runs=runs, statuses=self._statuses)


def takes_run(
    name: str = "run",
    *statuses: str,
    is_required: bool = True,
    metavar: str = "",
    nargs: int = 1,
    are_several: bool = False,
) -> Callable[[Command], Command]:
    """Let a command take a run by a path or a name, which Tab completes."""
    shown = name.upper() if is_required else f"[{name.upper()}]"
    return click.argument(
        name,
        type=RunType(*statuses, are_several=are_several),
        required=is_required,
        nargs=nargs,
        metavar=metavar or shown,
        shell_complete=complete_runs,
    )


run_argument = takes_run()


_TARGETS = (
    "virtual, virtual:size=256MiB,op=12, file:PATH,size=1GiB, or a drive: "
    "/dev/nvme0n1, /dev/disk/by-id/…"
)


def takes_target(
    words: str = _TARGETS, *, is_required: bool = True
) -> Callable[[Command], Command]:
    """Let a command take TARGET, by its place or by ``--target``."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def merged(
            *arguments: Any, placed: str | None, named: str | None, **options: Any
        ) -> Any:
            if placed and named:
                msg = "TARGET is given twice: by its place and by --target"
                raise click.UsageError(msg)
            target = placed or named or ""
            if is_required and not target:
                msg = f"Missing TARGET: {words}"
                raise click.UsageError(msg)
            return command(*arguments, target=target, **options)

        option = click.option("--target", "named", metavar="TARGET", help=words)
        metavar = "TARGET" if is_required else "[TARGET]"
        argument = click.argument(
            "placed", metavar=metavar, required=False, shell_complete=complete_targets
        )
        return argument(option(merged))

    return decorate


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
    return max(_LEAST_WIDTH, min(columns, most))


def shows_colour() -> bool:
    """Tell whether standard output is to have colour."""
    wanted = click.get_current_context().color
    return sys.stdout.isatty() if wanted is None else wanted


def output_width() -> int:
    """Return the columns of standard output: those of the terminal, else no limit."""
    if not sys.stdout.isatty():
        return ANY_WIDTH
    return max(_LEAST_WIDTH, shutil.get_terminal_size().columns)

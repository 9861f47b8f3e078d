"""The command line: parse, call, print."""

import json
import math
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import click

from ssdlab.model.errors import RunFolderError, RunInterruptedError, SsdlabError
from ssdlab.model.version import VERSION

# Heavy modules are imported inside the commands: --help must answer at once.

_ALL_TESTS = "iops,tp,lat,wsat"
_EXIT_NOT_STEADY = 3
_EXIT_INTERRUPTED = 130


class _Group(click.Group):
    """Turns every error of ours into one message and its exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SsdlabError as error:
            _fail(str(error), error.exit_code)
        except KeyboardInterrupt:
            _fail("Stopped; nothing was measured.", _EXIT_INTERRUPTED)
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(0)


def _require_number(value: float | None) -> float | None:
    if value is not None and math.isnan(value):
        msg = "nan is no number"
        raise click.BadParameter(msg)
    return value


def _fail(message: str, exit_code: int) -> NoReturn:
    click.echo(f"ssdlab: {message}", err=True)
    sys.exit(exit_code)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="ssdlab")
def main() -> None:
    """SNIA SSS PTS measurements of solid state drives with fio.

    A first run, on a virtual SSD:  ssdlab run --target virtual --profile demo

    Exit codes: 0 done, 1 the run failed, 2 the request was wrong, 3 not steady,
    130 stopped.
    """


_target = click.option(
    "--target",
    required=True,
    help="virtual, virtual:size=256MiB,op=12, file:PATH,size=1GiB, or /dev/…",
)
_profile = click.option(
    "--profile",
    default="demo",
    show_default=True,
    help="pts-2.0-enterprise, pts-2.0-client, pts-e-1.1, tkperf or demo",
)
_tests = click.option(
    "--tests", default=_ALL_TESTS, show_default=True, help="tests, in order"
)
_runs = click.option(
    "--runs",
    default="data/runs",
    show_default=True,
    type=click.Path(path_type=Path),
    help="the folder of runs",
)
_json = click.option("--json", "as_json", is_flag=True, help="print JSON")
_run = click.argument("run", type=click.Path(path_type=Path))


@main.command()
@_target
@_profile
@_tests
@click.option(
    "--write-speed",
    type=click.FloatRange(0.001, 1e6),
    callback=lambda *given: _require_number(given[2]),
    help="assumed write speed [MB/s], for fills and bytes; without it what the "
    "virtual SSD can do, or 500",
)
@_json
def plan(**asked: Any) -> None:
    """Show what a run would do and cost; touch nothing."""
    from ssdlab.campaign.forecast import forecast, forecast_lines

    speed = asked["write_speed"]
    plan_of_run = forecast(
        asked["target"],
        asked["profile"],
        asked["tests"],
        write_bytes_per_s=None if speed is None else speed * 1e6,
    )
    if asked["as_json"]:
        click.echo(json.dumps(plan_of_run, indent=1))
    else:
        click.echo("\n".join(forecast_lines(plan_of_run)))


@main.command()
@_target
@_profile
@_tests
@_runs
@click.option("--confirm", default="", help="serial of a device that may be destroyed")
@click.option("--label", default="", help="a name of your own for the run")
@click.option("--seed", default=0, help="seed of all offsets; 0 draws one")
def run(**asked: Any) -> None:
    """Measure a target with the tests of a profile.

    Ctrl-C stops fio cleanly and keeps what is done; `ssdlab resume` goes on with it.
    """
    from ssdlab.campaign.request import check_request
    from ssdlab.campaign.suite import new_run_id

    request = check_request(
        asked["target"],
        asked["profile"],
        asked["tests"],
        texts={name: str(asked[name]) for name in ("label", "confirm", "runs")},
    )
    folder = asked["runs"] / new_run_id(request.profile.name)
    parameters = {
        "target": asked["target"],
        "profile": asked["profile"],
        "tests": asked["tests"],
        "runs": str(asked["runs"]),
        "run_folder": str(folder),
        "label": asked["label"],
        "confirm_serial": asked["confirm"],
        "seed": asked["seed"],
    }
    _execute(folder, parameters)


@main.command()
@_run
def resume(run: Path) -> None:
    """Go on with a run that was stopped, failed or killed."""
    from ssdlab.campaign.suite import require_unfinished

    require_unfinished(run)
    _execute(run, {"resume": str(run)})


@main.command()
@_run
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="where to write it; without it RUN/report.html",
)
def report(run: Path, output: Path | None) -> None:
    """Write the HTML report of a run anew from its tables."""
    from ssdlab.report import write_report
    from ssdlab.store.run import open_run

    try:
        click.echo(write_report(open_run(run), output))
    except OSError as error:
        _fail(f"{output or run} cannot be written ({error.strerror}).", 2)


@main.command()
@_run
def ingest(run: Path) -> None:
    """Build the tables of a run anew from its raw output."""
    from ssdlab.campaign.ingest import ingest_run
    from ssdlab.store.records import read_record

    read_record(run)
    ingest_run(run)
    click.echo(run / "tables")


@main.command()
@_runs
@_json
@click.pass_context
def runs(ctx: click.Context, runs: Path, *, as_json: bool) -> None:
    """List the runs in a folder."""
    from dataclasses import asdict

    from click.core import ParameterSource

    from ssdlab.campaign.lock import read_holder
    from ssdlab.store.catalog import list_runs

    is_default = ctx.get_parameter_source("runs") is ParameterSource.DEFAULT
    entries = [asdict(entry) for entry in list_runs(None if is_default else runs)]
    for entry in entries:
        if entry["status"] == "running" and read_holder(Path(entry["path"])) is None:
            entry["status"] = "killed"
    if as_json:
        click.echo(json.dumps(entries, indent=1))
        return
    for entry in entries:
        what = entry["trouble"] or f"{entry['status']:<11} {','.join(entry['tests'])}"
        line = f"{entry['path']}  {what}  {entry['device']}  {entry['label']}"
        click.echo(_printable(line))
    if not entries:
        click.echo(f"There are no runs in {runs}.")


@main.command("steady-state")
@click.argument("file")
@click.option("--column", help="name of the column; needed when there are several")
@_json
@click.pass_context
def steady_state(
    ctx: click.Context, file: str, column: str | None, *, as_json: bool
) -> None:
    """Judge a series of your own by the steady-state rule of the PTS.

    FILE is a CSV file with one value a round, oldest first, or - for standard input.
    The exit code is 0 when the last five rounds are steady and 3 when not.
    """
    from ssdlab.analysis.steady_state import (
        assess_steady_state,
        find_first_steady_round,
    )
    from ssdlab.analysis.verdict_text import verdict_as_dict, verdict_lines
    from ssdlab.store.series_csv import read_series

    series = read_series(file, column)
    verdict = assess_steady_state(series.values)
    first = find_first_steady_round(series.values)
    if as_json:
        found = verdict_as_dict(verdict, first_steady_round=first)
        click.echo(json.dumps(found, indent=1))
    else:
        click.echo("\n".join(verdict_lines(verdict, first_steady_round=first)))
    ctx.exit(0 if verdict.is_steady else _EXIT_NOT_STEADY)


def _execute(folder: Path, parameters: Mapping[str, str | int]) -> None:
    """Run the notebook on a run folder and show where it is.

    Raises
    ------
    KeyboardInterrupt
        If it was stopped before the run began.
    RunInterruptedError
        If it was stopped after that.
    NotebookFailedError
        If it failed before the run began.
    """
    from ssdlab.campaign.outcome import outcome_lines
    from ssdlab.notebook import NotebookFailedError, execute_notebook, find_notebook
    from ssdlab.store.run import open_run

    notebook = folder / "notebook.ipynb"
    with _new_folder(folder):
        click.echo(f"run      {folder}")
        try:
            with _forward_interrupts(folder), _show_progress(folder):
                execute_notebook(find_notebook(), notebook, parameters)
        except (KeyboardInterrupt, NotebookFailedError) as error:
            if not (folder / "run.json").exists():
                raise
            if isinstance(error, KeyboardInterrupt):
                raise RunInterruptedError(folder=str(folder)) from None
            kept = "What was measured is kept; go on with"
            _fail(f"{error} {kept}: ssdlab resume {folder}", error.exit_code)
    click.echo(f"notebook {notebook}")
    click.echo(f"tables   {folder / 'tables'}")
    click.echo(f"report   {folder / 'report.html'}")
    click.echo("\n".join(("", *outcome_lines(open_run(folder)))))


@contextmanager
def _new_folder(folder: Path) -> Iterator[None]:
    """Make the folder; if no run began in it, take away what was made."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        _make_writable(folder)
        yield
    finally:
        if not (folder / "run.json").exists():
            _remove(folder / "notebook.ipynb", made)


def _remove(file: Path, folders: list[Path]) -> None:
    with suppress(OSError):
        file.unlink(missing_ok=True)
        for folder in folders:
            folder.rmdir()


def _make_writable(folder: Path) -> None:
    """Make the folder and see that a file can be written in it.

    Raises
    ------
    RunFolderError
        If it cannot.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "notebook.ipynb").touch()
    except OSError as error:
        raise RunFolderError(
            folder=str(folder),
            reason=f"the folder cannot be written ({error.strerror})",
            remedy="Name another folder of runs: --runs FOLDER.",
        ) from None


@contextmanager
def _forward_interrupts(folder: Path) -> Iterator[None]:
    """Send Ctrl-C to the process that measures; a second one stops this one too."""
    import os
    import signal

    from ssdlab.campaign.lock import read_holder

    told: list[int] = []

    def forward(_number: int, _frame: object) -> None:
        holder = read_holder(folder)
        if told or holder is None or holder == os.getpid():
            raise KeyboardInterrupt
        told.append(holder)
        with suppress(OSError):  # a terminal that was closed
            click.echo("\nStopping fio; what is done is kept …", err=True)
        with suppress(ProcessLookupError):
            os.kill(holder, signal.SIGINT)

    heard = [
        number
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) != signal.SIG_IGN  # as nohup asks
    ]
    before = [signal.signal(number, forward) for number in heard]
    try:
        yield
    finally:
        for number, handler in zip(heard, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def _show_progress(folder: Path) -> Iterator[None]:
    """Show the run's progress: one live line, or plain lines in a log file."""
    done = threading.Event()
    thread = threading.Thread(target=_watch, args=(folder, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(timeout=5)


def _watch(folder: Path, done: threading.Event) -> None:
    with suppress(OSError):  # nobody reads any more; the run goes on
        for progress in _progress(folder / "progress.json", done):
            click.echo(progress, nl=not sys.stdout.isatty())
        if sys.stdout.isatty():
            click.echo()


def _progress(path: Path, done: threading.Event) -> Iterator[str]:
    """Yield what is to be shown: each change on a terminal, else each round."""
    import shutil

    seen, shown = _changed_ns(path), ()
    while not done.wait(0.5):
        now = _changed_ns(path)
        if now == seen:
            continue
        seen = now
        try:
            progress = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        place = tuple(progress[name] for name in ("test", "phase", "round"))
        if sys.stdout.isatty():
            width = shutil.get_terminal_size().columns - 1
            yield f"\r{progress['line'][:width]:<{width}}"
        elif place != shown:
            yield progress["line"]
        shown = place


def _changed_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _printable(text: str) -> str:
    """Return text from a device or file as a terminal may get it."""
    return "".join(sign if sign.isprintable() else "�" for sign in text)


if __name__ == "__main__":
    main()

"""Commands of procedures: what they share, and how one is carried out."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.group import parse_tbw, printable, require_finite, runs_option
from ssdlab.model.drive import AUTO_PURGE, PURGE_METHODS

if TYPE_CHECKING:
    from ssdlab.campaign.progress import Progress
    from ssdlab.campaign.request import RunChoices
    from ssdlab.model.asked import Procedure, Suite

target_option = click.option(
    "--target",
    required=True,
    help="virtual, virtual:size=256MiB,op=12, file:PATH,size=1GiB, or a drive: "
    "/dev/nvme0n1, /dev/disk/by-id/…",
)
confirm_option = click.option(
    "--confirm",
    default="",
    metavar="SERIAL",
    help="serial of a drive: consent that all data on it are destroyed",
)
purge_option = click.option(
    "--purge",
    type=click.Choice((AUTO_PURGE, *PURGE_METHODS)),
    default=AUTO_PURGE,
    show_default=True,
    metavar="METHOD",
    help="how a drive is purged; `ssdlab purge TARGET --list` shows what it can do",
)
temperature_option = click.option(
    "--temperature-limit",
    type=click.FloatRange(0, 150),
    default=0,
    callback=require_finite,
    metavar="CELSIUS",
    help="stop when the drive gets hotter; without it its own critical temperature",
)
tbw_option = click.option(
    "--tbw",
    callback=parse_tbw,
    metavar="BYTES",
    help="rated endurance of the drive, such as 600TB or 1.2PB: a plan then says which "
    "share of it would be written",
)
label_option = click.option(
    "--label", default="", help="a name of your own for the run"
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    default=0,
    help="seed of all offsets; 0 draws one",
)
jobs_option = click.option(
    "--jobs",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="write the fio job files of the plan to this folder, with an index",
)
HOST_CEILING_FIRST = "The host ceiling is measured first; that takes a minute."
host_ceiling_option = click.option(
    "--host-ceiling",
    is_flag=True,
    help="measure first, for a minute, what this host can issue at all",
)
_OPTIONS = (
    target_option,
    confirm_option,
    purge_option,
    temperature_option,
    label_option,
    seed_option,
    host_ceiling_option,
    tbw_option,
    click.option(
        "--dry-run", is_flag=True, help="show what it would do and cost; touch nothing"
    ),
    jobs_option,
    runs_option,
)


def procedure_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that every procedure has."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def carry_out(procedure: "Procedure", asked: dict[str, Any]) -> None:
    """Measure by a procedure, show how it goes on, and write its report.

    Raises
    ------
    click.UsageError
        If the jobs of a plan are asked for, and a run.
    """
    from ssdlab.campaign.request import require_fit
    from ssdlab.campaign.suite import run_procedure
    from ssdlab.cli.outcome import outcome_lines
    from ssdlab.report import write_report
    from ssdlab.targets.opening import check_target

    if asked["dry_run"]:
        require_fit(asked["target"], procedure)
        show_plan(procedure, asked)
        return
    if asked["jobs"] is not None:
        msg = "--jobs writes what would be done; give --dry-run with it"
        raise click.UsageError(msg)
    say_loss(check_target(asked["target"], asked["confirm"]))
    if asked["host_ceiling"]:
        click.echo(HOST_CEILING_FIRST, err=True)
    run = run_procedure(
        procedure,
        asked["target"],
        read_choices(asked),
        tell=_teller(),
    )
    click.echo(f"run      {run.path}")
    click.echo(f"tables   {run.path / 'tables'}")
    click.echo(f"report   {write_report(run)}")
    click.echo("\n".join(("", *outcome_lines(run))))


def show_plan(asked_for: "Suite | Procedure", asked: dict[str, Any]) -> None:
    """Show what a run would do and cost, and write its jobs where asked to."""
    from ssdlab.campaign.forecast import forecast, forecast_lines
    from ssdlab.campaign.job_files import write_jobs
    from ssdlab.campaign.job_plan import plan_jobs

    target, purge, speed = asked["target"], asked["purge"], asked.get("write_speed")
    plan = forecast(
        target,
        asked_for,
        write_bytes_per_s=None if speed is None else speed * 1e6,
        rated_bytes=asked["tbw"],
        purge=purge,
    )
    lines = forecast_lines(plan)
    if (folder := asked["jobs"]) is not None:
        jobs = plan_jobs(target, asked_for, seed=asked["seed"], purge=purge)
        count = len(write_jobs(jobs, folder))
        listed = folder / "index.txt"
        lines += ["", f"jobs     {count} job files, listed in {listed}"]
        plan["jobs"] = [job.as_data() for job in jobs.jobs]
    if asked.get("as_json"):
        click.echo(json.dumps(plan, indent=1))
    else:
        click.echo("\n".join(map(printable, lines)))


def say_loss(words: str) -> None:
    """Print what is about to be destroyed, if anything, before it is."""
    if words:
        click.echo(printable(words), err=True)


def read_choices(asked: dict[str, Any]) -> "RunChoices":
    """Return what the options of a command that measures say of its run."""
    from ssdlab.campaign.request import RunChoices, read_temperature_limit

    return RunChoices(
        runs=asked["runs"],
        label=asked["label"],
        confirmed=asked["confirm"],
        seed=asked["seed"],
        host_ceiling=asked["host_ceiling"],
        purge=asked["purge"],
        temperature_limit_celsius=read_temperature_limit(asked["temperature_limit"]),
    )


def _teller() -> "Callable[[Progress], None]":
    """Return what shows progress: one live line, or a line each round in a log."""
    import shutil

    shown: tuple[object, ...] = ()

    def tell(progress: "Progress") -> None:
        nonlocal shown
        place = (progress.test, progress.phase, progress.round)
        try:
            if sys.stderr.isatty():
                width = shutil.get_terminal_size().columns - 1
                click.echo(f"\r{progress.line[:width]:<{width}}", nl=False, err=True)
            elif place != shown:
                click.echo(progress.line, err=True)
        except OSError:  # nobody reads any more; the run goes on
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        shown = place

    return tell


def resume_procedure(run: Path, confirmed: str) -> None:
    """Go on with a procedure that was stopped, and write its report."""
    from ssdlab.campaign.suite import resume_run
    from ssdlab.cli.outcome import outcome_lines
    from ssdlab.report import write_report

    done = resume_run(run, confirm_serial=confirmed, tell=_teller())
    click.echo(f"report   {write_report(done)}")
    click.echo("\n".join(("", *outcome_lines(done))))

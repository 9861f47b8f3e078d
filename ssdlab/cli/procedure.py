"""Commands of procedures: their common options, and how one is run."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.group import (
    add_options,
    parse_tbw,
    require_finite,
    runs_option,
    takes_target,
)
from ssdlab.model.drive import AUTO_PURGE, PURGE_METHODS
from ssdlab.text.terminal import printable

if TYPE_CHECKING:
    from ssdlab.engine.request import RunChoices
    from ssdlab.model.asked import Procedure, Suite

confirm_option = click.option(
    "--confirm",
    default="",
    metavar="SERIAL",
    help="serial number of the drive: consents to the loss of all data on it",
)
purge_option = click.option(
    "--purge",
    type=click.Choice((AUTO_PURGE, *PURGE_METHODS)),
    default=AUTO_PURGE,
    show_default=True,
    metavar="METHOD",
    help="purge method; `ssdlab purge TARGET --list` shows what the drive supports",
)
temperature_option = click.option(
    "--temperature-limit",
    type=click.FloatRange(0, 150),
    default=0,
    callback=require_finite,
    metavar="CELSIUS",
    help="stop above this temperature; default: the drive's critical temperature",
)
tbw_option = click.option(
    "--tbw",
    callback=parse_tbw,
    metavar="BYTES",
    help="rated endurance, such as 600TB or 1.2PB: plan and display then show what "
    "share of it the run writes",
)
label_option = click.option("--label", default="", help="your name for the run")
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    default=0,
    help="seed of all offsets; 0: random",
)
run_folder_option = click.option(
    "--run-folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="folder of this run, new or empty, in place of one in the folder of runs",
)
jobs_option = click.option(
    "--jobs",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="write the fio job files of the plan, and an index, to this folder",
)
HOST_CEILING_FIRST = "Measuring the host ceiling first, which takes a minute."
host_ceiling_option = click.option(
    "--host-ceiling",
    is_flag=True,
    help="first measure the IOPS limit of this host, for a minute",
)
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="show steps and cost; touch nothing"
)
_OPTIONS = (
    confirm_option,
    purge_option,
    temperature_option,
    label_option,
    seed_option,
    host_ceiling_option,
    tbw_option,
    dry_run_option,
    jobs_option,
    runs_option,
    run_folder_option,
)


def procedure_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add to a command TARGET and the options of every procedure."""
    return takes_target()(add_options(command, _OPTIONS))


def run_and_report(procedure: "Procedure", options: dict[str, Any]) -> None:
    """Run a procedure, show its progress, and write its report."""
    from ssdlab.cli.following import following
    from ssdlab.cli.monitor import read_monitor
    from ssdlab.cli.outcome import result_lines
    from ssdlab.engine.forecast import find_endurance
    from ssdlab.engine.request import require_fit
    from ssdlab.engine.suite import run_procedure
    from ssdlab.report import write_report
    from ssdlab.targets.opening import check_target

    if options["dry_run"]:
        require_fit(options["target"], procedure)
        show_plan(procedure, options)
        return
    require_dry_run(options)
    print_loss(check_target(options["target"], options["confirm"]))
    if options["host_ceiling"]:
        click.echo(HOST_CEILING_FIRST, err=True)
    folder = choose_folder(options, procedure.name)
    choices = replace(read_choices(options), run_folder=folder)
    endurance = find_endurance(options["target"], options["tbw"])
    monitor = read_monitor(folder, options)
    with following(folder, endurance=endurance, monitor=monitor):
        run = run_procedure(procedure, options["target"], choices)
    click.echo(f"run      {run.path}")
    click.echo(f"tables   {run.path / 'tables'}")
    click.echo(f"report   {write_report(run)}")
    click.echo("\n".join(("", *result_lines(run))))


def choose_folder(options: dict[str, Any], name: str) -> Path:
    """Return the folder of a new run; refuse one that holds a run."""
    from ssdlab.engine.folders import new_run_id, refuse_taken
    from ssdlab.system.folders import Folder

    folder: Path = options["run_folder"] or options["runs"] / new_run_id(name)
    if Folder(folder).has("run.json"):
        refuse_taken(folder)
    return folder


def require_dry_run(options: dict[str, Any]) -> None:
    """Require that job files are requested of a plan, not of a run."""
    if options["jobs"] is not None:
        msg = "--jobs needs --dry-run"
        raise click.UsageError(msg)


def show_plan(requested: "Suite | Procedure", options: dict[str, Any]) -> None:
    """Show what a run would do and cost, and write its job files if requested."""
    from ssdlab.engine.forecast import forecast, forecast_lines
    from ssdlab.engine.job_files import write_jobs
    from ssdlab.engine.job_plan import plan_jobs

    target, purge, speed = (
        options["target"],
        options["purge"],
        options.get("write_speed"),
    )
    plan = forecast(
        target,
        requested,
        write_bytes_per_s=None if speed is None else speed * 1e6,
        rated_bytes=options["tbw"],
        purge=purge,
    )
    lines = forecast_lines(plan, now=datetime.now().astimezone())
    if (folder := options["jobs"]) is not None:
        jobs = plan_jobs(target, requested, seed=options["seed"], purge=purge)
        count = len(write_jobs(jobs, folder))
        lines += ["", f"{count} job files, listed in", str(folder / "index.txt")]
        plan["jobs"] = [job.as_data() for job in jobs.jobs]
    if options.get("as_json"):
        click.echo(json.dumps(plan, indent=1))
    else:
        click.echo("\n".join(map(printable, lines)))


def print_loss(words: str) -> None:
    """Print what is about to be destroyed, if anything."""
    if words:
        click.echo(printable(words), err=True)


def read_choices(options: dict[str, Any]) -> "RunChoices":
    """Return the choices of a run from the options of its command."""
    from ssdlab.engine.request import RunChoices, read_temperature_limit

    return RunChoices(
        runs=options["runs"],
        label=options["label"],
        confirmed=options["confirm"],
        seed=options["seed"],
        host_ceiling=options["host_ceiling"],
        purge=options["purge"],
        temperature_limit_celsius=read_temperature_limit(options["temperature_limit"]),
    )


def resume_procedure(run: Path, confirmed: str, options: dict[str, Any]) -> None:
    """Resume a procedure that was stopped, and write its report."""
    from ssdlab.cli.following import following
    from ssdlab.cli.monitor import read_monitor
    from ssdlab.cli.outcome import result_lines
    from ssdlab.engine.forecast import find_endurance
    from ssdlab.engine.suite import resume_run
    from ssdlab.report import write_report
    from ssdlab.store.records import read_record

    endurance = find_endurance(read_record(run).target.spec, None)
    with following(run, endurance=endurance, monitor=read_monitor(run, options)):
        done = resume_run(run, confirm_serial=confirmed)
    click.echo(f"report   {write_report(done)}")
    click.echo("\n".join(("", *result_lines(done))))

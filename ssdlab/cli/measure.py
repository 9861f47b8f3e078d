"""Commands that measure: ``plan``, ``run`` and ``resume``."""

from pathlib import Path
from typing import Any

import click

from ssdlab.cli.completion import complete_profiles, complete_tests
from ssdlab.cli.execute import execute
from ssdlab.cli.group import (
    json_option,
    main,
    require_finite,
    runs_option,
    takes_run,
    takes_target,
)
from ssdlab.cli.job_file import (
    job_file_options,
    read_job_files,
    require_no_job_options,
    require_no_pts_options,
)
from ssdlab.cli.monitor import monitor_options, read_monitor
from ssdlab.cli.procedure import (
    HOST_CEILING_FIRST,
    choose_folder,
    confirm_option,
    dry_run_option,
    host_ceiling_option,
    jobs_option,
    label_option,
    print_loss,
    purge_option,
    read_choices,
    require_dry_run,
    resume_procedure,
    run_and_report,
    run_folder_option,
    seed_option,
    show_plan,
    tbw_option,
    temperature_option,
)

_BASIC_TESTS = "iops,tp,lat,wsat"

_profile = click.option(
    "--profile",
    default="demo",
    show_default=True,
    shell_complete=complete_profiles,
    help="name from `ssdlab profiles`, or your own file: mine.toml",
)
_tests = click.option(
    "--tests",
    default=_BASIC_TESTS,
    show_default=True,
    shell_complete=complete_tests,
    help="tests, in order; all: every test of the profile",
)


@main.command()
@takes_target()
@_profile
@_tests
@click.option(
    "--write-speed",
    type=click.FloatRange(0.001, 1e6),
    callback=require_finite,
    help="assumed write speed [MB/s], for fills and bytes; default: that of the "
    "virtual SSD, or 500",
)
@purge_option
@tbw_option
@jobs_option
@seed_option
@json_option
def plan(**options: Any) -> None:
    """Show the steps and cost of a run; touch nothing.

    --jobs DIR writes every distinct fio job file of the run, named by the number of
    its step, with the clause of the standard that requires it. DIR/index.txt has a
    line for each step.
    """
    from ssdlab.engine.request import ask_for_suite

    suite = ask_for_suite(options["target"], options["profile"], options["tests"])
    show_plan(suite, options)


@main.command()
@takes_target()
@_profile
@_tests
@job_file_options
@runs_option
@run_folder_option
@confirm_option
@purge_option
@temperature_option
@label_option
@seed_option
@host_ceiling_option
@tbw_option
@monitor_options
@dry_run_option
@jobs_option
def run(**options: Any) -> None:
    """Measure a target with the tests of a profile, or with fio job files.

    --job FILE runs the jobs of your own fio job file in rounds until steady state. Jobs
    between two stonewalls run together and are one stimulus; --matrix varies options.
    --suite FILE.toml runs several job files; fiosynth:FILE one of FioSynth's suites.

    Ctrl-C stops it cleanly and keeps completed steps; `ssdlab resume` continues it. A
    test ends at the latest after the max_rounds of its profile. The standard lets the
    operator allow more than 25, in a profile of your own. The exit code is 1 if the run
    failed, 75 if it was killed and can be resumed, 130 if it was stopped.
    """
    from ssdlab.engine.forecast import find_endurance
    from ssdlab.engine.request import ask_for_suite, check_request
    from ssdlab.targets.opening import check_target

    if options["job"] is not None or options["suite"] is not None:
        require_no_pts_options()
        run_and_report(read_job_files(options), options)
        return
    require_no_job_options(options)
    if options["dry_run"]:
        suite = ask_for_suite(options["target"], options["profile"], options["tests"])
        show_plan(suite, options)
        return
    require_dry_run(options)

    request = check_request(
        options["target"],
        options["profile"],
        options["tests"],
        choices=read_choices(options),
    )
    print_loss(
        check_target(options["target"], options["confirm"])
    )  # before a kernel starts
    folder = choose_folder(options, request.asked.name)
    parameters = {
        "target": options["target"],
        "profile": options["profile"],
        "tests": options["tests"],
        "runs": str(options["runs"]),
        "run_folder": str(folder),
        "label": options["label"],
        "confirm_serial": options["confirm"],
        "seed": options["seed"],
        "host_ceiling": options["host_ceiling"],
        "purge": options["purge"],
        "temperature_limit": options["temperature_limit"],
    }
    if options["host_ceiling"]:
        click.echo(HOST_CEILING_FIRST, err=True)
    endurance = find_endurance(options["target"], options["tbw"])
    monitor = read_monitor(folder, options)
    execute(folder, parameters, endurance=endurance, monitor=monitor)


@main.command()
@takes_run("run", "interrupted", "failed", "running")
@confirm_option
@click.option(
    "--more-rounds",
    type=click.IntRange(1),
    metavar="N",
    help="continue rounds that are not steady, for at most N rounds",
)
@monitor_options
def resume(run: Path, **options: Any) -> None:
    """Resume a run that was stopped, failed or killed.

    --more-rounds N continues a PTS test that was not steady after its maximum of rounds
    (25), which the standard leaves to the operator, if those rounds were the last
    thing that the run did. The pause before them is reported. To avoid it, request
    more rounds while the run is going, or set max_rounds = 40 in your own profile.

    The consent given at the start of the run still counts for the same user on the same
    machine, in the original folder. A folder that was copied, handed on or changed
    needs the serial number of the drive again: --confirm SERIAL.
    """
    from ssdlab.engine.more_rounds import ask_more_rounds
    from ssdlab.engine.suite import check_resume
    from ssdlab.store.lock import read_holder
    from ssdlab.store.records import read_record

    confirm: str = options["confirm"]
    more = options["more_rounds"] or 0
    if more and read_holder(run) is not None:
        ask_more_rounds(run, more)
        click.echo(
            f"requested {more} more rounds; the run picks this up after its round"
        )
        return
    print_loss(
        check_resume(run, confirm, more_rounds=more)
    )  # before a kernel is started
    if read_record(run).is_procedure:
        resume_procedure(run, confirm, options)
    else:
        parameters = {"resume": str(run), "confirm_serial": confirm}
        monitor = read_monitor(run, options)
        execute(run, {**parameters, "more_rounds": more}, monitor=monitor)

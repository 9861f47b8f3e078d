"""Commands that measure: what a run would cost, a run, going on with one."""

from pathlib import Path
from typing import Any

import click

from ssdlab.cli.carry_out import (
    HOST_CEILING_FIRST,
    confirm_option,
    host_ceiling_option,
    jobs_option,
    label_option,
    purge_option,
    read_choices,
    resume_procedure,
    say_loss,
    seed_option,
    show_plan,
    target_option,
    tbw_option,
    temperature_option,
)
from ssdlab.cli.execute import execute
from ssdlab.cli.group import (
    json_option,
    main,
    require_finite,
    run_argument,
    runs_option,
)

_BASIC_TESTS = "iops,tp,lat,wsat"

_profile = click.option(
    "--profile",
    default="demo",
    show_default=True,
    help="a name of `ssdlab profiles`, or a file of your own: mine.toml",
)
_tests = click.option(
    "--tests",
    default=_BASIC_TESTS,
    show_default=True,
    help="tests, in order; all: those of the profile",
)


@main.command()
@target_option
@_profile
@_tests
@click.option(
    "--write-speed",
    type=click.FloatRange(0.001, 1e6),
    callback=require_finite,
    help="assumed write speed [MB/s], for fills and bytes; without it what the "
    "virtual SSD can do, or 500",
)
@purge_option
@tbw_option
@jobs_option
@seed_option
@json_option
def plan(**asked: Any) -> None:
    """Show what a run would do and cost; do nothing to its target.

    With --jobs DIR every different fio job file of the run is written there, each
    under the number of its step and with the clause of the standard that asks for it;
    DIR/index.txt has a line for each step.
    """
    from ssdlab.campaign.request import ask_for_suite

    suite = ask_for_suite(asked["target"], asked["profile"], asked["tests"])
    show_plan(suite, asked)


@main.command()
@target_option
@_profile
@_tests
@runs_option
@confirm_option
@purge_option
@temperature_option
@label_option
@seed_option
@host_ceiling_option
def run(**asked: Any) -> None:
    """Measure a target with the tests of a profile.

    Ctrl-C stops it cleanly and keeps what is done; `ssdlab resume` goes on with it.
    A test ends after the rounds that its profile allows at most; the standard leaves it
    to the operator to allow more than 25: max_rounds of a profile of your own.
    """
    from ssdlab.campaign.folders import new_run_id
    from ssdlab.campaign.request import check_request
    from ssdlab.targets.opening import check_target

    request = check_request(
        asked["target"],
        asked["profile"],
        asked["tests"],
        choices=read_choices(asked),
    )
    say_loss(check_target(asked["target"], asked["confirm"]))  # before a kernel starts
    folder = asked["runs"] / new_run_id(request.asked.name)
    parameters = {
        "target": asked["target"],
        "profile": asked["profile"],
        "tests": asked["tests"],
        "runs": str(asked["runs"]),
        "run_folder": str(folder),
        "label": asked["label"],
        "confirm_serial": asked["confirm"],
        "seed": asked["seed"],
        "host_ceiling": asked["host_ceiling"],
        "purge": asked["purge"],
        "temperature_limit": asked["temperature_limit"],
    }
    if asked["host_ceiling"]:
        click.echo(HOST_CEILING_FIRST, err=True)
    execute(folder, parameters)


@main.command()
@run_argument
@confirm_option
@click.option(
    "--more-rounds",
    type=click.IntRange(1),
    metavar="N",
    help="let rounds that are not steady go on, for N rounds at most",
)
def resume(run: Path, *, confirm: str, more_rounds: int | None) -> None:
    """Go on with a run that was stopped, failed or killed.

    A test of the PTS that is not steady after the rounds it was allowed (25) goes on
    with --more-rounds N, as the standard leaves to the operator, if its rounds were the
    last thing that the run did. The pause before them is reported. There is none if a
    run is asked while it goes on, or before it begins: a profile of your own with
    max_rounds = 40.

    On the machine and by the user that began the run, in its own folder, the consent
    of its begin still counts. A folder that was copied, handed on or changed needs the
    serial of its drive again: --confirm SERIAL.
    """
    from ssdlab.campaign.lock import read_holder
    from ssdlab.campaign.more_rounds import ask_more_rounds
    from ssdlab.campaign.suite import check_resume
    from ssdlab.store.records import read_record

    more = more_rounds or 0
    if more and read_holder(run) is not None:
        ask_more_rounds(run, more)
        click.echo(
            f"asked    for {more} rounds more; the run sees to it after its round"
        )
        return
    say_loss(check_resume(run, confirm, more_rounds=more))  # before a kernel is started
    if read_record(run).is_procedure:
        resume_procedure(run, confirm)
    else:
        parameters = {"resume": str(run), "confirm_serial": confirm}
        execute(run, {**parameters, "more_rounds": more})

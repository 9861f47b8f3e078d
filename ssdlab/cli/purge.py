"""`ssdlab purge`: purge a drive, or show how it could be purged."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.carry_out import confirm_option, say_loss
from ssdlab.cli.group import EXIT_INTERRUPTED, fail, main, printable
from ssdlab.model.drive import AUTO_PURGE, PURGE_METHODS

if TYPE_CHECKING:
    from ssdlab.model.drive import Drive, PurgeChoice, PurgeOption, PurgeOutcome


@main.command()
@click.argument("target")
@confirm_option
@click.option(
    "--method",
    type=click.Choice((AUTO_PURGE, *PURGE_METHODS)),
    default=AUTO_PURGE,
    show_default=True,
    metavar="METHOD",
    help="a method of --list; auto: the first that the drive can do",
)
@click.option(
    "--list", "is_list", is_flag=True, help="show every method; touch nothing"
)
def purge(**asked: Any) -> None:
    """Erase TARGET, a drive, to as if never used; and show whether it was.

    Exit codes: 0 purged, and shown or doubted in words; 1 it failed, or did not work;
    2 refused; 130 stopped.
    """
    from ssdlab.drive.inventory import find_drive

    drive = find_drive(asked["target"])
    if asked["is_list"]:
        for line in list_lines(drive):
            click.echo(printable(line))
        return
    carry_out(drive, asked)


def carry_out(drive: "Drive", asked: dict[str, Any]) -> None:
    """Pass the gate, purge, and print what was done and found."""
    from ssdlab.drive.gate.consent import describe_loss
    from ssdlab.drive.purge import choose_purge, clean_after_crash, purge_drive
    from ssdlab.drive.safety import require_disposable
    from ssdlab.system.state import state_folder

    folder = state_folder()
    method = asked["method"]
    # First: a drive that an interrupted purge left locked can be looked at by no gate.
    if cleaned := clean_after_crash(drive, folder):
        click.echo(printable(f"{cleaned}."))
    with require_disposable(
        drive, confirmed=asked["confirm"], named=asked["target"]
    ) as held:
        say_unseen(held.unseen)
        choice = choose_purge(drive, method)
        say_choice(choice)
        say_loss(f"{drive.path}: {describe_loss(drive)}.")
        try:
            outcome = purge_drive(held, choice, folder=folder, tell=say_progress)
        except KeyboardInterrupt:
            fail(_stopped(choice), EXIT_INTERRUPTED)
    show_outcome(outcome, drive)


def say_unseen(processes: int) -> None:
    """Print how many processes could not be looked at, if any."""
    if processes:
        click.echo(
            f"Not seen: whether one of {processes} processes that hide from this user "
            "what they have open writes to the drive."
        )


def say_choice(choice: "PurgeChoice") -> None:
    """Print the method and why it is the one."""
    click.echo(printable(f"{choice.method}: {choice.words}"))
    click.echo(printable(f"Why: {choice.why}."))


def say_progress(line: str) -> None:
    """Print how far it is, beside what may be kept."""
    click.echo(printable(line), err=True)


def show_outcome(outcome: "PurgeOutcome", drive: "Drive") -> None:
    """Print what was done and found; end with 1 if the purge failed."""
    for line in outcome.said.splitlines():
        click.echo(printable(line))
    if outcome.doubt:
        click.echo(printable(f"Warning: {outcome.doubt}."))
    if outcome.fault:
        fail(printable(f"The purge of {drive.path} failed: {outcome.fault}."), 1)


def list_lines(drive: "Drive") -> Iterator[str]:
    """Yield every method of a drive, whether it is possible, and why."""
    from ssdlab.drive.purge import list_purge_options

    options = list_purge_options(drive)
    taken = next(option for option in options if option.is_possible)
    yield f"{drive.path}  {drive.model}  serial {drive.serial}"
    for option in options:
        mark = "auto" if option is taken else ""
        yield f"{mark:<5}{option.method:<28}{_possible(option):<11}{_reason(option)}"
    yield from _obstacle_lines(drive)


def _obstacle_lines(drive: "Drive") -> Iterator[str]:
    """Yield for what the gate would refuse to purge it now."""
    from ssdlab.drive.gate.glance import find_obstacles

    uses = find_obstacles(drive)
    if uses:
        yield "cannot be purged now:"
    for use in uses:
        yield f"  - {use.reason}. {use.remedy}".rstrip()


def _possible(option: "PurgeOption") -> str:
    if option.is_possible:
        return "yes"
    return "not known" if option.is_untold else "no"


def _reason(option: "PurgeOption") -> str:
    from ssdlab.model.units import duration_label

    if option.expected_s is None:
        return option.reason
    return f"{option.reason}; it says {duration_label(option.expected_s)}"


def _stopped(choice: "PurgeChoice") -> str:
    from ssdlab.drive.purge import stopping_words

    return f"Stopped in the purge. {stopping_words(choice.method)}"

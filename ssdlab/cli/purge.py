"""`ssdlab purge`: purge a drive, or list its purge methods."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.group import EXIT_INTERRUPTED, fail, main, takes_target
from ssdlab.cli.procedure import confirm_option, print_loss
from ssdlab.model.drive import AUTO_PURGE, PURGE_METHODS
from ssdlab.text.terminal import printable

if TYPE_CHECKING:
    from ssdlab.model.drive import Drive, PurgeChoice, PurgeOption, PurgeOutcome


@main.command()
@takes_target("a drive: /dev/nvme0n1, /dev/disk/by-id/…")
@confirm_option
@click.option(
    "--method",
    type=click.Choice((AUTO_PURGE, *PURGE_METHODS)),
    default=AUTO_PURGE,
    show_default=True,
    metavar="METHOD",
    help="method from --list; auto: the first that the drive supports",
)
@click.option(
    "--lba-format",
    type=click.IntRange(512, 65_536),
    metavar="BYTES",
    help="also give an NVMe drive sectors of this size, such as 512 or 4096; --list "
    "shows its formats",
)
@click.option("--list", "is_list", is_flag=True, help="list the methods; touch nothing")
def purge(**options: Any) -> None:
    """Purge the drive TARGET and verify the result.

    All data on TARGET are destroyed. Exit codes: 0 purged, with a warning if it could
    not be verified; 1 failed, or had no effect; 2 refused; 130 stopped.
    """
    from ssdlab.drive.inventory import find_drive
    from ssdlab.targets.opening import require_drive

    require_drive(options["target"])
    drive = find_drive(options["target"])
    if options["is_list"]:
        for line in list_lines(drive):
            click.echo(printable(line))
        return
    purge_and_report(drive, options)


def purge_and_report(drive: "Drive", options: dict[str, Any]) -> None:
    """Pass the gate, purge, and print what was done and found."""
    from ssdlab.drive.gate.consent import describe_loss
    from ssdlab.drive.purge import (
        choose_format,
        choose_purge,
        clean_after_crash,
        purge_drive,
    )
    from ssdlab.drive.safety import require_disposable
    from ssdlab.system.state import state_folder

    folder = state_folder()
    method = options["method"]
    # First: no gate can examine a drive that an interrupted purge left locked.
    if cleaned := clean_after_crash(drive, folder):
        click.echo(printable(f"{cleaned}."))
    with require_disposable(
        drive, confirmed=options["confirm"], named=options["target"]
    ) as held:
        print_unseen(held.unseen)
        sector_bytes = options["lba_format"]
        choice = (
            choose_purge(drive, method)
            if sector_bytes is None
            else choose_format(drive, method, sector_bytes)
        )
        print_choice(choice)
        print_loss(f"{drive.path}: {describe_loss(drive)}.")
        try:
            outcome = purge_drive(
                held,
                choice,
                folder=folder,
                tell=print_progress,
            )
        except KeyboardInterrupt:
            fail(_stopped(choice), EXIT_INTERRUPTED)
    show_outcome(outcome, drive)


def print_unseen(processes: int) -> None:
    """Print how many processes could not be inspected, if any."""
    if processes:
        click.echo(
            f"Not checked: {processes} processes whose open files this user may not "
            "see; one of them may write to the drive."
        )


def print_choice(choice: "PurgeChoice") -> None:
    """Print the method and why it was chosen."""
    click.echo(printable(f"{choice.method}: {choice.words}"))
    click.echo(printable(f"Why: {choice.why}."))


def print_progress(line: str) -> None:
    """Print progress to standard error, apart from the result."""
    click.echo(printable(line), err=True)


def show_outcome(outcome: "PurgeOutcome", drive: "Drive") -> None:
    """Print what was done and found; exit with 1 if the purge failed."""
    for line in outcome.said.splitlines():
        click.echo(printable(line))
    if outcome.doubt:
        click.echo(printable(f"Warning: {outcome.doubt}."))
    if outcome.fault:
        fail(printable(f"The purge of {drive.path} failed: {outcome.fault}."), 1)


def list_lines(drive: "Drive") -> Iterator[str]:
    """Yield every purge method, whether it is possible, and why."""
    from ssdlab.drive.purge import list_purge_options

    options = list_purge_options(drive)
    taken = next(option for option in options if option.is_possible)
    yield f"{drive.path}  {drive.model}  serial {drive.serial}"
    for option in options:
        mark = "auto" if option is taken else ""
        yield f"{mark:<5}{option.method:<28}{_possible(option):<11}{_reason(option)}"
    yield from _format_lines(drive)
    yield from _obstacle_lines(drive)


def _format_lines(drive: "Drive") -> Iterator[str]:
    """Yield the LBA formats that a drive has without metadata, if it reports them."""
    from ssdlab.drive.purge.nvme_format import read_lba_formats
    from ssdlab.drive.tools import ask_tool

    if drive.bus != "nvme":
        return
    sizes = dict.fromkeys(one.sector_bytes for one in read_lba_formats(drive, ask_tool))
    if sizes:
        words = ", ".join(
            f"{size} B (now)" if size == drive.logical_sector_bytes else f"{size} B"
            for size in sizes
        )
        yield f"sectors for --lba-format: {words}"


def _obstacle_lines(drive: "Drive") -> Iterator[str]:
    """Yield why the gate would refuse to purge the drive now."""
    from ssdlab.drive.gate.preflight import find_obstacles

    uses = find_obstacles(drive)
    if uses:
        yield "cannot be purged now:"
    for use in uses:
        yield f"  - {use.reason}. {use.remedy}".rstrip()


def _possible(option: "PurgeOption") -> str:
    if option.is_possible:
        return "yes"
    return "unknown" if option.is_unknown else "no"


def _reason(option: "PurgeOption") -> str:
    from ssdlab.model.units import duration_label

    if option.expected_s is None:
        return option.reason
    return f"{option.reason}; the drive states {duration_label(option.expected_s)}"


def _stopped(choice: "PurgeChoice") -> str:
    from ssdlab.drive.purge import stopping_words

    return f"Stopped during the purge. {stopping_words(choice.method)}"

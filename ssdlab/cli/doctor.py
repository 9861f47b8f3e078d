"""The command that checks the host, and tunes it."""

import json
import shlex
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ssdlab.cli.doctor_lines import report_lines, tuned_lines
from ssdlab.cli.group import fail, json_option, main, takes_target

if TYPE_CHECKING:
    from ssdlab.host.checks import Scene
    from ssdlab.host.tuning import Tuned

_EXIT_NOT_DONE = 1
_AS_ROOT = "sudo $(command -v ssdlab) doctor"


@main.command()
@takes_target(
    "what will be measured: virtual, file:PATH, /dev/nvme0n1, /dev/disk/by-id/…",
    is_required=False,
)
@json_option
@click.option("--apply", is_flag=True, help="change the settings that can be reverted")
@click.option("--revert", is_flag=True, help="undo the changes of --apply")
@click.option(
    "--journal",
    type=click.Path(path_type=Path, dir_okay=False),
    help="record of the changes; default: ~/.local/state/ssdlab/host-tuning.json",
)
def doctor(
    *, target: str, as_json: bool, apply: bool, revert: bool, journal: Path | None
) -> None:
    """Check this host for what distorts measurements.

    Each finding states what was read, why it matters and what to do. Checking changes
    nothing and needs no privileges. The settings of --apply last until --revert or a
    reboot.

    Exit codes: 0 checked, whatever was found; 1 not every setting could be applied or
    reverted; 2 invalid request.
    """
    from ssdlab.host.journal import default_journal

    if apply and revert:
        fail("--apply and --revert exclude each other. Give one of them.", 2)
    kept = journal or default_journal()
    if apply:
        _apply(target, kept, as_json=as_json)
    elif revert:
        _revert(kept, as_json=as_json)
    else:
        _examine(target, as_json=as_json)


def _examine(target: str, *, as_json: bool) -> None:
    from ssdlab.host.checks import examine_scene

    checks = examine_scene(_read_scene(target))
    if as_json:
        click.echo(json.dumps([asdict(check) for check in checks], indent=1))
    else:
        _print_lines(
            report_lines(checks, apply_command=f"{_AS_ROOT} --apply{_named(target)}")
        )


def _apply(target: str, journal: Path, *, as_json: bool) -> None:
    from ssdlab.host.tuning import apply_tuning

    tuned = apply_tuning(
        _read_scene(target),
        journal=journal,
        now=time.time,  # noqa: TID251 - here clocks are made
    )
    if not as_json and not tuned:
        click.echo("Nothing to change: all settings are as recommended.")
    _finish(tuned, again=f"{_AS_ROOT} --apply{_named(target)}", as_json=as_json)


def _revert(journal: Path, *, as_json: bool) -> None:
    from ssdlab.host.tuning import revert_tuning

    tuned = revert_tuning(journal=journal)
    if not as_json and not tuned:
        click.echo(
            f"Nothing to revert: {journal} holds no changes since this host was booted."
        )
    _finish(tuned, again=f"{_AS_ROOT} --revert", as_json=as_json)


def _finish(tuned: Sequence["Tuned"], *, again: str, as_json: bool) -> None:
    """Print the changes, and exit with 1 if any of them failed."""
    if as_json:
        click.echo(json.dumps([asdict(one) for one in tuned], indent=1))
    else:
        _print_lines(tuned_lines(tuned))
    if any(one.needs_root for one in tuned):
        click.echo(f"ssdlab: Root privileges are required. Run: {again}", err=True)
    if any(one.fault for one in tuned):
        sys.exit(_EXIT_NOT_DONE)


def _named(target: str) -> str:
    return f" {shlex.quote(target)}" if target else ""


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def _read_scene(target: str) -> "Scene":
    """Return the host and the facts of the target, which is not opened."""
    from ssdlab.drive.inventory import find_drive
    from ssdlab.engine.followed_advice import usual_habits
    from ssdlab.host.checks import set_scene
    from ssdlab.targets.opening import read_shape

    if not target or target.startswith("/dev/"):
        drive = find_drive(target) if target else None
        kind = "block" if target else ""
        return set_scene(drive, target_kind=kind, habits=usual_habits("block"))
    read_shape(target)
    is_file = target.lower().startswith("file:")
    habits = usual_habits("file" if is_file else "virtual")
    kind = "file" if is_file else "virtual"
    return set_scene(None, target_kind=kind, habits=habits)

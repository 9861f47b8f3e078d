"""What this user could not see of who uses a drive, as a check of the host."""

import os

from ssdlab.drive.safety import HeldDrive
from ssdlab.drive.tools import sudoers_command
from ssdlab.host.checks.check import OWN
from ssdlab.model.errors import MissingToolError
from ssdlab.model.host_checks import HostCheck

_WHY = (
    "the hold keeps out mounts, volumes and swap, but no program that just writes: one "
    "of another user would change the data and the rates unseen"
)


def find_unseen_checks(held: HeldDrive) -> tuple[HostCheck, ...]:
    """Return what is not known of a drive that passed the gate; nothing if all is."""
    if not held.unseen:
        return ()
    return (
        HostCheck(
            check_id="programs_on_the_drive",
            title="Programs of other users on the drive",
            verdict="unknown",
            read=f"{held.unseen} processes hide from this user what they have open "
            "(/proc/PID/fd)",
            why=_WHY,
            remedy=_remedy(),
            source=OWN,
        ),
    )


def _remedy() -> str:
    if os.geteuid() == 0:
        return "Run it on the host itself and not in a container"
    try:
        return f"Let root look for this user: {sudoers_command(['fuser'])}"
    except MissingToolError as error:
        return f"Let root look by fuser, which is not installed. {error.remedy}"

"""Which right a step lacks, and the one command that gives it: one order for all steps.

Programs that ask a drive, or change it, are run by sudo: a rule for those programs and
no other. To open the drive itself (to hold, measure and discard it) takes a right to
its node, which `privileges` tells of. Only where there is no sudo, ssdlab itself is
started with the capability that those programs want.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from ssdlab.drive.privileges import MissingRight, user_name
from ssdlab.drive.tools import (
    Ask,
    ask_tool,
    find_tool,
    has_sudo,
    is_raised,
    lets_raise,
    sudoers_command,
)
from ssdlab.model.drive import Drive
from ssdlab.model.errors import MissingToolError, PrivilegeError
from ssdlab.system.files import ROOT, read_text

Capability = Literal["CAP_SYS_ADMIN", "CAP_SYS_RAWIO"]
_BITS: Final[dict[Capability, int]] = {"CAP_SYS_RAWIO": 17, "CAP_SYS_ADMIN": 21}


@dataclass(frozen=True, kw_only=True, slots=True)
class Need:
    """Which programs a step takes, and the capability that they want, if any."""

    tools: tuple[str, ...]
    capability: Capability | None = None


def refused_step(drive: Drive, what: str, need: Need) -> PrivilegeError:
    """Return the error of a step that this user may not do; ``what`` says which."""
    right = missing_program(need)
    return PrivilegeError(
        target=drive.path, reason=f"{what}: {right.reason}", remedy=right.remedy
    )


def missing_program(need: Need) -> MissingRight:
    """Return what keeps a user from the programs of a step that was refused."""
    if os.geteuid() == 0:
        return _missing_to_root(need)
    try:
        if all(map(is_raised, need.tools)):
            return _missing_to_root(need)
        return _missing_rule(need)
    except MissingToolError as error:
        return MissingRight(
            reason=f"{error.tool} is not installed", remedy=error.remedy
        )


def _missing_to_root(need: Need) -> MissingRight:
    if need.capability is None:
        return MissingRight(
            reason="root may not do that here: a container or a security policy is in "
            "the way",
            remedy="Run ssdlab outside of it.",
        )
    return MissingRight(
        reason=f"this container or service was started without {need.capability}",
        remedy="Run ssdlab outside of it, or start it with that capability "
        f"(docker run --cap-add {need.capability.removeprefix('CAP_')}).",
    )


def _missing_rule(need: Need) -> MissingRight:
    user, tools = user_name(), ", ".join(need.tools)
    reason = f"the user {user} may not run {tools} as root"
    if has_sudo():
        remedy = f"To allow that and nothing else: {sudoers_command(need.tools)}"
    elif need.capability is None:
        remedy = "Install sudo, and then look again for the command that allows it."
    else:
        remedy = (
            "There is no sudo here; let root start ssdlab (or jupyter) as this user: "
            f"{start_command(need.capability)}"
        )
    return MissingRight(reason=reason, remedy=remedy)


def start_command(capability: Capability) -> str:
    """Return how root starts ssdlab as this user with one capability.

    It is ambient, so that the tools that ssdlab starts have it too. Given to the
    program file instead, it would be given to all who run Python.
    """
    name = capability.removeprefix("CAP_").lower()
    return (
        f"setpriv --reuid={os.geteuid()} --regid={os.getegid()} --init-groups "
        f"--inh-caps=+{name} --ambient-caps=+{name} $(command -v ssdlab) …"
    )


def find_missing_right(
    capability: Capability,
    tools: Sequence[str],
    *,
    ask: Ask = ask_tool,
    root: Path = ROOT,
) -> str:
    """Return why programs that we start lack a capability, or an empty text.

    Of root a program inherits all that is not taken from it; of others only what is
    ambient, unless sudo lets them run it as root. What the system does not tell is left
    to the drive to refuse.
    """
    need = Need(tools=tuple(tools), capability=capability)
    fields = dict(
        line.split(":", 1)
        for line in read_text(root / "proc/self/status").splitlines()
        if ":" in line
    )
    try:
        is_root = fields["Uid"].split()[1] == "0"
        held = int(fields["CapBnd" if is_root else "CapAmb"], 16)
    except (KeyError, IndexError, ValueError):
        return ""
    if held >> _BITS[capability] & 1:
        return ""
    if is_root:
        return _missing_to_root(need).reason
    try:
        if all(lets_raise(find_tool(tool), ask) for tool in tools):
            return ""
        right = _missing_rule(need)
    except MissingToolError as error:
        return f"{error.tool} is not installed. {error.remedy}".rstrip(".")
    return f"{right.reason}. {right.remedy}".rstrip(".")

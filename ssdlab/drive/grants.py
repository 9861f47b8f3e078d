"""The right that a step lacks, and the command that grants it.

Programs that query or change a drive are run by sudo: a rule for those programs and no
others. To open the drive itself (to hold, measure and discard it) needs access to its
node, see `privileges`. Only without sudo is ssdlab itself started with the capability
that those programs need.
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
    """The programs of a step, and the capability that they need, if any."""

    tools: tuple[str, ...]
    capability: Capability | None = None


def refused_step(drive: Drive, what: str, need: Need) -> PrivilegeError:
    """Return the error for a step that this user may not do; ``what`` names it."""
    right = missing_program(need)
    return PrivilegeError(
        target=drive.path, reason=f"{what}: {right.reason}", remedy=right.remedy
    )


def missing_program(need: Need) -> MissingRight:
    """Return what a user lacks to run the programs of a refused step."""
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
            reason="root may not do that here: a container or a security policy "
            "prevents it",
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
        remedy = f"To allow only that: {sudoers_command(need.tools)}"
    elif need.capability is None:
        remedy = "Install sudo and try again; the message will name the command."
    else:
        remedy = (
            "sudo is not installed; let root start ssdlab (or jupyter) as this user: "
            f"{start_command(need.capability)}"
        )
    return MissingRight(reason=reason, remedy=remedy)


def start_command(capability: Capability) -> str:
    """Return the command by which root starts ssdlab as this user with a capability.

    It is ambient, so that the tools that ssdlab starts have it too. Granted to the
    program file instead, it would be granted to all users of Python.
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
    """Return why programs started by ssdlab lack a capability, or an empty text.

    From root a program inherits all that is not dropped; from other users only ambient
    ones, unless sudo lets them run it as root. If the system does not say, the drive
    may still refuse.
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

"""The right that a user lacks to open a device, and the command that grants it."""

import os
import shlex
import stat
from dataclasses import dataclass
from pathlib import Path

from ssdlab.model.errors import PrivilegeError
from ssdlab.system.unix import grp, pwd

_GROUP_MAY = stat.S_IRGRP | stat.S_IWGRP


@dataclass(frozen=True, kw_only=True, slots=True)
class MissingRight:
    """A missing right, and how to get it."""

    reason: str
    remedy: str


def privilege_error(device: str, path: Path) -> PrivilegeError:
    """Return the error for a device node that may not be opened."""
    right = missing_right(device, path)
    return PrivilegeError(target=device, reason=right.reason, remedy=right.remedy)


def missing_right(device: str, path: Path) -> MissingRight:
    """Return why this user may not open a device node, as far as known."""
    user = user_name()
    if os.geteuid() == 0:
        return MissingRight(
            reason="root may not open it here: a container or a security policy "
            "prevents it",
            remedy="Run ssdlab outside of the container, or give it the device "
            f"(docker run --device {shlex.quote(device)}).",
        )
    group = _group_that_may(path)
    if not group:
        return MissingRight(
            reason=f"the user {user} may not read and write it; only root may",
            remedy="Grant this user access until the next boot: sudo setfacl "
            f"--modify u:{shlex.quote(user)}:rw {shlex.quote(device)}",
        )
    if user in _members(group):
        return MissingRight(
            reason=f"the user {user} is in the group {group}, which owns it, but this "
            "login began before that",
            remedy="Log out and in again.",
        )
    return MissingRight(
        reason=f"the user {user} is not in the group {group}, which owns it",
        remedy=f"Join it and then log in again: sudo usermod --append --groups "
        f"{shlex.quote(group)} {shlex.quote(user)}",
    )


def user_name() -> str:
    """Return the name of the effective user, or the number."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def _group_that_may(path: Path) -> str:
    """Return the group that may read and write a node; "" if only root's may."""
    try:
        status = path.stat()
        if status.st_gid == 0 or status.st_mode & _GROUP_MAY != _GROUP_MAY:
            return ""
        return grp.getgrgid(status.st_gid).gr_name
    except (OSError, KeyError):
        return ""


def _members(group: str) -> tuple[str, ...]:
    return tuple(grp.getgrnam(group).gr_mem)

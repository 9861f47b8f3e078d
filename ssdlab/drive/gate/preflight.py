"""A preflight check of the gate that holds nothing.

It only gives an early answer: what it does not refuse, the gate may refuse.
"""

import os
from pathlib import Path
from typing import NoReturn

from ssdlab.drive.gate.consent import require_consent
from ssdlab.drive.gate.identity_check import require_meant
from ssdlab.drive.in_use.uses import find_uses
from ssdlab.drive.privileges import missing_right, privilege_error
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import Drive, Use
from ssdlab.model.errors import DriveInUseError
from ssdlab.system.files import ROOT, within

_MAY_PASS = frozenset({"opened", "unknown"})  # the gate checks more than once


def check_disposable(
    drive: Drive, confirmed: str, *, root: Path = ROOT, ask: Ask = ask_tool
) -> None:
    """Refuse a drive that the gate would refuse now."""
    require_meant(drive, confirmed, root=root)
    uses = find_uses(drive, root=root, ask=ask)
    if any(use.kind not in _MAY_PASS for use in uses):
        raise DriveInUseError(target=drive.path, uses=uses)
    if not _may_open(drive, root):
        _refuse(drive, root)
    require_consent(drive, confirmed, root=root)


def find_obstacles(
    drive: Drive, *, root: Path = ROOT, ask: Ask = ask_tool
) -> tuple[Use, ...]:
    """Return every reason why the gate would refuse a drive to this user now."""
    uses = find_uses(drive, root=root, ask=ask)
    if uses or _may_open(drive, root):
        return uses
    right = missing_right(drive.path, within(root, drive.path))
    unwritable = Use(
        kind="read-only",
        device=drive.path,
        reason=f"this user may not write to {drive.path}: {right.reason}",
        remedy=right.remedy,
    )
    return (unwritable,)


def _refuse(drive: Drive, root: Path) -> NoReturn:
    raise privilege_error(drive.path, within(root, drive.path))


def _may_open(drive: Drive, root: Path) -> bool:
    effective = os.access in os.supports_effective_ids
    node = within(root, drive.path)
    return os.access(node, os.R_OK | os.W_OK, effective_ids=effective)

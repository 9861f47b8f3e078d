"""The gate: whether a drive may be destroyed, before anything is written to it.

It is passed before the first destructive step of a run, again before each purge, and
after each resume. It cannot be bypassed: consent is the serial number of the drive.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ssdlab.drive.gate.consent import require_consent, require_still_meant
from ssdlab.drive.gate.hidden import find_hidden_writers
from ssdlab.drive.gate.holding import HeldDrive, claim
from ssdlab.drive.gate.identity_check import (
    require_meant,
    require_same,
    require_stable_name,
)
from ssdlab.drive.gate.resumed_drive import KnownDrive, find_uses_again
from ssdlab.drive.in_use.relatives import find_relatives
from ssdlab.drive.in_use.uses import (
    explain_claim,
    find_live_uses,
    find_openers_of,
    find_uses,
    find_uses_of_known,
    open_to_write,
)
from ssdlab.drive.inventory import list_drives
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import Consent, Drive, Use
from ssdlab.model.errors import DriveInUseError, TargetRefusedError
from ssdlab.system.files import ROOT

__all__ = [
    "HeldDrive",
    "KnownDrive",
    "require_disposable",
    "require_disposable_again",
    "require_still_disposable",
]

_TRIES, _PAUSE_S = 5, 0.5  # a monitor such as smartd opens a drive briefly


def require_disposable(
    drive: Drive,
    *,
    confirmed: str,
    named: str = "",
    root: Path = ROOT,
    ask: Ask = ask_tool,
) -> HeldDrive:
    """Hold and return the drive, if it may be destroyed.

    It is held first, so that nothing can begin to use it between the check and the
    step.
    """
    require_same(drive, drive, root=root)
    require_meant(drive, confirmed, root=root)
    return _enter(
        drive,
        _Entry(
            expected=drive,
            consent=lambda: require_consent(drive, confirmed, root=root),
            look=lambda: find_uses(drive, root=root, ask=ask),
            named=named,
            root=root,
            ask=ask,
        ),
    )


def require_disposable_again(
    drive: Drive,
    known: KnownDrive,
    *,
    named: str = "",
    root: Path = ROOT,
    ask: Ask = ask_tool,
) -> HeldDrive:
    """Hold and return the drive of a resumed run, if it may still be destroyed.

    What was typed when the run began counts, as long as it still identifies this drive
    and no other. Signatures of data count unless the drive is as the run left it.
    """
    for meant in (drive, known.drive):
        require_same(meant, drive, root=root)
    require_still_meant(drive, known.consent, root=root)
    return _enter(
        drive,
        _Entry(
            expected=known.drive,
            consent=lambda: require_still_meant(drive, known.consent, root=root),
            look=lambda: find_uses_again(drive, known, root=root, ask=ask),
            named=named,
            root=root,
            ask=ask,
        ),
    )


def require_still_disposable(held: HeldDrive, *, ask: Ask = ask_tool) -> None:
    """Require it again of a drive that has been held since.

    Consent was given for this drive, and while held it cannot have become another. Nor
    can anybody have formatted it: its content is the run's own.
    """
    drive, root = held.drive, held.root
    new = _require_held(held)
    _require_settled(drive, lambda: find_uses_of_known(drive, new, root=root, ask=ask))
    _count_unseen(held, ask)
    require_stable_name(drive, held.named, root=root)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    """How a drive passes the gate: the requirements, and the means to check."""

    expected: Drive
    consent: Callable[[], Consent]
    look: Callable[[], tuple[Use, ...]]
    named: str
    root: Path
    ask: Ask


def _enter(drive: Drive, entry: _Entry) -> HeldDrive:
    root = entry.root
    _require_unused(drive, entry.look, root)
    descriptor = _claim(drive, os.O_RDWR, root)
    held = HeldDrive(drive, descriptor, named=entry.named, root=root)
    try:
        _require_held(held)
        _require_settled(drive, entry.look)
        _count_unseen(held, entry.ask)
        require_same(entry.expected, drive, root=root)
        require_stable_name(drive, held.named, root=root)
        held.consent = entry.consent()
    except BaseException:
        held.close()
        raise
    return held


def _require_unused(
    drive: Drive, look: Callable[[], tuple[Use, ...]], root: Path
) -> None:
    """Refuse what clearly is in use or holds data: it is not even opened for writing.

    A claim is reported before its content: nobody should be told to wipe a drive that
    something invisible uses.
    """
    uses = find_live_uses(drive, root=root)
    if all(use.kind == "opened" for use in uses):
        descriptor = _claim(drive, os.O_RDONLY, root)
        try:
            uses = look()
        finally:
            os.close(descriptor)
    if any(use.kind not in {"opened", "unknown"} for use in uses):
        raise DriveInUseError(target=drive.path, uses=uses)


def _claim(drive: Drive, access: int, root: Path) -> int:
    return claim(drive, access, explain=lambda: explain_claim(drive, root), root=root)


def _require_held(held: HeldDrive) -> tuple[Drive, ...]:
    """Require that it is attached, and hold its relatives; return the new ones."""
    drive, root = held.drive, held.root
    trouble = held.is_alive()
    if trouble:
        raise TargetRefusedError(
            target=drive.path,
            reason=trouble,
            remedy="List the drives: ssdlab devices.",
        )
    require_same(drive, drive, root=root)
    return held.hold_too(
        find_relatives(drive, list_drives(root)),
        lambda: explain_claim(drive, root),
    )


def _require_settled(drive: Drive, look: Callable[[], tuple[Use, ...]]) -> None:
    """Require that nothing uses it; a program that has it open gets a moment to end."""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE_S)
        uses = look()
        if not uses:
            return
        if any(use.kind != "opened" for use in uses):
            break
    raise DriveInUseError(target=drive.path, uses=uses)


def _count_unseen(held: HeldDrive, ask: Ask) -> None:
    """Note how many hidden processes may have it open, unless root can list them."""
    drive = held.drive
    held.unseen = find_openers_of(drive, held.root).unread
    writers = find_hidden_writers(drive, ask=ask) if held.unseen else ()
    if writers:
        use = open_to_write(drive.path, writers)
        raise DriveInUseError(target=drive.path, uses=(use,))
    if writers is not None:
        held.unseen = 0

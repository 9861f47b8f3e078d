"""The volatile write cache of a drive: how it stands, set, and set back again.

The cache is a feature of the drive. What ``queue/write_cache`` of sysfs says is only
whether the kernel sends flushes, so virtio and loop devices tell nothing here.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from ssdlab.drive.cache_feature import (
    CacheState,
    Means,
    change_feature,
    read_feature,
    tell_kernel,
)
from ssdlab.drive.nvme_admin import SendAdmin, send_admin
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import Drive, WriteCacheState
from ssdlab.model.errors import MissingToolError, PrivilegeError, TargetRefusedError
from ssdlab.model.plain import from_plain
from ssdlab.system.durable import remove_whole, replace_whole
from ssdlab.system.files import ROOT

JOURNAL_NAME: Final = "write_cache.json"
_NOT_TOLD = "it does not tell of a write cache that can be set"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Before:
    """The journal: which drive, how its cache stood, and what was asked of it."""

    serial: str
    model: str
    before: CacheState
    asked: CacheState


def read_write_cache(
    drive: Drive, *, ask: Ask = ask_tool, send: SendAdmin = send_admin
) -> CacheState | None:
    """Return how the volatile write cache stands.

    A drive that has none answers as if it were disabled. ``None`` is: the drive does
    not tell, or it cannot be asked for want of rights or of a tool.

    Raises
    ------
    TargetRefusedError
        If the drive is gone, or does not answer.
    """
    try:
        return read_feature(drive, Means(ask=ask, send=send)).state
    except (PrivilegeError, MissingToolError):
        return None


def set_write_cache(
    drive: Drive,
    state: WriteCacheState,
    *,
    ask: Ask = ask_tool,
    send: SendAdmin = send_admin,
    root: Path = ROOT,
) -> None:
    """Set the volatile write cache and see that it stands so; "as found" does nothing.

    Raises
    ------
    TargetRefusedError
        If the drive cannot do that, or says afterwards that it stands otherwise.
    PrivilegeError
        If this user may not.
    """
    reason = require_write_cache(drive, state, ask=ask, send=send, root=root)
    if reason:
        raise TargetRefusedError(
            target=drive.path,
            reason=f"its write cache cannot be {state}: {reason}",
            remedy="Leave the write cache as it was found.",
        )


def require_write_cache(
    drive: Drive,
    state: WriteCacheState,
    *,
    ask: Ask = ask_tool,
    send: SendAdmin = send_admin,
    root: Path = ROOT,
) -> str:
    """Set the write cache if it stands otherwise; return why it cannot, or "".

    To be called before each test: a purge, a reset or a power cycle may have put the
    drive's own setting back.

    Raises
    ------
    TargetRefusedError
        If the drive is gone.
    PrivilegeError
        If this user may not.
    """
    if state == "as found":
        return ""
    means = Means(ask=ask, send=send, root=root)
    now = read_feature(drive, means)
    if now.state == state:
        return ""
    if now.state is None or now.fixed:
        return now.fixed or _NOT_TOLD
    said = change_feature(drive, state, means)
    after = read_feature(drive, means).state
    if after != state:
        stands = f"it is {after} still" if after else "it does not tell how it stands"
        return f"{stands} after it was set{f' ({said})' if said else ''}"
    tell_kernel(drive, state, root)
    return ""


def keep_write_cache(
    drive: Drive,
    state: WriteCacheState,
    folder: Path,
    *,
    ask: Ask = ask_tool,
    send: SendAdmin = send_admin,
    root: Path = ROOT,
) -> str:
    """Set the write cache for a run; note before how it stood, to restore it.

    Parameters
    ----------
    drive : Drive
        Of which drive.
    state : {"enabled", "disabled", "as found"}
        How it is to stand.
    folder : Path
        Where the note is kept until `restore_write_cache`, also over a crash.
    ask, send, root
        By what the drive and the system are asked.

    Returns
    -------
    str
        Why it does not stand so, an empty text if it does.

    Raises
    ------
    TargetRefusedError
        If the drive is gone, or an older note cannot be made good.
    PrivilegeError
        If this user may not.
    """
    restore_write_cache(drive, folder, ask=ask, send=send, root=root)
    if state == "as found":
        return ""
    now = read_feature(drive, Means(ask=ask, send=send, root=root))
    if now.state is None or now.fixed or now.state == state:
        return require_write_cache(drive, state, ask=ask, send=send, root=root)
    note = _Before(
        serial=drive.serial, model=drive.model, before=now.state, asked=state
    )
    folder.mkdir(parents=True, exist_ok=True)
    replace_whole(folder / JOURNAL_NAME, json.dumps(asdict(note)).encode())
    return require_write_cache(drive, state, ask=ask, send=send, root=root)


def restore_write_cache(
    drive: Drive,
    folder: Path,
    *,
    ask: Ask = ask_tool,
    send: SendAdmin = send_admin,
    root: Path = ROOT,
) -> None:
    """Set the write cache as the note in the folder says it stood, if there is one.

    Raises
    ------
    TargetRefusedError
        If the note is of another drive or damaged, or the drive does not do it.
    PrivilegeError
        If this user may not.
    """
    path = folder / JOURNAL_NAME
    note = _read_note(path)
    if note is None:
        return
    if (note.serial, note.model) != (drive.serial, drive.model):
        raise TargetRefusedError(
            target=drive.path,
            reason=f"the write cache of another drive is to be set back to "
            f"{note.before}: {note.model!r}, serial number {note.serial!r}",
            remedy=f"Plug that drive in, or set it by hand and remove {path}.",
        )
    set_write_cache(drive, note.before, ask=ask, send=send, root=root)
    remove_whole(path)


def _read_note(path: Path) -> _Before | None:
    if not path.exists():
        return None
    try:
        return from_plain(_Before, json.loads(path.read_bytes()))
    except ValueError as error:
        raise TargetRefusedError(
            target=str(path),
            reason=f"the note of how the write cache stood is damaged ({error})",
            remedy="Set the write cache of the drive by hand and remove the note.",
        ) from None

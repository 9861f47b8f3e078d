"""The volatile write cache of a drive: read, set and restored.

The cache is a feature of the drive. ``queue/write_cache`` of sysfs is only whether the
kernel sends flushes, so the cache of virtio and loop devices is unknown.

The volatile write cache as a feature of a drive: NVMe feature 06h, WCE of SCSI.

ATA drives are also sent SCSI commands, which the kernel or the adapter translates:
unlike ``hdparm`` that needs only the right to open the drive.
"""

import json
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal, NoReturn

from ssdlab.drive.grants import Need, refused_step
from ssdlab.drive.nvme_admin import (
    IDENTIFY_CONTROLLER,
    WRITE_CACHE_FEATURE,
    AdminAnswer,
    AdminCommand,
    SendAdmin,
    get_feature,
    send_admin,
    set_feature,
)
from ssdlab.drive.sysfs import block_folder
from ssdlab.drive.tools import TIMED_OUT, Ask, ask_tool
from ssdlab.model.drive import Drive, WriteCacheState
from ssdlab.model.errors import MissingToolError, PrivilegeError, TargetRefusedError
from ssdlab.model.plain import from_plain
from ssdlab.system.durable import remove_whole, replace_whole
from ssdlab.system.files import ROOT, read_text

_ASK_S = 60.0
_WCE = re.compile(r"^WCE\s+([01])\b(?:\s+\[cha: ([yn]))?", re.MULTILINE)
_DENIED = re.compile("Permission denied|Operation not permitted")
_GONE = re.compile("No such (?:device|file)")
_VWC_AT = 525  # of identify controller; bit 0: there is a volatile write cache
_NONE = "it has no volatile write cache"
_SCSI_LIKE = ("ata", "scsi", "usb")
_BY_NVME = Need(tools=("nvme",), capability="CAP_SYS_ADMIN")
_BY_SDPARM = Need(tools=("sdparm",))
_KERNEL_WORDS = {"enabled": "write back", "disabled": "write through"}

CacheState = Literal["enabled", "disabled"]
JOURNAL_NAME: Final = "write_cache.json"
_NOT_REPORTED = "it does not report a write cache that can be set"


@dataclass(frozen=True, kw_only=True, slots=True)
class Means:
    """The means to query a drive: a test passes recorded answers."""

    ask: Ask = ask_tool
    send: SendAdmin = send_admin
    root: Path = ROOT


@dataclass(frozen=True, kw_only=True, slots=True)
class CacheFeature:
    """The state of a cache, ``None`` if unknown, and why it cannot be set, if so."""

    state: CacheState | None = None
    fixed: str = ""


def read_feature(drive: Drive, means: Means) -> CacheFeature:
    """Return the state of the cache, as the drive reports it."""
    if drive.bus == "nvme":
        return _look_nvme(drive, means)
    if drive.bus in _SCSI_LIKE:
        return _parse_wce(_ask_sdparm(drive, "--get=WCE", means))
    return CacheFeature()


def _look_nvme(drive: Drive, means: Means) -> CacheFeature:
    controller = _send(drive, IDENTIFY_CONTROLLER, means)
    if controller.status:
        return CacheFeature()
    if not controller.data[_VWC_AT] & 1:
        return CacheFeature(state="disabled", fixed=_NONE)
    feature = _send(drive, get_feature(WRITE_CACHE_FEATURE), means)
    if feature.status:
        return CacheFeature()
    return CacheFeature(state="enabled" if feature.result & 1 else "disabled")


def _parse_wce(text: str) -> CacheFeature:
    """Parse the output of sdparm; its exit code is no help: 5 can be a success."""
    match = _WCE.search(text)
    if not match:
        return CacheFeature()
    fixed = "the drive does not allow changing it" if match.group(2) == "n" else ""
    return CacheFeature(
        state="enabled" if match.group(1) == "1" else "disabled", fixed=fixed
    )


def change_feature(drive: Drive, state: CacheState, means: Means) -> str:
    """Request a state; return the error of the drive or the tool, or ""."""
    value = 1 if state == "enabled" else 0
    if drive.bus != "nvme":
        return _ask_sdparm(drive, f"--set=WCE={value}", means)
    answer = _send(drive, set_feature(WRITE_CACHE_FEATURE, value), means)
    return f"NVMe status {answer.status:#x}" if answer.status else ""


def _ask_sdparm(drive: Drive, request: str, means: Means) -> str:
    """Return the output of sdparm; it sends SCSI commands to ATA drives, too."""
    answer = means.ask(("sdparm", "--quiet", request, drive.path), timeout_s=_ASK_S)
    if _DENIED.search(answer.stderr):
        _refuse(drive, _BY_SDPARM)
    if answer.exit_code == TIMED_OUT or _GONE.search(answer.stderr):
        _give_up(drive, answer.text)
    return answer.text if not answer.stdout else answer.stdout


def _send(drive: Drive, command: AdminCommand, means: Means) -> AdminAnswer:
    try:
        return means.send(drive.path, command)
    except PermissionError:
        _refuse(drive, _BY_NVME)
    except OSError as error:
        _give_up(drive, error.strerror or str(error))


def _refuse(drive: Drive, need: Need) -> NoReturn:
    what = "its write cache can be neither read nor set"
    raise refused_step(drive, what, need) from None


def _give_up(drive: Drive, said: str) -> NoReturn:
    raise TargetRefusedError(
        target=drive.path,
        reason=f"it does not report its write cache ({said})",
        remedy="Check whether it is still attached: ssdlab devices.",
    ) from None


def tell_kernel(drive: Drive, state: CacheState, root: Path) -> None:
    """Let the kernel read the state of a SCSI cache again.

    For ATA it does so by itself. To NVMe it keeps sending flushes, which have no effect
    if the cache is off. Only root may request it; without root it is as for NVMe.
    """
    folder = block_folder(drive.name, root)
    believed = read_text(folder / "queue/write_cache")
    if drive.bus in _SCSI_LIKE and believed != _KERNEL_WORDS[state]:
        with suppress(OSError):
            (folder / "device/rescan").write_text("1")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Before:
    """The journal: the drive, the original state of its cache, the requested one."""

    serial: str
    model: str
    before: CacheState
    asked: CacheState


def read_write_cache(
    drive: Drive, *, ask: Ask = ask_tool, send: SendAdmin = send_admin
) -> CacheState | None:
    """Return the state of the volatile write cache.

    A drive without one answers as if it were disabled. ``None``: the drive does not
    report it, or cannot be queried for lack of rights or of a tool.
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
    """Set the volatile write cache and verify it; "as found" does nothing."""
    reason = require_write_cache(drive, state, ask=ask, send=send, root=root)
    if reason:
        raise TargetRefusedError(
            target=drive.path,
            reason=f"its write cache cannot be {state}: {reason}",
            remedy="Leave the write cache as found.",
        )


def require_write_cache(
    drive: Drive,
    state: WriteCacheState,
    *,
    ask: Ask = ask_tool,
    send: SendAdmin = send_admin,
    root: Path = ROOT,
) -> str:
    """Set the write cache if its state differs; return why that failed, or "".

    Call it before each test: a purge, a reset or a power cycle may have restored the
    drive's own setting.
    """
    if state == "as found":
        return ""
    means = Means(ask=ask, send=send, root=root)
    now = read_feature(drive, means)
    if now.state == state:
        return ""
    if now.state is None or now.fixed:
        return now.fixed or _NOT_REPORTED
    said = change_feature(drive, state, means)
    after = read_feature(drive, means).state
    if after != state:
        stands = f"it is still {after}" if after else "its state is unknown"
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
    """Set the write cache for a run, after noting its state, to restore it."""
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
    """Restore the write cache to the state in the folder's note, if there is one."""
    path = folder / JOURNAL_NAME
    note = _read_note(path)
    if note is None:
        return
    if (note.serial, note.model) != (drive.serial, drive.model):
        raise TargetRefusedError(
            target=drive.path,
            reason=f"the write cache of another drive must be restored to "
            f"{note.before}: {note.model!r}, serial number {note.serial!r}",
            remedy=f"Attach that drive, or set it by hand and remove {path}.",
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
            reason=f"the note about the state of the write cache is damaged ({error})",
            remedy="Set the write cache of the drive by hand and remove the note.",
        ) from None

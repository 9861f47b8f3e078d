"""The volatile write cache as a feature of a drive: NVMe feature 06h, WCE of SCSI.

ATA drives are asked in the words of SCSI too, which the kernel or the adapter
translates: unlike ``hdparm`` that takes no more than the right to open the drive.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

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
from ssdlab.model.drive import Drive
from ssdlab.model.errors import TargetRefusedError
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Means:
    """By what a drive is asked: a test brings recorded answers."""

    ask: Ask = ask_tool
    send: SendAdmin = send_admin
    root: Path = ROOT


@dataclass(frozen=True, kw_only=True, slots=True)
class CacheFeature:
    """How a cache stands, ``None`` if not told, and why it cannot be set, if so."""

    state: CacheState | None = None
    fixed: str = ""


def read_feature(drive: Drive, means: Means) -> CacheFeature:
    """Return how the cache stands, as the drive itself says."""
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
    """Return what sdparm says; its exit code is no help: 5 comes with good answers."""
    match = _WCE.search(text)
    if not match:
        return CacheFeature()
    fixed = "the drive lets nobody change it" if match.group(2) == "n" else ""
    return CacheFeature(
        state="enabled" if match.group(1) == "1" else "disabled", fixed=fixed
    )


def change_feature(drive: Drive, state: CacheState, means: Means) -> str:
    """Ask for a state; return what the drive or the tool said against it."""
    value = 1 if state == "enabled" else 0
    if drive.bus != "nvme":
        return _ask_sdparm(drive, f"--set=WCE={value}", means)
    answer = _send(drive, set_feature(WRITE_CACHE_FEATURE, value), means)
    return f"NVMe status {answer.status:#x}" if answer.status else ""


def _ask_sdparm(drive: Drive, request: str, means: Means) -> str:
    """Return what sdparm says; it asks ATA drives in the words of SCSI, too."""
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
        reason=f"it does not answer about its write cache ({said})",
        remedy="See whether it is still there: ssdlab devices.",
    ) from None


def tell_kernel(drive: Drive, state: CacheState, root: Path) -> None:
    """Let the kernel look again where it holds on to how a SCSI cache stood.

    It follows ATA by itself. Of NVMe it goes on sending flushes, which do nothing to
    a cache that is off. Only root may ask for the look; without, it is as for NVMe.
    """
    folder = block_folder(drive.name, root)
    believed = read_text(folder / "queue/write_cache")
    if drive.bus in _SCSI_LIKE and believed != _KERNEL_WORDS[state]:
        with suppress(OSError):
            (folder / "device/rescan").write_text("1")

"""An erasure in progress on a drive, as after a killed purge."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from ssdlab.drive.purge.nvme import read_sanitize_log
from ssdlab.drive.purge.nvme_sanitize import parse_sanitize_log
from ssdlab.drive.purge.work import ask_quietly
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import Bus, Drive, Use

_RUNS, _FAILED = 2, 3  # NVMe: the status of the last sanitize


def find_running_purge(drive: Drive, ask: Ask = ask_tool) -> Use | None:
    """Return what prevents reading a drive: an erasure, or one that failed.

    A drive continues it even if the program that started it is gone, and refuses all
    reads until it is done. ``None`` if there is none, or the drive does not report it.
    """
    look = _LOOKS.get(drive.bus)
    return look(drive, ask) if look else None


def _look_at_nvme(drive: Drive, ask: Ask) -> Use | None:
    _, data = read_sanitize_log(drive, ask)
    log = parse_sanitize_log(data)
    if log is not None and log.status == _RUNS:
        return _under_way(drive, "sanitize", log.done_ratio)
    if log is not None and log.status == _FAILED:
        leave = f"nvme sanitize {drive.path} --sanact=1"
        return _failed(drive, "sanitize", f"{leave}; if it refuses that, with another")
    return None


def _look_at_ata(drive: Drive, ask: Ask) -> Use | None:
    answer = ask_quietly(ask, "hdparm", "--sanitize-status", drive.path)
    if isinstance(answer, str):
        return None
    if "SD2 " in answer.text:
        share = re.search(r"Progress: 0x([0-9a-fA-F]+)", answer.text)
        return _under_way(
            drive, "sanitize", int(share.group(1), 16) / 0xFFFF if share else None
        )
    if "SD3 " in answer.text:
        again = "hdparm --yes-i-know-what-i-am-doing --sanitize-block-erase"
        return _failed(drive, "sanitize", f"{again} {drive.path}, or with another")
    return None


def _look_at_scsi(drive: Drive, ask: Ask) -> Use | None:
    what = "sanitize or format"
    answer = ask_quietly(ask, "sg_requests", "--progress", drive.path)
    if isinstance(answer, str):
        return None
    share = re.search(r"Progress indication: (\d+(?:\.\d+)?)%", answer.stdout)
    if share:
        return _under_way(drive, what, float(share.group(1)) / 100)
    answer = ask_quietly(ask, "sg_requests", "--status", drive.path)
    text = "" if isinstance(answer, str) else answer.text.lower()
    if "in progress" in text:
        return _under_way(drive, what, None)
    if "sanitize command failed" in text:
        leave = f"sg_sanitize --fail {drive.path}; if it refuses that, with another"
        return _failed(drive, "sanitize", leave)
    if "format command failed" in text or "medium format corrupted" in text:
        return _failed(drive, "format", f"sg_format --format {drive.path}, another")
    return None


_LOOKS: Final[Mapping[Bus, Callable[[Drive, Ask], Use | None]]] = {
    "nvme": _look_at_nvme,
    "ata": _look_at_ata,
    "scsi": _look_at_scsi,
}


def _under_way(drive: Drive, what: str, share: float | None) -> Use:
    far = "" if share is None else f", {100 * share:.0f} % done"
    return Use(
        kind="unknown",
        device=drive.path,
        reason=f"an earlier {what} is still in progress on {drive.path}{far}; until it "
        "is done, whether there is data on the drive is unknown",
        remedy="Leave its power on, wait until it is done, and try again then.",
    )


def _failed(drive: Drive, what: str, command: str) -> Use:
    return Use(
        kind="unknown",
        device=drive.path,
        reason=f"the last {what} of {drive.path} failed; until that is repaired the "
        "drive cannot be read, and whether there is data on it is unknown",
        remedy=f"Repair that with its own tool: {command} {what}. Then try again.",
    )

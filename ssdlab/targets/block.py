"""A block device as a target; so far a loop device that the user made and named."""

import errno
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ssdlab.drive.purge import discard_all, find_written_sample
from ssdlab.model.errors import TargetRefusedError
from ssdlab.model.records import TargetIdentity
from ssdlab.targets.options import require_safe_path

BLOCK_DEPARTURES = ("the target is a loop device, not a drive",)


@dataclass(frozen=True, slots=True)
class BlockTarget:
    """A loop device whose owner confirmed that it may be destroyed."""

    identity: TargetIdentity
    fio_options: Mapping[str, str]
    purge_method: str = "discard of all LBAs (blkdiscard)"
    departures: tuple[str, ...] = BLOCK_DEPARTURES

    def purge_job(self) -> str | None:
        """Return nothing: the purge is not done by fio."""
        return None

    def purge(self) -> str:
        """Discard every LBA, after one more look whether the device is in use."""
        device = str(self.identity.options["path"])
        require_unused_loop(device)
        return discard_all(device)

    def find_purge_fault(self) -> str:
        """Read samples back: a loop device gives zeros after a discard."""
        device = str(self.identity.options["path"])
        place = find_written_sample(device, self.identity.capacity_bytes)
        return "" if place is None else f"there is still data at byte {place}"

    def find_trouble(self) -> str:
        """Return why the device does not answer any more, or an empty text."""
        device = str(self.identity.options["path"])
        backing = _backing_file(device)
        if backing != self.identity.serial:
            return f"{device} now stands on {backing or 'nothing'}"
        return ""

    def read_counters(self) -> dict[str, float]:
        """Return nothing: a loop device has no counters."""
        return {}

    def find_doubt(
        self, before: Mapping[str, float], after: Mapping[str, float]
    ) -> str:
        """Return nothing: there are no counters to doubt by."""
        del before, after
        return ""

    def close(self) -> None:
        """Do nothing: the device is its owner's."""


def open_block(device: str, confirmed: str) -> BlockTarget:
    """Return the loop device, if its owner confirmed its backing file.

    Raises
    ------
    TargetRefusedError
        If the device is no loop device, is in use, or was not confirmed.
    """
    name = os.path.realpath(device)
    require_safe_path(name)
    require_unused_loop(name)
    serial = _backing_file(name)
    if confirmed != serial:
        raise TargetRefusedError(
            target=device,
            reason=f"all data on it will be destroyed and that was not confirmed; "
            f"it stands on {serial}",
            remedy=f"If that is what you want, say so: --confirm {serial}",
        )
    folder = Path("/sys/class/block") / Path(name).name
    return BlockTarget(
        identity=TargetIdentity(
            kind="block",
            spec=name,
            model="loop device",
            serial=serial,
            firmware="",
            capacity_bytes=int((folder / "size").read_text()) * 512,
            sector_bytes=int((folder / "queue/logical_block_size").read_text()),
            interface="loop",
            options={"path": name},
        ),
        fio_options={"ioengine": "libaio", "filename": require_safe_path(name)},
    )


def require_loop(device: str) -> None:
    """Refuse what is no loop device, touching nothing.

    Raises
    ------
    TargetRefusedError
        With the reason and what to do.
    """
    path = Path(device)
    if not path.exists() or not stat.S_ISBLK(path.stat().st_mode):
        raise TargetRefusedError(
            target=device,
            reason="this is no block device",
            remedy="Use virtual, file:PATH,size=SIZE, or a loop device.",
        )
    if not _backing_file(device):
        raise TargetRefusedError(
            target=device,
            reason="this version measures loop devices only, so that no drive can be "
            "erased by mistake",
            remedy="Make one: losetup --find --show --direct-io=on FILE.",
        )


def require_unused_loop(device: str) -> None:
    """Refuse what is no loop device, or one that anything uses.

    Raises
    ------
    TargetRefusedError
        With the reason and what to do.
    """
    require_loop(device)
    try:
        os.close(os.open(device, os.O_RDWR | os.O_EXCL))
    except OSError as error:
        is_busy = error.errno == errno.EBUSY
        raise TargetRefusedError(
            target=device,
            reason="it is in use" if is_busy else f"{error.strerror} when opened",
            remedy="Unmount it, or take it out of whatever uses it (see lsblk)."
            if is_busy
            else "Only who may write to the device can measure it.",
        ) from None


def _backing_file(device: str) -> str:
    path = Path("/sys/class/block") / Path(device).name / "loop/backing_file"
    try:
        return path.read_text("utf-8", errors="backslashreplace").strip()
    except OSError:
        return ""

"""A drive held open exclusively, so that nothing else can begin to use it."""

import errno
import os
import stat
import struct
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from ssdlab.drive.privileges import privilege_error
from ssdlab.drive.sysfs import block_folder
from ssdlab.model.drive import Consent, Drive, Use
from ssdlab.model.errors import DriveInUseError, TargetRefusedError
from ssdlab.system.files import ROOT, read_flag, read_number, within
from ssdlab.system.unix import fcntl

_BLKROGET, _BLKGETSIZE64 = 0x125E, 0x80081272
_TRIES, _PAUSE_S = 5, 0.3  # udev, partition scans and probes hold a drive briefly
_LOCK_TRIES = 34  # udev probes for signatures while it holds the lock: some seconds
_DENIED = frozenset((errno.EACCES, errno.EPERM))
_GONE = frozenset((errno.ENOENT, errno.ENXIO, errno.ENODEV, errno.ENOMEDIUM))

_PASSING = frozenset(("opened", "unknown"))

Explain = Callable[[], Sequence[Use]]


class HeldDrive:
    """A drive that passed the gate; while it is held, nothing else can claim it.

    The kernel keeps out all that open it exclusively: a mount, swap, LVM, md, dm, mkfs.
    It does not keep out a program that just writes, nor a loop device. The other
    namespaces of its controller, and other paths to it, are held too. All of them are
    also locked by flock, as systemd requires of programs that work on a block device,
    so that udev does not probe them.

    Attributes
    ----------
    drive : Drive
        The drive as it was when it passed.
    named : str
        The text by which the user named it.
    descriptor : int
        Open for reading and writing, exclusively; not inherited by children.
    unseen : int
        The number of processes whose open files are hidden from this user.
    consent : Consent or None
        What the user typed for it.
    """

    def __init__(
        self, drive: Drive, descriptor: int, *, named: str = "", root: Path = ROOT
    ) -> None:
        self.drive = drive
        self.named = named
        self.descriptor = descriptor
        self.root = root
        self.unseen = 0
        self.consent: Consent | None = None
        self._relatives: dict[str, int] = {}

    def hold_too(self, others: Sequence[Drive], explain: Explain) -> tuple[Drive, ...]:
        """Claim other devices whose data may be erased with the drive.

        Returns those that were not held before.
        """
        new = tuple(
            other
            for other in others
            if other.capacity_bytes > 0 and other.name not in self._relatives
        )
        for other in new:
            self._relatives[other.name] = claim(
                other, os.O_RDONLY, explain=explain, root=self.root
            )
        return new

    def is_alive(self) -> str:
        """Return why this is no longer the drive that passed, or an empty text."""
        path, had = self.drive.path, self.drive.capacity_bytes
        if self.descriptor < 0:
            return f"{path} was released"
        try:
            size = _ask_number(self.descriptor, _BLKGETSIZE64, "=Q")
            is_read_only = bool(_ask_number(self.descriptor, _BLKROGET, "=i"))
        except OSError as error:
            return f"{path} no longer answers ({error.strerror})"
        folder = block_folder(self.drive.name, self.root)
        is_another = read_number(folder / "diskseq") != self.drive.diskseq
        troubles = {
            f"{path} is gone": size == 0 or not folder.exists(),
            f"{path} is gone, and another disk has its name": is_another,
            f"{path} now has {size:,} bytes instead of {had:,}": size != had,
            f"{path} has become read-only": is_read_only or read_flag(folder / "ro"),
        }
        return next((words for words, is_so in troubles.items() if is_so), "")

    def close(self) -> None:
        """Release the drive and what was held with it."""
        descriptors = [self.descriptor, *self._relatives.values()]
        self.descriptor, self._relatives = -1, {}
        for descriptor in descriptors:
            if descriptor >= 0:
                os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def claim(drive: Drive, access: int, *, explain: Explain, root: Path = ROOT) -> int:
    """Open a drive exclusively; ``explain`` finds its holder if that fails."""
    for attempt in range(_LOCK_TRIES):
        if attempt:
            time.sleep(_PAUSE_S)
        try:
            return _open_locked(drive, access, root)
        except BlockingIOError:
            uses: Sequence[Use] = (_locked(drive),)
        except OSError as error:
            if error.errno != errno.EBUSY:
                refusal = _refusal(drive, error, root)
                raise refusal from None
            uses = explain() or (_claimed(drive),)
            is_passing = all(use.kind in _PASSING for use in uses)
            if not is_passing or attempt + 1 >= _TRIES:
                raise DriveInUseError(target=drive.path, uses=uses) from None
    raise DriveInUseError(target=drive.path, uses=uses)


def _open_locked(drive: Drive, access: int, root: Path) -> int:
    """Open a drive exclusively, and lock it against udev."""
    flags = access | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(within(root, drive.path), flags)
    try:
        _require_node(drive, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _require_node(drive: Drive, descriptor: int) -> None:
    """Require that the opened device is the drive: a node may lead anywhere."""
    status = os.fstat(descriptor)
    number = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
    if stat.S_ISBLK(status.st_mode) and number == drive.device_number:
        return
    raise TargetRefusedError(
        target=drive.path,
        reason=f"this node does not lead to the block device {drive.device_number}",
        remedy="Check it: ls -l; let udev make it again: udevadm trigger.",
    )


def _refusal(drive: Drive, error: OSError, root: Path) -> TargetRefusedError:
    is_read_only = read_flag(block_folder(drive.name, root) / "ro")
    if error.errno == errno.EROFS or (error.errno in _DENIED and is_read_only):
        use = Use(
            kind="read-only",
            device=drive.path,
            reason=f"{drive.path} is read-only",
            remedy="Check the drive for a lock, and its health.",
        )
        return DriveInUseError(target=drive.path, uses=(use,))
    if error.errno in _DENIED:
        return privilege_error(drive.path, within(root, drive.path))
    if error.errno in _GONE:
        return TargetRefusedError(
            target=drive.path,
            reason="it is gone",
            remedy="List the drives: ssdlab devices.",
        )
    return TargetRefusedError(
        target=drive.path,
        reason=f"it cannot be opened ({error.strerror})",
        remedy="Check the kernel's messages: dmesg.",
    )


def _claimed(drive: Drive) -> Use:
    return Use(
        kind="opened",
        device=drive.path,
        reason=f"the kernel reports that {drive.path} is claimed, by a holder that "
        "is not visible from here",
        remedy="Check on the host, not in a container, and check for pools that the "
        "kernel does not show (zpool status).",
    )


def _locked(drive: Drive) -> Use:
    return Use(
        kind="opened",
        device=drive.path,
        reason=f"another program has locked {drive.path} (flock)",
        remedy=f"Find it and let it end: fuser --verbose {drive.path}.",
    )


def _ask_number(descriptor: int, request: int, form: str) -> int:
    answer = fcntl.ioctl(descriptor, request, bytes(struct.calcsize(form)))
    return int(struct.unpack(form, answer)[0])

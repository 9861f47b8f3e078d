"""What was changed on the host, kept until it is undone.

It is on the disk before the first change is made, so that a crash in between loses
nothing. It holds for one start of the host: the kernel forgets its settings too.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ssdlab.model.errors import TargetRefusedError
from ssdlab.system.durable import remove_whole, replace_whole
from ssdlab.system.files import ROOT, read_text, within
from ssdlab.system.state import state_folder
from ssdlab.system.unix import fcntl

_FORMAT = 1
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
# A journal that somebody else wrote must not have root write anywhere else.
_OURS = re.compile(
    r"/sys/devices/system/cpu/cpu\d+/(cpufreq/(scaling_governor|energy_performance_pr"
    r"eference)|cpuidle/state\d+/disable|power/energy_perf_bias)"
    r"|/sys/module/pcie_aspm/parameters/policy"
    r"|/sys/bus/pci/devices/[\da-fA-F:.]+/link/\w+"
    r"|/sys/block/[\w!-]+/queue/(scheduler|nr_requests|rq_affinity|wbt_lat_usec)"
    r"|/proc/irq/\d+/smp_affinity_list|/proc/sys/fs/aio-max-nr"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One file of the kernel: what stood in it, and what stands there by us.

    ``after`` is ``None`` while it is not known yet. ``node`` tells a file of a device
    from that of another one that got the same name; 0 if the kernel gives none.
    """

    check_id: str
    path: str
    before: str
    after: str | None
    node: int
    changed_s: float


def default_journal() -> Path:
    """Return where the journal of this user lies."""
    return state_folder() / "host-tuning.json"


@contextmanager
def locked_journal(journal: Path) -> Iterator[None]:
    """Let one process at a time change the settings that a journal keeps.

    Raises
    ------
    TargetRefusedError
        If another one does, or the journal cannot be kept here.
    """
    try:
        journal.parent.mkdir(parents=True, exist_ok=True)
        lock = journal.with_name(f"{journal.name}.lock").open("a", encoding="utf-8")
    except OSError as error:
        raise TargetRefusedError(
            target=str(journal),
            reason=f"what is changed cannot be noted there ({error.strerror})",
            remedy="Name another file: --journal FILE.",
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TargetRefusedError(
                target=str(journal),
                reason="another process is changing the settings of this host",
                remedy="Wait until it has ended.",
            ) from None
        yield


def read_boot(root: Path = ROOT) -> str:
    """Return what names this start of the host; "" if the kernel does not tell."""
    return read_text(within(root, _BOOT_ID))


def read_journal(journal: Path) -> tuple[str, tuple[Change, ...]]:
    """Return the start of the host that a journal is of, and its changes in order.

    Raises
    ------
    TargetRefusedError
        If it is there and is no journal of ssdlab.
    """
    try:
        kept = json.loads(journal.read_text("utf-8"))
        return str(kept["boot_id"]), _changes(kept)
    except FileNotFoundError:
        return "", ()
    except OSError as error:
        reason = f"it cannot be read ({error.strerror})"
    except (ValueError, KeyError, TypeError):
        reason = "this is no journal of the host's settings"
    raise TargetRefusedError(
        target=str(journal),
        reason=reason,
        remedy="Look at it, move it away, and set by hand what it names.",
    )


def write_journal(journal: Path, boot: str, changes: Sequence[Change]) -> None:
    """Keep the changes, or remove the journal if there is none; it lasts when it ends.

    Raises
    ------
    TargetRefusedError
        If it cannot be written; nothing may be changed then.
    """
    entries = [asdict(change) for change in changes]
    content = {"format": _FORMAT, "boot_id": boot, "changes": entries}
    try:
        if changes:
            replace_whole(journal, json.dumps(content, indent=1).encode())
        else:
            remove_whole(journal)
    except OSError as error:
        raise TargetRefusedError(
            target=str(journal),
            reason=f"what is changed cannot be noted there ({error.strerror})",
            remedy="Make room, or name another file: --journal FILE.",
        ) from None


def node_of(path: str, root: Path) -> int:
    """Return the inode of a file of the kernel where it lasts as long as its device."""
    try:
        return within(root, path).stat().st_ino if path.startswith("/sys/") else 0
    except OSError:
        return 0


def _changes(kept: Mapping[str, Any]) -> tuple[Change, ...]:
    """Return the entries.

    Raises
    ------
    ValueError
        If they are of another version.
    """
    if kept["format"] != _FORMAT:
        raise ValueError(kept["format"])
    return tuple(_change(entry) for entry in kept["changes"])


def _change(entry: Mapping[str, object]) -> Change:
    """Return one entry.

    Raises
    ------
    ValueError
        If it is of a file that ssdlab does not set.
    """
    path, before, after = entry["path"], entry["before"], entry["after"]
    texts = (path, before) if after is None else (path, before, after)
    if not all(isinstance(text, str) and text.isprintable() for text in texts):
        raise ValueError(texts)
    if not _OURS.fullmatch(str(path)):
        raise ValueError(path)
    return Change(
        check_id=str(entry["check_id"]),
        path=str(path),
        before=str(before),
        after=None if after is None else str(after),
        node=int(str(entry["node"])),
        changed_s=float(str(entry["changed_s"])),
    )

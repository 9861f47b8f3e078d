"""Journal of changes to the host, kept until they are undone.

It is on the disk before the first change, so that a crash loses nothing. It is valid
for one boot of the host: the kernel forgets its settings too.
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
# A journal that somebody else wrote must not make root write anywhere else.
_OURS = re.compile(
    r"/sys/devices/system/cpu/cpu\d+/(cpufreq/(scaling_governor|energy_performance_pr"
    r"eference)|cpuidle/state\d+/disable|power/energy_perf_bias)"
    r"|/sys/module/pcie_aspm/parameters/policy"
    r"|/sys/bus/pci/devices/[\da-fA-F:.]+/link/\w+"
    r"|/sys/class/nvme/nvme\d+/power/pm_qos_latency_tolerance_us"
    r"|/sys/block/[\w!-]+/queue/(scheduler|nr_requests|rq_affinity|wbt_lat_usec)"
    r"|/proc/irq/\d+/smp_affinity_list|/proc/sys/fs/aio-max-nr"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One file of the kernel: its content before and after our change.

    ``after`` is ``None`` while unknown. ``node`` distinguishes a file of a device from
    that of another one that got the same name; 0 if the kernel gives none.
    """

    check_id: str
    path: str
    before: str
    after: str | None
    node: int
    changed_s: float


def default_journal() -> Path:
    """Return the default path of this user's journal."""
    return state_folder() / "host-tuning.json"


@contextmanager
def locked_journal(journal: Path) -> Iterator[None]:
    """Allow only one process at a time to change the settings of a journal."""
    try:
        journal.parent.mkdir(parents=True, exist_ok=True)
        lock = journal.with_name(f"{journal.name}.lock").open("a", encoding="utf-8")
    except OSError as error:
        raise TargetRefusedError(
            target=str(journal),
            reason=f"the journal cannot be written ({error.strerror})",
            remedy="Name another file: --journal FILE.",
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TargetRefusedError(
                target=str(journal),
                reason="another process is changing the settings of this host",
                remedy="Wait for it to end.",
            ) from None
        yield


def read_boot(root: Path = ROOT) -> str:
    """Return the id of this boot; "" if unknown."""
    return read_text(within(root, _BOOT_ID))


def read_journal(journal: Path) -> tuple[str, tuple[Change, ...]]:
    """Return the boot id of a journal, and its changes in order."""
    try:
        kept = json.loads(journal.read_text("utf-8"))
        return str(kept["boot_id"]), _changes(kept)
    except FileNotFoundError:
        return "", ()
    except OSError as error:
        reason = f"it cannot be read ({error.strerror})"
    except (ValueError, KeyError, TypeError):
        reason = "it is not a journal of host settings"
    raise TargetRefusedError(
        target=str(journal),
        reason=reason,
        remedy="Inspect it, move it away, and restore by hand what it names.",
    )


def write_journal(journal: Path, boot: str, changes: Sequence[Change]) -> None:
    """Write the changes durably, or remove the journal if there are none."""
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
            reason=f"the journal cannot be written ({error.strerror})",
            remedy="Free some space, or name another file: --journal FILE.",
        ) from None


def node_of(path: str, root: Path) -> int:
    """Return the inode of a file of the kernel, if it lasts as long as its device."""
    try:
        return within(root, path).stat().st_ino if path.startswith("/sys/") else 0
    except OSError:
        return 0


def _changes(kept: Mapping[str, Any]) -> tuple[Change, ...]:
    """Return the entries."""
    if kept["format"] != _FORMAT:
        raise ValueError(kept["format"])
    return tuple(_change(entry) for entry in kept["changes"])


def _change(entry: Mapping[str, object]) -> Change:
    """Return one entry."""
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

"""How many IOs a drive can hold at once: the queue depth that it can use."""

from dataclasses import dataclass
from pathlib import Path

from ssdlab.drive.sysfs import block_folder
from ssdlab.model.drive import Drive
from ssdlab.system.files import ROOT, list_names, read_number


@dataclass(frozen=True, kw_only=True, slots=True)
class DriveQueues:
    """The queues of a drive as the kernel set them up, and the depth of each.

    A SCSI or ATA device has one depth, however many queues its adapter has.
    """

    count: int
    depth: int

    @property
    def outstanding(self) -> int:
        """How many IOs it holds in all; more wait in the host."""
        return self.count * self.depth


def read_queues(drive: Drive, root: Path = ROOT) -> DriveQueues | None:
    """Return the queues of a drive, or None if the kernel does not say."""
    folder = block_folder(drive.name, root)
    depth = read_number(folder / "device/queue_depth")
    if depth:
        return DriveQueues(count=1, depth=depth)
    tags = [
        read_number(folder / "mq" / name / "nr_tags")
        for name in list_names(folder / "mq")
        if name.isdecimal()
    ]
    known = [count for count in tags if count]
    return DriveQueues(count=len(known), depth=min(known)) if known else None

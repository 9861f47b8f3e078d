"""The targets of fio: the virtual SSD, a file, a block device."""

from ssdlab.targets.opening import open_target, reopen_target
from ssdlab.targets.target import Target

__all__ = ["Target", "open_target", "reopen_target"]

"""Every purge method as data: its words for the report, and which drives have it."""

from collections.abc import Mapping
from typing import Final

from ssdlab.model.drive import PURGE_METHODS, Bus, PurgeMethod

PURGE_WORDS: Final[Mapping[PurgeMethod, str]] = {
    "nvme-format-user-data": "NVMe format, secure erase of the user data",
    "nvme-format-crypto": "NVMe format, cryptographic secure erase",
    "nvme-sanitize-block": "NVMe sanitize, block erase",
    "nvme-sanitize-crypto": "NVMe sanitize, crypto erase",
    "nvme-sanitize-overwrite": "NVMe sanitize, overwrite",
    "ata-security-erase": "ATA security erase",
    "ata-security-erase-enhanced": "ATA enhanced security erase",
    "ata-sanitize-block": "ATA sanitize, block erase",
    "ata-sanitize-crypto": "ATA sanitize, crypto scramble",
    "ata-sanitize-overwrite": "ATA sanitize, overwrite",
    "scsi-sanitize-block": "SCSI sanitize, block erase",
    "scsi-sanitize-crypto": "SCSI sanitize, crypto erase",
    "scsi-sanitize-overwrite": "SCSI sanitize, overwrite",
    "scsi-format-unit": "SCSI format unit",
    "discard-secure": "secure discard of all LBAs",
    "discard": "discard of all LBAs",
    "overwrite": "overwriting all LBAs with random data",
    "none": "none: the drive was not purged",
}

# What the block layer or plain writes do: every drive may have it.
_OF_EVERY_DRIVE: Final = frozenset({"discard-secure", "discard", "overwrite", "none"})

# Methods that the drive itself continues when ssdlab, or the power, is gone.
_GOES_ON: Final = ("nvme-sanitize-", "ata-sanitize-", "scsi-")
_WAITED_FOR: Final = ("nvme-format-", "ata-security-")


def methods_of(bus: Bus) -> tuple[PurgeMethod, ...]:
    """Return the methods that drives of a bus may have, the preferred first.

    A USB bridge is not trusted with the commands of the drive behind it: some do
    something else, and a drive locked behind one stays locked.
    """
    return tuple(
        method
        for method in PURGE_METHODS
        if method in _OF_EVERY_DRIVE or method.split("-", 1)[0] == bus
    )


def stopping_words(method: PurgeMethod) -> str:
    """Return the effect of stopping ssdlab on a purge in progress."""
    if method.startswith(_GOES_ON):
        return (
            "The drive continues it by itself and cannot be stopped, not even by "
            "cutting its power; until it is done it accepts no IO. The next purge "
            "waits for it."
        )
    if method.startswith(_WAITED_FOR):
        return (
            "The drive cannot be stopped: leave its power on until it answers again. "
            "Some of its old data may still be there."
        )
    return "Part of the old data is still on the drive."

"""The purge methods of a drive, by its own report."""

from pathlib import Path
from typing import assert_never

from ssdlab.drive.purge.ata import list_ata_options
from ssdlab.drive.purge.methods import methods_of
from ssdlab.drive.purge.nvme import list_nvme_options
from ssdlab.drive.purge.scsi import list_scsi_options
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import PURGE_METHODS, Drive, PurgeMethod, PurgeOption
from ssdlab.model.units import capacity_label
from ssdlab.system.files import ROOT


def list_purge_options(
    drive: Drive, *, ask: Ask = ask_tool, root: Path = ROOT
) -> tuple[PurgeOption, ...]:
    """Return every purge method of this bus: possible or not, and why.

    It only queries, and changes nothing.
    """
    options = {
        option.method: option
        for option in (
            *_options_of_bus(drive, ask, root),
            *(_plain_option(method, drive) for method in methods_of("other")),
        )
    }
    return tuple(options[method] for method in PURGE_METHODS if method in options)


def _options_of_bus(drive: Drive, ask: Ask, root: Path) -> tuple[PurgeOption, ...]:
    match drive.bus:
        case "nvme":
            return list_nvme_options(drive, ask, root)
        case "ata":
            return list_ata_options(drive, ask, root)
        case "scsi":
            return list_scsi_options(drive, ask, root)
        case "usb" | "virtio" | "loop" | "other":
            return ()
        case _:
            assert_never(drive.bus)


def _plain_option(method: PurgeMethod, drive: Drive) -> PurgeOption:
    discards = drive.discard_max_bytes > 0
    if method == "none":
        return PurgeOption(method=method, is_possible=True, reason="nothing is done")
    if drive.is_read_only:
        reason = "the drive is read-only"
        return PurgeOption(method=method, is_possible=False, reason=reason)
    if method == "overwrite":
        reason = "every block can be written; but no block is then as if never used"
        return PurgeOption(method=method, is_possible=True, reason=reason)
    if not discards:
        reason = "the drive does not support discards (discard_max_bytes is 0)"
        return PurgeOption(method=method, is_possible=False, reason=reason)
    if method == "discard-secure":
        reason = (
            "whether the drive supports secure discards is unknown, so it is tried "
            "only if requested by name"
        )
        return PurgeOption(
            method=method, is_possible=False, reason=reason, is_unknown=True
        )
    size = capacity_label(drive.discard_max_bytes)
    reason = f"the drive supports discards (up to {size} at once)"
    return PurgeOption(method=method, is_possible=True, reason=reason)

"""A purge from end to end: write marks, purge, verify."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from ssdlab.drive.purge import (
    ata_sanitize,
    ata_security,
    nvme_format,
    nvme_sanitize,
    scsi,
)
from ssdlab.drive.purge.direct import forget_cached
from ssdlab.drive.purge.discard import discard_all_blocks
from ssdlab.drive.purge.overwrite import overwrite_all_blocks
from ssdlab.drive.purge.proof import (
    compare_logs,
    find_doubt,
    find_fault,
    read_back,
    read_log,
    write_marks,
)
from ssdlab.drive.purge.work import SYSTEM_CLOCK, Clock, Done, Held, Work
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import (
    Drive,
    FormatChoice,
    PurgeChoice,
    PurgeMethod,
    PurgeOutcome,
)
from ssdlab.model.errors import MissingToolError

_CARRIERS: Final[Mapping[PurgeMethod, Callable[[Work], Done]]] = {
    "nvme-format-user-data": nvme_format.format_namespace,
    "nvme-format-crypto": nvme_format.format_namespace,
    "nvme-sanitize-block": nvme_sanitize.sanitize,
    "nvme-sanitize-crypto": nvme_sanitize.sanitize,
    "nvme-sanitize-overwrite": nvme_sanitize.sanitize,
    "ata-security-erase": ata_security.security_erase,
    "ata-security-erase-enhanced": ata_security.security_erase,
    "ata-sanitize-block": ata_sanitize.sanitize,
    "ata-sanitize-crypto": ata_sanitize.sanitize,
    "ata-sanitize-overwrite": ata_sanitize.sanitize,
    "scsi-sanitize-block": scsi.erase,
    "scsi-sanitize-crypto": scsi.erase,
    "scsi-sanitize-overwrite": scsi.erase,
    "scsi-format-unit": scsi.erase,
    "discard-secure": discard_all_blocks,
    "discard": discard_all_blocks,
    "overwrite": overwrite_all_blocks,
}


def _say_nothing(_: str) -> None:
    """Discard a line of progress."""


def purge_drive(
    held: Held,
    choice: PurgeChoice,
    *,
    folder: Path,
    ask: Ask = ask_tool,
    tell: Callable[[str], None] = _say_nothing,
    clock: Clock = SYSTEM_CLOCK,
) -> PurgeOutcome:
    """Purge a drive that passed the gate, and verify the effect.

    Notes
    -----
    The gate refuses other namespaces that a method would erase too.
    """
    if choice.method == "none":
        return PurgeOutcome(said="no purge: the method is none")
    work = Work(
        drive=held.drive,
        descriptor=held.descriptor,
        method=choice.method,
        folder=folder,
        ask=ask,
        tell=tell,
        clock=clock,
        sector_bytes=choice.sector_bytes if isinstance(choice, FormatChoice) else None,
    )
    try:
        done = _mark_purge_look(work)
    except MissingToolError as error:
        done = Done(fault=str(error))
    except OSError as error:  # of the descriptor itself: the drive is gone
        done = Done(fault=f"the drive does not answer ({error.strerror})")
    gone = held.is_alive()
    faults = (done.fault, gone and f"after it: {gone}")
    return PurgeOutcome(
        said="\n".join((choice.words, *done.said)),
        fault=". ".join(fault for fault in faults if fault),
        doubt=done.doubt,
    )


def _mark_purge_look(work: Work) -> Done:
    waited = _await_running(work)
    if waited.fault:
        return waited
    marks = write_marks(work.descriptor, _with_largest_sectors(work))
    before = read_log(work.drive, work.ask)
    done = _CARRIERS[work.method](work).after(*waited.said, marks.line)
    if done.fault:
        return done
    logs = compare_logs(
        work.drive, work.method, (before, read_log(work.drive, work.ask))
    )
    forget_cached(work.descriptor)
    found = read_back(work.descriptor, marks)
    doubts = (done.doubt, logs.doubt, find_doubt(marks, found))
    return Done(
        said=(*done.said, *logs.said, found.line),
        fault=find_fault(work.method, found),
        doubt="; ".join(doubt for doubt in doubts if doubt),
    )


def _with_largest_sectors(work: Work) -> Drive:
    """Return the drive with the larger of its sectors before and after the purge."""
    size = max(work.drive.logical_sector_bytes, work.sector_bytes or 0)
    return replace(work.drive, logical_sector_bytes=size)


def _await_running(work: Work) -> Done:
    if work.method.startswith("nvme-sanitize-"):
        return nvme_sanitize.await_running_sanitize(work)
    if work.method.startswith("ata-sanitize-"):
        return ata_sanitize.await_running_sanitize(work)
    if work.method.startswith("scsi-"):
        return scsi.await_running(work)
    return Done()

"""Opening block devices by name, if a run may use them."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from ssdlab.drive.gate.consent import (
    consent_by_name,
    describe_loss,
    is_place,
    leads_to,
    require_consent,
    require_still_meant,
)
from ssdlab.drive.gate.end_digests import digest_ends, read_kept_ends
from ssdlab.drive.gate.preflight import check_disposable
from ssdlab.drive.gate.preflight import find_obstacles as find_all_obstacles
from ssdlab.drive.generic import find_generic, find_most_bytes
from ssdlab.drive.health import require_health_access
from ssdlab.drive.inventory import find_drive, list_drives
from ssdlab.drive.notes import drive_folder
from ssdlab.drive.purge import (
    choose_option,
    choose_purge,
    clean_after_crash,
    has_journal,
    list_purge_options,
)
from ssdlab.drive.safe_text import shown
from ssdlab.drive.safety import (
    HeldDrive,
    KnownDrive,
    require_disposable,
    require_disposable_again,
)
from ssdlab.drive.sysfs import block_folder
from ssdlab.drive.write_cache import (
    keep_write_cache,
    read_write_cache,
    restore_write_cache,
)
from ssdlab.host.affinity import local_cpus
from ssdlab.model.drive import (
    AUTO_PURGE,
    Consent,
    Drive,
    DriveChoices,
    WriteCacheState,
)
from ssdlab.model.errors import (
    MissingToolError,
    PrivilegeError,
    SsdlabError,
    TargetRefusedError,
)
from ssdlab.model.records import RunRecord, TargetIdentity
from ssdlab.system.files import ROOT, read_number
from ssdlab.system.folders import Folder
from ssdlab.system.state import state_folder
from ssdlab.targets.block import BlockTarget
from ssdlab.targets.options import require_safe_path
from ssdlab.targets.purges import PurgeOutlook
from ssdlab.targets.shape import Shape
from ssdlab.targets.watch import DriveWatch

_ATTACH_IT = "Attach only the drive of this run, where it was, or begin a new run."
_CLEANED = "cleaned.txt"  # what a crash left behind, and how it was cleaned up
_BUSES = {"nvme": "NVMe", "ata": "ATA", "scsi": "SCSI", "usb": "USB"}
_NO_FEATURE = {"loop", "virtio", "other"}  # buses without a reported write cache


def find_again(
    recorded: Drive,
    drives: Sequence[Drive],
    consent: Consent,
    *,
    root: Path = ROOT,
) -> Drive:
    """Return the recorded drive from those that are attached now.

    A drive is identified by its model, serial number and WWN. One that was confirmed by
    the path of its slot, because another had the same identity, is identified by that
    path. The kernel's name proves nothing: it may be another drive's now.
    """
    if consent.what == "path":
        return _find_at_place(recorded, drives, consent.text, root=root)
    name = shown(" ".join(filter(None, (recorded.model, recorded.serial))))
    same = [drive for drive in drives if _has_same_identity(drive, recorded)]
    if not same:
        raise TargetRefusedError(
            target=recorded.path,
            reason=f"the drive of this run ({name or recorded.bus}) is not attached",
            remedy="Attach it again, in any slot, and resume the run.",
        )
    if len(same) > 1:
        paths = ", ".join(drive.path for drive in same)
        _refuse(recorded, f"{paths} have the same identity ({name or 'none'})")
    return same[0]


def require_name(recorded: Drive) -> Consent:
    """Return what must have confirmed the drive of a record that lacks it."""
    consent = consent_by_name(recorded)
    if consent is None:
        _refuse(recorded, "it reports neither a serial number nor a WWN")
    return consent


def _find_at_place(
    recorded: Drive, drives: Sequence[Drive], path: str, *, root: Path
) -> Drive:
    """Return the drive that is attached where the recorded one was, to be checked."""
    if not is_place(path):
        _refuse(
            recorded,
            f"it was confirmed by {shown(path)}, a path made of names that another "
            "drive also had",
        )
    for drive in drives:
        if leads_to(path, drive, root):
            return drive
    raise TargetRefusedError(
        target=recorded.path,
        reason=f"no drive is attached at {shown(path)}, the path by which the drive of "
        "this run was confirmed",
        remedy="Attach it there again and resume the run.",
    )


def _refuse(recorded: Drive, why: str) -> NoReturn:
    raise TargetRefusedError(
        target=recorded.path,
        reason=f"the drive that this run measured cannot be identified: {why}",
        remedy=_ATTACH_IT,
    )


def _has_same_identity(drive: Drive, recorded: Drive) -> bool:
    names = ("bus", "model", "serial", "wwn", "namespace_id")
    return all(getattr(drive, name) == getattr(recorded, name) for name in names)


def open_block(spec: str, folder: Path, choices: DriveChoices) -> BlockTarget:
    """Open and hold the drive of this name, if it may be destroyed."""
    require_safe_path(spec)
    drive = find_drive(spec)
    cleaned = clean_after_crash(drive, state_folder())
    held = require_disposable(drive, confirmed=choices.confirmed, named=spec)
    _note(cleaned, folder)
    return _take(held, _identity(drive, spec), folder, choices=choices)


def reopen_block(
    record: RunRecord, folder: Path, *, confirmed: str | None = ""
) -> BlockTarget:
    """Open the drive of an interrupted run, whatever its name is now.

    If ``confirmed`` is ``None``, the record is known to be this user's own: what was
    typed when the run began counts as long as it means this drive. Otherwise nothing in
    the folder counts, and the drive must be confirmed again.
    """
    identity = record.target
    recorded, drive, consent = _find_confirmed(record, confirmed)
    _note(clean_after_crash(drive, state_folder()), folder)
    ends = read_kept_ends(folder) if confirmed is None else ""
    held = require_disposable_again(
        drive,
        KnownDrive(drive=recorded, consent=consent, ends=ends),
        named=_stable_name(identity, drive),
    )
    return _take(held, identity, folder, choices=_choices_of(record))


def check_block_again(record: RunRecord, confirmed: str | None) -> str:
    """Refuse early a run whose drive is not attached or was not consented to.

    If it was confirmed again, what will be destroyed is returned.
    """
    _, drive, _ = _find_confirmed(record, confirmed)
    return "" if confirmed is None else _loss(drive)


def _loss(drive: Drive) -> str:
    return f"{drive.path}: {describe_loss(drive)}."


def _find_confirmed(
    record: RunRecord, confirmed: str | None
) -> tuple[Drive, Drive, Consent]:
    """Return the drive as recorded and as attached now, and what confirms it."""
    recorded = record.drive or _of_older_record(record.target)
    typed = record.consent or require_name(recorded)
    drive = find_again(recorded, list_drives(), typed)
    if confirmed is None:
        return recorded, drive, require_still_meant(drive, typed)
    return recorded, drive, require_consent(drive, confirmed)


def read_block_shape(spec: str) -> Shape:
    """Return the shape of a drive, as the system shows it to every user."""
    require_safe_path(spec)
    drive = find_drive(spec)
    return Shape(
        capacity_bytes=drive.capacity_bytes,
        sector_bytes=drive.logical_sector_bytes,
        kind="block",
        is_loop=drive.bus == "loop",
        write_cache_fault=_write_cache_trouble(drive),
        fio_options=_fio_options(drive),
        has_poll_queues=_has_poll_queues(drive),
        generic_path=find_generic(drive),
        command_bytes=find_most_bytes(drive),
    )


def _has_poll_queues(drive: Drive) -> bool | None:
    polls = read_number(block_folder(drive.name) / "queue/io_poll")
    return None if polls is None else polls > 0


def foresee_block_purge(spec: str, wanted: str) -> PurgeOutlook:
    """Return how a drive would be purged, and its own estimate of the time."""
    drive = find_drive(spec)
    options = list_purge_options(drive)
    choice = choose_option(drive, wanted, options)
    raw = {option.method: option.expected_s for option in options}
    return PurgeOutlook(
        method=choice.method,
        expected_s=raw[choice.method],
    )


def check_block(spec: str, confirmed: str) -> str:
    """Refuse a drive that a run could not use now; return what a run destroys.

    Nothing is held. A drive that a purge may have left locked is not checked: opening
    it unlocks it first.
    """
    require_safe_path(spec)
    drive = find_drive(spec)
    if not has_journal(drive, state_folder()):
        check_disposable(drive, confirmed)
    return _loss(drive)


def find_block_obstacles(spec: str) -> tuple[str, ...]:
    """Return why a run on a drive would be refused now, and what to do about it."""
    uses = find_all_obstacles(find_drive(spec))
    return tuple(f"{use.reason}. {use.remedy}".strip() for use in uses)


def _take(
    held: HeldDrive, identity: TargetIdentity, folder: Path, *, choices: DriveChoices
) -> BlockTarget:
    """Return a drive that passed the gate as a target; release it on failure."""
    drive = held.drive
    try:
        purge = choose_purge(drive, choices.purge)
        watch = _begin_watch(drive, choices.temperature_limit_celsius)
        Folder(folder).make()
        fault = _set_write_cache(drive, choices.write_cache)
        return BlockTarget(
            identity=identity,
            drive=drive,
            fio_options=_fio_options(drive),
            purge_choice=purge,
            write_cache=read_write_cache(drive) or "as found",
            write_cache_fault=fault,
            held=held,
            folder=folder,
            choices=choices,
            watch=watch,
            ends=_read_ends(held),
        )
    except BaseException:
        with suppress(SsdlabError, OSError):
            restore_write_cache(drive, drive_folder(drive))
        held.close()
        raise


def _read_ends(held: HeldDrive) -> str:
    """Return the digest of what is on the drive, "" if it cannot be read."""
    try:
        return digest_ends(held.descriptor, held.drive.capacity_bytes)
    except OSError:
        return ""


def _begin_watch(drive: Drive, limit_celsius: float | None) -> DriveWatch:
    """Start the watch of a drive, which must report what a limit is set for."""
    watch = DriveWatch(drive=drive, limit_celsius=limit_celsius)
    if limit_celsius is None:
        return watch
    watch.read()
    if watch.health.temperature_celsius is None:
        require_health_access(drive)
        raise TargetRefusedError(
            target=drive.path,
            reason="it does not report its temperature, so no limit can be enforced",
            remedy="Leave out the limit.",
        )
    return watch


def _set_write_cache(drive: Drive, state: WriteCacheState) -> str:
    """Set the write cache for the run; return why that failed, or ""."""
    try:
        return keep_write_cache(drive, state, drive_folder(drive))
    except (PrivilegeError, MissingToolError) as error:
        return str(error)


def _fio_options(drive: Drive) -> dict[str, str]:
    options = {
        "ioengine": "libaio",
        "filename": require_safe_path(drive.path),
        # Otherwise, if the device node is gone, fio makes a file in /dev, in memory.
        "allow_file_create": "0",
    }
    near = local_cpus(drive)
    if near:
        options["cpus_allowed"] = ",".join(map(str, near))
    return options


def _identity(drive: Drive, spec: str) -> TargetIdentity:
    return TargetIdentity(
        kind="block",
        spec=spec,
        model=drive.model,
        serial=drive.serial,
        firmware=drive.firmware,
        capacity_bytes=drive.capacity_bytes,
        sector_bytes=drive.logical_sector_bytes,
        interface=_interface(drive),
        options={
            "path": drive.path,
            "stable_path": next(iter(drive.stable_paths), ""),
        },
    )


def _interface(drive: Drive) -> str:
    """Return how it is attached, such as ``NVMe, PCIe 16 GT/s x4``."""
    bus = _BUSES.get(drive.bus, drive.bus)
    link = drive.pcie
    if drive.bus != "nvme" or link is None or not (link.width and link.speed_gt_s):
        return bus
    return f"{bus}, PCIe {link.speed_gt_s:g} GT/s x{link.width}"


def _write_cache_trouble(drive: Drive) -> str:
    """Return why its write cache cannot be set, as far as known without a query."""
    if drive.bus in _NO_FEATURE:
        return "it does not report a write cache that can be set"
    return ""


def _of_older_record(identity: TargetIdentity) -> Drive:
    """Return the loop device of a run whose record has no drive."""
    drive = find_drive(str(identity.options.get("path", identity.spec)))
    return replace(drive, serial=identity.serial)


def _note(cleaned: str, folder: Path) -> None:
    """Record how leftovers of a killed purge were cleaned up."""
    if cleaned:
        with Folder(folder).make().opened_in_place(_CLEANED) as file:
            file.write(f"{cleaned}\n".encode())


def _choices_of(record: RunRecord) -> DriveChoices:
    """Return the choices of the run's beginning; what failed then is left alone."""
    wanted = record.asked.write_cache
    purge = record.purge_choice
    return DriveChoices(
        purge=AUTO_PURGE if purge is None else purge.method,
        write_cache=record.write_cache if record.write_cache == wanted else "as found",
        temperature_limit_celsius=record.temperature_limit_celsius,
    )


def _stable_name(identity: TargetIdentity, drive: Drive) -> str:
    """Return a persistent udev name of the drive, else the one that the user gave."""
    return next(iter(drive.stable_paths), identity.spec)

"""Block devices by name: what they are, and whether a run may have them."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ssdlab.drive.gate.consent import (
    describe_loss,
    require_consent,
    require_still_meant,
)
from ssdlab.drive.gate.ends import digest_ends, read_kept_ends
from ssdlab.drive.gate.glance import check_disposable
from ssdlab.drive.gate.glance import find_obstacles as find_all_obstacles
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
from ssdlab.drive.safety import (
    HeldDrive,
    KnownDrive,
    require_disposable,
    require_disposable_again,
)
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
from ssdlab.system.folders import Folder
from ssdlab.system.state import state_folder
from ssdlab.targets.again import find_again, require_name
from ssdlab.targets.block import BlockTarget
from ssdlab.targets.options import require_safe_path
from ssdlab.targets.purges import PurgeOutlook
from ssdlab.targets.shape import Shape
from ssdlab.targets.watch import DriveWatch

_CLEANED = "cleaned.txt"  # what was left behind by a crash, and what was done about it
_BUSES = {"nvme": "NVMe", "ata": "ATA", "scsi": "SCSI", "usb": "USB"}
_NO_FEATURE = {"loop", "virtio", "other"}  # buses whose devices tell of no write cache


def open_block(spec: str, folder: Path, choices: DriveChoices) -> BlockTarget:
    """Return the drive of this name, held, if it may be destroyed.

    Raises
    ------
    TargetRefusedError
        If it is no drive, is in use, was not consented to, or cannot be purged so.
    """
    require_safe_path(spec)
    drive = find_drive(spec)
    cleaned = clean_after_crash(drive, state_folder())
    held = require_disposable(drive, confirmed=choices.confirmed, named=spec)
    _note(cleaned, folder)
    return _take(held, _identity(drive, spec), folder, choices=choices)


def reopen_block(
    record: RunRecord, folder: Path, *, confirmed: str | None = ""
) -> BlockTarget:
    """Return the drive of an interrupted run, by whatever name it is there now.

    What was typed when the run began counts as long as it means this very drive, if
    ``confirmed`` is ``None``: if the record is known to be this user's own. Otherwise
    nothing that the folder says counts, and the drive is to be confirmed again.

    Raises
    ------
    TargetRefusedError
        If it is not there, is another one, is in use, or was not consented to.
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
    """Refuse at once a run whose drive is not there or was not consented to.

    What it destroys is returned, where it was confirmed anew.

    Raises
    ------
    TargetRefusedError
        If that is so.
    """
    _, drive, _ = _find_confirmed(record, confirmed)
    return "" if confirmed is None else _loss(drive)


def _loss(drive: Drive) -> str:
    return f"{drive.path}: {describe_loss(drive)}."


def _find_confirmed(
    record: RunRecord, confirmed: str | None
) -> tuple[Drive, Drive, Consent]:
    """Return the drive as recorded and as it is there now, and what confirms it.

    Raises
    ------
    TargetRefusedError
        If it is not there, is another one, or was not consented to.
    """
    recorded = record.drive or _of_older_record(record.target)
    typed = record.consent or require_name(recorded)
    drive = find_again(recorded, list_drives(), typed)
    if confirmed is None:
        return recorded, drive, require_still_meant(drive, typed)
    return recorded, drive, require_consent(drive, confirmed)


def read_block_shape(spec: str) -> Shape:
    """Return what a drive is, as the system tells every user.

    Raises
    ------
    TargetRefusedError
        If it is no drive.
    """
    require_safe_path(spec)
    drive = find_drive(spec)
    return Shape(
        capacity_bytes=drive.capacity_bytes,
        sector_bytes=drive.logical_sector_bytes,
        kind="block",
        is_loop=drive.bus == "loop",
        write_cache_fault=_write_cache_trouble(drive),
        fio_options=_fio_options(drive),
    )


def foresee_block_purge(spec: str, wanted: str) -> PurgeOutlook:
    """Return how a drive would be purged, and how long it says that this takes.

    Raises
    ------
    TargetRefusedError
        If it is no drive, or cannot be purged so.
    """
    drive = find_drive(spec)
    options = list_purge_options(drive)
    choice = choose_option(drive, wanted, options)
    told = {option.method: option.expected_s for option in options}
    return PurgeOutlook(
        method=choice.method,
        expected_s=told[choice.method],
    )


def check_block(spec: str, confirmed: str) -> str:
    """Refuse a drive that a run would be refused on now; return what one destroys.

    Nothing is held. A drive that a purge may have left locked is not looked at: opening
    it unlocks it first.

    Raises
    ------
    TargetRefusedError
        If it is no drive, is in use, or was not consented to.
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
    """Return a drive that passed the gate as a target; let go of it if that fails."""
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
    """Return what the session found on the drive, "" if it cannot be read."""
    try:
        return digest_ends(held.descriptor, held.drive.capacity_bytes)
    except OSError:
        return ""


def _begin_watch(drive: Drive, limit_celsius: float | None) -> DriveWatch:
    """Return the watch over a drive, which must tell what a limit is set to.

    Raises
    ------
    TargetRefusedError
        If there is a limit to a temperature that is not told.
    """
    watch = DriveWatch(drive=drive, limit_celsius=limit_celsius)
    if limit_celsius is None:
        return watch
    watch.read()
    if watch.health.temperature_celsius is None:
        require_health_access(drive)
        raise TargetRefusedError(
            target=drive.path,
            reason="it does not tell its temperature, so no limit to it can be kept",
            remedy="Leave the limit out.",
        )
    return watch


def _set_write_cache(drive: Drive, state: WriteCacheState) -> str:
    """Set the write cache for the run; return why it does not stand so, or ""."""
    try:
        return keep_write_cache(drive, state, drive_folder(drive))
    except (PrivilegeError, MissingToolError) as error:
        return str(error)


def _fio_options(drive: Drive) -> dict[str, str]:
    options = {
        "ioengine": "libaio",
        "filename": require_safe_path(drive.path),
        # Else fio makes a file in /dev, in memory, where the node of a drive has gone.
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
    """Return why its write cache cannot be set, as far as one can know unasked."""
    if drive.bus in _NO_FEATURE:
        return "it does not tell of a write cache that can be set"
    return ""


def _of_older_record(identity: TargetIdentity) -> Drive:
    """Return the loop device of a run whose record holds no drive.

    Raises
    ------
    TargetRefusedError
        If it is not there, or the record does not name it.
    """
    drive = find_drive(str(identity.options.get("path", identity.spec)))
    return replace(drive, serial=identity.serial)


def _note(cleaned: str, folder: Path) -> None:
    """Write down what was taken off that a purge that was killed had left."""
    if cleaned:
        with Folder(folder).make().opened_in_place(_CLEANED) as file:
            file.write(f"{cleaned}\n".encode())


def _choices_of(record: RunRecord) -> DriveChoices:
    """Return what the run began with; what could not be set then is left now."""
    wanted = record.asked.write_cache
    purge = record.purge_choice
    return DriveChoices(
        purge=AUTO_PURGE if purge is None else purge.method,
        write_cache=record.write_cache if record.write_cache == wanted else "as found",
        temperature_limit_celsius=record.temperature_limit_celsius,
    )


def _stable_name(identity: TargetIdentity, drive: Drive) -> str:
    """Return a name that udev keeps for the drive, else the one that the user gave."""
    return next(iter(drive.stable_paths), identity.spec)

"""The health of ATA, SCSI and USB drives from ``smartctl --json``.

Only values with a known unit are used. The standard's own log, "device statistics"
(ACS-4, 9.5), comes first; of the vendors' ATA attributes only those count whose name
in smartctl's database states the unit.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from ssdlab.drive.health.nvme import TEMPERATURE_WARNING, ControllerFacts, health_of_log
from ssdlab.model.drive import Bus, Drive, DriveHealth

FAILED_WORDS: Final = "its own SMART status reports that it is failing"
_OPEN_FAILED = 0b11  # of the exit code: bad command line, or the drive not opened
_FAILING = 0b1000
_HOT_ASC, _HOT_ASCQ = 0x0B, 0x01  # SPC: warning, specified temperature exceeded
_MINUTE_S = 60
_GIGABYTE_BYTES = 10**9
_SIZES = {"MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_DENIED = re.compile("Permission denied|Operation not permitted")
_NAND_WRITES = "NAND_Writes_1GiB"
_AMOUNT = re.compile(r"(?:Total_)?(?:Host|Lifetime)_(Writes|Reads)_(\d*)(MiB|GiB|TiB)")
_ATA_STATISTICS = ("1", "4", "5", "7")  # general, errors, temperature, solid state
_STATISTICS: Mapping[str, str] = {
    "Logical Sectors Written": "written",
    "Logical Sectors Read": "read",
    "Number of Reported Uncorrectable Errors": "errors",
    "Time in Over-Temperature": "hot",
    "Specified Maximum Operating Temperature": "limit",
    "Percentage Used Endurance Indicator": "wear",
    "Current Temperature": "now",
}
Plain = Mapping[str, Any]


def smart_command(drive: Drive) -> tuple[str, ...]:
    """Return the smartctl command; it wakes no sleeping drive, and reads little.

    Each page is another command that drains the drive's queue on ATA.
    """
    return ("smartctl", "--json", *_OPTIONS[drive.bus], drive.path)


_OPTIONS: Mapping[Bus, tuple[str, ...]] = {
    "ata": (
        *("-n", "standby", "-H", "-A"),
        *(word for page in _ATA_STATISTICS for word in ("-l", f"devstat,{page}")),
    ),
    "scsi": ("-i", "-H", "-A", "-l", "error", "-l", "ssd"),
    "usb": ("-i", "-H", "-A"),
}


def parse_smart(text: str, drive: Drive) -> DriveHealth:
    """Parse the health from smartctl; empty if it could not read it."""
    said = _parse(text)
    protocol = _part(said, "device").get("protocol")
    if _exit_code(said) & _OPEN_FAILED or protocol not in _READERS:
        return DriveHealth()
    if _is_disguised(protocol, drive):
        return DriveHealth()
    return _with_status(_READERS[protocol](said, drive), said)


def find_refusal(text: str, drive: Drive) -> bool:
    """Return whether smartctl was denied access to the drive."""
    said = _parse(text)
    messages = _rows(_part(said, "smartctl").get("messages"))
    return any(
        _DENIED.search(str(message.get("string"))) for message in messages
    ) or _is_disguised(_part(said, "device").get("protocol"), drive)


def _is_disguised(protocol: object, drive: Drive) -> bool:
    """Return whether an ATA drive appears as SCSI, as without CAP_SYS_RAWIO.

    smartctl 7.3 then ends with exit code 0 and reports nothing.
    """
    return protocol == "SCSI" and drive.bus == "ata"


def _parse(text: str) -> Plain:
    try:
        said = json.loads(text)
    except ValueError:  # a smartctl before 7.0 writes no JSON
        said = None
    return said if isinstance(said, dict) else {}


def _read_ata(said: Plain, drive: Drive) -> DriveHealth:
    raw = dict(_statistics(said))
    amounts = dict(_vendor_amounts(said))
    sector_bytes = drive.logical_sector_bytes
    written = _times(raw.get("written"), sector_bytes)
    read = _times(raw.get("read"), sector_bytes)
    common = _read_common(said)
    return replace(
        common,
        temperature_celsius=_first(common.temperature_celsius, raw.get("now")),
        warning_temperature_celsius=raw.get("limit"),
        warning_temperature_s=_times(raw.get("hot"), _MINUTE_S),
        wear_percent=_first(
            _number(said, "endurance_used", "current_percent"), raw.get("wear")
        ),
        host_written_bytes=_first(written, amounts.get("Writes")),
        host_read_bytes=_first(read, amounts.get("Reads")),
        media_written_bytes=_media_written(said),
        media_errors=raw.get("errors"),
    )


def _read_scsi(said: Plain, drive: Drive) -> DriveHealth:
    del drive
    common = _read_common(said)
    trip = _first(
        _number(said, "temperature", "drive_trip"),
        _number(said, "scsi_temperature", "drive_trip"),
    )
    return replace(
        common,
        # smartctl 7.3 writes 0 for a drive that reports no temperature
        temperature_celsius=common.temperature_celsius or None,
        warning_temperature_celsius=trip or None,
        wear_percent=_first(
            _number(said, "endurance_used", "current_percent"),
            _number(said, "scsi_percentage_used_endurance_indicator"),
        ),
        host_written_bytes=_processed(said, "write"),
        host_read_bytes=_processed(said, "read"),
        media_errors=_uncorrected(said),
    )


def _read_nvme(said: Plain, drive: Drive) -> DriveHealth:
    """Return the health of an NVMe drive behind a USB bridge."""
    del drive
    log = _part(said, "nvme_smart_health_information_log")
    numbers = {name: value for name, value in log.items() if type(value) is int}
    return health_of_log(numbers, ControllerFacts())


_READERS = {"ATA": _read_ata, "SCSI": _read_scsi, "NVMe": _read_nvme}


def _read_common(said: Plain) -> DriveHealth:
    return DriveHealth(
        temperature_celsius=_number(said, "temperature", "current"),
        spare_percent=_number(said, "spare_available", "current_percent"),
        spare_threshold_percent=_number(said, "spare_available", "threshold_percent"),
        power_on_hours=_number(said, "power_on_time", "hours"),
        power_cycles=_number(said, "power_cycle_count"),
    )


def _with_status(health: DriveHealth, said: Plain) -> DriveHealth:
    status = _part(said, "smart_status")
    passed = status.get("passed")
    if _exit_code(said) & _FAILING:
        passed = False
    if not isinstance(passed, bool) or health.is_failing is not None:
        return health
    if passed:
        # without such a support smartctl finds nothing wrong with a SCSI drive
        is_known = _part(said, "smart_support").get("available") is not False
        return replace(health, is_failing=False if is_known else None)
    sense = _part(status, "scsi")
    words = str(sense.get("ie_string") or "")
    if (sense.get("asc"), sense.get("ascq")) == (_HOT_ASC, _HOT_ASCQ):
        return replace(health, is_failing=False, warnings=(TEMPERATURE_WARNING,))
    words = f"{FAILED_WORDS}: {words}" if words else FAILED_WORDS
    return replace(health, is_failing=True, warnings=(words,))


def _statistics(said: Plain) -> Iterator[tuple[str, float]]:
    """Yield the wanted statistics that the drive marks as valid."""
    for page in _rows(_part(said, "ata_device_statistics").get("pages")):
        for row in _rows(page.get("table")):
            name = _STATISTICS.get(str(row.get("name")))
            value = _number(row, "value")
            if name and value is not None and _part(row, "flags").get("valid"):
                yield name, value


def _media_written(said: Plain) -> float | None:
    """Return the bytes written to flash, of an attribute whose name states the unit."""
    for row in _rows(_part(said, "ata_smart_attributes").get("table")):
        raw = _number(row, "raw", "value")
        if row.get("name") == _NAND_WRITES and raw is not None:
            return raw * _SIZES["GiB"]
    return None


def _vendor_amounts(said: Plain) -> Iterator[tuple[str, float]]:
    """Yield the amounts written and read from attributes whose name states the unit.

    ``Total_LBAs_Written`` is not such a name: smartctl uses it for attribute 241 of
    every unknown drive, whatever that counts.
    """
    for row in _rows(_part(said, "ata_smart_attributes").get("table")):
        match = _AMOUNT.fullmatch(str(row.get("name")))
        raw = _number(row, "raw", "value")
        if match and raw is not None:
            side, count, unit = match.groups()
            yield side, raw * int(count or 1) * _SIZES[unit]


def _processed(said: Plain, side: str) -> float | None:
    """Return the bytes in the drive's error counter log [B]; text, in 10^9 B."""
    text = _part(_part(said, "scsi_error_counter_log"), side).get("gigabytes_processed")
    try:
        return round(float(str(text)) * _GIGABYTE_BYTES) or None  # 0: no such counter
    except (ValueError, OverflowError):
        return None


def _uncorrected(said: Plain) -> float | None:
    log = _part(said, "scsi_error_counter_log")
    counts = [
        _number(log, side, "total_uncorrected_errors")
        for side in ("read", "write", "verify")
        if side in log
    ]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _exit_code(said: Plain) -> int:
    code = _part(said, "smartctl").get("exit_status")
    return code if type(code) is int else _OPEN_FAILED


def _part(said: Plain, key: str) -> Plain:
    part = said.get(key)
    return part if isinstance(part, dict) else {}


def _rows(part: object) -> Iterator[Plain]:
    yield from (
        (row for row in part if isinstance(row, dict)) if isinstance(part, list) else ()
    )


def _number(said: Plain, *keys: str) -> float | None:
    part: object = said
    for key in keys:
        part = part.get(key) if isinstance(part, dict) else None
    if isinstance(part, bool) or not isinstance(part, int | float):
        return None
    return part


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)


def _times(count: float | None, size: int) -> float | None:
    return None if count is None else count * size

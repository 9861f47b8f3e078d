"""The health log of an NVMe drive: NVM Express Base Specification 2.0, 5.16.1.3."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from ssdlab.drive.nvme_admin import (
    IDENTIFY_CONTROLLER,
    READ_INTEL_LOG,
    READ_LATENCY_MONITOR,
    READ_OCP_LOG,
    READ_SMART_LOG,
    SendAdmin,
)
from ssdlab.model.drive import Drive, DriveHealth

CRITICAL_WARNINGS = (
    "the spare capacity is below its threshold",
    "the temperature is above or below a threshold",
    "the reliability is degraded by media errors or internal errors",
    "the media are read-only",
    "the volatile memory backup has failed",
    "the persistent memory region is read-only or unreliable",
)
TEMPERATURE_WARNING = CRITICAL_WARNINGS[1]
_OCP_GUID_AT = 496
_OCP_GUID = bytes.fromhex("c5af1028eabff2a49c4f6f7cc914d5af")  # as it lies in the page
_WITH_INTEL_LOG = frozenset({0x8086, 0x025E})  # Intel, Solidigm
_NAND_WRITTEN, _NAND_UNIT, _RECORD_BYTES = b"\xf4", 1 << 25, 12
_MONITOR_GUID = bytes.fromhex("927ac08cd0846c9c7043e6d4585ed485")
_BUCKETS = slice(32, 96)
_THRESHOLD_S = 0.005
_FAILING_BITS = 0b0000_1100  # unreliable, read-only
_DATA_UNIT_BYTES = 1000 * 512
_ZERO_CELSIUS_KELVIN = 273  # whole degrees, as the drive, nvme-cli and smartctl count
_MINUTE_S = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class ControllerFacts:
    """The fields of identify controller about health, which do not change.

    ``counts_throttling``: host-controlled thermal management (HCTMA) is supported;
    otherwise the time spent in it is always 0. ``vendor`` is that of the PCI device.
    """

    warning_celsius: float | None = None
    critical_celsius: float | None = None
    counts_throttling: bool = False
    vendor: int = 0


def read_nvme_health(drive: Drive, send: SendAdmin) -> DriveHealth:
    """Return the health of an NVMe drive, nothing if it has no such log."""
    answer = send(drive.path, READ_SMART_LOG)
    if answer.status:
        return DriveHealth()
    identity = (drive.diskseq, drive.serial, drive.firmware)
    facts = _read_facts(drive.path, identity, send)
    health = health_of_log(parse_smart_log(answer.data), facts)
    if not _has_ocp_log(drive.path, identity, send):
        written = _read_intel_log(drive.path, facts.vendor, send)
        return replace(health, media_written_bytes=written)
    extended = send(drive.path, READ_OCP_LOG)
    written = None if extended.status else parse_media_written(extended.data)
    slow, limit_s = _read_monitor(drive.path, identity, send)
    return replace(
        health,
        media_written_bytes=written,
        slow_commands=slow,
        slow_command_limit_s=limit_s,
    )


def _read_intel_log(path: str, vendor: int, send: SendAdmin) -> float | None:
    """Return what the additional SMART log counts, of a vendor that has it."""
    if vendor not in _WITH_INTEL_LOG:
        return None
    answer = send(path, READ_INTEL_LOG)
    return None if answer.status else parse_intel_log(answer.data)


def parse_intel_log(page: bytes) -> float | None:
    """Return the bytes written to the media, ``None`` if the log does not count them.

    Log CAh of Intel's and Solidigm's drives, as nvme-cli reads it: records of 12 bytes
    with their number at 0 and a count of 6 bytes at 5. F4h is what was written to the
    NAND, in 32 MiB.
    """
    records = (page[at : at + _RECORD_BYTES] for at in range(0, 504, _RECORD_BYTES))
    for record in records:
        if record[:1] == _NAND_WRITTEN:
            return float(int.from_bytes(record[5:11], "little") * _NAND_UNIT) or None
    return None


def _read_monitor(
    path: str, identity: tuple[object, ...], send: SendAdmin
) -> tuple[float | None, float | None]:
    """Return what the latency monitor counts, if the drive has one that is enabled."""
    if not _has_monitor(path, identity, send):
        return None, None
    answer = send(path, READ_LATENCY_MONITOR)
    return (None, None) if answer.status else parse_latency_monitor(answer.data)


@lru_cache(maxsize=64)
def _has_monitor(path: str, identity: tuple[object, ...], send: SendAdmin) -> bool:
    """Ask once: enabling it is a matter of whoever set up the drive."""
    del identity
    answer = send(path, READ_LATENCY_MONITOR)
    return not answer.status and parse_latency_monitor(answer.data)[0] is not None


@lru_cache(maxsize=64)
def _has_ocp_log(path: str, identity: tuple[object, ...], send: SendAdmin) -> bool:
    """Ask once: the log page is the vendor's own where it is not OCP's."""
    del identity
    answer = send(path, READ_OCP_LOG)
    return not answer.status and parse_media_written(answer.data) is not None


def parse_media_written(page: bytes) -> float | None:
    """Return the bytes written to the media, ``None`` if it is not OCP's log C0h.

    OCP Datacenter NVMe SSD Specification 2.0, SMART / Health Information Extended:
    physical media units written are bytes, at 0; the GUID of the page stands at 496.
    """
    if page[_OCP_GUID_AT : _OCP_GUID_AT + len(_OCP_GUID)] != _OCP_GUID:
        return None
    return float(int.from_bytes(page[:16], "little")) or None


def parse_latency_monitor(page: bytes) -> tuple[float | None, float | None]:
    """Return the commands slower than the limit of the latency monitor, and that [s].

    OCP Datacenter NVMe SSD Specification 2.0, log C3h: bit 0 of byte 0 says whether the
    monitor is enabled; threshold A stands at 6, in 5 ms from 5 ms; from 32 on are four
    buckets, above thresholds A to D, each with 4 B for trims, writes and reads after 4
    that are reserved. Its timer sets the counters back. ``None`` twice if it is no such
    log, or not enabled.
    """
    guid = page[_OCP_GUID_AT : _OCP_GUID_AT + len(_MONITOR_GUID)]
    if guid != _MONITOR_GUID or not page[0] & 1:
        return None, None
    buckets = struct.iter_unpack("<4x3I", page[_BUCKETS])
    return float(sum(map(sum, buckets))), (page[6] + 1) * _THRESHOLD_S


@lru_cache(maxsize=64)
def _read_facts(
    path: str, identity: tuple[object, ...], send: SendAdmin
) -> ControllerFacts:
    """Query once: every query disturbs the drive while it is measured."""
    del identity  # part of the cache key: another drive may get the same path
    answer = send(path, IDENTIFY_CONTROLLER)
    return ControllerFacts() if answer.status else parse_controller(answer.data)


def parse_controller(page: bytes) -> ControllerFacts:
    """Parse the fields of identify controller about health; 0 is not reported."""
    warning, critical = struct.unpack_from("<HH", page, 266)
    (heat_management,) = struct.unpack_from("<H", page, 322)
    return ControllerFacts(
        warning_celsius=_celsius(warning),
        critical_celsius=_celsius(critical),
        counts_throttling=bool(heat_management & 1),
        vendor=int.from_bytes(page[:2], "little"),
    )


def parse_smart_log(page: bytes) -> dict[str, int]:
    """Return the fields of the log by the names that smartctl gives them.

    The temperature is in degrees Celsius, and left out if the drive has none.
    """
    (kelvin,) = struct.unpack_from("<H", page, 1)
    times = struct.unpack_from("<II", page, 192)
    managed = struct.unpack_from("<II", page, 224)
    log = {
        "critical_warning": page[0],
        "available_spare": page[3],
        "available_spare_threshold": page[4],
        "percentage_used": page[5],
        "warning_temp_time": times[0],
        "critical_comp_time": times[1],
        "thermal_temp1_total_time": managed[0],
        "thermal_temp2_total_time": managed[1],
        **{name: _counter(page, at) for name, at in _COUNTERS.items()},
    }
    return log if kelvin == 0 else {**log, "temperature": kelvin - _ZERO_CELSIUS_KELVIN}


_COUNTERS = {
    "data_units_read": 32,
    "data_units_written": 48,
    "power_cycles": 112,
    "power_on_hours": 128,
    "unsafe_shutdowns": 144,
    "media_errors": 160,
    "num_err_log_entries": 176,
}


def health_of_log(log: Mapping[str, int], facts: ControllerFacts) -> DriveHealth:
    """Return the health from a log; a field that is not in it is not reported.

    Data units of 0 mean "not reported", and so do times above a temperature that the
    controller does not state.
    """
    critical_warning = log.get("critical_warning")
    return DriveHealth(
        temperature_celsius=log.get("temperature"),
        warning_temperature_celsius=facts.warning_celsius,
        critical_temperature_celsius=facts.critical_celsius,
        throttled_s=_throttled_s(log) if facts.counts_throttling else None,
        warning_temperature_s=_minutes(log, "warning_temp_time", facts.warning_celsius),
        critical_temperature_s=_minutes(
            log, "critical_comp_time", facts.critical_celsius
        ),
        wear_percent=log.get("percentage_used"),
        spare_percent=log.get("available_spare"),
        spare_threshold_percent=log.get("available_spare_threshold"),
        host_written_bytes=_units(log.get("data_units_written")),
        host_read_bytes=_units(log.get("data_units_read")),
        media_errors=log.get("media_errors"),
        error_log_entries=log.get("num_err_log_entries"),
        power_on_hours=log.get("power_on_hours"),
        power_cycles=log.get("power_cycles"),
        unsafe_shutdowns=log.get("unsafe_shutdowns"),
        is_failing=None
        if critical_warning is None
        else bool(critical_warning & _FAILING_BITS),
        warnings=warning_words(critical_warning or 0),
    )


def warning_words(critical_warning: int) -> tuple[str, ...]:
    """Return the meaning of the bits of the critical warning.

    Examples
    --------
    >>> warning_words(0b1001)
    ('the spare capacity is below its threshold', 'the media are read-only')
    """
    return tuple(
        CRITICAL_WARNINGS[bit]
        if bit < len(CRITICAL_WARNINGS)
        else f"an unknown critical warning (bit {bit})"
        for bit in range(8)
        if critical_warning >> bit & 1
    )


def _counter(page: bytes, at: int) -> int:
    return int.from_bytes(page[at : at + 16], "little")


def _celsius(kelvin: int) -> float | None:
    return None if kelvin == 0 else float(kelvin - _ZERO_CELSIUS_KELVIN)


def _units(count: int | None) -> float | None:
    return count * _DATA_UNIT_BYTES if count else None


def _minutes(
    log: Mapping[str, int], name: str, limit_celsius: float | None
) -> float | None:
    return None if limit_celsius is None or name not in log else log[name] * _MINUTE_S


def _throttled_s(log: Mapping[str, int]) -> float | None:
    names = ("thermal_temp1_total_time", "thermal_temp2_total_time")
    return sum(log[name] for name in names) if all(n in log for n in names) else None

"""One reading of the health of a drive, by the cheapest method of its bus."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from ssdlab.drive.health.hwmon import read_hwmon
from ssdlab.drive.health.nvme import read_nvme_health
from ssdlab.drive.health.smart import parse_smart, smart_command
from ssdlab.drive.nvme_admin import SendAdmin, send_admin
from ssdlab.drive.tools import TIMED_OUT, Ask, ask_tool
from ssdlab.model.drive import Drive, DriveHealth
from ssdlab.model.errors import MissingToolError, TargetRefusedError
from ssdlab.system.files import ROOT, look_at, within

ASK_S: Final = 60.0
_WITH_LOG = ("nvme", "ata", "scsi", "usb")


def has_log(drive: Drive) -> bool:
    """Return whether drives of this bus may have a health log at all."""
    return drive.bus in _WITH_LOG


def read_health(
    drive: Drive,
    *,
    ask: Ask = ask_tool,
    send: SendAdmin = send_admin,
    root: Path = ROOT,
) -> DriveHealth:
    """Return the current health of a drive.

    NVMe drives are queried through the kernel, others by smartctl. If that fails for
    lack of rights, of smartctl or of a log, the kernel's own sensor may still have the
    temperature; the rest is ``None``. `require_health_access` says why.
    """
    _require_there(drive, root)
    try:
        health = _ask_drive(drive, ask, send)
    except (PermissionError, MissingToolError):
        health = DriveHealth()
    except OSError as error:
        _require_there(drive, root)
        raise TargetRefusedError(
            target=drive.path,
            reason=f"its health log cannot be read ({error.strerror or error})",
            remedy="Check the kernel's messages: dmesg | tail.",
        ) from None
    return (
        health
        if health.temperature_celsius is not None
        else _with_sensor(health, read_hwmon(drive, root))
    )


def _ask_drive(drive: Drive, ask: Ask, send: SendAdmin) -> DriveHealth:
    if drive.bus == "nvme":
        return read_nvme_health(drive, send)
    if not has_log(drive):
        return DriveHealth()
    answer = ask(smart_command(drive), timeout_s=ASK_S)
    if answer.exit_code == TIMED_OUT:
        raise TimeoutError(0, f"no answer within {ASK_S:g} s")
    return parse_smart(answer.stdout, drive)


def _with_sensor(health: DriveHealth, sensor: DriveHealth) -> DriveHealth:
    known = health.critical_temperature_celsius
    return replace(
        health,
        temperature_celsius=sensor.temperature_celsius,
        critical_temperature_celsius=sensor.critical_temperature_celsius
        if known is None
        else known,
    )


def _require_there(drive: Drive, root: Path) -> None:
    if look_at(within(root, drive.path)).kind == "missing":
        raise TargetRefusedError(
            target=drive.path,
            reason="it is gone: the device no longer exists",
            remedy="Check whether it has power and a link, and check dmesg.",
        )

"""Access to the health log of a drive: what is required, what this user lacks."""

from pathlib import Path
from typing import NoReturn

from ssdlab.drive.grants import Need, refused_step
from ssdlab.drive.health.hwmon import read_hwmon
from ssdlab.drive.health.reading import ASK_S, has_log
from ssdlab.drive.health.smart import find_refusal, smart_command
from ssdlab.drive.nvme_admin import READ_SMART_LOG, SendAdmin, send_admin
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import Bus, Drive
from ssdlab.system.files import ROOT

_BY_SMARTCTL = Need(tools=("smartctl",), capability="CAP_SYS_RAWIO")
_NEEDS: dict[Bus, Need] = {
    "nvme": Need(tools=("nvme",), capability="CAP_SYS_ADMIN"),
    "scsi": Need(tools=("smartctl",)),
}


def require_health_access(
    drive: Drive,
    *,
    ask: Ask = ask_tool,
    send: SendAdmin = send_admin,
    root: Path = ROOT,
) -> None:
    """Require that this user may read the health log of a drive.

    It queries the drive once. A drive without a log, or of a kind without one, is not
    refused.
    """
    if has_log(drive) and _is_refused(drive, ask, send):
        _refuse(drive, root)


def _refuse(drive: Drive, root: Path) -> NoReturn:
    rest = read_hwmon(drive, root).temperature_celsius
    left = "nothing of it" if rest is None else "only its temperature"
    what = f"its health log cannot be read, {left} is known"
    raise refused_step(drive, what, _NEEDS.get(drive.bus, _BY_SMARTCTL))


def _is_refused(drive: Drive, ask: Ask, send: SendAdmin) -> bool:
    if drive.bus != "nvme":
        answer = ask(smart_command(drive), timeout_s=ASK_S)
        return find_refusal(answer.stdout, drive)
    try:
        send(drive.path, READ_SMART_LOG)
    except PermissionError:
        return True
    except OSError:
        return False  # the cause is not a missing right
    return False

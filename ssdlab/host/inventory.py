"""What the host is: PTS 2.0.2, section 5, "Test hardware" and "Test software"."""

import os
import platform
import re
from pathlib import Path

from ssdlab.model.records import HostIdentity
from ssdlab.model.version import VERSION

_NOT_TOLD = "not told by the system"


def read_host(fio_version: str) -> HostIdentity:
    """Return what the system tells of the host; what it does not tell says so."""
    return HostIdentity(
        platform=_platform(),
        cpu=_cpu(),
        dram_bytes=_dram_bytes(),
        operating_system=_operating_system(),
        kernel=f"{platform.system()} {platform.release()}",
        python_version=platform.python_version(),
        fio_version=fio_version,
        ssdlab_version=VERSION,
    )


def read_load() -> dict[str, float]:
    """Return the readings of the host that go into the telemetry."""
    fields = _text(Path("/proc/stat")).split("\n", maxsplit=1)[0].split()[1:]
    ticks = [float(field) for field in fields]
    readings = {"load_average_1_min": os.getloadavg()[0]}
    if len(ticks) >= 5:
        hertz = os.sysconf("SC_CLK_TCK")
        readings["cpu_all_s"] = sum(ticks[:8]) / hertz
        readings["cpu_busy_s"] = (sum(ticks[:8]) - ticks[3] - ticks[4]) / hertz
        readings["cpu_user_s"] = (ticks[0] + ticks[1]) / hertz
        readings["cpu_system_s"] = (ticks[2] + sum(ticks[5:7])) / hertz
    return readings


def read_cpus() -> frozenset[int]:
    """Return the processors that this process may use, as the kernel numbers them."""
    return frozenset(os.sched_getaffinity(0))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace").strip()
    except OSError:
        return ""


def _platform() -> str:
    folder = Path("/sys/class/dmi/id")
    names = [_text(folder / name) for name in ("sys_vendor", "product_name")]
    return " ".join(name for name in names if name) or _NOT_TOLD


def _cpu() -> str:
    count = os.cpu_count() or 0
    match = re.search(r"model name\s*:\s*(.+)", _text(Path("/proc/cpuinfo")))
    model = match.group(1) if match else platform.processor() or platform.machine()
    return f"{model} ({count} logical)"


def _dram_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _operating_system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform()

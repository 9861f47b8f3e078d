"""Inventory of the host: PTS 2.0.2, section 5, test hardware and software."""

import os
import platform
import re
from pathlib import Path

from ssdlab.model.records import HostIdentity
from ssdlab.model.report_fields import ReportFields
from ssdlab.model.units import capacity_label
from ssdlab.model.version import VERSION
from ssdlab.system.files import ROOT, within

_NOT_REPORTED = "not reported by the system"
_SECTOR_BYTES = 512  # in sysfs, whatever the disk's own


def read_host(fio_version: str) -> HostIdentity:
    """Return the identity of the host; what is not reported says so."""
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


def read_machine(root: Path = ROOT) -> ReportFields:
    """Return the hardware that a report must name, as far as the system reports it."""
    return ReportFields(
        motherboard=_dmi("board_vendor", "board_name", root=root),
        boot_storage=_disk_of(Path("/").stat().st_dev, root),
    )


def find_file_system(path: Path, root: Path = ROOT) -> str:
    """Return the type of file system that a file is on, if known."""
    device = path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    mounts = _text(within(root, "/proc/self/mountinfo")).splitlines()
    for words in (line.split() for line in mounts):
        if len(words) > 2 and words[2] == number and "-" in words[:-1]:
            return words[words.index("-") + 1]
    return ""


def _disk_of(device: int, root: Path) -> str:
    """Return the model and size of the disk of a file system, as far as known."""
    number = f"{os.major(device)}:{os.minor(device)}"
    place = Path(os.path.realpath(within(root, f"/sys/dev/block/{number}")))
    disk = place.parent if (place / "partition").exists() else place
    sectors = _text(disk / "size")
    if not sectors.isdigit():
        return ""
    size = capacity_label(int(sectors) * _SECTOR_BYTES)
    model = " ".join(_text(disk / "device" / "model").split()) or disk.name
    return f"{model}, {size}"


def read_load() -> dict[str, float]:
    """Return the readings of the host for the telemetry."""
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
    return _dmi("sys_vendor", "product_name") or _NOT_REPORTED


def _dmi(*names: str, root: Path = ROOT) -> str:
    folder = within(root, "/sys/class/dmi/id")
    return " ".join(filter(None, (_text(folder / name) for name in names)))


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

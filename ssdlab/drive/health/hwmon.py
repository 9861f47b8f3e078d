"""The temperature of a drive from the kernel, which every user may read."""

import os
import re
from pathlib import Path

from ssdlab.drive.sysfs import block_folder
from ssdlab.model.drive import Bus, Drive, DriveHealth
from ssdlab.system.files import ROOT, list_names, read_number, within

_CONTROLLER = re.compile(r"nvme\d+")
_KELVIN_STEP_MILLI = 150  # 0 °C is 273.15 K; an NVMe drive reports whole kelvins


def read_hwmon(drive: Drive, root: Path = ROOT) -> DriveHealth:
    """Return the temperature and the critical one; empty without a known sensor.

    Modules: ``nvme`` itself, and ``drivetemp`` for ATA drives.
    """
    device = block_folder(drive.name, root) / "device"
    owners = {os.path.realpath(place) for place in (device, device / "device")}
    owners |= {  # a drive with several controllers is under their subsystem
        os.path.realpath(device / name)
        for name in list_names(device)
        if _CONTROLLER.fullmatch(name)
    }
    sensors = within(root, "/sys/class/hwmon")
    for name in list_names(sensors):
        if os.path.realpath(sensors / name / "device") in owners:
            return DriveHealth(
                temperature_celsius=_celsius(sensors / name / "temp1_input", drive.bus),
                critical_temperature_celsius=_celsius(
                    sensors / name / "temp1_crit", drive.bus
                ),
            )
    return DriveHealth()


def _celsius(path: Path, bus: Bus) -> float | None:
    milli = read_number(path)
    if milli is None:
        return None
    return (milli + _KELVIN_STEP_MILLI) / 1000 if bus == "nvme" else milli / 1000

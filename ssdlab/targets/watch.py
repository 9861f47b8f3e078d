"""Health of a drive during a run, and alarms that must stop the run."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ssdlab.drive.health import find_alarm, health_readings, read_health
from ssdlab.drive.pcie import read_pcie_link
from ssdlab.drive.sysfs import block_folder
from ssdlab.model.drive import Drive, DriveHealth

_NVME_S = 5.0
_OTHERS_S = 30.0  # several commands per reading, each of which drains the queue
_SILENT_S = 120.0


def reading_interval_s(drive: Drive) -> float:
    """Return how often the health of a drive is read during a run [s]."""
    return _NVME_S if drive.bus == "nvme" else _OTHERS_S


@dataclass(kw_only=True, slots=True)
class DriveWatch:
    """Keeps the latest health reading of a drive.

    A reading older than two minutes is ignored. If the user set a temperature limit, an
    unknown temperature is an alarm.
    """

    drive: Drive
    limit_celsius: float | None = None
    clock: Callable[[], float] = time.monotonic
    health: DriveHealth = field(default_factory=DriveHealth)
    told_s: float = field(init=False)
    is_paused: bool = False

    def __post_init__(self) -> None:
        self.told_s = self.clock()

    def read(self) -> dict[str, float]:
        """Read the drive's health; what it does not report is left out."""
        if self.is_paused:
            return {}
        began_s = self.clock()
        health = read_health(self.drive)
        self.health, self.told_s = health, self.clock()
        link = read_pcie_link(block_folder(self.drive.name))
        if health == DriveHealth():
            return health_readings(health, link)
        return health_readings(health, link, took_s=self.clock() - began_s)

    def find_alarm(self) -> str:
        """Return why the run must stop now, by the latest reading."""
        if self.is_paused:
            return ""
        if self.clock() - self.told_s > _SILENT_S:
            self.health = DriveHealth()
        if self.limit_celsius is not None and self.health.temperature_celsius is None:
            return "its temperature is no longer reported, and a limit was set"
        return find_alarm(self.health, limit_celsius=self.limit_celsius)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Read nothing until the block ends: a drive may not answer during a purge."""
        self.is_paused = True
        try:
            yield
        finally:
            self.told_s = self.clock()
            self.is_paused = False

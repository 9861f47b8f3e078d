"""How a drive is while it is measured, and when that must stop the run."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ssdlab.drive.health import find_alarm, health_readings, read_health
from ssdlab.drive.pcie import read_pcie_link
from ssdlab.drive.sysfs import block_folder
from ssdlab.model.drive import Drive, DriveHealth

_NVME_S = 5.0
_OTHERS_S = 30.0  # several commands a reading, for each of which the queue runs empty
_SILENT_S = 120.0


def reading_interval_s(drive: Drive) -> float:
    """Return how often a drive is asked for its health while it is measured [s]."""
    return _NVME_S if drive.bus == "nvme" else _OTHERS_S


@dataclass(kw_only=True, slots=True)
class DriveWatch:
    """Keeps what a drive told last of its health.

    A reading that is older than two minutes is forgotten: nothing is concluded from
    it. Where the user set a limit to the temperature, not to know it is an alarm.
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
        """Ask the drive how it is; what it does not tell is left out.

        Raises
        ------
        TargetRefusedError
            If it is gone, or does not answer.
        """
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
        """Return why the run must stop now, by what was read last."""
        if self.is_paused:
            return ""
        if self.clock() - self.told_s > _SILENT_S:
            self.health = DriveHealth()
        if self.limit_celsius is not None and self.health.temperature_celsius is None:
            return "its temperature is not told any more, and a limit to it was set"
        return find_alarm(self.health, limit_celsius=self.limit_celsius)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Ask nothing until the block ends: a purged drive may answer only after it."""
        self.is_paused = True
        try:
            yield
        finally:
            self.told_s = self.clock()
            self.is_paused = False

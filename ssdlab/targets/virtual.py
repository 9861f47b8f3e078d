"""The virtual SSD as a target."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ssdlab.model.records import TargetIdentity
from ssdlab.virtual.options import parse_options
from ssdlab.virtual.server import VirtualSsd, attach, start_server

SECTOR_BYTES = 512
_LATE_RATIO = 0.05  # a few late answers are the scheduler of the host, and say nothing
_COUNTED = (
    "host_written_bytes",
    "host_read_bytes",
    "nand_written_bytes",
    "gc_moved_bytes",
    "idle_moved_bytes",
    "erases",
    "idle_erases",
    "mapped_bytes",
    "read_requests",
    "write_requests",
    "in_flight",
    "in_flight_max",
    "late_requests",
    "late_ns_max",
)


VIRTUAL_DEPARTURES = ("the target is a virtual SSD: a model in memory, not a drive",)


@dataclass(frozen=True, slots=True)
class VirtualTarget:
    """A model of an SSD in memory, reached by fio's nbd engine."""

    ssd: VirtualSsd
    identity: TargetIdentity
    purge_method: str = "trim of all LBAs of the virtual SSD"
    departures: tuple[str, ...] = VIRTUAL_DEPARTURES

    @property
    def fio_options(self) -> Mapping[str, str]:
        """Return the fio options that reach the server."""
        return {"ioengine": "nbd", "uri": self.ssd.uri}

    def purge_job(self) -> str | None:
        """Return nothing: the purge is not done by fio."""
        return None

    def purge(self) -> str:
        """Trim every LBA."""
        self.ssd.purge()
        return self.purge_method

    def find_purge_fault(self) -> str:
        """Ask the model whether any page is still mapped."""
        mapped = self.ssd.counters().mapped_bytes
        return f"{mapped} bytes are still mapped" if mapped else ""

    def find_trouble(self) -> str:
        """Return why the server does not answer any more, or an empty text."""
        return "" if self.ssd.is_alive() else "its server has ended"

    def read_counters(self) -> dict[str, float]:
        """Return the model's own counters: the truth to check an analysis against."""
        counters = self.ssd.counters()
        return {name: float(getattr(counters, name)) for name in _COUNTED}

    def find_doubt(
        self, before: Mapping[str, float], after: Mapping[str, float]
    ) -> str:
        """Say so when the host answered late and not when the model would have."""
        late, asked = (
            sum(after.get(name, 0) - before.get(name, 0) for name in names)
            for names in (("late_requests",), ("read_requests", "write_requests"))
        )
        if late <= asked * _LATE_RATIO:
            return ""
        return (
            f"{late:.0f} of {asked:.0f} requests were answered more than 1 ms after "
            "the model's time: the host did not keep up with the virtual SSD"
        )

    def close(self) -> None:
        """End the server; its content is gone."""
        self.ssd.stop()


def open_virtual(options: str, folder: Path, cache: Path) -> VirtualTarget:
    """Start a new virtual SSD whose files go to ``folder``."""
    ssd = start_server(parse_options(options), folder, cache_folder=cache)
    return VirtualTarget(ssd=ssd, identity=_identity(ssd, options))


def reopen_virtual(options: str, folder: Path) -> VirtualTarget:
    """Reach the virtual SSD of an interrupted run again."""
    ssd = attach(folder)
    return VirtualTarget(ssd=ssd, identity=_identity(ssd, options))


def _identity(ssd: VirtualSsd, options: str) -> TargetIdentity:
    return TargetIdentity(
        kind="virtual",
        spec=f"virtual:{options}" if options else "virtual",
        model="ssdlab virtual SSD",
        serial=f"VIRTUAL-{ssd.instance_id}",
        firmware="page-mapped FTL",
        capacity_bytes=ssd.options.size_bytes,
        sector_bytes=SECTOR_BYTES,
        interface="NBD over a local socket",
        options=asdict(ssd.options),
    )

"""The virtual SSD as a target."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ssdlab.model.drive import AUTO_PURGE, PurgeChoice, PurgeOutcome, WriteCacheState
from ssdlab.model.host_checks import HostCheck
from ssdlab.model.io_counts import IoCounts
from ssdlab.model.records import TargetIdentity
from ssdlab.model.telemetry import READINGS
from ssdlab.model.units import duration_label
from ssdlab.targets.purges import find_purge_choice
from ssdlab.targets.shape import Shape
from ssdlab.virtual.options import find_write_bound, parse_options, split_names
from ssdlab.virtual.server import VirtualSsd, attach, socket_uri, start_server

SECTOR_BYTES = 512
_LATE_RATIO = 0.05  # a few late answers come from the host's scheduler
_COUNTED = tuple(one.name for one in READINGS if one.source == "virtual")
_WRITE_CACHE = "the model has none that could be switched"
_TRIM = PurgeChoice(
    method="discard",
    words="trim of all LBAs of the virtual SSD",
    why="the model forgets every page that is trimmed, and its counters show it",
)
_NO_PURGE = PurgeChoice(
    method="none", words="none: so it was asked for", why="the user chose it"
)
VIRTUAL_PURGES = (_TRIM, _NO_PURGE)


@dataclass(frozen=True, slots=True)
class VirtualTarget:
    """A model of an SSD in memory, reached by fio's nbd engine."""

    ssd: VirtualSsd
    identity: TargetIdentity
    purge_choice: PurgeChoice
    telemetry_interval_s: float = 1.0
    drive: None = None
    consent: None = None
    host_checks: tuple[HostCheck, ...] = ()
    write_cache: WriteCacheState = "as found"
    write_cache_fault: str = _WRITE_CACHE
    stopping_words: str = ""  # it leaves nothing behind
    descriptor: None = None

    @property
    def fio_options(self) -> Mapping[str, str]:
        """Return the fio options that reach the server."""
        return _fio_options(self.ssd.uri)

    def purge(self, tell: Callable[[str], None]) -> PurgeOutcome:
        """Trim every LBA, and check that no page is still mapped."""
        del tell
        if self.purge_choice.method == "none":
            return PurgeOutcome(said=self.purge_choice.words)
        self.ssd.purge()
        mapped = self.ssd.counters().mapped_bytes
        return PurgeOutcome(
            said=f"{self.purge_choice.words}\n{mapped} bytes are mapped after it",
            fault=f"{mapped} bytes are still mapped" if mapped else "",
        )

    def find_trouble(self) -> str:
        """Return why the server no longer answers, or an empty text."""
        return "" if self.ssd.is_alive() else "its server has ended"

    def find_alarm(self) -> str:
        """Return nothing: a model neither fails nor gets hot."""
        return ""

    def read_counters(self) -> dict[str, float]:
        """Return the model's own counters, against which an analysis can be checked."""
        counters = self.ssd.counters()
        return {name: float(getattr(counters, name)) for name in _COUNTED}

    def read_io(self) -> IoCounts | None:
        """Return what the model has done."""
        counters = self.ssd.counters()
        return IoCounts(
            reads=counters.read_requests,
            writes=counters.write_requests,
            read_bytes=counters.host_read_bytes,
            written_bytes=counters.host_written_bytes,
            in_flight=counters.in_flight,
        )

    def read_telemetry(self) -> dict[str, float]:
        """Return the counters."""
        return self.read_counters()

    def find_doubt(
        self, before: Mapping[str, float], after: Mapping[str, float]
    ) -> str:
        """Return a doubt if the host answered later than the model's time."""
        late, asked = (
            sum(after.get(name, 0) - before.get(name, 0) for name in names)
            for names in (("late_requests",), ("read_requests", "write_requests"))
        )
        if late <= asked * _LATE_RATIO:
            return ""
        return (
            f"{late:.0f} of {asked:.0f} requests completed over 1 ms late: "
            "the host was too slow for the virtual SSD"
        )

    def release(self) -> str:
        """Do nothing: its server keeps running for the next session."""
        return ""

    def close(self) -> None:
        """End the server; its content is lost."""
        self.ssd.stop()


def open_virtual(
    options: str, folder: Path, *, purge: str = AUTO_PURGE
) -> VirtualTarget:
    """Start a new virtual SSD whose files go to ``folder``."""
    chosen = find_purge_choice(purge, VIRTUAL_PURGES, target="a virtual SSD")
    ssd = start_server(parse_options(split_names(options)[1]), folder)
    return _target(ssd, options, chosen)


def reopen_virtual(
    options: str, folder: Path, *, purge: str = AUTO_PURGE
) -> VirtualTarget:
    """Reattach to the virtual SSD of an interrupted run."""
    chosen = find_purge_choice(purge, VIRTUAL_PURGES, target="a virtual SSD")
    return _target(attach(folder), options, chosen)


def read_virtual_shape(text: str) -> Shape:
    """Return the shape of a virtual SSD with these options."""
    options = parse_options(split_names(text)[1])
    return Shape(
        capacity_bytes=options.size_bytes,
        sector_bytes=SECTOR_BYTES,
        kind="virtual",
        write_cache_fault=_WRITE_CACHE,
        write_bytes_per_s=find_write_bound(options),
        fio_options=_fio_options(socket_uri("SOCKET")),
    )


def waiting_words(identity: TargetIdentity) -> str:
    """Return how long the server of a stopped run waits for it; "" of a drive or file.

    Its content is in its memory: without it the run cannot be resumed.
    """
    linger_s = identity.options.get("linger_s")
    if identity.kind != "virtual" or not isinstance(linger_s, int) or not linger_s:
        return ""
    return (
        "A server process keeps the content of the virtual SSD in memory for "
        f"{duration_label(linger_s)}; after that the run cannot be resumed."
    )


def _fio_options(uri: str) -> dict[str, str]:
    return {"ioengine": "nbd", "uri": uri}


def _target(ssd: VirtualSsd, options: str, purge: PurgeChoice) -> VirtualTarget:
    return VirtualTarget(
        ssd=ssd,
        identity=_identity(ssd, options),
        purge_choice=purge,
    )


def _identity(ssd: VirtualSsd, options: str) -> TargetIdentity:
    names, _ = split_names(options)
    return TargetIdentity(
        kind="virtual",
        spec=f"virtual:{options}" if options else "virtual",
        model="ssdlab virtual SSD",
        serial=names.get("serial", f"VIRTUAL-{ssd.instance_id}"),
        firmware=names.get("firmware", "page-mapped FTL"),
        capacity_bytes=ssd.options.size_bytes,
        sector_bytes=SECTOR_BYTES,
        interface="NBD over a local socket",
        options={**asdict(ssd.options), **names},
    )

"""What is known of a target without touching it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ssdlab.model.records import TargetKind


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """What a target is or will be.

    ``write_cache_fault`` is why its write cache cannot be set; an empty text if it may
    be. ``write_bytes_per_s`` is the data
    rate that no lasting write to it exceeds, where that is known. ``fio_options`` are
    those that will reach it; what is known only once it is opened stands there as a
    name in capitals.
    """

    capacity_bytes: int
    sector_bytes: int
    kind: TargetKind
    is_loop: bool = False
    write_cache_fault: str = ""
    write_bytes_per_s: float | None = None
    fio_options: Mapping[str, str] = field(default_factory=dict)

"""The properties of a target that are known without touching it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ssdlab.model.records import TargetKind


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """The properties of a target that exists or will be made.

    ``write_cache_fault`` is why its write cache cannot be set; empty if it can be.
    ``write_bytes_per_s`` is the limit of its sustained write rate, if known.
    ``fio_options`` are those that will reach it; values that are known only once it is
    opened are names in capitals. ``has_poll_queues`` says whether completions can be
    polled for; ``None`` is unknown. ``generic_path`` is the device that takes its NVMe
    commands, if it has one, each of at most ``command_bytes``.
    """

    capacity_bytes: int
    sector_bytes: int
    kind: TargetKind
    is_loop: bool = False
    write_cache_fault: str = ""
    write_bytes_per_s: float | None = None
    fio_options: Mapping[str, str] = field(default_factory=dict)
    has_poll_queues: bool | None = None
    generic_path: str = ""
    command_bytes: int | None = None

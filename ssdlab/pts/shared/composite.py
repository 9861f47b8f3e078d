"""The composite stimulus of CBW and of the optional write saturation."""

from dataclasses import dataclass
from typing import ClassVar

from ssdlab.model.units import KIB, MIB
from ssdlab.pts.settings import Settings, setting

BLOCK_SHARES = tuple(  # PTS 2.0.2, section 13: size and its share of IOs [%]
    (round(kib * KIB), share)
    for kib, share in (
        (0.5, 4),
        *((half / 2, 1) for half in range(2, 8)),
        (4, 67),
        (8, 10),
        (16, 7),
        (32, 3),
        (64, 3),
    )
)
ZONES = ((50, 5), (30, 15), (20, 80))  # share of IOs and of the range [%]


@dataclass(frozen=True, kw_only=True)
class Cbw(Settings):
    """Values of CBW."""

    group: ClassVar[str] = "cbw"
    prefix: ClassVar[str] = "cbw_"

    read_percent: int = setting(40, "R/W mix of CBW", "13", "mix")
    alignment_bytes: int = setting(
        0,
        "alignment of the composite blocks; 0 is the smallest block",
        "13",
        "size",
        limits=(0, MIB),
        is_choice=True,
    )

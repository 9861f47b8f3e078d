"""How long preconditioning takes: two fills at the steady sequential write rate.

Micron, Best Practices for SSD Performance Measurement, Rev. B 4/17.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ssdlab.model.units import KIB

if TYPE_CHECKING:
    import pandas as pd

_FILLS = 2  # Micron, Rev. B 4/17
PRINTED_MB_PER_GB = 1024  # the factor that reproduces the printed table
DECIMAL_MB_PER_GB = 1000
_BLOCK_BYTES = 128 * KIB


@dataclass(frozen=True, kw_only=True, slots=True)
class SteadyRate:
    """The rate of 128 KiB sequential writes in the last window of a run [B/s]."""

    test: str
    phase: str
    bw_bytes_per_s: float
    is_steady: bool


def find_precondition_minutes(
    capacity_gb: float, rate_mb_s: float, *, mb_per_gb: int = PRINTED_MB_PER_GB
) -> float:
    """Return how long it takes to fill a drive twice.

    References
    ----------
    .. [1] Micron, "Best Practices for SSD Performance Measurement", Rev. B, 4/17.

    >>> round(find_precondition_minutes(480, 380), 2)
    43.12
    >>> round(find_precondition_minutes(480, 380, mb_per_gb=1000), 1)
    42.1
    """
    for name, value in (("capacity", capacity_gb), ("rate", rate_mb_s)):
        if not (math.isfinite(value) and value > 0):
            msg = f"a {name} of {value} is not a number above zero"
            raise ValueError(msg)
    return _FILLS * capacity_gb * mb_per_gb / rate_mb_s / 60


def find_steady_write_rate(windows: "pd.DataFrame", *, test: str) -> SteadyRate | None:
    """Return the last judged rate of 128 KiB sequential writes, if a test has one.

    The average of the last window, and whether that window was steady.
    """
    rows = windows[
        (windows["test"] == test)
        & (windows["metric"] == "bw_bytes_per_s")
        & (windows["access"] == "seq")
        & (windows["block_size_bytes"] == _BLOCK_BYTES)
        & (windows["read_percent"] == 0)
        & windows["is_final"].fillna(value=False)
    ]
    if rows.empty:
        return None
    last = rows.sort_values("phase").iloc[-1]
    return SteadyRate(
        test=test,
        phase=str(last["phase"]),
        bw_bytes_per_s=float(last["average"]),
        is_steady=bool(last["is_round_steady"]),
    )


def oddity_text(
    capacity_gb: float, *, fill_2x_min: float, precondition_min: float
) -> str:
    """Say where a printed time of preconditioning is not that of two fills.

    >>> oddity_text(960, fill_2x_min=63, precondition_min=63)
    ''
    """
    more = precondition_min - fill_2x_min
    if more == 0:
        return ""
    return (
        f"For {capacity_gb:g} GB Micron prints {precondition_min:g} min of "
        f"preconditioning and {fill_2x_min:g} min for two fills, {more:+g} min, where "
        f"the rule makes them equal, as in the other rows. Either {precondition_min:g} "
        f"is a misprint of {fill_2x_min:g}, or a margin of {more:g} min was added to "
        "this one drive; the document does not say."
    )

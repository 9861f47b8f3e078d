"""Write amplification: bytes written to the media over those written by the host.

Both are counters of the drive, read at the same times: those of its health log and of
its extended log, or of the virtual SSD. What a drive does not count has no row.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from ssdlab.model.telemetry import (
    DRIVE,
    MEDIA_WRITTEN,
    NAND_WRITTEN,
    VIRTUAL,
    WRITTEN,
    Source,
)
from ssdlab.telemetry.readings import Readings, readings_of

if TYPE_CHECKING:
    import pandas as pd

ALL_PHASES: Final = ""
_COLUMNS: Final = (
    *("test", "phase", "host_bytes", "media_bytes", "amplification"),
    *("amplification_low", "amplification_high"),
)
_MEDIA: Final[dict[Source, str]] = {DRIVE: MEDIA_WRITTEN, VIRTUAL: NAND_WRITTEN}


def summarise_amplification(
    telemetry: "pd.DataFrame", steps: "pd.DataFrame"
) -> "pd.DataFrame":
    """Return the write amplification of each test, and of each of its phases.

    Parameters
    ----------
    telemetry, steps : pandas.DataFrame
        Tables of a run.

    Returns
    -------
    pandas.DataFrame
        A row a test, with the phase `ALL_PHASES`, then one a phase, in order: what
        host and media counted [B] from just before the first step to the end of the
        last, their ratio, and its least and greatest value as far as the units of the
        counters allow. Purges are left out. A ratio of nothing written is NaN.
    """
    import pandas as pd  # noqa: PLC0415 - 0.3 s before a run begins

    for source, media in _MEDIA.items():
        own = telemetry[telemetry["source"] == source]
        host, flash = (
            readings_of(own[own["name"] == name]) for name in (WRITTEN, media)
        )
        if len(host.value) and len(flash.value):
            written = steps[steps["kind"] != "purge"]
            return pd.DataFrame(
                list(_rows(host, flash, written)), columns=list(_COLUMNS)
            )
    return pd.DataFrame(columns=list(_COLUMNS))


def _rows(
    host: Readings, flash: Readings, steps: "pd.DataFrame"
) -> Iterator[dict[str, Any]]:
    units = _unit_of(host), _unit_of(flash)
    for test, own in steps.groupby("test", sort=False):
        phases = list(own.groupby("phase", sort=False))
        for phase, rows in ((ALL_PHASES, own), *phases):
            span = float(rows["started_s"].min()), float(rows["ended_s"].max())
            counted = host.rise_within(*span), flash.rise_within(*span)
            yield {
                "test": str(test),
                "phase": str(phase),
                "host_bytes": counted[0],
                "media_bytes": counted[1],
                **bound_ratio(*counted, units=units),
            }


def _unit_of(counted: Readings) -> float:
    """Return the unit in which a counter counts: what divides all of its values [B]."""
    return float(math.gcd(*map(int, counted.value)))


def bound_ratio(
    host: float, media: float, *, units: tuple[float, float] = (0.0, 0.0)
) -> dict[str, float]:
    """Return the ratio and its bounds; NaN where nothing was written.

    ``units`` are those in which host and media are counted.

    >>> bound_ratio(1000.0, 3000.0, units=(100.0, 0.0))["amplification"]
    3.0
    """
    least = host - units[0]
    values = (math.nan, math.nan, math.nan)
    if host > 0 and not math.isnan(media):
        values = (
            media / host,
            max(media - units[1], 0.0) / (host + units[0]),
            (media + units[1]) / least if least > 0 else math.inf,
        )
    return dict(zip(_COLUMNS[-3:], values, strict=True))

"""The share of a drive's rated endurance that a run would use."""

from collections.abc import Mapping
from dataclasses import dataclass

from ssdlab.model.drive import DriveHealth
from ssdlab.model.units import capacity_label

LEAST_WEAR_PERCENT = 5.0  # below this, a whole percent is too coarse
_WHOLE_PERCENT = 100.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Endurance:
    """How much may be written to a drive in its life, at least and at most.

    ``words`` state the source. Both are equal if it was given.
    """

    least_bytes: float
    most_bytes: float
    words: str


def rate_endurance(rated_bytes: float) -> Endurance:
    """Return the endurance that the vendor of a drive states, as TBW.

    >>> rate_endurance(600e12).words
    'the rated 600 TB'
    """
    words = f"the rated {capacity_label(rated_bytes)}"
    return Endurance(least_bytes=rated_bytes, most_bytes=rated_bytes, words=words)


def estimate_endurance(health: DriveHealth) -> Endurance | None:
    """Return how much may be written to a drive, by its own counters of wear and bytes.

    Notes
    -----
    A drive that reports 10 % has used at least 10 % and less than 11 %: its life is
    between 100/11 and 100/10 of what was written. It is assumed to wear as before;
    random writes wear it more than sequential ones do.

    Examples
    --------
    >>> health = DriveHealth(wear_percent=10, host_written_bytes=110e12)
    >>> life = estimate_endurance(health)
    >>> f"{life.least_bytes:.4g} {life.most_bytes:.4g}"
    '1e+15 1.1e+15'
    """
    wear, written = health.wear_percent, health.host_written_bytes
    if wear is None or written is None or wear < LEAST_WEAR_PERCENT or written <= 0:
        return None
    return Endurance(
        least_bytes=written * _WHOLE_PERCENT / (wear + 1),
        most_bytes=written * _WHOLE_PERCENT / wear,
        words=f"its life, by its own count: {capacity_label(written)} written so far "
        f"are {wear:g} %",
    )


def share_endurance(
    written: tuple[float, float], endurance: Endurance
) -> Mapping[str, float | str]:
    """Return the shares that a run would use, for a forecast."""
    least, most = written
    return {
        "least_bytes": endurance.least_bytes,
        "most_bytes": endurance.most_bytes,
        "percent_min": 100 * least / endurance.most_bytes,
        "percent_max": 100 * most / endurance.least_bytes,
        "words": endurance.words,
    }

"""Demand variation: which of its points are Max, Mid and Min IOPS (pts.md 12.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

MAX_LAT_NS = 5e6  # of a point that may be chosen: 5 ms


@dataclass(frozen=True, kw_only=True, slots=True)
class DemandPoint:
    """One TC and QD, and what was measured there: IOPS, mean response time [ns]."""

    threads: int
    queue_depth: int
    iops: float
    lat_mean_ns: float

    @property
    def outstanding(self) -> int:
        """Outstanding IOs in all: TOIO."""
        return self.threads * self.queue_depth


@dataclass(frozen=True, kw_only=True, slots=True)
class OperatingPoints:
    """The three points; ``is_within_limit`` says whether any was fast enough."""

    max: DemandPoint
    mid: DemandPoint
    min: DemandPoint
    is_within_limit: bool


def select_points(
    points: Sequence[DemandPoint], *, max_lat_ns: float = MAX_LAT_NS
) -> OperatingPoints:
    """Choose the points to be measured long: pts.md 12.2, step 4.

    Eligible is what has a mean response time below the limit. Max is the highest IOPS
    of those, Mid the one nearest to half way between their highest and lowest IOPS,
    Min the least TOIO of all points: TC1/QD1. Of equals, the least TOIO counts, and of
    those the fewest threads.

    Parameters
    ----------
    points : sequence of DemandPoint
        The points of one round; those without a number are left out.
    max_lat_ns : float, default 5 ms
        The limit of the mean response time [ns].

    Returns
    -------
    OperatingPoints
        Where no point is below the limit all of them are eligible, and
        ``is_within_limit`` is false.

    Raises
    ------
    ValueError
        If no point was measured.
    """
    measured = [p for p in points if p.iops == p.iops and p.lat_mean_ns > 0]
    if not measured:
        msg = "no point of the demand variation was measured"
        raise ValueError(msg)
    fast = [point for point in measured if point.lat_mean_ns < max_lat_ns]
    eligible = sorted(fast or measured, key=lambda p: (p.outstanding, p.threads))
    highest = max(eligible, key=lambda p: p.iops)
    half_way = (highest.iops + min(p.iops for p in eligible)) / 2
    return OperatingPoints(
        max=highest,
        mid=min(eligible, key=lambda p: abs(p.iops - half_way)),
        min=min(measured, key=lambda p: (p.outstanding, p.threads)),
        is_within_limit=bool(fast),
    )

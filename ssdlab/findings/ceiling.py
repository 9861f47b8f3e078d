"""How close results are to the host ceiling.

The ceiling is what fio does at some TC/QD without a device. Which point of it holds for
a result is a rule of ours: decision record 30.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ssdlab.model.finding import Finding, make_finding
from ssdlab.model.records import CeilingPoint
from ssdlab.model.spec import stimulus_label

if TYPE_CHECKING:
    import pandas as pd

NEAR_RATIO = 0.9  # above this, the host may limit a result
_RESULTS = ("cell", "histogram")
_NEEDED = ("iops", "threads", "queue_depth", "read_percent")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ceiling:
    """What a host can issue of a stimulus [1/s], and how it was measured."""

    iops: float
    place: str
    engine: str


def find_ceiling(
    points: Sequence[CeilingPoint],
    *,
    threads: int,
    queue_depth: int,
    block_size_bytes: int,
    read_percent: int,
) -> Ceiling | None:
    """Return the ceiling that holds for a result.

    Of the points with at least as many threads and outstanding IOs, the one with the
    fewest outstanding IOs counts, and of those the one with the fewest threads. If
    there are several block sizes left, the largest that is not larger than that of the
    result counts. Reads and writes have a ceiling each; a mix has the one at which the
    time of the host is shared among them.

    The ceiling; ``None`` where no point has as many threads and outstanding IOs.

    >>> from dataclasses import replace
    >>> reads = CeilingPoint(threads=4, queue_depth=32, block_size_bytes=4096, iops=1e6)
    >>> writes = replace(reads, iops=5e5, read_percent=0)
    >>> asked = {"threads": 2, "queue_depth": 16, "block_size_bytes": 512}
    >>> round(find_ceiling((reads, writes), read_percent=50, **asked).iops)
    666667
    >>> asked |= {"threads": 32}
    >>> find_ceiling((reads, writes), read_percent=50, **asked) is None
    True
    """
    fitting = [
        point
        for point in points
        if point.threads >= threads
        and point.threads * point.queue_depth >= threads * queue_depth
    ]
    shares = {100: read_percent / 100, 0: 1 - read_percent / 100}
    chosen = [
        (share, point)
        for kind, share in shares.items()
        if share and (point := _nearest(fitting, kind, block_size_bytes))
    ]
    if len(chosen) < sum(share > 0 for share in shares.values()):
        return None
    place = max((point for _, point in chosen), key=_outstanding)
    return Ceiling(
        iops=1 / sum(share / point.iops for share, point in chosen),
        place=f"T{place.threads}/Q{place.queue_depth}",
        engine=place.engine,
    )


def _outstanding(point: CeilingPoint) -> int:
    return point.threads * point.queue_depth


def _nearest(
    points: Sequence[CeilingPoint], read_percent: int, block_size_bytes: int
) -> CeilingPoint | None:
    own = [point for point in points if point.read_percent == read_percent]
    least = min((point.block_size_bytes for point in own), default=0)
    usable = [p for p in own if p.block_size_bytes <= max(block_size_bytes, least)]
    return min(
        usable,
        key=lambda p: (_outstanding(p), p.threads, -p.block_size_bytes),
        default=None,
    )


def thread_time_us(point: CeilingPoint) -> float:
    """Return how long one thread of the host takes for one IO.

    >>> point = CeilingPoint(threads=4, queue_depth=32, block_size_bytes=4096, iops=2e6)
    >>> thread_time_us(point)
    2.0
    """
    return point.threads / point.iops * 1e6


def find_near_ceiling(
    totals: "pd.DataFrame", points: Sequence[CeilingPoint]
) -> tuple[Finding, ...]:
    """Say in which tests results come within a tenth of the host ceiling."""
    known = totals[totals["kind"].isin(_RESULTS)].dropna(subset=list(_NEEDED))
    found = []
    for test, rows in known.groupby("test", sort=False):
        judged: list[tuple[Any, Ceiling]] = [
            (row, ceiling)
            for row in rows.itertuples()
            if (ceiling := _ceiling_of(row, points)) is not None
        ]
        near = [(r, c) for r, c in judged if r.iops >= NEAR_RATIO * c.iops]
        if near:
            words = _near_words(near, len(judged))
            found.append(make_finding("host-ceiling", words, test=str(test)))
    return tuple(found)


def _ceiling_of(row: Any, points: Sequence[CeilingPoint]) -> Ceiling | None:
    return find_ceiling(
        points,
        threads=int(row.threads),
        queue_depth=int(row.queue_depth),
        block_size_bytes=_block_size(row),
        read_percent=int(row.read_percent),
    )


def _block_size(row: Any) -> int:
    """Return the block size of a row; 0 where it has several."""
    size = row.block_size_bytes
    return 0 if str(size) in {"<NA>", "nan", "None"} else int(size)


def _near_words(near: Sequence[tuple[Any, Ceiling]], count: int) -> str:
    row, ceiling = max(near, key=lambda pair: pair[0].iops / pair[1].iops)
    stimulus = stimulus_label(row.access, _block_size(row), int(row.read_percent))
    return (
        f"host ceiling: {len(near)} of {count} results come within "
        f"{100 * (1 - NEAR_RATIO):g} % of what this host can issue; at most {stimulus} "
        f"T{row.threads}/Q{row.queue_depth} with {row.iops:,.0f} of "
        f"{ceiling.iops:,.0f} IOPS ({ceiling.engine} engine, {ceiling.place})"
    )

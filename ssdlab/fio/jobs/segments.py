"""Segments of an active range for random IOs: decision 80.

fio chooses a zone by whole percents (``random_distribution=zoned_abs``), so there are
at most 100 of equal share; a gap is a zone that is never chosen.
"""

import random
from functools import lru_cache

from ssdlab.model.step import Segments, Step
from ssdlab.model.units import MIB


def segment_options(step: Step) -> dict[str, str]:
    """Return the options that keep a step's IOs in its segments, if it has any."""
    if step.segments is None:
        return {}
    zones, end = [], 0
    for start, size in lay_segments(step):
        if start > end:
            zones.append(f"0/{(start - end) // MIB}m")
        zones.append(f"{100 // step.segments.count}/{size // MIB}m")
        end = start + size
    return {"random_distribution": f"zoned_abs:{':'.join(zones)}"}


def lay_segments(step: Step) -> tuple[tuple[int, int], ...]:
    """Return the offset and the size [B] of each segment of a step, in order.

    Sizes are equal to within 1 MiB and add up to the amount. Every placement is equally
    likely; no two are adjacent if the range has room for that.
    """
    return () if step.segments is None else _lay(step.segments, step.range_bytes)


@lru_cache(maxsize=16)  # all cells of a range have the same
def _lay(asked: Segments, amount_bytes: int) -> tuple[tuple[int, int], ...]:
    least, larger = divmod(amount_bytes // MIB, asked.count)
    free = asked.span_bytes // MIB - amount_bytes // MIB
    gap = int(free >= asked.count - 1)
    free -= gap * (asked.count - 1)
    chance = random.Random(asked.seed)  # noqa: S311 - a layout that can be repeated
    bars = sorted(chance.sample(range(free + asked.count), asked.count))
    laid, end = [], 0
    for at, bar in enumerate(bars):
        start = end + (bar - bars[at - 1] - 1 + gap if at else bar)
        size = least + (at < larger)
        laid.append((start * MIB, size * MIB))
        end = start + size
    return tuple(laid)

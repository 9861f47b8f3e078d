"""What the purges of a run cost: overwriting writes a whole drive each time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ssdlab.model.drive import PurgeMethod
from ssdlab.model.spec import PtsTest, Purge
from ssdlab.model.units import capacity_label, duration_label
from ssdlab.targets.purges import PurgeOutlook

_ENDS = ("min", "max")


@dataclass(frozen=True, kw_only=True, slots=True)
class PurgePrice:
    """What one purge costs; ``seconds`` is ``None`` where nobody tells."""

    method: PurgeMethod
    seconds: float | None
    written_bytes: int = 0
    drive_fills: float = 0.0


def price_purge(
    outlook: PurgeOutlook, capacity_bytes: int, write_bytes_per_s: float
) -> PurgePrice:
    """Return what one purge costs at an assumed write speed [B/s]."""
    if outlook.method == "overwrite":
        return PurgePrice(
            method=outlook.method,
            seconds=capacity_bytes / write_bytes_per_s,
            written_bytes=capacity_bytes,
            drive_fills=1.0,
        )
    if outlook.method == "none":
        return PurgePrice(method=outlook.method, seconds=0.0)
    return PurgePrice(method=outlook.method, seconds=outlook.expected_s)


def with_purges(
    cost: dict[str, Any], test: PtsTest, price: PurgePrice
) -> dict[str, Any]:
    """Return the cost of a test with that of its purges in it.

    Parameters
    ----------
    cost : dict
        What the test costs without them.
    test : PtsTest
        The test; its fallback may never be needed.
    price : PurgePrice
        What one purge costs.

    Returns
    -------
    dict
        The same, with the purges counted, and the steps after them.
    """
    found = dict(cost)
    for end, phases in zip(_ENDS, (test.phases, test.possible_phases), strict=True):
        count = sum(isinstance(phase, Purge) for phase in phases)
        found[f"purges_{end}"] = count
        found[f"steps_after_purge_{end}"] = cost[f"steps_{end}"] - count
        found[f"seconds_{end}"] += count * (price.seconds or 0.0)
        found[f"written_bytes_{end}"] += count * price.written_bytes
        found[f"drive_fills_{end}"] += count * price.drive_fills
    return found


def purge_costs(costs: Sequence[dict[str, Any]], price: PurgePrice) -> dict[str, Any]:
    """Return how often a run purges, by which method, and what that costs."""
    return {
        "method": price.method,
        "count_min": sum(cost["purges_min"] for cost in costs),
        "count_max": sum(cost["purges_max"] for cost in costs),
        "seconds_each": price.seconds,
        "written_bytes_each": price.written_bytes,
    }


def purge_lines(purges: dict[str, Any]) -> list[str]:
    """Say for people what the purges cost, and what of it is not known."""
    least, most = purges["count_min"], purges["count_max"]
    if purges["method"] == "none" or not most:
        return []
    count = str(most) if least == most else f"{least} to {most}"
    noun = f"{count} purge{'' if most == 1 else 's'} ({purges['method']})"
    seconds = purges["seconds_each"]
    if seconds is None:
        return [f"plus {noun}, time not known"]
    each = duration_label(seconds)
    if purges["written_bytes_each"]:
        each += f" and {capacity_label(purges['written_bytes_each'])}"
    return [f"with {noun} in it, {each} each"]

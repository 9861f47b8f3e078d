"""How much of the life of a drive a run would use up: what is known of it."""

from collections.abc import Sequence
from typing import Any

from ssdlab.drive.health import read_health
from ssdlab.drive.inventory import find_drive
from ssdlab.model.errors import TargetRefusedError
from ssdlab.model.units import capacity_label
from ssdlab.plan.endurance import (
    Endurance,
    estimate_endurance,
    rate_endurance,
    share_endurance,
)

_LEAST_PERCENT = 0.01


def find_endurance(target: str, rated_bytes: float | None) -> tuple[Endurance, ...]:
    """Return what is known of the endurance of a target: as given, and as it counts.

    Parameters
    ----------
    target : str
        The target as the user wrote it; only a drive counts its own life.
    rated_bytes : float, optional
        The endurance that its maker gives, as TBW [B].

    Returns
    -------
    tuple of Endurance
        None, one or both; nothing of a drive that does not tell, or not this user.
    """
    given = () if rated_bytes is None else (rate_endurance(rated_bytes),)
    if not target.startswith("/dev/"):
        return given
    try:
        own = estimate_endurance(read_health(find_drive(target)))
    except TargetRefusedError:  # a plan touches nothing, so nothing is refused for it
        own = None
    return given if own is None else (*given, own)


def endurance_costs(
    costs: Sequence[dict[str, Any]], endurance: Sequence[Endurance]
) -> dict[str, Any]:
    """Return what all tests write, and which share of the endurance that is.

    Parameters
    ----------
    costs : sequence of dict
        One entry a test, with ``written_bytes_min`` and ``written_bytes_max`` [B].
    endurance : sequence of Endurance
        What is known of the target.

    Returns
    -------
    dict
        ``written_bytes_min``, ``written_bytes_max`` and ``endurance``, one entry each.
    """
    least = sum(float(cost["written_bytes_min"]) for cost in costs)
    most = sum(float(cost["written_bytes_max"]) for cost in costs)
    return {
        "written_bytes_min": least,
        "written_bytes_max": most,
        "endurance": [dict(share_endurance((least, most), own)) for own in endurance],
    }


def endurance_lines(plan: dict[str, Any]) -> list[str]:
    """Say the share of the endurance in lines for people; none where none is known."""
    written = _span(
        capacity_label(plan["written_bytes_min"]),
        capacity_label(plan["written_bytes_max"]),
    )
    return [
        f"written in all {written}: {_share(own)} of {own['words']}"
        for own in plan["endurance"]
    ]


def _share(own: dict[str, Any]) -> str:
    return _span(_percent(own["percent_min"]), _percent(own["percent_max"]))


def _percent(share: float) -> str:
    if share < _LEAST_PERCENT:
        return f"under {_LEAST_PERCENT:g} %"
    return f"{share:,.0f} %" if share >= 100 else f"{share:.2g} %"


def _span(least: str, most: str) -> str:
    return least if least == most else f"{least} to {most}"

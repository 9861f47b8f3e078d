"""What a run would do, without doing it: for ``ssdlab plan``."""

from dataclasses import asdict, dataclass
from typing import Any

from ssdlab.campaign.endurance import endurance_costs, endurance_lines, find_endurance
from ssdlab.campaign.forecast_table import cost_table, span_words
from ssdlab.campaign.purge_costs import (
    price_purge,
    purge_costs,
    purge_lines,
    with_purges,
)
from ssdlab.model.asked import Procedure, Suite
from ssdlab.model.drive import AUTO_PURGE
from ssdlab.model.spec import Histogram, Precondition
from ssdlab.model.units import capacity_label
from ssdlab.plan.context import PlanContext
from ssdlab.plan.estimate import estimate_suite
from ssdlab.procedures.peak import PEAK, find_format_advice
from ssdlab.pts.conformance import Measured, find_asked_departures
from ssdlab.targets.opening import find_obstacles, foresee_purge, read_shape
from ssdlab.targets.purges import PurgeOutlook
from ssdlab.targets.shape import Shape

_USUAL_BYTES_PER_S = 500e6  # of a SATA drive, about
_LISTS = {
    "how the procedure is carried out:": "notes",
    "departs from the standard in:": "departures",
    "a run on it would be refused now:": "obstacles",
}
_LEAST_BYTES = "those of the fills before the rounds, and of purges that write"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Aim:
    """A target: what it is, and how it would be purged."""

    target: str
    shape: Shape
    outlook: PurgeOutlook


def forecast(
    target: str,
    asked: Suite | Procedure,
    *,
    write_bytes_per_s: float | None = None,
    rated_bytes: float | None = None,
    purge: str = AUTO_PURGE,
) -> dict[str, Any]:
    """Return what a run would do and cost, as JSON can hold it.

    Parameters
    ----------
    target : str
        ``virtual``, ``virtual:size=256MiB,op=12``, ``file:PATH,size=1GiB``, ``/dev/…``.
    asked : Suite or Procedure
        What the run is asked for, as it fits the target.
    write_bytes_per_s : float, optional
        The write speed to assume [B/s]. Without it what the target can do at most,
        where that is known, else 500 MB/s.
    rated_bytes : float, optional
        How much may be written to the drive in its life, as its maker says: TBW [B].
    purge : str
        How the target is purged; ``auto``: the first method that it can do.

    Returns
    -------
    dict
        The cost of each test and of all, the share of the drive's endurance where that
        is known, what departs from the standard, and for what use of the drive a run
        would be refused now.

    Raises
    ------
    UserError
        If a run would be refused.
    """
    aim = _take_aim(target, purge)
    departures = find_asked_departures(asked, _measured(aim))
    return {
        "target": target,
        "profile": asked.name,
        "spec_version": asked.spec_version,
        "departures": [one.words for one in departures],
        "obstacles": find_obstacles(target),
        **_notes(asked, aim.shape),
        **_costs(
            aim,
            asked,
            write_bytes_per_s=write_bytes_per_s,
            rated_bytes=rated_bytes,
        ),
    }


def _take_aim(target: str, purge: str) -> _Aim:
    return _Aim(
        target=target, shape=read_shape(target), outlook=foresee_purge(target, purge)
    )


def _measured(aim: _Aim) -> Measured:
    shape = aim.shape
    return Measured(
        kind=shape.kind,
        is_loop=shape.is_loop,
        capacity_bytes=shape.capacity_bytes,
        sector_bytes=shape.sector_bytes,
        purge=aim.outlook.method,
        write_cache_fault=shape.write_cache_fault,
    )


def _notes(asked: Suite | Procedure, shape: Shape) -> dict[str, list[str]]:
    if isinstance(asked, Suite):
        return {}
    return {"notes": [*asked.notes, *_sector_advice(asked, shape)]}


def _sector_advice(procedure: Procedure, shape: Shape) -> tuple[str, ...]:
    """Return where sectors are not those that the guide of the peak jobs advises."""
    if procedure.name != PEAK or not shape.sector_bytes:
        return ()
    sizes = {
        phase.block_size_bytes
        if isinstance(phase, Precondition)
        else phase.workload.block_size_bytes
        for test in procedure.tests
        for phase in test.phases
        if isinstance(phase, Precondition | Histogram)
    }
    return find_format_advice(shape.sector_bytes, sizes)


def _costs(
    aim: _Aim,
    asked: Suite | Procedure,
    *,
    write_bytes_per_s: float | None,
    rated_bytes: float | None,
) -> dict[str, Any]:
    """Return what tests cost there, one entry a test, and in all."""
    context = PlanContext(
        capacity_bytes=aim.shape.capacity_bytes,
        sector_bytes=aim.shape.sector_bytes,
        active_range_percent=asked.active_range_percent,
        seed=0,
    )
    speed, source = _assume_speed(write_bytes_per_s, aim.shape)
    price = price_purge(aim.outlook, context.capacity_bytes, speed)
    tests = [
        with_purges(
            {
                "test": cost.test_id,
                "title": cost.title,
                **asdict(cost.cost),
                "drive_fills_min": cost.drive_fills_min,
                "drive_fills_max": cost.drive_fills_max,
                "phases": [phase.phase_id for phase in test.possible_phases],
            },
            test,
            price,
        )
        for cost, test in zip(
            estimate_suite(asked.tests, context, speed), asked.tests, strict=True
        )
    ]
    return {
        "capacity_bytes": context.capacity_bytes,
        "active_range_bytes": context.range_bytes,
        "assumed_write_bytes_per_s": speed,
        "assumed_write_speed_is": source,
        "tests": tests,
        "purges": purge_costs(tests, price),
        "seconds_min": sum(test["seconds_min"] for test in tests),
        "seconds_max": sum(test["seconds_max"] for test in tests),
        **endurance_costs(tests, find_endurance(aim.target, rated_bytes)),
    }


def _assume_speed(given: float | None, shape: Shape) -> tuple[float, str]:
    """Return the write speed to reckon with [B/s], and what it is in words."""
    if given is not None:
        return given, "as given"
    if shape.write_bytes_per_s is not None:
        return shape.write_bytes_per_s, "the most that the virtual SSD can do"
    return _USUAL_BYTES_PER_S, "a guess"


def forecast_lines(plan: dict[str, Any]) -> list[str]:
    """Say a forecast in lines for people.

    Parameters
    ----------
    plan : dict
        What `forecast` returned.

    Returns
    -------
    list of str
        What is assumed, a table with one line a test, the sum, what is to be known of
        a procedure, and the departures.
    """
    speed = plan["assumed_write_bytes_per_s"] / 1e6
    capacity = capacity_label(plan["capacity_bytes"])
    lines = [
        f"{plan['profile']} ({plan['spec_version']}) on {plan['target']}, {capacity}",
        f"assumed write speed {speed:.4g} MB/s: {plan['assumed_write_speed_is']}",
        f"bytes at least are {_LEAST_BYTES}; nothing is touched",
        "",
        *cost_table(plan["tests"]),
        "",
        f"in all {span_words(plan)}",
        *purge_lines(plan["purges"]),
        *endurance_lines(plan),
    ]
    for heading, key in _LISTS.items():
        if plan.get(key):
            lines += ["", heading, *(f"  {words}" for words in plan[key])]
    return lines

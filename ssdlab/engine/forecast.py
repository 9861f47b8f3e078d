"""What a run would do, without doing it: for ``ssdlab plan``."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from ssdlab.drive.health import read_health
from ssdlab.drive.inventory import find_drive
from ssdlab.model.asked import Procedure, Suite
from ssdlab.model.drive import AUTO_PURGE, PurgeMethod
from ssdlab.model.errors import TargetRefusedError
from ssdlab.model.spec import Histogram, Precondition, PtsTest, Purge
from ssdlab.model.units import capacity_label, duration_label
from ssdlab.plan.context import PlanContext
from ssdlab.plan.endurance import (
    Endurance,
    estimate_endurance,
    rate_endurance,
    share_endurance,
)
from ssdlab.plan.estimate import estimate_suite
from ssdlab.procedures.peak.spec import PEAK, find_format_advice
from ssdlab.pts.conformance import Measured, find_asked_departures
from ssdlab.targets.opening import find_obstacles, foresee_purge, read_shape
from ssdlab.targets.purges import PurgeOutlook
from ssdlab.targets.shape import Shape
from ssdlab.text.table import column, tabulate
from ssdlab.text.terminal import table_lines

_USUAL_BYTES_PER_S = 500e6  # of a SATA drive, about
_LISTS = {
    "how the procedure is carried out:": "notes",
    "departs from the standard in:": "departures",
    "a run on it would be refused now:": "obstacles",
}
_LEAST_BYTES = "preconditioning fills + purges that write"
_LEAST_PERCENT = 0.01
_MANY_FILLS = 100  # of one test
_MOST_S = 100 * 365 * 86_400.0  # of a time whose end is told
_ENDS = ("min", "max")


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
    """Return what a run would do and cost, as JSON can hold it."""
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
    """Return advice if the guide of the peak jobs advises other sectors."""
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
    """Return what tests cost there, one entry per test, and in all."""
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
    """Return the write speed to assume [B/s], and what it is in words."""
    if given is not None:
        return given, "as given"
    if shape.write_bytes_per_s is not None:
        return shape.write_bytes_per_s, "the most that the virtual SSD can do"
    return _USUAL_BYTES_PER_S, "a guess"


def forecast_lines(plan: dict[str, Any], *, now: datetime) -> list[str]:
    """Return a forecast as readable lines, and when a run would end if begun now."""
    speed = plan["assumed_write_bytes_per_s"] / 1e6
    capacity = capacity_label(plan["capacity_bytes"])
    lines = [
        f"{plan['profile']} ({plan['spec_version']}) on {plan['target']}, {capacity}",
        f"assumed write speed {speed:.4g} MB/s: {plan['assumed_write_speed_is']}",
        f"least bytes written = {_LEAST_BYTES}; this command writes nothing to it",
        "",
        *cost_table(plan["tests"]),
        "",
        f"in all {span_words(plan)}",
        *purge_lines(plan["purges"]),
        *_end_lines(plan, now),
        *endurance_lines(plan),
        *_fills_lines(plan["tests"]),
    ]
    for heading, key in _LISTS.items():
        if plan.get(key):
            lines += ["", heading, *(f"  {words}" for words in plan[key])]
    return lines


def _end_lines(plan: dict[str, Any], now: datetime) -> list[str]:
    """Return when a run that starts now would end; nothing beyond a century."""
    if not plan["seconds_max"] < _MOST_S:
        return []
    first, last = (
        f"{now + timedelta(seconds=plan[f'seconds_{end}']):%Y-%m-%d %H:%M}"
        for end in _ENDS
    )
    purges = plan["purges"]
    is_known = purges["seconds_each"] is not None or not purges["count_max"]
    words = "" if is_known else ", without the purges"
    return [f"started now, it would end {_span(first, last)}{words}"]


def _fills_lines(tests: Sequence[dict[str, Any]]) -> list[str]:
    """Return which tests may write a drive very often."""
    many = ", ".join(
        f"{test['test']} ({test['drive_fills_max']:,.1f})"
        for test in tests
        if test["drive_fills_max"] > _MANY_FILLS
    )
    return [f"warning: may exceed {_MANY_FILLS} drive fills: {many}"] if many else []


def cost_table(tests: Sequence[dict[str, Any]]) -> list[str]:
    """Return a heading and one line per test."""

    def ends(
        name: str, label: Callable[[Any], str], between: str
    ) -> Callable[..., str]:
        return lambda test: _one_or_both(
            *(label(test[f"{name}_{end}"]) for end in ("min", "max")), between=between
        )

    columns = (
        column("test", "test", is_words=True),
        column("steps", ends("steps", "{:,}".format, "-"), is_words=True),
        column("rounds", ends("rounds", "{:,}".format, "-"), is_words=True),
        column("time", span_words, is_words=True),
        column("written", ends("written_bytes", capacity_label, " to "), is_words=True),
        column(
            "drive fills", ends("drive_fills", "{:,.1f}".format, " to "), is_words=True
        ),
    )
    return table_lines(tabulate(tests, columns, caption=""))


def span_words(cost: dict[str, Any]) -> str:
    """Return how long something takes, at least and at most if they differ."""
    least, most = (
        duration_label(cost["seconds_min"]),
        duration_label(cost["seconds_max"]),
    )
    return _one_or_both(least, most, between=" to ")


def _one_or_both(least: str, most: str, *, between: str) -> str:
    return least if least == most else f"{least}{between}{most}"


def find_endurance(target: str, rated_bytes: float | None) -> tuple[Endurance, ...]:
    """Return the known endurance of a target: as given, and as the drive counts it."""
    given = () if rated_bytes is None else (rate_endurance(rated_bytes),)
    if not target.startswith("/dev/"):
        return given
    try:
        own = estimate_endurance(read_health(find_drive(target)))
    except TargetRefusedError:  # a plan touches nothing, so no drive is refused for it
        own = None
    return given if own is None else (*given, own)


def endurance_costs(
    costs: Sequence[dict[str, Any]], endurance: Sequence[Endurance]
) -> dict[str, Any]:
    """Return what all tests write, and what share of the endurance that is."""
    least = sum(float(cost["written_bytes_min"]) for cost in costs)
    most = sum(float(cost["written_bytes_max"]) for cost in costs)
    return {
        "written_bytes_min": least,
        "written_bytes_max": most,
        "endurance": [dict(share_endurance((least, most), own)) for own in endurance],
    }


def endurance_lines(plan: dict[str, Any]) -> list[str]:
    """Return the share of the endurance as readable lines; none if it is unknown."""
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


@dataclass(frozen=True, kw_only=True, slots=True)
class PurgePrice:
    """What one purge costs; ``seconds`` is ``None`` where it is unknown."""

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
    """Return the cost of a test including its purges."""
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
    """Return what the purges cost, and what of it is unknown, as readable lines."""
    least, most = purges["count_min"], purges["count_max"]
    if purges["method"] == "none" or not most:
        return []
    count = str(most) if least == most else f"{least} to {most}"
    noun = f"{count} purge{'' if most == 1 else 's'} ({purges['method']})"
    seconds = purges["seconds_each"]
    if seconds is None:
        return [f"plus {noun}, duration unknown"]
    each = duration_label(seconds)
    if purges["written_bytes_each"]:
        each += f" and {capacity_label(purges['written_bytes_each'])}"
    return [f"including {noun}, {each} each"]

"""What a run would do, without doing it: for ``ssdlab plan``."""

from dataclasses import asdict
from typing import Any

from ssdlab.model.spec import PtsTest, Purge
from ssdlab.model.units import capacity_label, duration_label
from ssdlab.plan.context import PlanContext
from ssdlab.plan.estimate import Cost, estimate_suite
from ssdlab.pts.departures import find_departures
from ssdlab.pts.profiles import find_profile, fit_to_sectors
from ssdlab.pts.suite import build_tests, parse_tests
from ssdlab.targets.opening import read_shape


def forecast(
    target: str, profile: str, tests: str, *, write_bytes_per_s: float
) -> dict[str, Any]:
    """Return what a run would do and cost, as JSON can hold it."""
    chosen, names, shape = find_profile(profile), parse_tests(tests), read_shape(target)
    context = PlanContext(
        capacity_bytes=shape.capacity_bytes,
        sector_bytes=shape.sector_bytes,
        active_range_percent=chosen.active_range_percent,
        seed=0,
    )
    suite = build_tests(fit_to_sectors(chosen, shape.sector_bytes), names)
    costs = estimate_suite(suite, context, write_bytes_per_s)
    return {
        "target": target,
        "profile": chosen.name,
        "spec_version": chosen.spec_version,
        "capacity_bytes": shape.capacity_bytes,
        "active_range_bytes": context.range_bytes,
        "assumed_write_bytes_per_s": write_bytes_per_s,
        "departures": find_departures(chosen, names),
        "tests": [
            {
                "test": cost.test_id,
                "title": cost.title,
                **asdict(cost.cost),
                **_after_purge(cost.cost, test),
                "drive_fills_min": cost.drive_fills_min,
                "drive_fills_max": cost.drive_fills_max,
                "phases": [phase.phase_id for phase in test.phases],
            }
            for cost, test in zip(costs, suite, strict=True)
        ],
        "seconds_min": sum(cost.cost.seconds_min for cost in costs),
        "seconds_max": sum(cost.cost.seconds_max for cost in costs),
    }


def _after_purge(cost: Cost, test: PtsTest) -> dict[str, int]:
    purges = sum(isinstance(phase, Purge) for phase in test.phases)
    return {
        "steps_after_purge_min": cost.steps_min - purges,
        "steps_after_purge_max": cost.steps_max - purges,
    }


def forecast_lines(plan: dict[str, Any]) -> list[str]:
    """Say a forecast in lines for people."""
    speed = plan["assumed_write_bytes_per_s"] / 1e6
    capacity = capacity_label(plan["capacity_bytes"])
    heading = f"{'test':<6}{'steps':>14}{'rounds':>11}  {'time':<26}"
    lines = [
        f"{plan['profile']} ({plan['spec_version']}) on {plan['target']}, {capacity}",
        f"fills and bytes at an assumed {speed:g} MB/s; nothing is touched",
        "",
        f"{heading}{'written':<22}{'drive fills':<14}",
    ]
    lines.extend(_line(test) for test in plan["tests"])
    lines += ["", f"in all {_span(plan)}"]
    if plan["departures"]:
        lines += ["", "not PTS-conformant because:"]
        lines += [f"  {departure}" for departure in plan["departures"]]
    return lines


def _span(cost: dict[str, Any]) -> str:
    least, most = (
        duration_label(cost["seconds_min"]),
        duration_label(cost["seconds_max"]),
    )
    return f"{least} to {most}"


def _line(test: dict[str, Any]) -> str:
    steps = f"{test['steps_min']}-{test['steps_max']}"
    rounds = f"{test['rounds_min']}-{test['rounds_max']}"
    written = (
        f"{capacity_label(test['written_bytes_min'])} to "
        f"{capacity_label(test['written_bytes_max'])}"
    )
    fills = f"{test['drive_fills_min']:.1f} to {test['drive_fills_max']:.1f}"
    counted = f"{test['test']:<6}{steps:>14}{rounds:>11}"
    return f"{counted}  {_span(test):<26}{written:<22}{fills}"

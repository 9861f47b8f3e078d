"""What a run would do, without doing it: for ``ssdlab plan``."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ssdlab.campaign.conformance import find_run_departures
from ssdlab.campaign.profiles import open_profile
from ssdlab.campaign.request import check_procedure, find_request_departures
from ssdlab.model.spec import Histogram, Precondition, Procedure, PtsTest, Purge
from ssdlab.model.units import capacity_label, duration_label
from ssdlab.plan.context import PlanContext
from ssdlab.plan.estimate import Cost, estimate_suite
from ssdlab.procedures.peak import PEAK, find_format_advice
from ssdlab.pts.fitting import fit_suite
from ssdlab.pts.suite import choose_tests
from ssdlab.targets.opening import Shape, read_shape, require_room

_USUAL_BYTES_PER_S = 500e6  # of a SATA drive, about
_LISTS = {
    "how the procedure is carried out:": "notes",
    "not PTS-conformant because:": "departures",
}
_HEADING = ("test", "steps", "rounds", "time", "written", "drive fills")


def forecast(
    target: str, profile: str, tests: str, *, write_bytes_per_s: float | None = None
) -> dict[str, Any]:
    """Return what a run would do and cost, as JSON can hold it.

    Parameters
    ----------
    target : str
        ``virtual``, ``virtual:size=256MiB,op=12``, ``file:PATH,size=1GiB``, ``/dev/…``.
    profile : str
        The profile, such as ``pts-2.0-enterprise``, or a file: ``mine.toml``.
    tests : str
        The tests, in the order to be run, separated by commas, or ``all``.
    write_bytes_per_s : float, optional
        The write speed to assume [B/s]. Without it what the target can do at most,
        where that is known, else 500 MB/s.

    Returns
    -------
    dict
        The cost of each test and of all, and what departs from the standard.

    Raises
    ------
    UserError
        If a run would be refused.
    """
    chosen, shape = open_profile(profile), read_shape(target)
    names = choose_tests(chosen, tests)
    require_room(target, shape.capacity_bytes)
    context = PlanContext(
        capacity_bytes=shape.capacity_bytes,
        sector_bytes=shape.sector_bytes,
        active_range_percent=chosen.active_range_percent,
        seed=0,
    )
    suite = fit_suite(
        chosen,
        names,
        capacity_bytes=shape.capacity_bytes,
        sector_bytes=shape.sector_bytes,
    ).tests
    departures = find_run_departures(
        chosen,
        names,
        target_departures=shape.departures,
        capacity_bytes=shape.capacity_bytes,
        sector_bytes=shape.sector_bytes,
    )
    return {
        "target": target,
        "profile": chosen.name,
        "spec_version": chosen.spec_version,
        "departures": departures,
        **_costs(suite, context, _assume_speed(write_bytes_per_s, shape)),
    }


def forecast_procedure(target: str, procedure: Procedure) -> dict[str, Any]:
    """Return what a procedure would do and cost; see `forecast`.

    Raises
    ------
    UserError
        If a run would be refused.
    """
    asked, shape = check_procedure(target, procedure, texts={}), read_shape(target)
    context = PlanContext(
        capacity_bytes=shape.capacity_bytes,
        sector_bytes=shape.sector_bytes,
        active_range_percent=100,
        seed=0,
    )
    departures = find_request_departures(
        asked,
        target_departures=shape.departures,
        capacity_bytes=shape.capacity_bytes,
        sector_bytes=shape.sector_bytes,
    )
    return {
        "target": target,
        "profile": procedure.name,
        "spec_version": procedure.source,
        "departures": departures,
        "notes": [*procedure.notes, *_sector_advice(procedure, shape)],
        **_costs(procedure.tests, context, _assume_speed(None, shape)),
    }


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
    suite: Sequence[PtsTest], context: PlanContext, assumed: tuple[float, str]
) -> dict[str, Any]:
    """Return what tests cost, one entry a test, and in all."""
    speed, source = assumed
    costs = estimate_suite(suite, context, speed)
    return {
        "capacity_bytes": context.capacity_bytes,
        "active_range_bytes": context.range_bytes,
        "assumed_write_bytes_per_s": speed,
        "assumed_write_speed_is": source,
        "tests": [
            {
                "test": cost.test_id,
                "title": cost.title,
                **asdict(cost.cost),
                **_after_purge(cost.cost, test),
                "drive_fills_min": cost.drive_fills_min,
                "drive_fills_max": cost.drive_fills_max,
                "phases": [phase.phase_id for phase in test.possible_phases],
            }
            for cost, test in zip(costs, suite, strict=True)
        ],
        "seconds_min": sum(cost.cost.seconds_min for cost in costs),
        "seconds_max": sum(cost.cost.seconds_max for cost in costs),
    }


def _assume_speed(given: float | None, shape: Shape) -> tuple[float, str]:
    """Return the write speed to reckon with [B/s], and what it is in words."""
    if given is not None:
        return given, "as given"
    if shape.write_bytes_per_s is not None:
        return shape.write_bytes_per_s, "the most that the virtual SSD can do"
    return _USUAL_BYTES_PER_S, "a guess"


def _after_purge(cost: Cost, test: PtsTest) -> dict[str, int]:
    least, most = (
        sum(isinstance(phase, Purge) for phase in phases)
        for phases in (test.phases, test.possible_phases)
    )
    return {
        "steps_after_purge_min": cost.steps_min - least,
        "steps_after_purge_max": cost.steps_max - most,
    }


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
        "bytes at least are the preconditioning's fills only; nothing is touched",
        "",
        *_table([_HEADING, *(_row(test) for test in plan["tests"])]),
        "",
        f"in all {_span(plan)}",
    ]
    for heading, key in _LISTS.items():
        if plan.get(key):
            lines += ["", heading, *(f"  {words}" for words in plan[key])]
    return lines


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Set rows under each other, two blanks between the widest cells."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _span(cost: dict[str, Any]) -> str:
    least, most = (
        duration_label(cost["seconds_min"]),
        duration_label(cost["seconds_max"]),
    )
    return _one_or_both(least, most, between=" to ")


def _one_or_both(least: str, most: str, *, between: str) -> str:
    return least if least == most else f"{least}{between}{most}"


def _row(test: dict[str, Any]) -> tuple[str, ...]:
    written = (capacity_label(test[f"written_bytes_{end}"]) for end in ("min", "max"))
    fills = (f"{test[f'drive_fills_{end}']:.1f}" for end in ("min", "max"))
    steps, rounds = (
        _one_or_both(str(test[f"{name}_min"]), str(test[f"{name}_max"]), between="-")
        for name in ("steps", "rounds")
    )
    return (
        test["test"],
        steps,
        rounds,
        _span(test),
        _one_or_both(*written, between=" to "),
        _one_or_both(*fills, between=" to "),
    )

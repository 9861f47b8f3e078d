"""What a plan of repetitions says, in words, as tables and as plain data."""

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from ssdlab.fleet.repetitions import LEAST_ROUNDS, Repetitions, Way
from ssdlab.fleet.texts import counted, workload_text
from ssdlab.model.units import duration_label
from ssdlab.stats.plain_rows import plain_value
from ssdlab.text.numbers import NOT_MEASURED, rounded_text
from ssdlab.text.table import Table, column, tabulate

_REASONS: Final = {
    "no-runs": "No run can be used: see what is left out.",
    "one-drive": "How drives scatter was not sampled. Measure a second drive at least, "
    "better five, and one of them twice; then ask again.",
    "no-repeats": "How runs of a drive scatter was not sampled: every drive was run "
    "once. Run two drives or more a second time, with purge and preconditioning; then "
    "ask again.",
    "no-scatter": "The pilot runs do not scatter at all, which no drive does: check "
    "where they come from.",
    "no-costs": "What a run and a round cost is not known: no run folder with times "
    "could be read. Give --run-hours and --round-hours.",
    "too-small": "More than 10,000 drives a side would be needed. Ask for a greater "
    "difference, or for a change of the same drives (--same-drives).",
    "too-few-drives": "With so few drives that cannot be shown, however often each is "
    "run. Ask for a greater difference, or for a change of the same drives "
    "(--same-drives).",
}
_LEVELS: Final = {
    "drive": "Drive to drive",
    "run": "Run to run",
    "round": "Round to round",
}
_CLAIMED: Final = {
    "difference": "a difference of {:g} % between two populations of drives",
    "change": "a change of {:g} % of the same drives, measured before and after",
    "half-width": "a 95 % interval of ±{:g} % of a population of drives",
}


def repetitions_as_dict(found: Repetitions) -> dict[str, Any]:
    """Return a plan as plain data; what is not known is None."""
    pilot, known = found.pilot, found.components
    plain: dict[str, Any] = {
        "store": pilot.store.url,
        "cell": pilot.choice.cell,
        "metric": pilot.choice.metric.name,
        "group": pilot.group,
        "accepted": sorted(pilot.accepted),
        "pilot": {
            "drives": pilot.drives,
            "runs": len(pilot.kept),
            "runs_with_rounds": int(found.rounds_by_run["run_id"].nunique()),
            "left_out": int((pilot.runs["left_out"] != "").sum()),
        },
        "aim": asdict(found.aim),
        "assurance_percent": found.assurance_percent,
        "costs": asdict(found.costs),
        "components": [_component(found, name) for name in known.names]
        if known
        else [],
        "planned": asdict(found.planned) if found.planned else None,
        "reason": found.reason,
        "drives_by_median": found.drives_by_median,
    }
    ways = [plain_value(asdict(way)) for way in found.ways]
    return {**plain_value(plain), "ways": ways} | {
        "components": [plain_value(one) for one in plain["components"]]
    }


def _component(found: Repetitions, name: str) -> dict[str, Any]:
    """Return a component as a standard deviation of the logarithm [%]."""
    known = found.components
    if known is None:
        return {}
    part = known.interval(lambda of: of[name])
    return {
        "name": name,
        "percent": _percent(part.estimate),
        "low_percent": _percent(part.low),
        "high_percent": _percent(part.high),
        "freedom": known.freedom(name),
        "is_set_to_0": name in known.truncated,
    }


def _percent(variance: float) -> float:
    return 100 * math.sqrt(variance)


def answer_lines(found: Repetitions) -> Iterator[str]:
    """Yield what is planned, or why that is unknown."""
    pilot, aim = found.pilot, found.aim
    yield f"{workload_text(pilot.choice)}, {pilot.group}".removesuffix(", ")
    claimed = _CLAIMED[aim.purpose].format(aim.percent)
    claimed = claimed.replace("95 %", f"{aim.confidence_percent:g} %", 1)
    if found.planned is None:
        yield f"CANNOT BE TOLD, to show {claimed}. {_REASONS[found.reason]}"
        return
    yield f"To show {claimed}: {_way_text(found, found.planned)}."
    as_estimated = found.planned.drives_as_estimated
    yield (
        f"That is enough with {found.assurance_percent:g} % assurance, as the pilot "
        f"knows the scatter only roughly; {counted(as_estimated or 0, 'drive')} would "
        "be enough if its estimates were the truth."
    )


def _way_text(found: Repetitions, way: Way) -> str:
    aim = found.aim
    drives = counted(way.drives or 0, "drive")
    words = [f"{drives} on each side" if aim.sides == 2 else drives]
    twice = " before and after" if aim.purpose == "change" else ""
    words.append(f"{counted(way.runs, 'run')} of each{twice}")
    if way.rounds is not None:
        words.append(f"{counted(way.rounds, 'round')} in the window of a run")
    text = ", ".join(words)
    if way.cost_s is not None:
        text += f"; {duration_label(way.cost_s)} in all"
    return text


def note_lines(found: Repetitions) -> Iterator[str]:
    """Yield what the plan rests on: the pilot, its gaps, the costs, the median."""
    pilot, costs, known = found.pilot, found.costs, found.components
    with_rounds = int(found.rounds_by_run["run_id"].nunique())
    yield (
        f"Pilot: {counted(pilot.drives, 'drive')}, {counted(len(pilot.kept), 'run')}, "
        f"rounds read of {counted(with_rounds, 'run')}."
    )
    if known and not found.has_rounds:
        yield (
            "Rounds: not separate from runs, as they were not read of repeated runs "
            "of two drives, or rounds do not have the metric. Run to run holds both: "
            f"measure as many rounds as in the pilot. Times are for {LEAST_ROUNDS}."
        )
    for name in known.truncated if known else ():
        yield (
            f"{_LEVELS[name]}: estimated below 0, as it is less than what is within "
            "explains; set to 0."
        )
    if costs.run_s is not None and costs.round_s is not None:
        source = "as given"
        if costs.recorded_runs:
            source = f"of {counted(costs.recorded_runs, 'pilot run')}, unless given"
        parts = {
            "a round": costs.round_s,
            "a run besides its window": costs.run_s,
            "a drive besides its runs": costs.drive_s,
        }
        texts = [
            f"{what} {duration_label(cost) if cost else 'nothing'}"
            for what, cost in parts.items()
        ]
        yield f"Costs ({source}): {', '.join(texts)}."
    yield _median_text(found)
    if pilot.others_text:
        yield pilot.others_text


def _median_text(found: Repetitions) -> str:
    words = f"±{found.aim.percent:g} % (order statistics, resampled)"
    if found.drives_by_median is None:
        return (
            "Without a distribution: the drives of the pilot do not bound their median "
            f"to {words}; it takes six at least."
        )
    return (
        f"Without a distribution: {found.drives_by_median} of the pilot's drives bound "
        f"their median to {words}."
    )


def components_table(found: Repetitions) -> Table:
    """Return how much each level scatters."""
    known = found.components
    rows = [_component(found, name) for name in known.names] if known else []
    return tabulate(
        rows,
        (
            column("Level", lambda row: _LEVELS[row["name"]], is_words=True),
            column("Scatter [%]", "percent", rounded_text),
            column(
                "95 %",
                lambda row: (
                    f"{rounded_text(row['low_percent'])} to "
                    f"{rounded_text(row['high_percent'])}"
                ),
            ),
        ),
        caption="Standard deviation of the logarithm, by level",
    )


def ways_table(found: Repetitions) -> Table:
    """Return the drives that it takes with other numbers of runs."""

    def drives(count: int | None) -> str:
        return NOT_MEASURED if count is None else f"{count:,}"

    side = " a side" if found.aim.sides == 2 else ""
    return tabulate(
        found.ways,
        (
            column("Runs of a drive", "runs"),
            column("Rounds of a run", "rounds", missing="as in the pilot"),
            column(f"Drives{side}", lambda way: drives(way.drives)),
            column("as estimated", lambda way: drives(way.drives_as_estimated)),
            column("Time in all", "cost_s", duration_label),
            column(
                "",
                lambda way: "planned" if way == found.planned else "",
                is_words=True,
            ),
        ),
        caption="Ways to show it",
    )

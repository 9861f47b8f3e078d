"""What contributes to the uncertainty of a result, each from what a run recorded of it.

What is not known has no number: the entry says why it is not evaluated.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.budget.result import Result
from ssdlab.findings.ceiling import NEAR_RATIO, find_ceiling
from ssdlab.model.records import CeilingPoint
from ssdlab.model.telemetry import DRIVE, TEMPERATURE
from ssdlab.stats.anova import Components, analyse_nested
from ssdlab.stats.clusters import FEWEST_ROUNDS
from ssdlab.stats.states import SIGNIFICANCE
from ssdlab.stats.trend import NO_SCATTER, estimate_mean
from ssdlab.stats.uncertainty import Contribution, within_bounds
from ssdlab.store.run import Run
from ssdlab.text.numbers import number_text, seconds_text

FloatArray = npt.NDArray[np.float64]
_RUNTIME_STEP_S = 1e-3  # fio reports the time of a job in whole milliseconds
_TIME_STEP_NS = 1.0  # and latencies in whole nanoseconds
ROUND_TO_ROUND, IO_TO_IO = OF_ROUNDS_OR_IOS = ("round to round", "IO to IO")
RUN_TO_RUN, DRIVE_TO_DRIVE = "run to run", "drive to drive"


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A line of a budget: a contribution, or why there is none.

    ``applies`` is false where the source cannot act on this result. ``basis`` is what
    the contribution rests on, or why it is not evaluated.
    """

    source: str
    basis: str
    contribution: Contribution | None = None
    applies: bool = True


def round_entries(result: Result) -> Iterator[Entry]:
    """Yield the scatter of rounds, and the drift within the window."""
    claim, rounds = result.claim, result.rounds
    if claim is not None:
        yield _percentile_entry(result)
    else:
        yield mean_entry(rounds)
    yield drift_entry(rounds)


def mean_entry(rounds: FloatArray) -> Entry:
    """Return the scatter of the mean of rounds, which may be autocorrelated."""
    from ssdlab.stats.special import stdtrit  # noqa: PLC0415 - loads scipy

    source, count = ROUND_TO_ROUND, len(rounds)
    if count < FEWEST_ROUNDS:
        return Entry(source=source, basis=f"{count} rounds do not show their scatter")
    found = estimate_mean(rounds)
    if found.note == NO_SCATTER:
        return Entry(source=source, basis=NO_SCATTER)
    half = (found.high - found.low) / 2
    return Entry(
        source=source,
        basis=f"95 % interval of {count} rounds, allowing for autocorrelation, / t",
        contribution=Contribution(
            kind="A",
            distribution="t",
            standard=half / float(stdtrit(count - 1, 0.975)),
            unit="",
            freedom=count - 1,
        ),
    )


def _percentile_entry(result: Result) -> Entry:
    from ssdlab.stats.special import ndtri, stdtrit  # noqa: PLC0415 - loads scipy

    claim, source = result.claim, ROUND_TO_ROUND
    if claim is None or not claim.is_supported:
        words = "nothing bounds the percentile from above: too few IOs or rounds"
        return Entry(source=source, basis=words)
    known = claim.interval
    half = max(known.high - known.estimate, known.estimate - known.low)
    freedom = claim.rounds - 1.0 if claim.is_of_rounds else math.inf
    student = float(stdtrit(freedom, 0.975) if claim.is_of_rounds else ndtri(0.975))
    return Entry(
        source=source if claim.is_of_rounds else IO_TO_IO,
        basis=f"longer side of its 95 % interval {claim.claimed} / {student:.3g}",
        contribution=Contribution(
            kind="A",
            distribution="t" if claim.is_of_rounds else "normal",
            standard=half / student,
            unit="",
            freedom=freedom,
        ),
    )


def drift_entry(rounds: FloatArray) -> Entry:
    """Return what a line through the rounds changes within the window."""
    source, count = "drift in the window", len(rounds)
    if count < FEWEST_ROUNDS:
        words = "there are no rounds of it" if not count else f"{count} rounds are few"
        return Entry(source=source, basis=words)
    slope = float(np.polyfit(np.arange(count), rounds, 1)[0])
    half = abs(slope) * (count - 1) / 2
    return Entry(
        source=source,
        basis=f"half of what the least-squares line changes over {count} rounds",
        contribution=within_bounds(half, "", freedom=count - 2),
    )


def resolution_entries(result: Result) -> Iterator[Entry]:
    """Yield the width of a bin, and the step of the times that fio reports."""
    width = result.bin_width
    if result.claim is None:
        yield Entry(source="histogram bin", basis="no percentile", applies=False)
    else:
        ratio = 100 * width / result.value
        yield Entry(
            source="histogram bin",
            basis=f"half of its bin, which is {ratio:.2g} % wide",
            contribution=within_bounds(width / 2, ""),
        )
    if result.metric.column.startswith("lat_"):
        yield Entry(
            source="resolution of times",
            basis="fio reports whole ns; the step of the clock itself is not recorded",
            contribution=within_bounds(_TIME_STEP_NS / 2, ""),
        )
        return
    runtime_s = result.steps["runtime_s"].astype(float).mean()
    if not runtime_s > 0:
        yield Entry(source="resolution of times", basis="run times are not recorded")
        return
    yield Entry(
        source="resolution of times",
        basis=f"fio reports the time of a round, {seconds_text(runtime_s)}, in ms",
        contribution=within_bounds(
            _RUNTIME_STEP_S, "s", sensitivity=-result.value / runtime_s
        ),
    )


def surroundings_entries(result: Result, run: Run) -> Iterator[Entry]:
    """Yield what rest, temperature and host do to it, as far as that is shown."""
    own = run.steps[run.steps["step_id"].isin(result.steps["step_id"])]
    gap_s = own["idle_before_s"].astype(float).median()
    known = "gaps are not recorded"
    if gap_s == gap_s:  # noqa: PLR0124 - NaN
        known = f"gaps are {seconds_text(float(gap_s))}; what a drive gains by them is"
        known += " not known"
    yield Entry(source="idle gap between steps", basis=known)
    yield temperature_entry(
        result.rounds, temperatures_of(own, run.telemetry) if result.rounds.size else []
    )
    yield ceiling_entry(result, run.record.host_ceiling)


def temperatures_of(steps: pd.DataFrame, telemetry: pd.DataFrame) -> list[float]:
    """Return the mean temperature of the drive in each step; none if one has none."""
    read = telemetry[
        (telemetry["source"] == DRIVE) & (telemetry["name"] == TEMPERATURE)
    ]
    found = [
        read["value"][read["time_s"].between(start, end)].mean()
        for start, end in zip(steps["started_s"], steps["ended_s"], strict=True)
    ]
    return [] if any(math.isnan(one) for one in found) else list(map(float, found))


def temperature_entry(rounds: FloatArray, temperatures: Sequence[float]) -> Entry:
    """Return what the range of temperature does, if a slope is shown."""
    from ssdlab.stats.special import stdtr  # noqa: PLC0415 - loads scipy

    source, count = "temperature", len(rounds)
    if len(temperatures) != count or not count:
        return Entry(source=source, basis="no temperature was read in each round")
    reach = max(temperatures) - min(temperatures)
    if count < FEWEST_ROUNDS or not reach:
        return Entry(source=source, basis="the temperature did not vary")
    away = np.array(temperatures) - np.mean(temperatures)
    slope = float(away @ rounds / (away @ away))
    left = rounds - rounds.mean() - slope * away
    freedom = count - 2
    error = math.sqrt(float(left @ left) / freedom / float(away @ away))
    p = 2 * float(stdtr(freedom, -abs(slope) / error)) if error else 0.0
    if p >= SIGNIFICANCE:
        words = f"no slope is shown over {number_text(reach)} °C (p = {p:.2g})"
        return Entry(source=source, basis=words)
    return Entry(
        source=source,
        basis=f"range of {number_text(reach)} °C; a slope is shown (p = {p:.2g})",
        contribution=within_bounds(reach / 2, "°C", sensitivity=slope, freedom=freedom),
    )


def ceiling_entry(result: Result, points: Sequence[CeilingPoint]) -> Entry:
    """Return whether the host may have limited the result; by how much is not known."""
    source = "host ceiling"
    known = result.steps.dropna(
        subset=["threads", "queue_depth", "block_size_bytes", "read_percent"]
    )
    if not points or known.empty:
        return Entry(source=source, basis="it was not measured: --host-ceiling")
    row = known.iloc[0]
    names = ("threads", "queue_depth", "block_size_bytes", "read_percent")
    ceiling = find_ceiling(points, **{name: int(row[name]) for name in names})
    if ceiling is None:
        return Entry(source=source, basis="it was not measured for this TC/QD")
    ratio = float(known["iops"].mean()) / ceiling.iops
    words = f"the result is {100 * ratio:.0f} % of it"
    if ratio < NEAR_RATIO:
        return Entry(source=source, basis=f"{words}: no limit", applies=False)
    return Entry(source=source, basis=f"{words}: the drive may be faster")


def population_entries(
    value: float, runs: pd.DataFrame | None, *, why: str = ""
) -> Iterator[Entry]:
    """Yield the scatter of runs and of drives, from runs with ``drive`` and ``log``.

    ``why`` is why there are none.
    """
    if runs is None or runs.empty:
        for source in (RUN_TO_RUN, DRIVE_TO_DRIVE):
            yield Entry(source=source, basis=why)
        return
    rows = analyse_nested(runs["log"], {"drive": runs["drive"].tolist()}, rest="run")
    counts = f"{len(runs)} runs of {runs['drive'].nunique()} drives"
    of_runs = tuple(row for row in rows if row.name == "run")
    if not of_runs:
        words = "no drive was run twice"
        yield Entry(source=RUN_TO_RUN, basis=words)
        yield Entry(source=DRIVE_TO_DRIVE, basis=f"{words}: not separate from runs")
        return
    known = Components(rows=rows)
    part = partial(_component_entry, value=value, known=known, counts=counts)
    yield part(RUN_TO_RUN, "run")
    if len(rows) < 2:
        yield Entry(source=DRIVE_TO_DRIVE, basis="one drive only")
    else:
        yield part(DRIVE_TO_DRIVE, "drive")


def _component_entry(
    source: str, name: str, *, value: float, known: Components, counts: str
) -> Entry:
    if len(known.rows) == 1:
        variance, freedom = known.rows[0].square, float(known.rows[0].freedom)
    else:
        variance, freedom = known.estimates[name], known.freedom(name)
    if not variance:
        words = f"{counts}: estimated below 0, as runs explain as much"
        return Entry(source=source, basis=words)
    return Entry(
        source=source,
        basis=f"component of variance of {counts}",
        contribution=Contribution(
            kind="A",
            distribution="log-normal",
            standard=math.sqrt(variance),
            unit="relative",
            sensitivity=value,
            freedom=freedom,
        ),
    )

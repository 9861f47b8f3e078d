"""Steps and idle times that were not as long as requested, and gaps: findings."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, assert_never

import numpy as np

from ssdlab.findings.conformance import RunFacts
from ssdlab.findings.gaps import PART_WORDS, split_gaps
from ssdlab.model.finding import Finding, make_finding
from ssdlab.model.spec import (
    Histogram,
    OperatingPoint,
    Phase,
    Precondition,
    Purge,
    Rounds,
    Stimulus,
    Workload,
)
from ssdlab.model.step import StepKind
from ssdlab.model.units import duration_label

if TYPE_CHECKING:
    import pandas as pd

_Place = tuple[str, str, str]
TIME_TOLERANCE_RATIO = 0.005
TIME_TOLERANCE_S = 0.05  # a step may wait for IOs that are still outstanding
GAP_LIMIT_S = 1.0
IDLE_LIMIT_RATIO = 0.005  # of a phase
LEAST_IOS = 100  # of a cell: latencies of CV 1 have a mean known to 10 % then
WAIT_TOLERANCE_RATIO = 0.1  # of a requested idle time


def find_time_faults(
    steps: "pd.DataFrame", totals: "pd.DataFrame", facts: RunFacts
) -> tuple[Finding, ...]:
    """Say where steps did not run, or wait, as long as requested."""
    asked_s, amounts = _asked_s(facts), _enough_bytes(facts)
    places = list(zip(totals["test"], totals["phase"], totals["kind"], strict=True))
    timed = totals.assign(asked_s=[asked_s.get(place, np.nan) for place in places])
    enough = [amounts.get(place, np.inf) for place in places]
    done_bytes = timed["io_bytes"].astype(float).fillna(0)
    is_by_time = timed["asked_s"].notna() & (done_bytes < enough)
    timed = timed[is_by_time & timed["runtime_s"].notna()]
    off_s = (timed["runtime_s"] - timed["asked_s"]).abs()
    limit_s = timed["asked_s"] * TIME_TOLERANCE_RATIO + TIME_TOLERANCE_S
    found = []
    for test, rows in timed[off_s > limit_s].groupby("test", sort=False):
        count = int((timed["test"] == test).sum())
        worst = rows.iloc[int(off_s[rows.index].to_numpy().argmax())]
        words = (
            f"times: {len(rows)} of {count} steps missed their requested duration by "
            f"more than {100 * TIME_TOLERANCE_RATIO:g} % (worst: "
            f"{worst['runtime_s']:.3g} s instead of {worst['asked_s']:.3g} s)"
        )
        found.append(make_finding("time-measured", words, test=str(test)))
    return (*found, *_wait_faults(steps))


def _asked_s(facts: RunFacts) -> dict[_Place, float]:
    """Return how long [s] steps of each test, phase and kind were to run."""
    return {
        (test.test_id, phase.phase_id, kind): seconds
        for test in facts.tests
        for phase in test.possible_phases
        for kind, seconds in _seconds_of(phase)
    }


def _enough_bytes(facts: RunFacts) -> dict[_Place, float]:
    """Return how much [B] ends a step before its time.

    That is so of pre-writes, PTS section 13, step 3a, and of logs that are replayed.
    """
    amounts = {
        (test.test_id, phase.phase_id, kind): enough
        for test in facts.tests
        for phase in test.possible_phases
        for kind, load in _loads_of(phase)
        if (enough := _log_bytes(load)) is not None
    }
    return amounts | {
        (test.test_id, phase.phase_id, "pre_write"): share * before.workload.threads
        for test in facts.tests
        for phase in test.possible_phases
        if isinstance(phase, Rounds) and (before := phase.pre_write)
        if (share := before.thread_bytes(facts.capacity_bytes))
    }


def _loads_of(phase: Phase) -> Iterator[tuple[str, Workload]]:
    """Yield the kind of the measured steps of a phase, and what they do."""
    if isinstance(phase, Rounds):
        yield from (("cell", cell) for cell in phase.cells)
    if isinstance(phase, Histogram):
        yield "histogram", phase.workload


def _log_bytes(load: Workload) -> float | None:
    """Return after how much [B] the logs of a stimulus are at their end.

    fio does not count the bytes of the last IOs that were outstanding.
    """
    if load.replayed_bytes is None:
        return None
    return max(1, load.replayed_bytes - load.outstanding * load.block_range_bytes[1])


def _seconds_of(phase: Phase) -> tuple[tuple[StepKind, float], ...]:
    match phase:
        case Purge() | Precondition():
            return ()
        case Rounds():
            before = phase.pre_write
            pre_writes = (("pre_write", before.seconds),) if before else ()
            return (("cell", phase.cell_seconds), *pre_writes)
        case Stimulus():
            return (("cell", phase.round_seconds),)
        case Histogram():
            return (("histogram", phase.seconds),)
        case OperatingPoint():
            return (
                ("pre_write", phase.round_seconds),
                ("histogram", phase.histogram_s),
            )
        case _:
            assert_never(phase)


def _wait_faults(steps: "pd.DataFrame") -> Iterator[Finding]:
    waits = steps[(steps["wait_s"] > 0) & steps["is_contiguous"].fillna(value=True)]
    off_s = (waits["idle_before_s"] - waits["wait_s"]).abs()
    late = waits[off_s > waits["wait_s"] * WAIT_TOLERANCE_RATIO]
    for test, rows in late.groupby("test", sort=False):
        count = int((waits["test"] == test).sum())
        worst = rows.iloc[int(off_s[rows.index].to_numpy().argmax())]
        words = (
            f"idle times: {len(rows)} of {count} were not kept to "
            f"{100 * WAIT_TOLERANCE_RATIO:g} %; at worst {worst['idle_before_s']:.3g} "
            f"s instead of {worst['wait_s']:.3g} s"
        )
        yield make_finding("wait-measured", words, test=str(test))


def find_gaps(steps: "pd.DataFrame", facts: RunFacts) -> tuple[Finding, ...]:
    """Say where the device was idle too long, and where a test was resumed.

    The standard has steps follow one another without delay and names no limit: decision
    75. A gap before a purge does not count: the purge undoes its effects. Nor does a
    requested idle time.
    """
    idle_s = steps["idle_before_s"].where(~(steps["wait_s"] > 0)).fillna(0)
    worked = steps.assign(idle_s=idle_s)[steps["kind"] != "purge"]
    broken = ~worked["is_contiguous"].fillna(value=True).astype(bool)
    is_resumed = broken & worked["step_id"].isin(_resumed_steps(steps, facts))
    gaps = worked[~is_resumed & (broken | (worked["idle_s"] > GAP_LIMIT_S))]
    found = []
    for test, rows in gaps.groupby("test", sort=False):
        restarts = int(broken[rows.index].sum())
        words = (
            f"gaps: {len(rows)} in which the device was idle, the longest "
            f"{_longest(rows)}{_mostly(steps, rows)}; {_restarts(restarts, len(rows))}"
        )
        found.append(make_finding("idle-gap", words, test=str(test)))
    found += _idle_shares(worked[~is_resumed].drop(gaps.index))
    for test, rows in worked[is_resumed].groupby("test", sort=False):
        times = "once" if len(rows) == 1 else f"{len(rows)} times"
        words = (
            f"resumed {times} after an interruption of {_longest(rows)} at most, first "
            f"at {rows['phase'].iloc[0]}; windows restart after it"
        )
        found.append(make_finding("resumed", words, test=str(test)))
    return tuple(found)


def _mostly(steps: "pd.DataFrame", rows: "pd.DataFrame") -> str:
    """Say which part the longest of some gaps consists of, where that is known."""
    longest = int(rows["idle_s"].to_numpy().argmax())
    greatest = split_gaps(steps)["greatest"][rows.index].iloc[longest]
    return f" ({PART_WORDS[greatest]})" if greatest in PART_WORDS else ""


def _restarts(count: int, gaps: int) -> str:
    if count == gaps:
        return "windows restart after each"
    return (
        f"windows restart after {count} of them"
        if count
        else ("no window restarts after them")
    )


def _idle_shares(worked: "pd.DataFrame") -> Iterator[Finding]:
    """Yield where much of the time of a phase was idle, however short the gaps."""
    sums = worked.groupby(["test", "phase"], sort=False, as_index=False).agg(
        idle_s=("idle_s", "sum"), busy_s=("duration_s", "sum")
    )
    sums["ratio"] = sums["idle_s"] / (sums["idle_s"] + sums["busy_s"])
    over = sums[sums["ratio"] > IDLE_LIMIT_RATIO]
    for test, rows in over.groupby("test", sort=False):
        worst = rows.iloc[int(rows["ratio"].to_numpy().argmax())]
        others = len(rows) - 1
        more = f" and {others} more" if others else ""
        words = (
            f"idle time: more than {100 * IDLE_LIMIT_RATIO:g} % of the time of "
            f"{worst['phase']}{more}, {100 * worst['ratio']:.2g} % at worst"
        )
        yield make_finding("idle-share", words, test=str(test))


def find_few_ios(totals: "pd.DataFrame") -> tuple[Finding, ...]:
    """Say which cells and histogram runs have too few IOs for their mean."""
    measured = totals[totals["kind"].isin(["cell", "histogram"])]
    few = measured[measured["total_ios"].fillna(0) < LEAST_IOS]
    found = []
    for test, rows in few.groupby("test", sort=False):
        count, least = int((measured["test"] == test).sum()), rows["total_ios"].min()
        words = (
            f"few IOs: {len(rows)} of {count} cells have fewer than {LEAST_IOS}, "
            f"{int(least)} at the fewest; a mean of so few is not accurate to 10 %"
        )
        found.append(make_finding("few-ios", words, test=str(test)))
    return tuple(found)


def find_suspends(facts: RunFacts) -> tuple[Finding, ...]:
    """Say that the machine was suspended during a run.

    The device is idle meanwhile and may lose power, which no clock of fio shows.
    """
    found = []
    for test in dict.fromkeys(suspend.test for suspend in facts.suspends):
        mine = [suspend for suspend in facts.suspends if suspend.test == test]
        times = "once" if len(mine) == 1 else f"in {len(mine)} steps"
        words = (
            f"suspended: the machine was {times}, for "
            f"{duration_label(sum(suspend.seconds for suspend in mine))} in all, first "
            f"in {mine[0].step_id} or in the gap before it; windows restart after it"
        )
        found.append(make_finding("suspended", words, test=test))
    return tuple(found)


def _resumed_steps(steps: "pd.DataFrame", facts: RunFacts) -> set[str]:
    """Return the first step of each session but the first."""
    found = set()
    for start_s, _ in facts.sessions[1:]:
        after = steps[steps["started_s"] >= start_s]
        found |= set(after["step_id"].head(1))
    return found


def _longest(rows: "pd.DataFrame") -> str:
    longest = float(rows["idle_before_s"].max())
    return duration_label(longest) if longest >= 1 else f"{longest:.3g} s"

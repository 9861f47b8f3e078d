"""What may make the numbers of a run wrong: findings from its frames and facts."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ssdlab.findings.conformance import RunFacts
from ssdlab.model.drive import WriteCacheState
from ssdlab.model.finding import Finding, make_finding
from ssdlab.model.spec import (
    Histogram,
    OperatingPoint,
    Phase,
    Precondition,
    PtsTest,
    Purge,
    Rounds,
    Stimulus,
)
from ssdlab.model.telemetry import CACHE_IS_ON, LINK_READINGS, THROTTLED, most_of
from ssdlab.model.units import duration_label
from ssdlab.telemetry.readings import readings_of
from ssdlab.telemetry.summary import spans_of_tests

if TYPE_CHECKING:
    import pandas as pd

CLOCK_TOLERANCE_S = 0.25  # gaps are right to some tens of ms on a loaded host
SESSION_TOLERANCE_S = 2.0  # sessions are noted in whole seconds
FIO_FAULTS = (  # versions before this one, and what is known of them
    ((3, 5), "older than 3.5, the first that the guide of HGST/WD trusts"),
)
_FALSE = {"0", "false"}


def find_complaints(steps: "pd.DataFrame") -> tuple[Finding, ...]:
    """Say in which tests fio or the target complained.

    What is said of a purge is a finding of `find_purge_faults`.
    """
    found = []
    for test, rows in steps.groupby("test", sort=False):
        said = rows.loc[rows["kind"] != "purge", "warnings"].fillna("")
        doubtful = said[said != ""]
        if len(doubtful):
            first = str(doubtful.iloc[0]).splitlines()[0]
            noun = "step" if len(rows) == 1 else "steps"
            words = (
                f"doubts: {len(doubtful)} of {len(rows)} {noun} logged a warning; "
                f"first: {first}"
            )
            found.append(make_finding("doubts", words, test=str(test)))
    return tuple(found)


def find_fio_faults(fio_version: str) -> tuple[Finding, ...]:
    """Say which known fault a version of fio has.

    >>> find_fio_faults("fio-3.33")
    ()
    """
    found = []
    for name in fio_version.split(","):
        numbers = re.search(r"(\d+)\.(\d+)", name)
        if numbers is None:
            continue
        version = (int(numbers[1]), int(numbers[2]))
        found += [
            make_finding("fio-fault", f"{name.strip()}: {fault}")
            for before, fault in FIO_FAULTS
            if version < before
        ]
    return tuple(found)


def find_clock_jumps(steps: "pd.DataFrame", facts: RunFacts) -> tuple[Finding, ...]:
    """Say where times contradict each other.

    A step cannot begin before the one before it ended, nor a session before the last
    one ended, nor a step outside of every session. Within a session the clock of the
    steps is monotonic, that of the sessions is the system's: steps outside show that
    the latter was set.
    """
    return (*_steps_going_back(steps), *_sessions_going_back(facts, steps))


def _steps_going_back(steps: "pd.DataFrame") -> Iterator[Finding]:
    back_s = steps["ended_s"].shift(1) - steps["started_s"]
    jumps = steps[back_s > CLOCK_TOLERANCE_S]
    for test, rows in jumps.groupby("test", sort=False):
        words = (
            f"clock: {len(rows)} steps began before the previous one ended, by "
            f"{back_s[rows.index].max():.3g} s at most"
        )
        yield make_finding("clock-jump", words, test=str(test))


def _sessions_going_back(facts: RunFacts, steps: "pd.DataFrame") -> Iterator[Finding]:
    sessions = facts.sessions
    for (_, end_s), (start_s, _) in pairwise(sessions):
        if end_s is not None and start_s < end_s:
            back = duration_label(end_s - start_s)
            words = f"clock: the run was resumed {back} before it was stopped"
            yield make_finding("clock-jump", words)
    if not sessions or any(end_s is None for _, end_s in sessions):
        return
    first_s, last_s = sessions[0][0], max(end_s or 0.0 for _, end_s in sessions)
    outside = (steps["started_s"] < first_s - SESSION_TOLERANCE_S) | (
        steps["ended_s"] > last_s + SESSION_TOLERANCE_S
    )
    if outside.any():
        words = (
            f"clock: {int(outside.sum())} steps are outside the sessions of the run: "
            "the system clock was set meanwhile"
        )
        yield make_finding("clock-jump", words)


def find_buffered_io(tests: Sequence[PtsTest]) -> tuple[Finding, ...]:
    """Say which tests went through the memory of the host: fio without ``direct``."""
    found = []
    for test in tests:
        phases = [
            phase.phase_id
            for phase in test.possible_phases
            if any(map(_is_buffered, fio_options_of(phase)))
        ]
        if phases:
            words = (
                f"buffered: {', '.join(phases)} went through the memory of the host, "
                "which serves and merges IOs for the device"
            )
            found.append(make_finding("buffered-io", words, test=test.test_id))
    return tuple(found)


def _is_buffered(options: dict[str, str]) -> bool:
    """Tell whether a job with options of its own leaves ``direct`` out, as fio does."""
    if not options:
        return False  # it is a job of ours, which is always direct
    is_direct = options.get("direct", "0").lower() not in _FALSE
    return not is_direct or options.get("buffered", "0").lower() not in _FALSE


def fio_options_of(phase: Phase) -> list[dict[str, str]]:
    """Return the options of its own that each job of a phase gives fio."""
    match phase:
        case Purge():
            return []
        case Precondition():
            return [dict(phase.fio_options)]
        case Rounds():
            before = (phase.pre_write.workload,) if phase.pre_write else ()
            cells = (*before, *phase.cells)
            of_files = [job for cell in cells for job in cell.jobs]
            return [
                *(dict(cell.fio_options) for cell in cells),
                *({"direct": "1", **dict(job.options)} for job in of_files),
            ]
        case OperatingPoint():
            workloads = (phase.pre_write, phase.workload)
            return [dict(workload.fio_options) for workload in workloads]
        case Stimulus() | Histogram():
            return [dict(phase.workload.fio_options)]


def find_throttling(
    telemetry: "pd.DataFrame", steps: "pd.DataFrame"
) -> tuple[Finding, ...]:
    """Say in which tests the device was throttled for its temperature."""
    rows_of_counters = telemetry[telemetry["name"] == THROTTLED].groupby("source")
    counters = [readings_of(rows) for _, rows in rows_of_counters]
    found = []
    for test, begin_s, end_s in spans_of_tests(steps):
        rises = [one.rise_within(begin_s, end_s) for one in counters]
        throttled_s = max((rise for rise in rises if rise > 0), default=0.0)
        if throttled_s > 0:
            words = f"temperature: the device was throttled for {throttled_s:.3g} s"
            found.append(make_finding("throttled", words, test=test))
    return tuple(found)


def find_neighbours(steps: "pd.DataFrame") -> tuple[Finding, ...]:
    """Say in which tests other runs were measured on this host at the same time."""
    measured = steps[steps["kind"].isin(["cell", "histogram"])]
    texts = measured["neighbours"].fillna("")
    found = []
    for test, rows in measured[texts != ""].groupby("test", sort=False):
        names = {one for text in rows["neighbours"] for one in text.splitlines()}
        count = int((measured["test"] == test).sum())
        words = (
            f"shared host: {len(rows)} of {count} measured steps ran beside "
            f"{'another run' if len(names) == 1 else f'{len(names)} other runs'} of "
            f"ssdlab, such as {min(names)}"
        )
        found.append(make_finding("shared-host", words, test=str(test)))
    return tuple(found)


def find_link_downgrades(
    telemetry: "pd.DataFrame", steps: "pd.DataFrame"
) -> tuple[Finding, ...]:
    """Say in which tests the link of the device was below its capability.

    Its capability is read with it, or else is the greatest reading of the run.
    """
    return tuple(
        make_finding("link-downgraded", words, test=test)
        for test, begin_s, end_s in spans_of_tests(steps)
        for _, rows in telemetry.groupby("source", sort=False)
        for words in _downgrades(rows, begin_s, end_s)
    )


def find_cache_changes(
    telemetry: "pd.DataFrame", steps: "pd.DataFrame", *, asked: WriteCacheState
) -> tuple[Finding, ...]:
    """Say in which tests the write cache was not as set before them."""
    readings = telemetry[telemetry["name"] == CACHE_IS_ON]
    if readings.empty:
        return ()
    first = readings.sort_values("time_s")["value"].iloc[0]
    is_on = bool(first) if asked == "as found" else asked == "enabled"
    found = []
    for test, begin_s, end_s in spans_of_tests(steps):
        within = readings["time_s"].between(begin_s, end_s)
        others = int((within & (readings["value"] != is_on)).sum())
        if others:
            words = (
                f"write cache: {'disabled' if is_on else 'enabled'} in {others} of "
                f"{int(within.sum())} readings, though "
                f"{'enabled' if is_on else 'disabled'} before: a reset restores the "
                "drive's default"
            )
            found.append(make_finding("write-cache", words, test=test))
    return tuple(found)


def find_unread_cache(
    telemetry: "pd.DataFrame", steps: "pd.DataFrame"
) -> tuple[Finding, ...]:
    """Say within which tests the write cache, set for them, was not read."""
    readings = telemetry.loc[telemetry["name"] == CACHE_IS_ON, "time_s"]
    words = "write cache: not read within the test, so a reset of the drive may undo it"
    return tuple(
        make_finding("write-cache-unread", words, test=test)
        for test, begin_s, end_s in spans_of_tests(steps)
        if not readings.between(begin_s, end_s).any()
    )


def _downgrades(rows: "pd.DataFrame", begin_s: float, end_s: float) -> Iterator[str]:
    for link in LINK_READINGS:
        is_own = rows["name"] == link.name
        most = rows.loc[is_own | (rows["name"] == most_of(link)), "value"].max()
        least = rows.loc[is_own & rows["time_s"].between(begin_s, end_s), "value"].min()
        if least < most:
            yield f"link: {least:g} of {most:g} {link.unit} at times"

"""Telemetry that was recorded but is now missing: a finding of a run."""

from typing import TYPE_CHECKING, Final

import numpy as np

from ssdlab.findings.conformance import RunFacts
from ssdlab.model.finding import Finding, make_finding
from ssdlab.model.units import duration_label

if TYPE_CHECKING:
    import pandas as pd

# Every session reads the host before its first step, each second, and behind its last
# step. A crash of the system may cost what was read within the last half minute.
REACH_S: Final = 60.0


def find_missing_telemetry(
    telemetry: "pd.DataFrame", steps: "pd.DataFrame", facts: RunFacts
) -> tuple[Finding, ...]:
    """Say in which sessions readings are missing: all, the first or the last ones."""
    starts_s = [start_s for start_s, _ in facts.sessions]
    if not starts_s or starts_s != sorted(starts_s):
        return ()
    began_s, ended_s, read_s = (
        column.to_numpy(float)
        for column in (steps["started_s"], steps["ended_s"], telemetry["time_s"])
    )
    session_of_step = np.searchsorted(starts_s, ended_s, side="right")
    session_of_reading = np.searchsorted(starts_s, read_s, side="right")
    found = []
    for session in np.unique(session_of_step):
        own = session_of_step == session
        words = _what_is_missing(
            read_s[session_of_reading == session],
            began_s[own].min(),
            ended_s[own].max(),
        )
        if words:
            place = f"telemetry: session {session} of {len(starts_s)}: {words}"
            found.append(make_finding("telemetry-missing", place))
    return tuple(found)


def _what_is_missing(
    read_s: "np.ndarray[tuple[int], np.dtype[np.float64]]", begin_s: float, end_s: float
) -> str:
    """Describe what a session with steps between two times lacks."""
    if not read_s.size:
        return "its readings are missing"
    late_s, early_s = read_s.min() - begin_s, end_s - read_s.max()
    if late_s > REACH_S:
        return f"its first {duration_label(late_s)} are missing"
    if early_s > REACH_S:
        return f"its last {duration_label(early_s)} are missing"
    return ""

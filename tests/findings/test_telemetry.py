"""Telemetry that is missing, session by session, each on a case computed by hand."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from ssdlab.findings.conformance import RunFacts
from ssdlab.findings.telemetry import find_missing_telemetry
from ssdlab.model.schema import TELEMETRY
from tests.stats.frames import frame, steps

FACTS = RunFacts(
    tests=(),
    capacity_bytes=2**30,
    active_range_percent=100,
    purge="discard",
    purge_words="trim",
    status="finished",
    sessions=((1000.0, 2000.0), (5000.0, None), (9000.0, 9001.0)),
)
STEPS = steps([
    {"step_id": "00001-a", "started_s": 1001.0, "ended_s": 1500.0},
    {"step_id": "00002-b", "started_s": 1500.0, "ended_s": 1990.0},
    {"step_id": "00003-c", "started_s": 5001.0, "ended_s": 6000.0},
])
ALL = (1000.5, 1400.0, 1990.0, 5000.5, 5960.0)


def find(read_s: Sequence[float], facts: RunFacts = FACTS) -> list[str]:
    telemetry = frame(TELEMETRY, [{"time_s": time_s} for time_s in read_s])
    found = find_missing_telemetry(telemetry, STEPS, facts)
    assert {finding.code for finding in found} <= {"telemetry-missing"}
    return [finding.words for finding in found]


def test_sessions_that_were_read_throughout_lack_nothing() -> None:
    """Not even where a crash cost the last seconds, or a session took no step."""
    assert find(ALL) == []


@pytest.mark.parametrize(
    ("read_s", "words"),
    [
        (ALL[3:], ["session 1 of 3: its readings are missing"]),
        (ALL[:3], ["session 2 of 3: its readings are missing"]),
        (ALL[1:], ["session 1 of 3: its first 6 min 39 s are missing"]),
        (ALL[:4], ["session 2 of 3: its last 16 min 40 s are missing"]),
        (
            (),
            [
                "session 1 of 3: its readings are missing",
                "session 2 of 3: its readings are missing",
            ],
        ),
    ],
)
def test_session_is_named_with_what_it_lacks(
    read_s: Sequence[float], words: list[str]
) -> None:
    assert find(read_s) == [f"telemetry: {text}" for text in words]


def test_nothing_is_told_where_sessions_are_not_in_the_order_of_time() -> None:
    assert find((), replace(FACTS, sessions=FACTS.sessions[::-1])) == []
    assert find((), replace(FACTS, sessions=())) == []

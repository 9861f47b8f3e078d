"""Steps, rests and gaps that are not as asked, each on a case computed by hand."""

from dataclasses import replace

import pandas as pd
import pytest

from ssdlab.findings.conformance import RunFacts
from ssdlab.findings.timing import find_few_ios, find_gaps, find_time_faults
from ssdlab.model.spec import (
    Histogram,
    OperatingPoint,
    PreWrite,
    PtsTest,
    Purge,
    Rounds,
    Stimulus,
    Workload,
)
from tests.stats.frames import measured, measurements, steps

CELL = Workload(
    access="rnd", block_size_bytes=4096, read_percent=0, threads=2, queue_depth=16
)
ROUNDS = Rounds(
    phase_id="rounds",
    cells=(CELL,),
    cell_seconds=60,
    tracking=(),
    pre_write=PreWrite(workload=CELL, seconds=300),
)
POINT = OperatingPoint(
    phase_id="max-iops",
    point="max",
    demand_phase="rounds",
    max_lat_ns=5e6,
    pre_write=CELL,
    pre_write_s=3600,
    round_seconds=60,
    workload=CELL,
    histogram_s=600,
)
WAIT = Stimulus(phase_id="wait-1", workload=CELL, round_seconds=5, time_limit_s=1800)
LONG = Histogram(phase_id="histogram", workload=CELL, seconds=1200)
FACTS = RunFacts(
    tests=(
        PtsTest(
            test_id="cbw",
            title="",
            pts_section="",
            phases=(Purge(), ROUNDS, POINT, WAIT, LONG),
        ),
    ),
    capacity_bytes=2**30,
    active_range_percent=100,
    purge="discard",
    purge_words="trim",
    status="finished",
    sessions=((1000.0, 2000.0), (5000.0, None)),
)
NO_STEPS = steps([])


def ran(phase: str, kind: str, *seconds: float) -> pd.DataFrame:
    return measurements([
        measured(f"{phase}-{at}", test="cbw", phase=phase, kind=kind, runtime_s=value)
        for at, value in enumerate(seconds)
    ])


@pytest.mark.parametrize(
    ("phase", "kind", "asked_s"),
    [
        ("rounds", "cell", 60),
        ("rounds", "pre_write", 300),
        ("max-iops", "pre_write", 60),
        ("max-iops", "histogram", 600),
        ("wait-1", "cell", 5),
        ("histogram", "histogram", 1200),
    ],
)
def test_step_may_run_half_a_percent_longer_or_shorter(
    phase: str, kind: str, asked_s: float
) -> None:
    slack_s = 0.005 * asked_s + 0.05
    within = ran(phase, kind, asked_s + slack_s - 1e-6, asked_s - slack_s + 1e-6)
    assert find_time_faults(NO_STEPS, within, FACTS) == ()
    beyond = ran(phase, kind, asked_s, asked_s + slack_s + 1e-3)
    (found,) = find_time_faults(NO_STEPS, beyond, FACTS)
    assert (found.code, found.severity, found.test) == (
        "time-measured",
        "minor",
        "cbw",
    )
    assert found.words.startswith("times: 1 of 2 steps missed their requested duration")


def test_time_finding_names_the_worst() -> None:
    (found,) = find_time_faults(NO_STEPS, ran("rounds", "cell", 66, 50, 64), FACTS)
    assert found.words == (
        "times: 3 of 3 steps missed their requested duration by more than 0.5 % "
        "(worst: 50 s instead of 60 s)"
    )


@pytest.mark.parametrize(("missing_bytes", "findings"), [(0, 0), (9000, 1)])
def test_pre_write_may_end_by_its_amount(missing_bytes: int, findings: int) -> None:
    before = PreWrite(workload=CELL, seconds=300, capacity_multiple=0.1)
    test = replace(FACTS.tests[0], phases=(replace(ROUNDS, pre_write=before),))
    facts = replace(FACTS, tests=(test,))
    short = ran("rounds", "pre_write", 32.0)
    short["io_bytes"] = int(0.1 * 2**30) - missing_bytes  # threads lack a block each
    assert len(find_time_faults(NO_STEPS, short, facts)) == findings
    assert len(find_time_faults(NO_STEPS, short, FACTS)) == 1


def test_steps_by_amount_or_without_a_time_have_no_time_finding() -> None:
    fill = ran("wipc", "precondition", 4000.0)
    unknown = ran("rounds", "cell", float("nan"))
    assert find_time_faults(NO_STEPS, fill, FACTS) == ()
    assert find_time_faults(NO_STEPS, unknown, FACTS) == ()


def waited(*measured_s: float, contiguous: bool = True) -> pd.DataFrame:
    return steps([
        {
            "test": "hir", "kind": "cell", "phase": "wait-1", "step_id": f"{at}",
            "wait_s": 5.0, "idle_before_s": value, "is_contiguous": contiguous,
        }
        for at, value in enumerate(measured_s)
    ])  # fmt: skip


def test_rest_may_be_a_tenth_longer_or_shorter() -> None:
    nothing = measurements([])
    assert find_time_faults(waited(5.0, 5.49, 4.51), nothing, FACTS) == ()
    (found,) = find_time_faults(waited(5.0, 5.6, 4.4, 7.0), nothing, FACTS)
    assert (found.code, found.severity, found.test) == (
        "wait-measured",
        "minor",
        "hir",
    )
    assert found.words == (
        "idle times: 3 of 4 were not kept to 10 %; at worst 7 s instead of 5 s"
    )


def test_rest_that_a_break_made_long_is_a_gap_and_no_rest() -> None:
    rows = waited(900.0, contiguous=False)
    assert find_time_faults(rows, measurements([]), FACTS) == ()


def a_step(
    at: float, phase: str, idle_s: float, *, kind: str = "cell", ok: bool = False
) -> dict[str, object]:
    return {
        "step_id": f"{at:06.0f}", "test": "cbw", "kind": kind, "phase": phase,
        "started_s": at, "ended_s": at + 60, "duration_s": 60.0,
        "idle_before_s": idle_s, "is_contiguous": ok,
    }  # fmt: skip


def test_gaps_within_a_test_are_told_with_the_longest() -> None:
    rows = steps([
        a_step(1000, "purge", 500, kind="purge"),
        a_step(1010, "rounds", 9),
        a_step(1030, "rounds", 19),
        a_step(1031, "rounds", 0.01, ok=True),
    ])
    (found,) = find_gaps(rows, replace(FACTS, sessions=FACTS.sessions[:1]))
    assert (found.code, found.severity, found.test) == ("idle-gap", "major", "cbw")
    assert found.words == (
        "gaps: 2 in which the device was idle, the longest 19 s; windows restart after "
        "each"
    )


def test_gap_that_no_window_begins_afresh_after_counts_from_a_second_on() -> None:
    for idle_s, codes in ((0.29, []), (1.01, ["idle-gap"]), (4.9, ["idle-gap"])):
        rows = steps([a_step(1000 + 70 * at, "rounds", 0.01, ok=True) for at in (0, 1)])
        rows.loc[1, "idle_before_s"] = idle_s
        found = find_gaps(rows, FACTS)
        assert [one.code for one in found] == codes
        assert all("no window restarts" in one.words for one in found)


def test_many_short_gaps_are_a_share_of_the_phase() -> None:
    """60 s and 0.3 s of rest are 0.4975 %; 0.31 s are 0.514 %."""
    for idle_s, count in ((0.3, 0), (0.31, 1)):
        rows = steps([
            a_step(70.0 * at, "rounds", idle_s, ok=True) for at in range(1, 20)
        ])
        assert len(find_gaps(rows, FACTS)) == count
    rows = steps([
        *(a_step(70.0 * at, "rounds", 0.6, ok=True) for at in range(1, 20)),
        *(a_step(70.0 * at, "max-iops", 0.9, ok=True) for at in range(20, 30)),
        a_step(70.0 * 30, "purge", 900, kind="purge"),
    ])
    (found,) = find_gaps(rows, FACTS)
    assert (found.code, found.severity, found.test) == ("idle-share", "major", "cbw")
    assert found.words == (
        "idle time: more than 0.5 % of the time of max-iops and 1 more, 1.5 % at worst"
    )


def test_rest_that_was_asked_for_is_no_idle_time() -> None:
    assert find_gaps(waited(5.0, 5.0, 5.0), FACTS) == ()


def test_cells_of_few_ios_are_told_with_the_least() -> None:
    rows = measurements([
        measured(f"c-{ios}", test="lat", phase="rounds", kind=kind, total_ios=ios)
        for ios, kind in ((3, "cell"), (99, "cell"), (100, "cell"), (1, "precondition"))
    ])
    (found,) = find_few_ios(rows)
    assert (found.code, found.severity, found.test) == ("few-ios", "major", "lat")
    assert found.words == (
        "few IOs: 2 of 3 cells have fewer than 100, 3 at the fewest; a mean of so few "
        "is not accurate to 10 %"
    )
    assert find_few_ios(rows[rows["total_ios"] >= 100]) == ()


def test_step_that_a_session_begins_with_is_a_resume_and_no_gap() -> None:
    rows = steps([
        a_step(1000, "rounds", 0, ok=True),
        a_step(5003, "rounds", 4002),
        a_step(5004, "rounds", 0.01, ok=True),
    ])
    (found,) = find_gaps(rows, FACTS)
    assert (found.code, found.severity, found.test) == ("resumed", "major", "cbw")
    assert found.words == (
        "resumed once after an interruption of 1 h 7 min at most, first at rounds; "
        "windows restart after it"
    )


def test_resume_before_a_purge_leaves_nothing_to_be_said() -> None:
    rows = steps([
        a_step(1000, "rounds", 0, ok=True),
        a_step(5003, "purge", 4002, kind="purge"),
        a_step(5004, "rounds", 0.01, ok=True),
    ])
    assert find_gaps(rows, FACTS) == ()

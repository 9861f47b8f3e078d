"""What is not as the standard asks, each on a case computed by hand."""

from dataclasses import replace

import pandas as pd
import pytest

from ssdlab.findings.conformance import (
    RunFacts,
    find_fill_faults,
    find_host_changes,
    find_missing_points,
    find_purge_faults,
    find_unfinished,
    find_unsteady,
    judge_purge,
)
from ssdlab.model.drive import PurgeMethod
from ssdlab.model.finding import Finding
from ssdlab.model.records import RunStatus
from ssdlab.model.spec import (
    ActiveRange,
    OperatingPoint,
    Phase,
    Precondition,
    PtsTest,
    Purge,
    Rounds,
    Stimulus,
    Tracking,
    Workload,
)
from tests.stats.frames import measured, measurements, steps, window, windows

MIB = 1024**2
CAPACITY = 100 * MIB
TRIM = "trim of all LBAs of the virtual SSD"
CELL = Workload(
    access="rnd", block_size_bytes=4096, read_percent=0, threads=2, queue_depth=16
)
TRACKED = Tracking(access="rnd", block_size_bytes=4096, read_percent=0, metric="iops")
FILL = Precondition(
    phase_id="wipc", block_size_bytes=MIB, queue_depth=32, capacity_multiple=2
)
ROUNDS = Rounds(phase_id="rounds", cells=(CELL,), cell_seconds=60, tracking=(TRACKED,))


def a_test(*phases: Phase, test_id: str = "iops") -> PtsTest:
    return PtsTest(test_id=test_id, title="", pts_section="", phases=phases)


IOPS = a_test(Purge(), FILL, ROUNDS)
FACTS = RunFacts(
    tests=(IOPS,),
    capacity_bytes=CAPACITY,
    active_range_percent=100,
    purge="discard",
    purge_words=TRIM,
    is_model=True,
    status="finished",
)


def step(kind: str, phase: str, **values: object) -> dict[str, object]:
    return {"test": "iops", "kind": kind, "phase": phase, **values}


def fill(written: int, span: int = CAPACITY) -> dict[str, object]:
    return step("precondition", "wipc", written_bytes=written, range_bytes=span)


STEPS = steps([step("purge", "purge"), fill(2 * CAPACITY), step("cell", "rounds")])


def told(found: tuple[Finding, ...]) -> list[tuple[str, str, str]]:
    return [(f.code, f.test, f.words) for f in found]


@pytest.mark.parametrize(
    ("method", "is_model", "proof"),
    [
        ("ata-security-erase", False, "proven"),
        ("nvme-sanitize-block", False, "proven"),
        ("discard", False, "unproven"),
        ("discard", True, "proven"),
        ("overwrite", True, "unproven"),
        (None, False, "unproven"),
        (None, True, "unproven"),
        ("none", False, "none"),
        ("none", True, "none"),
    ],
)
def test_purge_counts_by_its_method(
    method: PurgeMethod | None, proof: str, *, is_model: bool
) -> None:
    assert judge_purge(method, is_model=is_model) == proof


def test_purge_that_is_done_and_proven_is_no_finding() -> None:
    rows = steps([step("purge", "purge"), fill(2 * CAPACITY)])
    assert find_purge_faults(rows, FACTS) == ()


def test_purge_that_cannot_be_shown_is_found_for_its_test() -> None:
    rows = steps([
        step("purge", "purge", warnings="no LBA could be read back"),
        fill(2 * CAPACITY),
        {"test": "tp", "kind": "purge", "phase": "purge", "warnings": ""},
        {"test": "tp", "kind": "cell", "phase": "rounds", "warnings": "fio warned"},
    ])
    assert told(find_purge_faults(rows, FACTS)) == [
        ("purge-unverified", "iops", "purge: no LBA could be read back")
    ]


def test_test_that_begins_without_a_purge_is_found() -> None:
    rows = steps([
        step("purge", "purge"),
        fill(2 * CAPACITY),
        {"test": "tp", "kind": "cell", "phase": "rounds"},
        {"test": "tp", "kind": "purge", "phase": "purge"},
    ])
    assert told(find_purge_faults(rows, FACTS)) == [
        ("purge-none", "tp", "no purge: it starts with another step")
    ]


def test_method_that_is_none_is_one_finding_of_the_run() -> None:
    rows = steps([step("purge", "purge"), step("cell", "rounds")])
    facts = replace(FACTS, purge="none", purge_words="none: a file cannot be purged")
    assert told(find_purge_faults(rows, facts)) == [
        ("purge-none", "", "no purge: the method is 'none: a file cannot be purged'")
    ]
    nameless = find_purge_faults(rows, replace(FACTS, purge="none", purge_words=""))
    assert nameless[0].words == "no purge: the method is 'not recorded'"


def test_discard_is_not_proven_to_be_a_purge() -> None:
    rows = steps([step("purge", "purge")])
    facts = replace(
        FACTS, purge_words="discard of all LBAs (blkdiscard)", is_model=False
    )
    (found,) = find_purge_faults(rows, facts)
    assert (found.code, found.severity, found.test) == (
        "purge-unverified",
        "major",
        "",
    )
    assert "discard of all LBAs" in found.words


@pytest.mark.parametrize(
    ("written", "is_short"),
    [
        (200 * MIB, False),
        (199 * MIB, False),  # whole blocks: one may be missing
        (199 * MIB - 1, True),
        (250 * MIB, False),
    ],
)
def test_fill_is_short_when_it_wrote_less_than_asked(
    written: int, *, is_short: bool
) -> None:
    found = find_fill_faults(steps([fill(written)]), FACTS)
    assert bool(found) is is_short


def test_short_fill_says_how_much_was_written() -> None:
    found = find_fill_faults(steps([fill(100 * MIB)]), FACTS)
    assert told(found) == [
        ("fill-short", "iops", "wipc: 104.9 MB written instead of 209.7 MB")
    ]


def test_each_thread_of_a_fill_is_to_write_its_own_amount() -> None:
    test = a_test(Purge(), replace(FILL, threads=2), ROUNDS)
    facts = replace(FACTS, tests=(test,))
    assert find_fill_faults(steps([fill(400 * MIB)]), facts) == ()
    assert find_fill_faults(steps([fill(200 * MIB)]), facts)


def test_fill_that_covers_less_than_the_active_range_is_found() -> None:
    facts = replace(FACTS, active_range_percent=75)
    assert find_fill_faults(steps([fill(200 * MIB, 75 * MIB)]), facts) == ()
    found = find_fill_faults(steps([fill(200 * MIB, 74 * MIB)]), facts)
    assert told(found) == [
        (
            "fill-short",
            "iops",
            "wipc: it covers 77.59 MB of the 78.64 MB of the active range",
        )
    ]


def test_fill_has_the_active_range_of_its_own_phase() -> None:
    own = replace(FILL, active_range=ActiveRange(percent=50))
    facts = replace(FACTS, tests=(a_test(Purge(), own, ROUNDS),))
    assert find_fill_faults(steps([fill(200 * MIB, 50 * MIB)]), facts) == ()
    assert find_fill_faults(steps([fill(200 * MIB, 49 * MIB)]), facts)


def test_fill_is_to_cover_the_amount_of_its_active_range() -> None:
    own = replace(FILL, active_range=ActiveRange(percent=50, amount_bytes=8 * MIB))
    facts = replace(FACTS, tests=(a_test(Purge(), own, ROUNDS),))
    assert find_fill_faults(steps([fill(200 * MIB, 8 * MIB)]), facts) == ()
    (found,) = find_fill_faults(steps([fill(200 * MIB, 7 * MIB)]), facts)
    assert found.words == "wipc: it covers 7.34 MB of the 8.389 MB of the active range"


AGAIN = replace(
    IOPS,
    fallback=(
        Purge(),
        replace(FILL, phase_id="fill2"),
        replace(ROUNDS, phase_id="again"),
    ),
)
FIRST_ATTEMPT = [step("purge", "purge"), fill(200 * MIB), step("cell", "rounds")]


@pytest.mark.parametrize(
    ("second_attempt", "words"),
    [
        ([], []),
        ([step("purge", "purge")], []),
        ([fill(200 * MIB) | {"phase": "fill2"}, step("cell", "again")], []),
        (
            [fill(100 * MIB) | {"phase": "fill2"}, step("cell", "again")],
            ["fill2: 104.9 MB written instead of 209.7 MB"],
        ),
        (
            [step("purge", "purge"), step("cell", "again")],
            ["fill2: no preconditioning"],
        ),
    ],
    ids=["not needed", "not so far", "whole", "short", "left out"],
)
def test_fill_of_a_fallback_is_checked_where_it_was_carried_out(
    second_attempt: list[dict[str, object]], words: list[str]
) -> None:
    facts = replace(FACTS, tests=(AGAIN,))
    found = find_fill_faults(steps([*FIRST_ATTEMPT, *second_attempt]), facts)
    assert [f.words for f in found] == words


def test_purge_of_a_fallback_does_not_tell_that_the_first_fill_was_passed() -> None:
    facts = replace(FACTS, tests=(AGAIN,))
    assert find_fill_faults(steps([step("purge", "purge")]), facts) == ()


def test_fill_that_was_left_out_is_found_and_one_not_reached_is_not() -> None:
    purge = step("purge", "purge")
    assert find_fill_faults(steps([purge]), FACTS) == ()
    found = find_fill_faults(steps([purge, step("cell", "rounds")]), FACTS)
    assert told(found) == [("fill-short", "iops", "wipc: no preconditioning")]


def test_test_without_preconditioning_by_design_is_no_finding() -> None:
    facts = replace(FACTS, tests=(a_test(Purge(), ROUNDS, test_id="xsr"),))
    rows = steps([{"test": "xsr", "kind": "cell", "phase": "rounds"}])
    assert find_fill_faults(rows, facts) == ()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("running", "the run has not finished; not started: tp"),
        ("failed", "the run ended with an error; not started: tp"),
        ("interrupted", "the run was interrupted; not started: tp"),
    ],
)
def test_run_that_did_not_end_is_found(status: RunStatus, words: str) -> None:
    facts = replace(FACTS, status=status, tests=(IOPS, a_test(test_id="tp")))
    found = find_unfinished(steps([step("purge", "purge")]), facts)
    assert told(found) == [("unfinished", "", words)]


def test_finished_run_is_not_unfinished() -> None:
    assert find_unfinished(steps([]), FACTS) == ()


def judged(*, steady: bool, test: str = "iops", phase: str = "rounds") -> pd.DataFrame:
    row = window(phase, 6, 10, test=test, is_round_steady=steady, is_steady=steady)
    return windows([{**row, "round": 9, "is_final": False}, row])


def test_phase_that_did_not_get_steady_is_found() -> None:
    assert find_unsteady(judged(steady=True), STEPS, FACTS) == ()
    assert told(find_unsteady(judged(steady=False), STEPS, FACTS)) == [
        ("not-steady", "iops", "rounds: not steady after 10 rounds")
    ]


def test_phase_without_a_full_window_is_found_when_the_run_ended() -> None:
    nothing = windows([])
    assert told(find_unsteady(nothing, STEPS, FACTS)) == [
        ("not-steady", "iops", "rounds: no full measurement window")
    ]
    assert find_unsteady(nothing, STEPS, replace(FACTS, status="interrupted")) == ()


def test_untracked_phase_need_not_be_judged() -> None:
    facts = replace(FACTS, tests=(a_test(replace(ROUNDS, tracking=())),))
    assert find_unsteady(windows([]), STEPS, facts) == ()


@pytest.mark.parametrize("name", ["wsat", "wsat-oltp"])
def test_write_saturation_may_end_without_a_steady_state(name: str) -> None:
    writes = Stimulus(
        phase_id="saturation",
        workload=CELL,
        round_seconds=60,
        time_limit_s=3600,
        tracking=TRACKED,
    )
    facts = replace(FACTS, tests=(a_test(Purge(), writes, test_id=name),))
    found = judged(steady=False, test=name, phase="saturation")
    assert find_unsteady(found, STEPS, facts) == ()


def test_of_a_test_with_a_fallback_the_last_phase_counts() -> None:
    facts = replace(FACTS, tests=(AGAIN,))
    alone = steps(FIRST_ATTEMPT)
    both = steps([*FIRST_ATTEMPT, step("cell", "again")])
    first, second = judged(steady=False), judged(steady=True, phase="again")
    assert find_unsteady(pd.concat([first, second]), both, facts) == ()
    late = judged(steady=False, phase="again")
    (found,) = find_unsteady(pd.concat([first, late]), both, facts)
    assert found.words == "again: not steady after 10 rounds"
    assert find_unsteady(judged(steady=True), alone, facts) == ()


def test_of_two_phases_before_a_fallback_the_last_counts() -> None:
    two = replace(AGAIN, phases=(*AGAIN.phases, replace(ROUNDS, phase_id="last")))
    facts = replace(FACTS, tests=(two,))
    rows = steps([*FIRST_ATTEMPT, step("cell", "last")])
    found = pd.concat([judged(steady=False), judged(steady=True, phase="last")])
    assert find_unsteady(found, rows, facts) == ()


def test_last_attempt_without_a_full_window_is_found_when_the_run_ended() -> None:
    facts = replace(FACTS, tests=(AGAIN,))
    alone = steps(FIRST_ATTEMPT)
    both = steps([*FIRST_ATTEMPT, step("cell", "again")])
    (found,) = find_unsteady(windows([]), alone, facts)
    assert found.words == "rounds: no full measurement window"
    (found,) = find_unsteady(judged(steady=False), both, facts)
    assert found.words == "again: no full measurement window"
    stopped = replace(facts, status="interrupted")
    assert find_unsteady(windows([]), alone, stopped) == ()
    assert find_unsteady(judged(steady=False), both, stopped) == ()


@pytest.mark.parametrize(("lat_ms", "is_found"), [(4.9, False), (5.0, True)])
def test_demand_variation_without_a_fast_point_is_found(
    lat_ms: float, *, is_found: bool
) -> None:
    point = OperatingPoint(
        phase_id="max-iops",
        point="max",
        demand_phase="demand",
        max_lat_ns=5e6,
        pre_write=CELL,
        pre_write_s=60,
        round_seconds=60,
        workload=CELL,
        histogram_s=60,
    )
    tests = (a_test(point, test_id="cbw"),)
    rows = [
        measured(
            f"{tc}", test="cbw", phase="demand", round=1, threads=tc, queue_depth=1,
            iops=1000.0 * tc, bw_bytes_per_s=1.0, lat_mean_ns=lat_ms * 1e6 * tc,
        )
        for tc in (1, 2)
    ]  # fmt: skip
    found = find_missing_points(measurements(rows), tests)
    assert [(f.code, f.test) for f in found] == (
        [("no-point-below-limit", "cbw")] if is_found else []
    )
    assert all("below 5 ms" in f.words for f in found)


def test_tests_without_points_need_none() -> None:
    assert find_missing_points(measurements([]), (IOPS,)) == ()


def test_each_change_of_the_host_is_a_finding_of_the_run() -> None:
    assert find_host_changes(FACTS) == ()
    facts = replace(FACTS, host_changes=("Turbo clock: good before, warning now",))
    (found,) = find_host_changes(facts)
    assert (found.code, found.severity, found.test) == ("host-changed", "minor", "")
    assert found.words.endswith("Turbo clock: good before, warning now")

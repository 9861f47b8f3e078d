"""A rehearsal has every step that a plan can ask for, once."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.model.spec import OperatingPoint
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.rehearsal import PlannedStep, rehearse
from ssdlab.pts import build_tests, find_profile
from tests.plan.made import (
    CAPACITY,
    always_steady,
    context_of,
    drive,
    never_steady,
    result_of,
)

PROFILE = "pts-2.0-enterprise"


def rehearsed(test: str, profile: str = PROFILE) -> tuple[PlannedStep, ...]:
    chosen = find_profile(profile)
    return rehearse(build_tests(chosen, [test]), context_of(chosen, CAPACITY))


def kind_of(step: Step) -> Step:
    return replace(step, step_id="", seed=0, round=None, offset_bytes=0)


def test_iops_has_a_purge_a_fill_and_the_56_cells_of_the_first_of_25_rounds() -> None:
    planned = rehearsed("iops")
    assert [one.times for one in planned] == [1, 1, *[25] * 56]
    steps = [one.step for one in planned]
    assert steps[2:] == [
        step for step in drive(PROFILE, ["iops"]).steps if step.round == 1
    ]


@pytest.mark.parametrize("profile", ["pts-2.0-enterprise", "pts-e-1.1", "pts-c-1.1"])
@pytest.mark.parametrize("test", ["iops", "tp", "lat", "wsat"])
def test_rehearsal_counts_the_steps_of_a_drive_that_never_gets_steady(
    profile: str, test: str
) -> None:
    driven = drive(profile, [test], never_steady)
    planned = rehearsed(test, profile)
    counted = Counter(map(kind_of, driven.steps))
    assert {kind_of(one.step): one.times for one in planned} == counted
    firsts = [one.step for one in planned]
    assert firsts == sorted(firsts, key=lambda step: step.step_id)


@settings(max_examples=12, deadline=None)
@given(
    test=st.sampled_from(["iops", "tp", "lat", "wsat", "xsr", "cbw"]),
    values=st.lists(st.floats(1, 1e6), min_size=3, max_size=11),
)
def test_no_run_asks_for_a_step_that_was_not_rehearsed(
    test: str, values: list[float]
) -> None:
    """Operating points excepted: their TC and QD follow from what is measured."""

    def answer(step: Step) -> StepResult:
        value = values[(step.round or 0) % len(values)]
        return result_of(step, value, moved=int(value) * 4096)

    planned = rehearsed(test)
    known = {kind_of(one.step) for one in planned}
    points = {
        one.step.phase_id for one in planned if isinstance(one.phase, OperatingPoint)
    }
    for step in drive(PROFILE, [test], answer).steps:
        assert step.phase_id in points or kind_of(step) in known


def test_only_streams_go_on() -> None:
    assert not any(one.goes_on for one in rehearsed("iops"))
    for one in rehearsed("tp"):
        assert one.goes_on == (one.step.kind == "cell")


def test_rests_before_a_round_are_told_from_those_before_the_first() -> None:
    waits = [one for one in rehearsed("hir") if one.step.phase_id == "baseline-1"]
    assert [(one.times, one.step.wait_s) for one in waits] == [(1, 5.0), (359, 0.0)]


def test_first_steps_are_those_of_a_run_that_is_steady_at_once() -> None:
    steps = drive(PROFILE, ["lat"], always_steady).steps
    first_loop = [one.step for one in rehearsed("lat") if one.step.round == 1]
    assert first_loop == steps[2 : 2 + len(first_loop)]

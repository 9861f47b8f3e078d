"""How a run says where it is, and how long it may take."""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from ssdlab.engine.profiles import open_profile
from ssdlab.engine.progress import Progress, Tracker
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.phases import plan_suite
from ssdlab.plan.protocol import Plan
from ssdlab.procedures.saturate.spec import saturate
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus
from ssdlab.pts.fitting import ask_suite
from tests.made_procedure import CONTEXT, plan_of

RND = parse_stimulus("RND 4KiB 0/100")
FIVE_MINUTES = 300.0


def _told(folder: Path) -> list[Progress]:
    """Return what is told of a saturation whose first attempt never gets steady."""
    told: list[Progress] = []
    procedure = saturate(RND)
    tracker = Tracker(
        run=folder, tests=procedure.tests, context=CONTEXT, tell=told.append
    )

    def answer(step: Step) -> StepResult:
        tracker.step_began(step)
        value = 1e5 * (1.5 ** (step.round or 0)) if step.phase_id == "attempt1" else 1e3
        result = StepResult(step_id=step.step_id, iops=value, written_bytes=4096)
        tracker.step_ended(step, result)
        return result

    _drive(plan_suite(procedure.tests, CONTEXT, tracker.judged), answer)
    return told


def _drive(plan: Plan, answer: Callable[[Step], StepResult]) -> None:
    """Answer each step of a plan to its end."""
    batch = next(plan)
    with suppress(StopIteration):
        while True:
            batch = plan.send(tuple(map(answer, batch.steps)))


def test_a_fallback_under_way_is_no_longer_a_maybe(tmp_path: Path) -> None:
    told = _told(tmp_path)
    first = [p for p in told if p.phase == "attempt1"]
    second = [p for p in told if p.phase == "attempt2"]
    assert first[0].left_min_s == 25 * FIVE_MINUTES
    assert first[0].left_max_s > 75 * FIVE_MINUTES
    assert (len(first), len(second)) == (25, 50)
    assert second[0].left_min_s == second[0].left_max_s == 50 * FIVE_MINUTES
    assert second[-1].left_min_s == second[-1].left_max_s == FIVE_MINUTES


def test_words_of_a_long_step_are_told_where_it_is(tmp_path: Path) -> None:
    told: list[Progress] = []
    procedure = saturate(RND)
    tracker = Tracker(
        run=tmp_path, tests=procedure.tests, context=CONTEXT, tell=told.append
    )
    tracker.said("nothing has begun")
    assert told == []

    def stop(step: Step) -> StepResult:
        tracker.step_began(step)
        tracker.said("overwriting: 12 % done")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan_of(procedure, stop)
    first, second = told
    assert second == replace(first, purge="overwriting: 12 % done")
    shown = json.loads((tmp_path / "progress.json").read_bytes())
    rest = first.line.rpartition(" | ")[2]
    assert rest.endswith(" left")
    assert shown["line"].endswith(f" | overwriting: 12 % done | then {rest}")


def told_beside(place: Path) -> Progress:
    """Return what is told of a run whose first step begins."""
    told: list[Progress] = []
    procedure = saturate(RND)
    tracker = Tracker(
        run=place, tests=procedure.tests, context=CONTEXT, tell=told.append
    )

    def stop(step: Step) -> StepResult:
        tracker.step_began(step)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan_of(procedure, stop)
    return told[0]


def test_temperature_and_power_are_told_as_they_were_read_last(tmp_path: Path) -> None:
    bare = told_beside(tmp_path)
    assert (bare.drive_state, bare.temperature_celsius) == ((), None)
    readings = tmp_path / "telemetry"
    readings.mkdir()
    drive = {"time_s": 1.0, "block": {"temperature_celsius": 41.4}}
    meter = {"time_s": 2.0, "meter": {"energy_joules": 9.0, "power_watts": 5.5}}
    (readings / "session-000.jsonl").write_text(f"{json.dumps(drive)}\n")
    (readings / "meter-000.jsonl").write_text(f"{json.dumps(meter)}\n")
    told = told_beside(tmp_path)
    assert (told.temperature_celsius, told.power_watts) == (41.4, 5.5)
    assert " | 41 °C | 5.50 W | " in told.line
    assert json.loads((tmp_path / "progress.json").read_bytes())["power_watts"] == 5.5


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_readings_that_are_no_file_of_the_run_are_not_told(
    tmp_path: Path, kind: str
) -> None:
    (tmp_path / "telemetry").mkdir()
    place = tmp_path / "telemetry" / "session-000.jsonl"
    match kind:
        case "link":
            place.symlink_to("/dev/zero")
        case "pipe":
            os.mkfifo(place)
        case _:
            place.mkdir()
    assert told_beside(tmp_path).drive_state == ()


def test_facts_of_a_saturation_are_numbers(tmp_path: Path) -> None:
    """Values rise by half a round: never steady, so that a second attempt follows."""
    told = _told(tmp_path)
    third = next(p for p in told if (p.phase, p.round) == ("attempt1", 3))
    assert third.tracked is not None
    assert third.tracked.values == (1.5e5, 2.25e5)
    assert third.tracked.average == pytest.approx(1.875e5)
    assert (third.tracked.metric, third.tracked.window_rounds) == ("iops", 5)
    assert third.tracked.range_ratio == 0.2
    seventh = next(p for p in told if (p.phase, p.round) == ("attempt1", 7))
    assert seventh.tracked is not None
    window = seventh.tracked.values[-5:]
    assert seventh.tracked.average == pytest.approx(sum(window) / 5)
    assert [one.is_steady for one in seventh.tests] == [False]
    (last,) = told[-1].tests
    assert (last.is_steady, last.rounds) == (True, 50)
    assert told[-1].written_bytes == 4096 * (len(told) - 1)


def test_longest_time_of_a_test_is_what_is_left_and_what_is_over(
    tmp_path: Path,
) -> None:
    told = _told(tmp_path)
    (first,), (later,) = told[0].tests, told[-1].tests
    assert first.longest_s >= first.left_max_s > 0.9 * first.longest_s
    assert later.left_max_s == FIVE_MINUTES
    shares = [one.tests[0].left_max_s / one.tests[0].longest_s for one in told]
    assert shares == sorted(shares, reverse=True)


def test_matrix_keeps_the_last_value_of_each_cell(tmp_path: Path) -> None:
    told: list[Progress] = []
    demo = open_profile("demo")
    (iops,) = ask_suite(
        demo, ("iops",), capacity_bytes=CONTEXT.capacity_bytes, sector_bytes=512
    ).tests
    tracker = Tracker(run=tmp_path, tests=(iops,), context=CONTEXT, tell=told.append)
    values_so_far = count(1)

    def answer(step: Step) -> StepResult:
        tracker.step_began(step)
        result = StepResult(step_id=step.step_id, iops=float(next(values_so_far)))
        tracker.step_ended(step, result)
        return result

    _drive(plan_suite((iops,), CONTEXT, tracker.judged), answer)
    second = next(p for p in told if (p.round, p.cell) == (2, 3))
    assert len(second.matrix) == second.cells
    assert [cell.round for cell in second.matrix] == [2, 2, *[1] * (second.cells - 2)]
    values = [cell.value or 0.0 for cell in second.matrix]
    assert values == [values[2] + second.cells - 2 + n for n in (0, 1)] + [
        values[2] + n for n in range(second.cells - 2)
    ]
    first = next(p for p in told if (p.round, p.cell) == (1, 2))
    assert [cell.value is None for cell in first.matrix] == [
        False,
        *[True] * (first.cells - 1),
    ]


def test_fill_says_how_much_of_it_is_written_and_how_fast(tmp_path: Path) -> None:
    told: list[Progress] = []
    procedure = saturate(RND)
    tracker = Tracker(
        run=tmp_path, tests=procedure.tests, context=CONTEXT, tell=told.append
    )
    tracker.advanced(1.0, 4096)
    assert told == []

    def stop(step: Step) -> StepResult:
        tracker.step_began(step)
        if step.kind == "precondition":
            tracker.advanced(4.0, CONTEXT.capacity_bytes / 2)
            raise KeyboardInterrupt
        return StepResult(step_id=step.step_id)

    with pytest.raises(KeyboardInterrupt):
        plan_of(procedure, stop)
    *_, began, now = told
    assert began.step_percent is None
    assert now.step_percent == 25.0  # half of the capacity, of two fills
    assert now.step_extent == "134.2 MB at 8.389 MB/s"
    assert "25 % of 134.2 MB at 8.389 MB/s" in now.line
    # 16 s for both fills at that speed, 4 s of them are over; then the rounds.
    assert now.left_min_s == pytest.approx(12 + 25 * FIVE_MINUTES)
    assert tracker.speed_bytes_per_s == CONTEXT.capacity_bytes / 8


@pytest.mark.parametrize(
    ("elapsed_s", "percent", "left_s"), [(75.0, 25.0, 225.0), (400.0, 100.0, 0.0)]
)
def test_long_round_says_how_much_of_its_time_is_over(
    tmp_path: Path, elapsed_s: float, percent: float, left_s: float
) -> None:
    told: list[Progress] = []
    procedure = saturate(RND)
    tracker = Tracker(
        run=tmp_path, tests=procedure.tests, context=CONTEXT, tell=told.append
    )

    def stop(step: Step) -> StepResult:
        tracker.step_began(step)
        if step.round == 1:
            tracker.advanced(elapsed_s, None)
            raise KeyboardInterrupt
        return StepResult(step_id=step.step_id)

    with pytest.raises(KeyboardInterrupt):
        plan_of(procedure, stop)
    now = told[-1]
    assert (now.step_percent, now.step_extent) == (percent, "5 min")
    assert now.left_min_s == 24 * FIVE_MINUTES + left_s - max(elapsed_s - 300, 0)

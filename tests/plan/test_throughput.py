"""TP: each size from its own purge, streams that carry on, TKperf's rounds."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.model.step import Step, StepResult
from ssdlab.plan.streams import Stream
from tests.plan.made import MIB, Answer, drive, never_steady, result_of

ENTERPRISE = "pts-2.0-enterprise"
NAMES = ("1024KiB", "64KiB", "8KiB", "4KiB", "0.5KiB")


def test_each_size_has_its_own_purge_and_fill() -> None:
    driven = drive(ENTERPRISE, ["tp"])
    kinds = [(step.kind, step.phase_id) for step in driven.steps]
    for name in ("1024KiB", "128KiB"):
        at = kinds.index(("purge", f"purge-{name}"))
        assert kinds[at + 1] == ("precondition", f"wipc-{name}")
        assert kinds[at + 2 : at + 12] == [("cell", f"rounds-{name}")] * 10
    assert len(kinds) == 24


@pytest.mark.parametrize(("steady_after", "rounds"), [(0, 5), (4, 9), (99, 25)])
def test_other_sizes_of_tkperf_run_as_many_rounds_as_1024_kib(
    steady_after: int, rounds: int
) -> None:
    def answer(step: Step) -> StepResult:
        if step.phase_id == "rounds-1024KiB" and (step.round or 0) > steady_after:
            return result_of(step)
        return never_steady(step)

    driven = drive("tkperf", ["tp"], answer)
    assert [driven.rounds_of(f"rounds-{name}") for name in NAMES] == [rounds] * 5
    assert {j.phase_id for j in driven.judgements} == {"rounds-1024KiB"}


def _moving(moved: dict[int, int]) -> Answer:
    """Move so many bytes in reads (100) and writes (0); never steady."""

    def answer(step: Step) -> StepResult:
        reads = step.workload.read_percent if step.workload else 0
        return result_of(step, 2.0 ** (step.round or 0), moved=moved[reads])

    return answer


def _offsets(moved: dict[int, int], capacity_bytes: int, reads: int) -> list[int]:
    driven = drive(ENTERPRISE, ["tp"], _moving(moved), capacity_bytes=capacity_bytes)
    return [
        step.offset_bytes
        for step in driven.steps_of("rounds-1024KiB")
        if step.workload and step.workload.read_percent == reads
    ]


def test_reads_and_writes_each_carry_on_where_they_ended() -> None:
    moved = {100: 100 * MIB, 0: 30 * MIB}
    reads = _offsets(moved, 1000 * MIB, 100)
    writes = _offsets(moved, 1000 * MIB, 0)
    assert reads[:12] == [MIB * at for at in (*range(0, 1000, 100), 0, 100)]
    assert writes[:5] == [MIB * at for at in (0, 30, 60, 90, 120)]


def test_last_cell_of_a_lap_ends_where_the_range_ends_and_the_next_begins_at_0() -> (
    None
):
    offsets = _offsets({100: 300 * MIB, 0: 0}, 1000 * MIB, 100)
    assert offsets[:6] == [MIB * at for at in (0, 300, 600, 700, 0, 300)]


def test_cells_of_nearly_the_whole_range_leave_nothing_out() -> None:
    offsets = _offsets({100: 900 * MIB, 0: 0}, 1000 * MIB, 100)
    assert offsets[:4] == [MIB * at for at in (0, 100, 0, 100)]


@settings(max_examples=200, deadline=None)
@given(size=st.integers(1, 400), moved=st.integers(1, 900))
def test_stream_of_steady_speed_covers_the_whole_range_each_lap(
    size: int, moved: int
) -> None:
    stream, covered, laps = Stream(), [0] * size, 0
    for number in range(2 * size + 4):
        begin = stream.next_offset(size)
        if begin == 0 and number:
            assert min(covered) >= 1
            covered, laps = [0] * size, laps + 1
        for at in range(begin, min(begin + moved, size)):
            covered[at] += 1
        stream = stream.advance(size, moved)
    assert laps


def test_stream_that_passed_its_end_goes_on_from_where_it_wrapped_to() -> None:
    """It began at 0, so it came back to 0: 2,500 MiB are two spans and 500 MiB."""
    offsets = _offsets({100: 2500 * MIB, 0: 0}, 1000 * MIB, 100)
    assert offsets[:3] == [0, 0, 0]  # 500 MiB are left, less than the last cell moved
    offsets = _offsets({100: 1000 * MIB, 0: 0}, 1000 * MIB, 100)
    assert offsets[:3] == [0, 0, 0]


def test_tkperf_begins_each_cell_at_0() -> None:
    driven = drive("tkperf", ["tp"], _moving({100: 64 * MIB, 0: 32 * MIB}))
    cells = [step for step in driven.steps if step.kind == "cell"]
    assert {step.offset_bytes for step in cells} == {0}
    assert {step.workload.threads for step in cells if step.workload} == {2}


@settings(max_examples=30, deadline=None)
@given(
    capacity=st.integers(64 * 2048, 4096 * 2048).map(lambda sectors: sectors * 512),
    blocks=st.lists(st.integers(1, 9000), min_size=4, max_size=4),
)
def test_offset_is_in_the_range_and_on_a_block(
    capacity: int, blocks: list[int]
) -> None:
    def answer(step: Step) -> StepResult:
        if step.workload is None or step.kind != "cell":
            return result_of(step)
        count = blocks[step.seed % len(blocks)]
        moved = count * step.workload.block_size_bytes
        return result_of(step, 2.0 ** (step.round or 0), moved=moved)

    driven = drive(ENTERPRISE, ["tp"], answer, capacity_bytes=capacity)
    cells = [step for step in driven.steps if step.kind == "cell"]
    assert len(cells) == 100
    for step in cells:
        assert step.workload is not None
        block = step.workload.block_size_bytes
        assert step.offset_bytes % block == 0
        assert 0 <= step.offset_bytes <= step.range_bytes - block


def test_next_sequential_cell_is_known_one_ahead() -> None:
    driven = drive(ENTERPRISE, ["tp"], _moving({100: 7 * MIB, 0: 3 * MIB}))
    cells = [batch for batch in driven.batches if batch.steps[0].kind == "cell"]
    for batch, after in pairwise(cells):
        (step,) = batch.steps
        assert batch.is_next_certain is (step.cell == 1)
        if step.cell == 1 or step.round != 25:
            assert batch.next_step == after.steps[0]
        else:
            assert batch.next_step is None

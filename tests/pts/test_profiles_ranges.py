"""PTS-C 1.1: active ranges and amounts, each from its own purge."""

import pytest

from ssdlab.model.spec import ActiveRange, Precondition, Purge, Rounds
from ssdlab.model.step import Segments
from ssdlab.model.units import GIB, KIB, MIB
from ssdlab.pts import build_tests, find_profile
from ssdlab.pts.shared.phases import repeat_over_ranges
from tests.plan.made import CAPACITY, drive, never_steady
from tests.pts.cells import build, loops

NAMES = ("AR100-8GiB", "AR100-16GiB", "AR75-8GiB", "AR75-16GiB")
AMOUNTS = {name: (16 if "16" in name else 8) * GIB for name in NAMES}
THREE_QUARTERS = CAPACITY * 3 // 4 // MIB * MIB


@pytest.mark.parametrize("test_id", ["iops", "lat"])
def test_each_range_has_its_own_purge_fill_and_rounds(test_id: str) -> None:
    test = build("pts-c-1.1", test_id)
    assert [phase.phase_id for phase in test.phases] == [
        f"{kind}-{name}" for name in NAMES for kind in ("purge", "wipc", "rounds")
    ]
    kinds = [type(phase) for phase in test.phases]
    assert kinds == [Purge, Precondition, Rounds] * 4


def test_throughput_has_one_block_size_in_each_range() -> None:
    test = build("pts-c-1.1", "tp")
    assert loops(test) == {
        f"rounds-1024KiB-{name}": [("seq", 1024, 100), ("seq", 1024, 0)]
        for name in NAMES
    }
    fills = [phase for phase in test.phases if isinstance(phase, Precondition)]
    assert {fill.block_size_bytes for fill in fills} == {1024 * KIB}


def test_cells_are_those_of_the_other_editions_in_every_range() -> None:
    wanted = loops(build("pts-2.0-client", "iops"))["rounds"]
    assert loops(build("pts-c-1.1", "iops")) == {
        f"rounds-{name}": wanted for name in NAMES
    }


def test_saturation_has_no_loop_over_ranges() -> None:
    test = build("pts-c-1.1", "wsat")
    assert [phase.phase_id for phase in test.phases] == ["purge", "saturation"]


@pytest.mark.parametrize("test_id", ["iops", "tp", "lat"])
def test_steps_fill_the_range_and_measure_its_amount(test_id: str) -> None:
    steps = drive("pts-c-1.1", [test_id]).steps
    seen = set()
    for step in steps:
        name = step.phase_id.removeprefix("rounds-").removeprefix("1024KiB-")
        if step.kind == "cell":
            seen.add(name)
            assert step.range_bytes == AMOUNTS[name], step.step_id
            assert step.offset_bytes == 0
            span = CAPACITY if "AR100" in name else THREE_QUARTERS
            pieces = Segments(count=100, span_bytes=span, seed=7)
            assert step.segments == (None if test_id == "tp" else pieces)
        if step.kind == "precondition":
            whole = CAPACITY if "AR100" in step.phase_id else THREE_QUARTERS
            assert step.range_bytes == whole
            assert step.segments is None
            assert step.io_bytes is not None
            assert 0 <= step.io_bytes - 2 * CAPACITY < MIB
    assert seen == set(NAMES)
    assert [step.kind for step in steps].count("purge") == 4


def test_rounds_of_each_range_end_by_themselves() -> None:
    driven = drive("pts-c-1.1", ["lat"], never_steady)
    assert [driven.rounds_of(f"rounds-{name}") for name in NAMES] == [25] * 4


def test_histogram_run_stays_in_the_amount() -> None:
    ranges = (ActiveRange(percent=50, amount_bytes=64 * MIB),)
    profile = find_profile("pts-2.0-client").having(active_ranges=ranges)
    last = drive(profile, ["lat"]).steps[-1]
    assert (last.kind, last.range_bytes) == ("histogram", 64 * MIB)
    assert last.phase_id == "histogram-AR50-64MiB"


def test_sizes_that_follow_another_one_follow_it_in_their_own_range() -> None:
    ranges = (ActiveRange(percent=100), ActiveRange(percent=50))
    profile = find_profile("tkperf").having(active_ranges=ranges)
    (test,) = build_tests(profile, ["tp"])
    follows = {
        phase.phase_id: phase.same_rounds_as
        for phase in test.phases
        if isinstance(phase, Rounds)
    }
    assert follows["rounds-4KiB-AR50-all"] == "rounds-1024KiB-AR50-all"
    assert follows["rounds-1024KiB-AR50-all"] == ""
    assert drive(profile, ["tp"]).rounds_of("rounds-4KiB-AR50-all") == 5


def test_saturation_is_refused_to_be_repeated() -> None:
    with pytest.raises(ValueError, match="saturation has no active range"):
        repeat_over_ranges(build("pts-2.0-client", "wsat"), (ActiveRange(percent=100),))

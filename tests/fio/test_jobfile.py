"""The job file says to fio what the step says, trap by trap."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis.strategies import integers, sampled_from

from ssdlab.fio.jobs.jobfile import PERCENTILES, count_threads, render_job
from ssdlab.model.spec import Access, Precondition
from ssdlab.model.units import KIB, MIB
from ssdlab.plan.context import PlanContext
from ssdlab.plan.steps import StepMaker
from ssdlab.pts import PROFILES, SUITE
from tests.fio.jobs import cell, fill, options_of, workload
from tests.plan.made import drive, never_steady

NULL = {"ioengine": "null"}
WIPC = Precondition(
    phase_id="wipc", block_size_bytes=128 * KIB, queue_depth=32, capacity_multiple=2
)


def context(capacity_bytes: int, percent: float = 100) -> PlanContext:
    return PlanContext(
        capacity_bytes=capacity_bytes,
        sector_bytes=512,
        active_range_percent=percent,
        seed=1,
    )


def test_thread_count_is_numjobs_and_queue_depth_is_iodepth() -> None:
    step = cell(workload(threads=4, queue_depth=32))
    shared = options_of(render_job(step, NULL))["global"]
    assert (shared["numjobs"], shared["iodepth"]) == ("4", "32")
    assert (shared["thread"], shared["group_reporting"]) == ("1", "1")


def test_cell_is_time_based_and_of_exactly_its_time() -> None:
    timed = options_of(render_job(cell(seconds=60), NULL))["cell"]
    assert (timed["time_based"], timed["runtime"]) == ("1", "60000ms")
    short = options_of(render_job(cell(seconds=0.25), NULL))["cell"]
    assert short["runtime"] == "250ms"


def test_io_is_direct_with_fresh_random_data_on_recorded_seeds() -> None:
    step = cell()
    shared = options_of(render_job(step, NULL))["global"]
    assert shared["direct"] == "1"
    assert shared["refill_buffers"] == "1"
    assert (shared["randrepeat"], shared["randseed"]) == ("0", str(step.seed))
    assert not {"zero_buffers", "buffer_pattern", "dedupe_percentage"} & set(shared)


def test_fill_by_sprandom_leaves_amount_and_generator_to_fio() -> None:
    phase = replace(
        WIPC, block_size_bytes=4096, capacity_multiple=1.07, over_provisioning=0.07
    )
    step = fill(phase, context(MIB))
    options = options_of(render_job(step, NULL))
    assert options["fill"] == {"sprandom": "1", "spr_op": "0.07", "size": str(MIB)}
    assert options["global"]["rw"] == "randwrite"
    assert "random_generator" not in options["global"]
    # fio rounds in each of 100 regions.
    assert step.io_bytes == 274 * 4096 - 200 * 4096
    assert phase.rounded_bytes == 200 * 4096
    assert WIPC.rounded_bytes == 128 * KIB


def test_offsets_are_drawn_from_64_bits_without_a_map() -> None:
    shared = options_of(render_job(cell(), NULL))["global"]
    assert shared["random_generator"] == "tausworthe64"
    assert shared["norandommap"] == "1"
    mapped = replace(cell(), uses_random_map=True)
    shared = options_of(render_job(mapped, NULL))["global"]
    assert shared["norandommap"] == "0"
    assert "random_generator" not in shared


@pytest.mark.parametrize(
    ("access", "read_percent", "direction"),
    [
        ("rnd", 100, "randread"),
        ("rnd", 0, "randwrite"),
        ("rnd", 65, "randrw"),
        ("seq", 100, "read"),
        ("seq", 0, "write"),
        ("seq", 50, "rw"),
    ],
)
def test_direction_and_mix_are_those_of_the_workload(
    access: Access, read_percent: int, direction: str
) -> None:
    shared = options_of(render_job(cell(workload(access, 512, read_percent)), NULL))[
        "global"
    ]
    assert (shared["rw"], shared["bs"]) == (direction, "512")
    is_mixed = read_percent not in {0, 100}
    assert shared.get("rwmixread") == (str(read_percent) if is_mixed else None)


def test_random_cell_spans_the_active_range() -> None:
    step = cell(context=context(64 * MIB, percent=75))
    timed = options_of(render_job(step, NULL))["cell"]
    assert (timed["offset"], timed["size"]) == ("0", str(48 * MIB))


def test_sequential_cell_begins_where_the_stream_is() -> None:
    step = cell(workload("seq", MIB), offset_bytes=40 * MIB)
    timed = options_of(render_job(step, NULL))["cell"]
    assert (timed["offset"], timed["size"]) == (str(40 * MIB), str(24 * MIB))


def test_latency_percentiles_are_of_lat_and_reach_the_nines() -> None:
    shared = options_of(render_job(cell(), NULL))["global"]
    assert (shared["lat_percentiles"], shared["clat_percentiles"]) == ("1", "0")
    levels = [float(level) for level in shared["percentile_list"].split(":")]
    assert levels == list(PERCENTILES)
    assert {99.9, 99.99, 99.999} <= set(levels)


def test_fill_writes_twice_the_capacity_in_one_stream() -> None:
    sections = options_of(render_job(fill(WIPC, context(64 * MIB)), NULL))
    assert set(sections) == {"global", "fill"}
    shared, written = sections["global"], sections["fill"]
    assert (shared["rw"], shared["bs"]) == ("write", str(128 * KIB))
    assert (shared["numjobs"], shared["iodepth"]) == ("1", "32")
    assert written == {"size": str(64 * MIB), "io_size": str(128 * MIB)}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("odd", [512, 12 * KIB, 124 * KIB])
def test_fill_adds_up_to_its_amount_when_the_capacity_is_no_multiple_of_a_block(
    odd: int, threads: int
) -> None:
    step = fill(replace(WIPC, threads=threads), context(64 * MIB + odd))
    sections = options_of(render_job(step, NULL))
    whole, tail = sections["fill"], sections["tail"]
    assert int(whole["size"]) == 64 * MIB == int(tail["offset"])
    assert int(tail["size"]) == int(tail["bs"]) == odd
    assert tail["numjobs"] == "1"
    written = threads * int(whole["io_size"]) + int(tail["io_size"])
    assert written == 2 * threads * (64 * MIB + odd)


@given(
    blocks=integers(1, 4000),
    tail=integers(0, 255),
    threads=integers(1, 32),
    percent=sampled_from([100, 75, 50, 10]),
)
def test_divided_fill_has_each_sector_of_its_range_in_one_part(
    blocks: int, tail: int, threads: int, percent: int
) -> None:
    whole = context(blocks * 128 * KIB + tail * 512, percent=percent)
    assume(whole.range_bytes >= 512)
    step = fill(replace(WIPC, threads=threads, is_divided=True), whole)
    sections = options_of(render_job(step, NULL))
    del sections["global"]
    spans, written = [], 0
    for options in sections.values():
        size, count = int(options["size"]), int(options["numjobs"])
        begins = int(options.get("offset", 0))
        spans += [(begins + size * at, size) for at in range(count)]
        written += count * int(options["io_size"])
    end = 0
    for begins, size in sorted(spans):
        assert begins == end
        assert size > 0
        end += size
    assert end == whole.range_bytes
    assert count_threads(step) == len(spans) <= threads + 2
    asked = 2 * whole.capacity_bytes
    assert written - asked >= 0
    if percent == 100:
        assert written == asked == step.whole_amount_bytes


def test_fill_of_a_part_of_the_device_writes_the_capacity_inside_it() -> None:
    step = fill(WIPC, context(64 * MIB, percent=75))
    written = options_of(render_job(step, NULL))["fill"]
    assert written == {"size": str(48 * MIB), "io_size": str(128 * MIB)}


def test_series_is_logged_only_where_a_step_asks_for_it() -> None:
    assert "write_iops_log" not in render_job(cell(), NULL)
    logged = replace(cell(), series_interval_ms=1000)
    timed = options_of(render_job(logged, NULL))["cell"]
    assert (timed["log_avg_msec"], timed["per_job_logs"]) == ("1000", "0")


def test_target_options_come_first_and_every_option_once() -> None:
    job = render_job(cell(), {"ioengine": "libaio", "filename": "/x y"})
    assert job.startswith("[global]\nioengine=libaio\nfilename=/x y\n")
    assert options_of(job)["global"]["filename"] == "/x y"


def test_step_without_an_end_is_refused() -> None:
    make = StepMaker(context=context(MIB), test_id="iops", phase_id="purge")
    for step in (make.purge(1), replace(cell(), runtime_s=None)):
        with pytest.raises(ValueError, match="is not a fio step, or has no end"):
            render_job(step, NULL)


def test_step_with_time_and_amount_ends_by_what_comes_first() -> None:
    step = replace(cell(workload(threads=4)), io_bytes=4096)
    written = options_of(render_job(step, NULL))["cell"]
    assert "time_based" not in written  # with it fio passes over the amount
    assert (written["runtime"], written["io_size"]) == ("500ms", "4096")
    assert step.whole_amount_bytes == 4 * 4096
    assert count_threads(step) == 4


@pytest.mark.parametrize("name", PROFILES)
def test_every_job_of_a_profile_is_direct_and_has_its_own_seed(name: str) -> None:
    steps = [s for s in drive(name, SUITE, never_steady).steps if s.kind != "purge"]
    shared = [options_of(render_job(step, NULL))["global"] for step in steps]
    assert {options["direct"] for options in shared} == {"1"}
    assert {options["randrepeat"] for options in shared} == {"0"}
    assert len({options["randseed"] for options in shared}) == len(steps)

"""Real fio does what the job files say."""

import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ssdlab.fio.installed import list_options, require_fio
from ssdlab.fio.jobs.jobfile import render_job
from ssdlab.model.spec import Precondition
from ssdlab.model.step import Step
from ssdlab.model.units import KIB, MIB
from ssdlab.plan.context import PlanContext
from ssdlab.plan.streams import Stream
from ssdlab.virtual.options import VirtualSsdOptions
from tests.fio.jobs import cell, fill, job_of, reach, run_step, workload
from tests.quick_fio import CLOCK
from tests.virtual.conftest import Serve
from tests.virtual.lab import UNTIMED

pytestmark = pytest.mark.fio

NULL = {"ioengine": "null"}


def offsets(step: Step, folder: Path) -> dict[str, list[int]]:
    """Return the offsets that each thread of a step asks for, in order."""
    folder.mkdir()
    (folder / "job.fio").write_text(render_job(step, NULL), "utf-8")
    subprocess.run(
        [
            require_fio()[0],
            CLOCK,
            "--debug=io",
            "--output=said",
            "--eta=never",
            "job.fio",
        ],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    asked: dict[str, list[int]] = {}
    for line in (folder / "said").read_text("utf-8", errors="replace").splitlines():
        if "fill: io_u" in line and "off=" in line:
            offset = int(line.partition("off=")[2].split(",")[0], 16)
            asked.setdefault(line.split()[1], []).append(offset)
    return asked


def _few(number: int, *, threads: int = 1) -> Step:
    """Return a cell cut to 100 IOs a thread, so that its offsets can be read."""
    step = cell(workload(threads=threads, queue_depth=4), number=number)
    return replace(step, runtime_s=None, io_bytes=100 * 4 * KIB)


def test_same_seed_gives_the_same_offsets_and_another_step_others(
    tmp_path: Path,
) -> None:
    (first,) = offsets(_few(3), tmp_path / "a").values()
    (again,) = offsets(_few(3), tmp_path / "b").values()
    (other,) = offsets(_few(4), tmp_path / "c").values()
    assert len(first) == 100
    assert first == again
    assert len(set(first) & set(other)) < 10
    assert len(set(first)) > 90
    assert max(first) < 64 * MIB


def test_threads_of_a_cell_use_offsets_of_their_own(tmp_path: Path) -> None:
    asked = offsets(_few(3, threads=4), tmp_path / "a")
    counted = Counter(offset for one in asked.values() for offset in set(one))
    assert [len(one) for one in asked.values()] == [100] * 4
    assert sum(count > 1 for count in counted.values()) < 20


def test_random_map_repeats_no_block_until_all_are_written(tmp_path: Path) -> None:
    small = PlanContext(
        capacity_bytes=400 * KIB, sector_bytes=512, active_range_percent=100, seed=3
    )
    step = cell(context=small)
    step = replace(step, runtime_s=None, io_bytes=400 * KIB, uses_random_map=True)
    (mapped,) = offsets(step, tmp_path / "a").values()
    assert len(set(mapped)) == 100
    (free,) = offsets(replace(step, uses_random_map=False), tmp_path / "b").values()
    assert len(set(free)) < 90


@pytest.mark.parametrize("odd", [0, 12 * KIB], ids=["whole blocks", "a tail"])
def test_sequential_stream_wraps_to_where_its_job_began(
    tmp_path: Path, odd: int
) -> None:
    """And not to LBA 0: this is what `Stream` reckons with."""
    context = PlanContext(
        capacity_bytes=64 * MIB + odd,
        sector_bytes=512,
        active_range_percent=100,
        seed=3,
    )
    work = workload("seq", MIB, queue_depth=2)
    step = cell(work, context=context, offset_bytes=56 * MIB, seconds=0.2)
    (asked,) = offsets(step, tmp_path / "a").values()
    assert len(asked) > 16
    wanted = [(56 + at % 8) * MIB for at in range(len(asked))]
    assert asked == wanted
    stream = Stream(position=56 * MIB).advance(64 * MIB, len(asked) * MIB)
    assert stream.position == (56 + len(asked) % 8) * MIB


@pytest.mark.parametrize(
    ("size_bytes", "block_kib", "threads"),
    [
        (64 * MIB, 128, 1),
        (64 * MIB + 12 * KIB, 128, 1),
        (64 * MIB + 12 * KIB, 1024, 1),
        (32 * MIB + 124 * KIB, 128, 2),
    ],
    ids=["even", "odd", "odd by 1024 KiB", "odd by two threads"],
)
def test_fill_writes_every_page_twice_a_thread_and_not_a_byte_more(
    tmp_path: Path, serve: Serve, size_bytes: int, block_kib: int, threads: int
) -> None:
    ssd = serve(replace(UNTIMED, size_bytes=size_bytes))
    context = PlanContext(
        capacity_bytes=size_bytes, sector_bytes=512, active_range_percent=100, seed=5
    )
    phase = Precondition(
        phase_id="wipc",
        block_size_bytes=block_kib * KIB,
        queue_depth=32,
        capacity_multiple=2,
        threads=threads,
    )
    step = fill(phase, context)
    outcome = run_step(step, reach(ssd), tmp_path / "steps")
    assert np.unique(ssd.page_write_counts()).tolist() == [2 * threads]
    written = ssd.counters().host_written_bytes
    assert written == 2 * threads * size_bytes
    assert job_of(outcome)["write"]["io_bytes"] == written
    assert step.io_bytes == written // threads


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize(
    "size_bytes",
    [32 * MIB, 32 * MIB + 12 * KIB, 32 * MIB + 3 * 128 * KIB, 33 * MIB + 252 * KIB],
    ids=["even", "tail", "rest", "rest and tail"],
)
def test_divided_fill_writes_every_page_twice_each_thread_its_part(
    tmp_path: Path, serve: Serve, size_bytes: int, threads: int
) -> None:
    ssd = serve(replace(UNTIMED, size_bytes=size_bytes))
    context = PlanContext(
        capacity_bytes=size_bytes, sector_bytes=512, active_range_percent=100, seed=5
    )
    phase = Precondition(
        phase_id="wipc",
        block_size_bytes=128 * KIB,
        queue_depth=32,
        capacity_multiple=2,
        threads=threads,
        is_divided=True,
    )
    step = fill(phase, context)
    outcome = run_step(step, reach(ssd), tmp_path / "steps")
    assert np.unique(ssd.page_write_counts()).tolist() == [2]
    written = ssd.counters().host_written_bytes
    assert written == 2 * size_bytes == step.io_bytes == step.whole_amount_bytes
    assert job_of(outcome)["write"]["io_bytes"] == written


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_divided_fill_of_a_part_of_the_device_stays_inside_it(
    tmp_path: Path, serve: Serve, threads: int
) -> None:
    size_bytes = 32 * MIB + 12 * KIB
    ssd = serve(replace(UNTIMED, size_bytes=size_bytes))
    context = PlanContext(
        capacity_bytes=size_bytes, sector_bytes=512, active_range_percent=75, seed=5
    )
    phase = Precondition(
        phase_id="wipc",
        block_size_bytes=128 * KIB,
        queue_depth=8,
        capacity_multiple=2,
        threads=threads,
        is_divided=True,
    )
    step = fill(phase, context)
    run_step(step, reach(ssd), tmp_path / "steps")
    counts = ssd.page_write_counts()
    pages = step.range_bytes // 4096
    assert set(np.unique(counts[:pages]).tolist()) == {2, 3}
    assert not counts[pages + 1 :].any()
    asked = 2 * size_bytes
    assert 0 <= ssd.counters().host_written_bytes - asked < (threads + 1) * 128 * KIB


def test_threads_of_a_divided_fill_begin_where_their_parts_do(tmp_path: Path) -> None:
    context = PlanContext(
        capacity_bytes=8 * MIB, sector_bytes=512, active_range_percent=100, seed=5
    )
    phase = Precondition(
        phase_id="wipc",
        block_size_bytes=128 * KIB,
        queue_depth=1,
        capacity_multiple=2,
        threads=4,
        is_divided=True,
    )
    asked = offsets(fill(phase, context), tmp_path / "a")
    parts = {min(one): one for one in asked.values()}
    assert sorted(parts) == [0, 2 * MIB, 4 * MIB, 6 * MIB]
    for start, one in parts.items():
        blocks = [start + at * 128 * KIB for at in range(16)]
        assert one == blocks * 2


@pytest.mark.parametrize("spare", [0.07, 0.28])
def test_fill_by_sprandom_writes_the_device_and_the_spare_capacity(
    tmp_path: Path, serve: Serve, spare: float
) -> None:
    path, version = require_fio()
    if "sprandom" not in list_options(path, []):
        pytest.skip(f"{version} has no sprandom")
    size_bytes = 64 * MIB
    ssd = serve(replace(UNTIMED, size_bytes=size_bytes))
    context = PlanContext(
        capacity_bytes=size_bytes, sector_bytes=512, active_range_percent=100, seed=5
    )
    phase = Precondition(
        phase_id="sprandom",
        block_size_bytes=4 * KIB,
        queue_depth=32,
        capacity_multiple=1 + spare,
        over_provisioning=spare,
    )
    step = fill(phase, context)
    run_step(step, reach(ssd), tmp_path / "steps")
    unwritten = np.count_nonzero(ssd.page_write_counts() == 0)
    assert unwritten * 4096 <= phase.rounded_bytes
    asked = (1 + spare) * size_bytes
    written = ssd.counters().host_written_bytes
    assert asked - phase.rounded_bytes <= written <= asked + phase.rounded_bytes


def test_fill_of_a_part_of_the_device_stays_inside_it(
    tmp_path: Path, serve: Serve
) -> None:
    size_bytes = 32 * MIB + 12 * KIB
    ssd = serve(replace(UNTIMED, size_bytes=size_bytes))
    context = PlanContext(
        capacity_bytes=size_bytes, sector_bytes=512, active_range_percent=75, seed=5
    )
    phase = Precondition(
        phase_id="wipc", block_size_bytes=128 * KIB, queue_depth=8, capacity_multiple=2
    )
    step = fill(phase, context)
    run_step(step, reach(ssd), tmp_path / "steps")
    counts = ssd.page_write_counts()
    inside = counts[: 24 * MIB // 4096]
    assert set(np.unique(inside).tolist()) == {2, 3}
    assert not counts[24 * MIB // 4096 :].any()
    assert ssd.counters().host_written_bytes == step.io_bytes


@pytest.mark.parametrize(("threads", "depth"), [(4, 8), (1, 32), (2, 16), (1, 1)])
def test_drive_sees_threads_times_queue_depth_outstanding(
    tmp_path: Path, serve: Serve, threads: int, depth: int
) -> None:
    options = VirtualSsdOptions(size_bytes=64 * MIB, linger_s=60)
    ssd = serve(options)
    step = cell(workload(threads=threads, queue_depth=depth), seconds=0.6)
    run_step(step, reach(ssd), tmp_path / "steps")
    assert ssd.counters().in_flight_max == threads * depth


def test_sequential_cells_cover_the_range_without_a_hole(
    tmp_path: Path, serve: Serve
) -> None:
    """Three cells, each where the last one ended: no page between is left out."""
    ssd = serve(VirtualSsdOptions(size_bytes=128 * MIB, linger_s=60))
    context = PlanContext(
        capacity_bytes=128 * MIB, sector_bytes=512, active_range_percent=100, seed=5
    )
    work, stream = workload("seq", 128 * KIB, queue_depth=8), Stream()
    for number in (1, 2, 3):
        step = cell(
            work,
            number=number,
            seconds=0.3,
            context=context,
            offset_bytes=stream.next_offset(128 * MIB),
        )
        outcome = run_step(step, reach(ssd), tmp_path / "steps")
        moved = job_of(outcome)["write"]["io_bytes"]
        stream = stream.advance(128 * MIB, moved)
    counts = ssd.page_write_counts()
    end = stream.position // 4096
    assert 0 < end < len(counts)
    assert (counts[:end] == 1).all()
    assert not counts[end:].any()


def test_cell_lasts_its_time_though_its_size_is_done_sooner(
    tmp_path: Path, serve: Serve
) -> None:
    ssd = serve(replace(UNTIMED, size_bytes=8 * MIB, pages_per_block=16))
    context = PlanContext(
        capacity_bytes=8 * MIB, sector_bytes=512, active_range_percent=100, seed=5
    )
    work = workload("seq", 128 * KIB, queue_depth=4)
    step = cell(work, seconds=0.5, context=context)
    job = job_of(run_step(step, reach(ssd), tmp_path / "steps"))
    assert job["write"]["runtime"] == pytest.approx(500, abs=30)
    assert job["write"]["io_bytes"] > 16 * MIB


@pytest.mark.parametrize(("asked", "is_by_time"), [(2 * MIB, False), (2**40, True)])
def test_step_with_time_and_amount_ends_by_what_comes_first(
    tmp_path: Path, serve: Serve, asked: int, *, is_by_time: bool
) -> None:
    """PTS section 13, step 3a; four threads have a share each, of random offsets."""
    ssd = serve(replace(UNTIMED, size_bytes=8 * MIB, pages_per_block=16))
    context = PlanContext(
        capacity_bytes=8 * MIB, sector_bytes=512, active_range_percent=100, seed=5
    )
    work = workload(threads=4, queue_depth=8)
    step = replace(cell(work, seconds=3, context=context), io_bytes=asked // 4)
    written = job_of(run_step(step, reach(ssd), tmp_path / "steps"))["write"]
    assert (written["runtime"] >= 2900) == is_by_time
    assert (written["io_bytes"] == asked) == (not is_by_time)


def test_mix_is_that_of_the_ios(tmp_path: Path) -> None:
    step = cell(workload(read_percent=65, queue_depth=4), seconds=0.2)
    job = job_of(run_step(step, NULL, tmp_path))
    reads, writes = job["read"]["total_ios"], job["write"]["total_ios"]
    assert reads / (reads + writes) == pytest.approx(0.65, abs=0.02)

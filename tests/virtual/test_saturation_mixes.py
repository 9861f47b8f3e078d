"""The optional stimuli of write saturation as the drive sees them, by real fio."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ssdlab.model.spec import Composite, PtsTest, Stimulus, Workload
from ssdlab.model.units import KIB, MIB
from ssdlab.plan.context import PlanContext
from ssdlab.pts import build_tests, find_profile
from ssdlab.pts.suite import OPTIONAL_SUITE
from ssdlab.virtual.counters import PLACES, SECTOR_BYTES, SIZES
from ssdlab.virtual.options import VirtualSsdOptions
from tests.fio.jobs import cell, job_of, reach, run_step
from tests.virtual.conftest import Serve
from tests.virtual.lab import UNTIMED

SIGMAS = 4
PAGE = 4096
LEAST = 3000
BEGIN = 64 * MIB


def stimulus_of(test: PtsTest) -> Workload:
    (phase,) = (phase for phase in test.phases if isinstance(phase, Stimulus))
    return phase.workload


@pytest.mark.fio
@pytest.mark.parametrize("test_id", OPTIONAL_SUITE)
def test_drive_sees_the_mix_and_the_sizes_of_each_stimulus(
    serve: Serve, tmp_path: Path, test_id: str
) -> None:
    """Shares of reads, of sizes and of zones within their binomial error."""
    ssd = serve(replace(UNTIMED, size_bytes=64 * MIB))
    work = stimulus_of(build_tests(find_profile("demo"), [test_id])[0])
    run_step(cell(work, seconds=2), reach(ssd), tmp_path / "steps")
    record = ssd.request_record()
    reads, writes = int(record.read_sizes.sum()), int(record.write_sizes.sum())
    assert reads + writes > LEAST
    expect_share(reads, reads + writes, work.read_percent)
    if work.composite is None:
        place = min(work.block_size_bytes // SECTOR_BYTES, SIZES - 1)
        both = record.read_sizes + record.write_sizes
        assert np.flatnonzero(both).tolist() == [place]
    else:
        expect_composite(work.composite, record.write_sizes, record.write_places)


def expect_composite(
    composite: Composite, by_size: NDArray[np.uint64], by_place: NDArray[np.uint64]
) -> None:
    total = int(by_size.sum())
    for size, share in composite.block_shares:
        expect_share(int(by_size[size // SECTOR_BYTES]), total, share)
    ends = np.cumsum([0, *(part for _, part in composite.zones)])
    assert ends[-1] == PLACES
    for (share, _), count in zip(
        composite.zones, np.add.reduceat(by_place, ends[:-1]), strict=True
    ):
        expect_share(int(count), total, share)


def expect_share(count: int, total: int, percent: float) -> None:
    share = percent / 100
    error = math.sqrt(total * share * (1 - share))
    assert abs(count - total * share) <= SIGMAS * error, (count, total, percent)


def test_share_is_refused_when_it_is_off_by_five_sigma() -> None:
    expect_share(6500, 10_000, 65)
    expect_share(0, 10_000, 0)
    for count, percent in ((6740, 65), (1, 0)):
        with pytest.raises(AssertionError):
            expect_share(count, 10_000, percent)


@pytest.mark.fio
def test_reads_and_writes_of_a_sequential_mix_begin_at_its_offset_each_by_itself(
    serve: Serve, tmp_path: Path
) -> None:
    """What a round wrote is whole and in order, so the next one can go on there."""
    ssd = serve(VirtualSsdOptions(size_bytes=256 * MIB, command_us=1000, linger_s=60))
    work = replace(
        stimulus_of(build_tests(find_profile("demo"), ["wsat-vod"])[0]),
        threads=1,
        queue_depth=4,
        read_percent=50,
    )
    context = PlanContext(
        capacity_bytes=256 * MIB, sector_bytes=512, active_range_percent=100, seed=3
    )
    step = cell(work, seconds=0.6, context=context, offset_bytes=BEGIN)
    job = job_of(run_step(step, reach(ssd), tmp_path / "steps"))
    written, read = job["write"]["io_bytes"], job["read"]["io_bytes"]
    assert 0 < max(written, read) < 256 * MIB - BEGIN
    touched = np.flatnonzero(ssd.page_write_counts())
    assert touched.tolist() == [*range(BEGIN // PAGE, (BEGIN + written) // PAGE)]
    places = np.flatnonzero(ssd.request_record().read_places)
    assert places[0] == BEGIN * PLACES // (256 * MIB)
    assert places[-1] == (BEGIN + read - 128 * KIB) * PLACES // (256 * MIB)

"""The model of a drive: its numbers follow from a few, as they are told to."""

from dataclasses import replace

import numpy as np
import pytest

from ssdlab.fio.from_json.parse import parse_document
from ssdlab.fio.measure import measure
from ssdlab.model.spec import Access, Composite, IoStream, Workload
from ssdlab.model.step import Step
from ssdlab.testing import Answer, Latency, ModelDrive, Settling
from ssdlab.testing.fio_output import render_fio_output

KIB = 1024
DRIVE = ModelDrive()


def workload(
    *, reads: int = 0, size: int = 4 * KIB, access: Access = "rnd", threads: int = 4
) -> Workload:
    return Workload(
        access=access,
        block_size_bytes=size,
        read_percent=reads,
        threads=threads,
        queue_depth=8,
    )


def cell(work: Workload, number: int = 20, phase: str = "rounds") -> Step:
    return Step(
        step_id=f"{number:05d}-{phase}",
        test_id="iops",
        phase_id=phase,
        kind="cell",
        round=number,
        cell=1,
        workload=work,
        runtime_s=10,
    )


def test_one_io_alone_takes_its_latency_and_what_it_keeps_the_drive_busy() -> None:
    one = Workload(
        access="rnd", block_size_bytes=4000, read_percent=100, threads=1, queue_depth=1
    )
    drive = ModelDrive(read_ns=50_000, read_iops=1e5, read_bytes_per_s=4e8)
    assert drive.steady_iops(one) == pytest.approx(1 / (50e-6 + 10e-6 + 10e-6))


def test_many_outstanding_reads_near_the_most_iops() -> None:
    drive = ModelDrive(read_iops=1e5, read_bytes_per_s=1e30)
    assert drive.steady_iops(workload(reads=100, threads=10_000)) == pytest.approx(
        1e5, rel=0.01
    )


@pytest.mark.parametrize("size", [4 * KIB, 64 * KIB, 1024 * KIB])
def test_sequential_writes_are_faster_than_random_ones(size: int) -> None:
    random, stream = (workload(size=size, access=one) for one in ("rnd", "seq"))
    assert DRIVE.steady_iops(stream) > DRIVE.steady_iops(random)


def test_writes_below_4_kib_are_dearer_than_of_4_kib() -> None:
    small, page = workload(size=512), workload(size=4 * KIB)
    assert DRIVE.steady_iops(small) < DRIVE.steady_iops(page)


def test_composite_and_streams_count_by_their_mean_block() -> None:
    blank = replace(workload(), block_size_bytes=0)
    shares = ((4 * KIB, 50), (8 * KIB, 50))
    composite = replace(blank, composite=Composite(block_shares=shares, zones=()))
    streams = tuple(
        IoStream(access="rnd", block_size_bytes=size, is_read=False, share_percent=50)
        for size, _ in shares
    )
    alike = DRIVE.steady_iops(workload(size=6 * KIB))
    assert DRIVE.steady_iops(composite) == pytest.approx(alike)
    assert DRIVE.steady_iops(replace(blank, streams=streams)) == pytest.approx(alike)


def test_writes_fall_from_the_fresh_rate_to_the_steady_one() -> None:
    drive = ModelDrive(settling=Settling(fresh_ratio=3, cliff_round=4, fall_rounds=0.5))
    steady = drive.steady_iops(workload())
    ratios = [drive.iops(cell(workload(), number)) / steady for number in (1, 4, 20)]
    assert ratios == pytest.approx([3, 2, 1], rel=0.01)


def test_reads_are_as_fast_on_a_fresh_drive() -> None:
    reads = workload(reads=100)
    assert DRIVE.iops(cell(reads, 1)) == DRIVE.steady_iops(reads)


def test_saturation_has_a_cliff_of_its_own() -> None:
    writes = workload()
    fresh = DRIVE.iops(cell(writes, 3, "saturation")) / DRIVE.steady_iops(writes)
    settled = DRIVE.iops(cell(writes, 3)) / DRIVE.steady_iops(writes)
    assert fresh == pytest.approx(DRIVE.saturating.fresh_ratio, rel=0.02)
    assert settled == pytest.approx(1, rel=0.01)


def test_mean_latency_is_that_of_littles_law() -> None:
    answer = DRIVE.answer(cell(workload()))
    assert answer.latency.mean_ns * answer.iops == pytest.approx(32e9)


def test_noise_is_the_same_each_time_and_another_for_each_step_and_seed() -> None:
    drive = ModelDrive(noise_ratio=0.05)
    steps = [cell(workload(), number) for number in range(100, 200)]
    rates = np.array([drive.iops(step) for step in steps])
    assert rates.tolist() == [drive.iops(step) for step in steps]
    assert np.log(rates).std() == pytest.approx(0.05, rel=0.2)
    assert drive.iops(steps[0]) != replace(drive, seed=8).iops(steps[0])


def test_purge_has_no_rate() -> None:
    purge = replace(cell(workload()), workload=None)
    with pytest.raises(ValueError, match="does no IO"):
        DRIVE.iops(purge)
    with pytest.raises(ValueError, match="does no IO"):
        render_fio_output(purge, DRIVE.answer(cell(workload())), ended_s=0.0)


@pytest.mark.parametrize("ios", [0, 1, 7, 1000, 10**8])
def test_every_io_has_a_latency(ios: int) -> None:
    lat_ns, counts = Latency(mean_ns=1e5, spread=0.3, late_ratio=0.01).count(ios)
    assert counts.sum() == ios
    assert (np.diff(lat_ns) >= 0).all()


def test_mean_of_many_latencies_is_the_one_asked_for() -> None:
    lat_ns, counts = Latency(mean_ns=1e5, spread=0.1, late_ratio=0.01).count(10**7)
    assert counts @ lat_ns / 10**7 == pytest.approx(1e5, rel=1e-4)
    late = counts[lat_ns > 3e5].sum() / 10**7
    assert late == pytest.approx(0.01)


@pytest.mark.parametrize("reads", [100, 65, 0])
def test_fio_output_is_read_as_what_the_drive_did(reads: int) -> None:
    step = cell(workload(reads=reads))
    answer = DRIVE.answer(step)
    said = render_fio_output(step, answer, ended_s=1000.5)
    document = parse_document(said, source="made")
    rows = {row["direction"]: row for row in measure(document).measurements}
    assert document.timestamp_s == 1000.5
    assert rows["total"]["iops"] == pytest.approx(answer.iops, abs=0.1)
    assert rows["total"]["lat_mean_ns"] == pytest.approx(
        answer.latency.mean_ns, rel=1e-3
    )
    directions = {"read"} if reads == 100 else {"write"} if reads == 0 else set()
    assert rows.keys() == {"total", *(directions or {"read", "write"})}


def test_bins_of_fio_output_hold_every_io_within_its_extremes() -> None:
    step = cell(workload(reads=65))
    said = render_fio_output(step, DRIVE.answer(step), ended_s=0.0)
    measured = measure(parse_document(said, source="made"))
    total = measured.measurements[-1]
    of_total = measured.bins["direction"] == "total"
    assert measured.bins["count"][of_total].sum() == total["total_ios"]
    assert measured.bins["lat_upper_ns"][of_total].max() > total["lat_max_ns"]
    assert measured.bins["lat_lower_ns"][of_total].min() <= total["lat_min_ns"]


def test_writes_may_take_another_time_than_reads() -> None:
    step = cell(workload(reads=50))
    answer = Answer(
        iops=1e3, latency=Latency(mean_ns=1e4), write_latency=Latency(mean_ns=3e4)
    )
    said = render_fio_output(step, answer, ended_s=0.0)
    rows = measure(parse_document(said, source="made")).measurements
    means = {row["direction"]: row["lat_mean_ns"] for row in rows}
    assert means == {"read": 1e4, "write": 3e4, "total": 2e4}


def test_step_of_time_and_amount_ends_by_what_comes_first() -> None:
    answer = Answer(iops=1e3, latency=Latency(mean_ns=1e4))
    both = replace(cell(workload(threads=1)), io_bytes=4 * KIB * 2000)
    for seconds, ios in ((1, 1000), (10, 2000)):
        said = render_fio_output(replace(both, runtime_s=seconds), answer, ended_s=0.0)
        (row, _) = measure(parse_document(said, source="made")).measurements
        assert row["total_ios"] == ios

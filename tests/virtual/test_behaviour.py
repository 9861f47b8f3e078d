"""What makes it an SSD: write cliff, write amplification, purge, time by the model."""

from dataclasses import replace

import pytest

from ssdlab.model.units import MIB
from ssdlab.virtual.counters import Counters
from ssdlab.virtual.options import RESERVE_BLOCKS_PER_DIE, VirtualSsdOptions
from tests.virtual.conftest import Serve
from tests.virtual.lab import (
    UNTIMED,
    Model,
    greedy_write_amplification,
    random_writes,
    run_fio,
)

pytestmark = [pytest.mark.fio, pytest.mark.timed]

QUICK = VirtualSsdOptions(
    size_bytes=24 * MIB,
    over_provisioning_percent=7,
    dies=4,
    program_us=300,
    idle_ms=0,
    linger_s=60,
)
"""A drive that goes from FOB to steady state within seconds, and does not recover."""


def _amplification_between(before: Counters, after: Counters) -> float:
    nand_bytes = after.nand_written_bytes - before.nand_written_bytes
    return nand_bytes / (after.host_written_bytes - before.host_written_bytes)


# Not all spare works: of the reserve of 5 blocks a die about 1.6 are free on average
# and the two open ones are half unwritten, one in sum (test_flash.py measures both).
# A die here has some 130 blocks where the theory has infinitely many, so its share of
# valid pages wanders; both errors grow as spare shrinks and stay below 5 %.
@pytest.mark.parametrize("spare_percent", [7, 15, 28])
def test_write_amplification_follows_the_greedy_curve(
    serve: Serve, spare_percent: int
) -> None:
    ssd = serve(replace(UNTIMED, over_provisioning_percent=spare_percent))
    run_fio(ssd, "--rw=write", "--bs=128k", "--iodepth=4", "--size=32m")
    random_writes(ssd, io_size="128m")
    before = ssd.counters()
    random_writes(ssd, io_size="128m", randseed="2")
    now, b = ssd.counters(), UNTIMED.pages_per_block
    working_blocks = now.blocks - now.dies * (1.6 + 1.0)
    valid_ratio = now.logical_pages / (working_blocks * b)
    expected = greedy_write_amplification(valid_ratio, b)
    seen = _amplification_between(before, now)
    assert seen == pytest.approx(expected, rel=0.06)
    assert now.gc_moved_bytes == now.nand_written_bytes - now.host_written_bytes
    assert RESERVE_BLOCKS_PER_DIE * now.dies < now.blocks


def test_sequential_overwriting_amplifies_nothing(serve: Serve) -> None:
    ssd = serve(UNTIMED)
    for _ in range(3):
        run_fio(ssd, "--rw=write", "--bs=128k", "--iodepth=1", "--size=32m")
    seen = ssd.counters()
    assert seen.nand_written_bytes == seen.host_written_bytes == 3 * UNTIMED.size_bytes


# Rates of the model are upper bounds, but for the write buffer's 64 pages; a host that
# stalls is not caught up with, hence lower bounds of 80 %.
def test_random_writes_fall_off_the_cliff_and_a_purge_restores_fob(
    serve: Serve,
) -> None:
    ssd, model = serve(QUICK), Model(options=QUICK)
    fresh = random_writes(ssd, runtime="500ms")["write"]["iops"]
    assert 0.8 < fresh / model.controller_iops(4096) < 1.06
    random_writes(ssd, runtime="4")
    before = ssd.counters()
    steady = random_writes(ssd, runtime="2500ms")["write"]["iops"]
    amplification = _amplification_between(before, ssd.counters())
    assert 0.8 < steady / model.steady_write_pages_per_s(amplification) < 1.06
    assert fresh > 2.5 * steady
    ssd.purge()
    purged = ssd.counters()
    assert (purged.mapped_bytes, purged.free_blocks) == (0, purged.blocks)
    again = random_writes(ssd, runtime="500ms")["write"]["iops"]
    assert again == pytest.approx(fresh, rel=0.15)
    assert ssd.counters().gc_moved_bytes == purged.gc_moved_bytes


def test_fio_trim_of_everything_purges_as_well(serve: Serve) -> None:
    ssd = serve(QUICK)
    random_writes(ssd, io_size="30m")
    run_fio(ssd, "--rw=trim", "--bs=1m", "--iodepth=4", f"--size={QUICK.size_bytes}")
    seen = ssd.counters()
    assert (seen.mapped_bytes, seen.free_blocks, seen.full_trims) == (0, seen.blocks, 1)


def test_rates_are_those_of_the_model_when_the_host_keeps_up(serve: Serve) -> None:
    options = VirtualSsdOptions(
        size_bytes=64 * MIB, dies=4, program_us=2000, command_us=400, linger_s=60
    )
    ssd, model = serve(options), Model(options=options)
    fresh = random_writes(ssd, runtime="2")["write"]["iops"]
    assert 0.8 < fresh / model.fresh_write_pages_per_s() < 1.06
    reads = run_fio(
        ssd, "--rw=randread", "--bs=4k", "--iodepth=32", "--time_based", "--runtime=1"
    )["read"]["iops"]
    assert 0.8 < reads / model.controller_iops(4096) < 1.03
    seen = ssd.counters()
    requests = seen.read_requests + seen.write_requests
    assert seen.late_requests < 0.05 * requests


def test_latency_at_queue_depth_one_is_the_sum_of_its_parts(serve: Serve) -> None:
    options = VirtualSsdOptions(
        read_us=3000, program_us=5000, command_us=1000, link_mb_per_s=0, linger_s=60
    )
    ssd = serve(options)
    run_fio(ssd, "--rw=write", "--bs=128k", "--iodepth=8", "--size=4m")
    area = ("--bs=4k", "--iodepth=1", "--size=4m", "--io_size=400k")
    write_ns = run_fio(ssd, "--rw=randwrite", *area)["write"]["clat_ns"]
    read_ns = run_fio(ssd, "--rw=randread", *area)["read"]["clat_ns"]
    assert write_ns["min"] >= 1_000_000  # into the buffer: the controller alone
    assert write_ns["percentile"]["50.000000"] < 2_500_000
    assert read_ns["min"] >= 1_000_000 + 0.95 * 3_000_000
    assert read_ns["percentile"]["50.000000"] < 5_500_000


def test_reads_suspend_programs_when_writes_keep_the_dies_busy(serve: Serve) -> None:
    options = VirtualSsdOptions(program_us=8000, dies=2, linger_s=60)
    ssd = serve(options)
    run_fio(ssd, "--rw=write", "--bs=128k", "--iodepth=1", "--size=2m")
    job = run_fio(
        ssd,
        "--rw=randrw",
        "--rwmixread=50",
        "--bs=4k",
        "--iodepth=16",
        "--size=2m",
        "--time_based",
        "--runtime=2",
        "--norandommap",
    )
    assert job["read"]["clat_ns"]["percentile"]["50.000000"] < 5_000_000
    assert job["write"]["clat_ns"]["mean"] > 10_000_000

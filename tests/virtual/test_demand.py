"""What the drive sees of a demand: TC, QD, sizes, places and alignment, by real fio."""

import math
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ssdlab.model.spec import Composite
from ssdlab.model.units import KIB, MIB
from ssdlab.plan.context import PlanContext
from ssdlab.pts.shared.composite import BLOCK_SHARES, ZONES
from ssdlab.virtual.counters import PLACES, SECTOR_BYTES, SIZES
from ssdlab.virtual.nbd import NbdClient
from ssdlab.virtual.options import VirtualSsdOptions
from tests.fio.jobs import cell, job_of, reach, run_step, workload
from tests.virtual.conftest import Serve
from tests.virtual.lab import UNTIMED

DEMANDS = [(1, 1), (2, 16), (4, 128), (8, 8), (32, 2), (32, 32)]
SIGMAS = 4
PAGE = 4096


# Slow enough that the queue stands still at its depth on a busy host as well.
@pytest.mark.fio
@pytest.mark.parametrize(("threads", "depth"), DEMANDS)
def test_drive_sees_tc_connections_of_qd_requests_each(
    serve: Serve, tmp_path: Path, threads: int, depth: int
) -> None:
    ssd = serve(VirtualSsdOptions(command_us=1000, linger_s=60))
    context = PlanContext(
        capacity_bytes=128 * MIB, sector_bytes=512, active_range_percent=100, seed=3
    )
    work = workload(read_percent=100, threads=threads, queue_depth=depth)
    outcome = run_step(
        cell(work, seconds=1.5, context=context), reach(ssd), tmp_path / "steps"
    )
    seen = ssd.counters()
    assert seen.connections_max == threads
    assert seen.in_flight_connection_max == depth
    assert seen.in_flight_max == threads * depth
    assert seen.read_requests == job_of(outcome)["read"]["total_ios"]


@pytest.mark.fio
@pytest.mark.timed
def test_drive_serves_1024_outstanding_requests_at_the_rate_of_the_model(
    serve: Serve, tmp_path: Path
) -> None:
    ssd = serve(VirtualSsdOptions(command_us=500, linger_s=60))
    work = workload(read_percent=100, threads=32, queue_depth=32)
    outcome = run_step(cell(work, seconds=2), reach(ssd), tmp_path / "steps")
    promised = 1e6 / (500 + PAGE / 200)
    assert 0.7 < job_of(outcome)["read"]["iops"] / promised < 1.1


def test_busy_period_counts_its_own_connections_alone(serve: Serve) -> None:
    ssd = serve(replace(UNTIMED, command_us=50_000))
    with (
        NbdClient(ssd.socket_path) as one,
        NbdClient(ssd.socket_path) as other,
        NbdClient(ssd.socket_path),
    ):
        for client in (one, one, other):
            client._send(0, count=1)
        for client in (one, one, other):
            client._require_success()
            client._receive(1)
        both = ssd.counters()
        time.sleep(0.02)
        other.read(0, 1)
        later = ssd.counters()
    assert (both.connections, both.connections_busy) == (3, 2)
    assert both.in_flight_busy_max == 3
    assert both.in_flight_connection_busy_max == 2
    assert (later.connections_busy_max, later.connections_max) == (1, 2)
    assert later.in_flight_busy_max == later.in_flight_connection_busy_max == 1
    assert (later.in_flight_max, later.in_flight_connection_max) == (3, 2)


def test_record_has_the_size_and_the_place_of_each_request(serve: Serve) -> None:
    ssd = serve(UNTIMED)
    size = UNTIMED.size_bytes
    with NbdClient(ssd.socket_path) as client:
        for count in (1, 512, 513, 64 * KIB, 64 * KIB + 1, MIB):
            client.write(0, bytes(count))
        client.read(size - 1, 1)
        client.read(size // 2 - 1, 2)
        client.read(size // 2, 4096)
        client.trim(0, 8192)
    seen = ssd.request_record()
    assert np.flatnonzero(seen.write_sizes).tolist() == [1, 2, 128, 129]
    assert seen.write_sizes[[1, 2, 128, 129]].tolist() == [2, 1, 1, 2]
    assert seen.write_places.tolist() == [6, *[0] * (PLACES - 1)]
    assert seen.read_sizes[[1, 8]].tolist() == [2, 1]
    assert np.flatnonzero(seen.read_places).tolist() == [49, 50, 99]
    assert (len(seen.read_sizes), seen.read_sizes.sum()) == (SIZES, 3)
    counters = ssd.counters()
    assert (counters.unaligned_reads, counters.unaligned_writes) == (2, 0)


@pytest.mark.fio
@pytest.mark.parametrize("alignment", [0, 4096])
def test_composite_has_the_sizes_and_zones_of_the_standard(
    serve: Serve, tmp_path: Path, alignment: int
) -> None:
    """Shares of PTS section 13 within their binomial error, reads and writes apart."""
    ssd = serve(replace(UNTIMED, size_bytes=64 * MIB))
    composite = Composite(
        block_shares=BLOCK_SHARES, zones=ZONES, alignment_bytes=alignment
    )
    work = workload(block_size_bytes=0, read_percent=40, threads=4, queue_depth=8)
    step = cell(replace(work, composite=composite), seconds=3)
    run_step(step, reach(ssd), tmp_path / "steps")
    record, counters = ssd.request_record(), ssd.counters()
    sizes = [size // SECTOR_BYTES for size, _ in BLOCK_SHARES]
    for by_size, by_place in (
        (record.read_sizes, record.read_places),
        (record.write_sizes, record.write_places),
    ):
        assert by_size.sum() == by_place.sum() == by_size[sizes].sum() > 3000
        expect_shares(by_size[sizes], [share for _, share in BLOCK_SHARES])
        ends = np.cumsum([0, *(part for _, part in ZONES)])
        zones = np.add.reduceat(by_place, ends[:-1])
        expect_shares(zones, [share for share, _ in ZONES])
    unaligned = np.array([counters.unaligned_reads, counters.unaligned_writes])
    requests = np.array([counters.read_requests, counters.write_requests])
    expected = 0.0 if alignment else 7 / 8  # an IO begins at any sector of a page
    error = np.sqrt(requests * expected * (1 - expected))
    assert (np.abs(unaligned - requests * expected) <= SIGMAS * error).all()


def expect_shares(counts: NDArray[np.uint64], percents: list[int]) -> None:
    total = int(counts.sum())
    for count, percent in zip(counts.tolist(), percents, strict=True):
        share = percent / 100
        error = math.sqrt(total * share * (1 - share))
        assert abs(count - total * share) <= SIGMAS * error, (counts, percents)


def test_shares_are_refused_when_they_are_off_by_five_sigma() -> None:
    expect_shares(np.array([5000, 5000], dtype=np.uint64), [50, 50])
    with pytest.raises(AssertionError):
        expect_shares(np.array([5250, 4750], dtype=np.uint64), [50, 50])

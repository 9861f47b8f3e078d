"""The counters tell the truth: what was written, how deep the queue was, when idle."""

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ssdlab.model.errors import RunFolderError
from ssdlab.virtual.counters import read_counters, read_idle_gaps
from ssdlab.virtual.nbd import NbdClient
from ssdlab.virtual.options import VirtualSsdOptions
from tests.virtual.conftest import Serve
from tests.virtual.lab import UNTIMED, run_fio

PAGE = 4096


def test_counters_are_exact_after_known_requests(serve: Serve) -> None:
    ssd = serve(UNTIMED)
    with NbdClient(ssd.socket_path) as client:
        client.write(0, bytes(10 * PAGE))
        client.write(100, b"part of one page")
        client.write(2 * PAGE - 1, b"on")
        client.read(5, 3 * PAGE)
        client.trim(PAGE + 1, 3 * PAGE)
        client.flush()
        assert ssd.counters().connections == 1
    seen = ssd.counters()
    assert seen.host_written_bytes == 10 * PAGE + 16 + 2
    assert seen.nand_written_bytes == 13 * PAGE
    assert seen.host_read_bytes == 3 * PAGE
    assert seen.trimmed_bytes == 2 * PAGE
    assert seen.mapped_bytes == 8 * PAGE
    assert (seen.read_requests, seen.write_requests) == (1, 3)
    assert (seen.trim_requests, seen.flush_requests) == (1, 1)
    assert (seen.in_flight, seen.in_flight_max) == (0, 1)
    assert seen.logical_pages * seen.page_bytes == UNTIMED.size_bytes
    assert seen.gc_moved_bytes == seen.erases == seen.full_trims == 0
    assert ssd.page_write_counts()[:11].tolist() == [2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 0]


@pytest.mark.fio
def test_page_write_counts_prove_two_sequential_fills_and_a_purge(serve: Serve) -> None:
    ssd = serve(UNTIMED)
    for _ in range(2):
        run_fio(ssd, "--rw=write", "--bs=128k", "--iodepth=16", "--size=32m")
    counts = ssd.page_write_counts()
    assert counts.size == UNTIMED.size_bytes // PAGE
    assert np.array_equal(counts, np.full_like(counts, 2))
    ssd.purge()
    assert not ssd.page_write_counts().any()
    assert ssd.counters().full_trims == 1


@pytest.mark.fio
@pytest.mark.parametrize(("jobs", "queue_depth"), [(1, 1), (1, 128), (4, 32)])
def test_in_flight_max_is_the_queue_depth_that_fio_was_asked_for(
    serve: Serve, jobs: int, queue_depth: int
) -> None:
    ssd = serve(VirtualSsdOptions(command_us=1000, linger_s=60))
    job = run_fio(
        ssd,
        "--rw=randread",
        "--bs=4k",
        f"--iodepth={queue_depth}",
        f"--numjobs={jobs}",
        "--time_based",
        "--runtime=1",
    )
    seen = ssd.counters()
    assert seen.in_flight_busy_max == seen.in_flight_max == jobs * queue_depth
    assert seen.read_requests == job["read"]["total_ios"]
    assert seen.in_flight == 0


def test_idle_gaps_are_those_between_the_requests(serve: Serve) -> None:
    ssd, pauses = serve(UNTIMED), (0.02, 0.005, 0.05)
    brackets = []
    with NbdClient(ssd.socket_path) as client:
        client.write(0, b"first")
        for pause in pauses:
            answered_ns = time.time_ns()
            time.sleep(pause)
            asked_ns = time.time_ns()
            client.write(0, b"again")
            brackets.append((answered_ns, asked_ns))
    gaps = ssd.idle_gaps()
    assert len(gaps) == ssd.counters().idle_gaps == len(pauses)
    for gap, (answered_ns, asked_ns) in zip(gaps, brackets, strict=True):
        assert gap.start_ns <= answered_ns
        assert gap.end_ns >= asked_ns
        assert gap.end_ns - gap.start_ns < asked_ns - answered_ns + 50_000_000
    seen = ssd.counters()
    assert seen.first_io_realtime_ns == gaps[-1].end_ns
    assert seen.last_completion_realtime_ns >= seen.first_io_realtime_ns


def test_idle_gap_ring_keeps_the_last_ones_when_it_is_full(serve: Serve) -> None:
    ssd = serve(UNTIMED)
    with NbdClient(ssd.socket_path) as client:
        for _ in range(1040):
            client.read(0, 1)
            time.sleep(0.0015)
    gaps, seen = ssd.idle_gaps(), ssd.counters()
    assert seen.idle_gaps > seen.gap_slots == 1024
    assert len(gaps) == seen.gap_slots - 1
    starts = [gap.start_ns for gap in gaps]
    assert starts == sorted(starts)
    assert gaps[-1].end_ns == seen.first_io_realtime_ns


def test_late_requests_are_counted_when_the_server_cannot_keep_up(serve: Serve) -> None:
    ssd = serve(replace(VirtualSsdOptions(), command_us=40_000, linger_s=60))
    with NbdClient(ssd.socket_path) as client:
        client._send(0, count=1)
        time.sleep(0.01)
        os.kill(ssd.process.pid, signal.SIGSTOP)
        time.sleep(0.2)
        os.kill(ssd.process.pid, signal.SIGCONT)
        client._require_success()
        assert client._receive(1) == b"\0"
    seen = ssd.counters()
    assert seen.late_requests == 1
    assert 100_000_000 < seen.late_ns_max < 10_000_000_000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "it does not exist"),
        (b"", "too short"),
        (b"\0" * 4096, "not a counters file of version 2"),
    ],
    ids=["absent", "empty", "zeros"],
)
def test_read_counters_refuses_what_is_no_counters_file(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "counters.bin"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RunFolderError, match=message):
        read_counters(path)


def test_read_idle_gaps_refuses_a_file_whose_offsets_lie(
    serve: Serve, tmp_path: Path
) -> None:
    fields = np.fromfile(serve(UNTIMED).counters_path, dtype="<u8", count=64)
    fields[7:9] = 2**40, 2**60
    (tmp_path / "lies.bin").write_bytes(fields.tobytes())
    with pytest.raises(RunFolderError, match="too short"):
        read_idle_gaps(tmp_path / "lies.bin")

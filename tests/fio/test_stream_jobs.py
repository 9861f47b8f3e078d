"""Workloads of IO streams: their job files, and what real fio makes of them."""

import math
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.fio.installed import require_fio
from ssdlab.fio.jobs.jobfile import render_job
from ssdlab.model.spec import IoStream, Workload
from ssdlab.model.step import Step
from ssdlab.model.units import KIB, MIB
from ssdlab.streams.mix import expand_mix, mix_streams, read_percent_of
from ssdlab.virtual.counters import SECTOR_BYTES
from ssdlab.virtual.options import VirtualSsdOptions
from tests.fio.jobs import cell, options_of, reach, run_step
from tests.quick_fio import CLOCK
from tests.virtual.conftest import Serve
from tests.virtual.lab import UNTIMED

NULL = {"ioengine": "null"}
SIGMAS = 4


def stream(share: float, access: str, size: int, *, is_read: bool = True) -> IoStream:
    return IoStream(
        access="rnd" if access == "rnd" else "seq",
        block_size_bytes=size,
        is_read=is_read,
        share_percent=share,
    )


FIVE = (
    stream(45, "rnd", 4 * KIB),
    stream(25, "rnd", 4 * KIB, is_read=False),
    stream(15, "seq", 32 * KIB),
    stream(10, "rnd", 8 * KIB),
    stream(5, "seq", 64 * KIB, is_read=False),
)
RANDOM = (
    stream(52, "rnd", 4 * KIB),
    stream(13, "rnd", 16 * KIB),
    stream(35, "rnd", 8 * KIB, is_read=False),
)


SHOP = (
    stream(52, "rnd", 4 * KIB),
    stream(22, "seq", 64 * KIB),
    stream(16, "rnd", 4 * KIB, is_read=False),
    stream(10, "rnd", 8 * KIB),
)


def mixed(
    streams: tuple[IoStream, ...], *, threads: int = 1, depth: int = 1
) -> Workload:
    return Workload(
        access="rnd",
        block_size_bytes=0,
        read_percent=read_percent_of(streams),
        threads=threads,
        queue_depth=depth,
        streams=streams,
    )


def test_streams_are_one_job_that_keeps_threads_and_queue_depth() -> None:
    step = cell(mixed(FIVE, threads=2, depth=16), seconds=60)
    sections = options_of(render_job(step, NULL))
    assert list(sections) == ["global", "cell"]
    shared = sections["global"]
    assert (shared["numjobs"], shared["iodepth"]) == ("2", "16")
    assert (shared["rw"], shared["rwmixread"]) == ("randrw", "70")
    assert shared["bssplit"] == "32768/75:65536/25,4096/88:8192/12"
    assert (shared["percentage_random"], shared["bs_is_seq_rand"]) == ("79,83", "1")
    assert shared["blockalign"] == "4096"
    assert "bs" not in shared


def test_random_streams_have_sizes_by_direction() -> None:
    shared = options_of(render_job(cell(mixed(RANDOM)), NULL))["global"]
    assert shared["bssplit"] == "4096/80:16384/20,8192/100"
    assert shared["percentage_random"] == "100,100"
    assert "bs_is_seq_rand" not in shared


def test_each_direction_has_a_random_share_of_its_own() -> None:
    """No write is SEQ, so none is written in the size of the SEQ reads."""
    shared = options_of(render_job(cell(mixed(SHOP)), NULL))["global"]
    assert shared["percentage_random"] == "74,100"
    assert shared["bssplit"] == "65536/100,4096/87:8192/13"


@pytest.mark.parametrize(("is_read", "rw"), [(True, "randread"), (False, "randwrite")])
def test_one_direction_has_no_mix(is_read: bool, rw: str) -> None:  # noqa: FBT001
    parts = (
        stream(60, "rnd", 4096, is_read=is_read),
        stream(40, "seq", 8192, is_read=is_read),
    )
    shared = options_of(render_job(cell(mixed(parts)), NULL))["global"]
    assert shared["rw"] == rw
    assert "rwmixread" not in shared


def test_streams_are_never_called_composite() -> None:
    step = cell(mixed(FIVE))
    assert step.workload is not None
    assert step.workload.label == "5 streams, 70/30"
    assert step.step_id.endswith("5streams-r70")
    assert step.workload.block_range_bytes == (4 * KIB, 64 * KIB)


def made_by_fio(step: Step, folder: Path) -> Counter[tuple[str, int, bool]]:
    """Return how many IOs of each stream fio asks for, by the rule of a capture.

    With one IO outstanding fio logs each IO once.
    """
    job = render_job(step, NULL).replace("[cell]\n", "[cell]\nwrite_iolog=log\n")
    (folder / "job.fio").write_text(job, "utf-8")
    command = [require_fio()[0], CLOCK, "--eta=never", "--output=said", "job.fio"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    found: Counter[tuple[str, int, bool]] = Counter()
    ends: dict[str, int] = {}
    for line in (folder / "log").read_text("ascii").splitlines():
        *_, action, offset, size = line.split()
        if action in {"read", "write"}:
            access = "seq" if ends.get(action) == int(offset) else "rnd"
            ends[action] = int(offset) + int(size)
            found[access, int(size), action == "read"] += 1
    return found


@pytest.mark.fio
@pytest.mark.parametrize(
    "streams", [FIVE, RANDOM, SHOP], ids=["five", "random", "shop"]
)
def test_fio_makes_the_streams_of_the_mix(
    streams: tuple[IoStream, ...], tmp_path: Path
) -> None:
    """Direction, size and access of each IO, within their binomial error."""
    step = cell(mixed(streams), seconds=0.3)
    found = made_by_fio(step, tmp_path)
    total = sum(found.values())
    assert total > 5000
    wanted = expand_mix(mix_streams(streams))
    keys = {(s.access, s.block_size_bytes, s.is_read) for s in wanted}
    assert sum(count for key, count in found.items() if key not in keys) < total / 1000
    for part in wanted:
        share = part.share_percent / 100
        seen = found[part.access, part.block_size_bytes, part.is_read] / total
        assert abs(seen - share) <= SIGMAS * math.sqrt(share * (1 - share) / total)


@pytest.mark.fio
def test_drive_sees_the_sizes_of_the_streams(serve: Serve, tmp_path: Path) -> None:
    """Reads and writes of each size, within their binomial error."""
    ssd = serve(replace(UNTIMED, size_bytes=64 * MIB))
    run_step(
        cell(mixed(FIVE, threads=2, depth=8), seconds=2), reach(ssd), tmp_path / "run"
    )
    record, counters = ssd.request_record(), ssd.counters()
    total = counters.read_requests + counters.write_requests
    assert total > 3000
    shares: dict[tuple[int, bool], float] = {}
    for part in expand_mix(mix_streams(FIVE)):
        key = (part.block_size_bytes, part.is_read)
        shares[key] = shares.get(key, 0.0) + part.share_percent / 100
    assert sum(shares.values()) == pytest.approx(1)
    for (size, is_read), share in shares.items():
        counts = record.read_sizes if is_read else record.write_sizes
        seen = int(counts[size // SECTOR_BYTES]) / total
        assert abs(seen - share) <= SIGMAS * math.sqrt(share * (1 - share) / total)


@pytest.mark.fio
def test_drive_sees_the_whole_queue_depth(serve: Serve, tmp_path: Path) -> None:
    """Slow enough that the queue stands still at its depth: three times fourteen."""
    ssd = serve(VirtualSsdOptions(command_us=1000, linger_s=60))
    step = cell(mixed(FIVE, threads=3, depth=14), seconds=1.5)
    run_step(step, reach(ssd), tmp_path / "run")
    seen = ssd.counters()
    assert (seen.in_flight_max, seen.in_flight_connection_max) == (42, 14)

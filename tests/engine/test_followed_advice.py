"""What a run does by itself of what guides ask for."""

from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.engine.followed_advice import read_habits, usual_habits
from ssdlab.fio.installed import OLDEST_FIO
from ssdlab.model.spec import PtsTest, Purge
from ssdlab.procedures.peak.spec import peak
from ssdlab.pts.profiles import PROFILES, find_profile
from ssdlab.pts.suite import build_tests
from ssdlab.targets.file import open_file
from ssdlab.targets.virtual import open_virtual

DRIVE = {"ioengine": "libaio", "filename": "/dev/nvme0n1"}


def of_profile(name: str, *test_ids: str) -> tuple[PtsTest, ...]:
    profile = find_profile(name)
    return build_tests(profile, test_ids or profile.tests)


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_is_direct_asynchronous_and_purged(name: str) -> None:
    habits = read_habits(of_profile(name), DRIVE)
    assert (habits.engines, habits.buffered, habits.unpurged) == (("libaio",), (), ())
    assert habits.fio_needed == ".".join(map(str, OLDEST_FIO))


def test_most_outstanding_are_all_ios_of_all_threads() -> None:
    # CBW and DIRTH go to 32 threads of queue depth 32; IOPS of clients to 2 of 16.
    assert read_habits(of_profile("demo"), DRIVE).most_outstanding == 32 * 32
    clients = read_habits(of_profile("pts-c-1.1", "iops"), DRIVE)
    assert clients.most_outstanding == 2 * 16


def test_block_sizes_are_those_of_the_tests_and_not_known_before() -> None:
    iops = read_habits(of_profile("pts-2.0-enterprise", "iops"), DRIVE)
    assert (min(iops.block_sizes_bytes), max(iops.block_sizes_bytes)) == (512, 2**20)
    latency = read_habits(of_profile("pts-2.0-enterprise", "lat"), DRIVE)
    assert latency.block_sizes_bytes == (512, 4096, 8192, 131072)
    assert usual_habits("block").block_sizes_bytes == ()


def test_published_jobs_are_as_published() -> None:
    habits = read_habits(peak().tests, DRIVE)
    assert habits.most_outstanding == 4 * 128
    assert habits.buffered == ("SEQ 1024 KiB 0/100",)  # job 04: HGST/WD, 17 April 2018
    assert (habits.unpurged, habits.unwritten) == ((), ())
    assert habits.peak_jobs == tuple(f"job-{number:02}" for number in range(1, 8))


def test_reads_right_after_a_purge_are_named() -> None:
    tests = of_profile("pts-2.0-enterprise", "iops", "wsat", "wsat-oltp", "cbw")
    habits = read_habits(tests, DRIVE)
    assert habits.unwritten == ("Write saturation, OLTP",)


def test_test_without_a_purge_is_named() -> None:
    (iops,) = of_profile("demo", "iops")
    phases = tuple(phase for phase in iops.phases if not isinstance(phase, Purge))
    habits = read_habits((replace(iops, phases=phases),), DRIVE)
    assert habits.unpurged == (iops.title,)


def test_engine_is_that_of_the_target(tmp_path: Path) -> None:
    path = tmp_path / "file"
    target = open_file(f"{path},size=1MiB")
    assert usual_habits("file").engines == (target.fio_options["ioengine"],)
    assert usual_habits("block").engines == ("libaio",)


@pytest.mark.fio
def test_engine_is_that_of_the_virtual_ssd(tmp_path: Path) -> None:
    target = open_virtual("size=32MiB", tmp_path / "t")
    try:
        engine = target.fio_options["ioengine"]
    finally:
        target.ssd.stop()
    assert usual_habits("virtual").engines == (engine,)

"""What the installed fio can be made to write in JSON, read back."""

import json
import math
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ssdlab.fio.document import FioDocument, FioLatency, FioSide, LatencyKind
from ssdlab.fio.doubts import find_doubts
from ssdlab.fio.from_json.parse import parse_document, parse_documents
from ssdlab.fio.measure import DEFAULT_LEVELS, measure
from ssdlab.stats.latency import (
    UNKNOWN_EXTREMES,
    merge_bins,
    percentiles_from_bins,
)
from tests.quick_fio import CLOCK

pytestmark = pytest.mark.fio

FIO = ("fio", CLOCK)
JOB = ("--name=j", "--ioengine=null", "--size=32m", "--bs=4k", "--iodepth=8")
ALL_LATENCIES = ("--lat_percentiles=1", "--slat_percentiles=1", "--clat_percentiles=1")


def run_fio(
    folder: Path, *options: str, exit_code: int = 0, form: str = "json+"
) -> bytes:
    """Run fio and return what it wrote."""
    output = folder / "fio.json"
    command = [*FIO, f"--output-format={form}", f"--output={output}", *options]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True)
    assert done.returncode == exit_code, done.stderr
    return output.read_bytes()


def run_job(folder: Path, *options: str, form: str = "json+") -> FioDocument:
    return parse_document(run_fio(folder, *JOB, *options, form=form))


def summed(document: FioDocument, name: str) -> int:
    counts = [getattr(side, name) for job in document.jobs for side in job.parts]
    return sum(counts)


def check_percentiles(latency: FioLatency) -> int:
    """Check that the bins give fio's percentiles; return how many there were."""
    assert latency.bins is not None
    assert latency.bins.counts.sum() == latency.summary.count
    levels = list(latency.percentiles)
    walked = percentiles_from_bins(
        latency.bins.lat_ns, latency.bins.counts, levels, within=UNKNOWN_EXTREMES
    )
    assert walked.tolist() == list(latency.percentiles.values())
    return len(levels)


LISTS = {
    "fio's own": (),
    "ours": (
        "--percentile_list=" + ":".join(f"{level:g}" for level in DEFAULT_LEVELS),
    ),
    "one": ("--percentile_list=50",),
    "ends": ("--percentile_list=0.0001:99.9999:100",),
}
MODES = {
    "one": (),
    "group": ("--numjobs=3", "--group_reporting=1"),
    "apart": ("--numjobs=3",),
    "mixed": ("--unified_rw_reporting=1",),
    "mixed group": (
        *("--unified_rw_reporting=1", "--numjobs=2"),
        "--group_reporting=1",
    ),
    "both": ("--unified_rw_reporting=both",),
}


@pytest.mark.parametrize(
    ("mode", "levels"),
    [*((mode, "ours") for mode in MODES), *(("one", levels) for levels in LISTS)],
)
def test_percentiles_walked_from_the_bins_are_fios(
    tmp_path: Path, mode: str, levels: str
) -> None:
    asked = (*MODES[mode], *LISTS[levels], *ALL_LATENCIES)
    document = run_job(tmp_path, "--rw=randrw", *asked)
    sides = [side for job in document.jobs for side in job.sides.values()]
    found = [latency for side in sides for latency in side.latencies.values()]
    checked = sum(check_percentiles(latency) for latency in found)
    assert checked >= 3 * len(document.jobs)
    for side in (side for side in sides if side.did_io):
        assert side.latencies.keys() >= {"clat", "lat"}


@pytest.mark.parametrize("ios", [100, 1000, 20_000])
def test_percentiles_are_fios_where_bins_end_at_a_round_share(
    tmp_path: Path, ios: int
) -> None:
    asked = (f"--number_ios={ios}", *LISTS["ours"], *ALL_LATENCIES)
    document = run_fio(tmp_path, *JOB, "--size=1g", "--rw=randread", *asked)
    read = parse_document(document).jobs[0].sides["read"]
    assert list(read.latencies["lat"].percentiles) == list(DEFAULT_LEVELS)
    assert sum(check_percentiles(latency) for latency in read.latencies.values()) > 30


def test_entries_of_threads_are_read_one_by_one(tmp_path: Path) -> None:
    document = run_job(tmp_path, "--rw=randrw", "--numjobs=3", "--thread=1")
    assert len(document.jobs) == 3
    assert summed(document, "io_bytes") == 3 * 32 * 2**20
    assert summed(document, "total_ios") == 3 * 8192
    assert find_doubts(document) == ()


def merged_latency(sides: list[FioSide], kind: LatencyKind) -> tuple[Any, Any]:
    bins = [side.latencies[kind].bins for side in sides]
    return merge_bins((one.lat_ns, one.counts) for one in bins if one is not None)


def test_what_fio_merged_itself_is_the_sum_of_its_parts(tmp_path: Path) -> None:
    options = ("--rw=randrw", "--unified_rw_reporting=both", *ALL_LATENCIES)
    job = run_job(tmp_path, *options).jobs[0]
    mixed = job.sides["mixed"]
    assert job.is_sum(mixed)
    assert mixed not in job.parts
    assert mixed.total_ios == sum(side.total_ios or 0 for side in job.parts)
    assert mixed.io_bytes == sum(side.io_bytes or 0 for side in job.parts)
    for kind, latency in mixed.latencies.items():
        values, counts = merged_latency(list(job.parts), kind)
        assert latency.bins is not None
        assert np.array_equal(latency.bins.lat_ns, values)
        assert np.array_equal(latency.bins.counts, counts)


def test_a_mixed_side_alone_is_the_measurement(tmp_path: Path) -> None:
    document = run_job(tmp_path, "--rw=randrw", "--unified_rw_reporting=1")
    (side,) = document.jobs[0].parts
    assert (side.direction, side.total_ios) == ("mixed", 8192)
    (row,) = measure(document).measurements
    assert (row["direction"], row["total_ios"]) == ("total", 8192)


@pytest.mark.parametrize(
    "switch",
    [
        ("--gtod_reduce=1",),
        ("--disable_lat=1", "--disable_clat=1", "--disable_slat=1"),
    ],
    ids=["gtod_reduce", "disabled"],
)
@pytest.mark.parametrize("form", ["json", "json+"])
def test_a_latency_that_is_switched_off_is_missing(
    tmp_path: Path, switch: tuple[str, ...], form: str
) -> None:
    document = run_job(tmp_path, "--rw=randrw", *switch, form=form)
    for side in document.jobs[0].parts:
        assert side.latencies == {}
        assert side.iops > 0
    kinds = [doubt.kind for doubt in find_doubts(document)]
    assert kinds == ["no-latency", "no-latency"]
    row = measure(document).measurements[-1]
    assert math.isnan(row["lat_mean_ns"])


def test_one_latency_that_is_switched_off_is_missing_alone(tmp_path: Path) -> None:
    read = run_job(tmp_path, "--rw=randread", "--disable_clat=1").jobs[0].sides["read"]
    assert "clat" not in read.latencies
    assert read.latencies["lat"].summary.count == 8192


def test_trims_are_a_direction(tmp_path: Path) -> None:
    job = run_job(tmp_path, "--rw=randtrim", "--lat_percentiles=1").jobs[0]
    (trim,) = job.parts
    assert (trim.direction, trim.total_ios) == ("trim", 8192)
    assert check_percentiles(trim.latencies["lat"])


SYNC = ("--name=j", "--ioengine=sync", "--size=256k", "--bs=4k", "--rw=write")


@pytest.mark.parametrize(
    ("options", "syncs"),
    [(("--fsync=4",), 63), (("--fsync=4", "--numjobs=2", "--group_reporting=1"), 126)],
    ids=["one", "group"],
)
def test_fsyncs_are_kept_apart_with_their_latency(
    tmp_path: Path, options: tuple[str, ...], syncs: int
) -> None:
    data = run_fio(tmp_path, *SYNC, "--size=1m", *options)
    (job,) = parse_document(data).jobs
    assert job.sync is not None
    assert job.sync.lat is not None
    assert job.sync.total_ios == job.sync.lat.summary.count == syncs
    assert check_percentiles(job.sync.lat)
    assert [side.direction for side in job.parts] == ["write"]


def test_fdatasyncs_are_counted_though_fio_says_0(tmp_path: Path) -> None:
    (job,) = parse_document(run_fio(tmp_path, *SYNC, "--fdatasync=1")).jobs
    assert job.sync is not None
    assert job.sync.lat is not None
    assert job.sync.total_ios == job.sync.lat.summary.count == 63


def test_a_job_without_syncs_has_none(tmp_path: Path) -> None:
    assert run_job(tmp_path, "--rw=write").jobs[0].sync is None


TIMED = ("--rw=randread", "--time_based", "--rate_iops=2000", "--runtime=2")


def test_samples_of_a_steady_state_are_read(tmp_path: Path) -> None:
    rule = ("--steadystate=iops:0.00001%", "--steadystate_duration=2")
    document = run_job(tmp_path, *TIMED[:-1], "--runtime=4", *rule)
    state = document.jobs[0].steady_state
    assert state is not None
    assert (state.criterion, state.duration_s) == ("iops:0.000010%", 2)
    assert len(state.iops) == len(state.bw_bytes_per_s) == 2
    for iops, bw in zip(state.iops, state.bw_bytes_per_s, strict=True):
        assert iops == pytest.approx(2000, rel=0.2)
        assert bw == pytest.approx(4096 * iops, rel=0.01)
    assert state.iops_mean == pytest.approx(sum(state.iops) / 2, abs=1)


def test_a_steady_state_that_is_attained_is_said(tmp_path: Path) -> None:
    rule = ("--steadystate=bw:99%", "--steadystate_duration=1")
    state = run_job(tmp_path, *TIMED, *rule).jobs[0].steady_state
    assert state is not None
    assert state.is_attained
    assert state.found.endswith("%")


def test_a_window_that_was_not_filled_has_no_mean(tmp_path: Path) -> None:
    rule = ("--steadystate=iops_slope:0.00001%", "--steadystate_duration=5")
    document = run_job(tmp_path, *TIMED, *rule)
    state = document.jobs[0].steady_state
    assert state is not None
    assert (state.is_attained, state.iops_mean) == (False, None)
    assert 0 < len(state.iops) < 5
    assert 0 not in state.iops
    assert "window-not-full" in [doubt.kind for doubt in document.doubts]


def test_documents_of_a_status_interval_grow(tmp_path: Path) -> None:
    interval = "--status-interval=500ms"
    data = run_fio(tmp_path, *JOB, "--size=1g", *TIMED, interval, form="json+,normal")
    documents = parse_documents(data)
    assert len(documents) >= 3
    done = [document.jobs[0].sides["read"].total_ios or 0 for document in documents]
    assert done == sorted(done)
    assert parse_document(data).jobs[0].sides["read"].total_ios == done[-1]
    assert "iops" in documents[-1].prefix or "iops" in documents[-1].suffix.lower()


def test_samples_of_rates_are_read_where_fio_took_some(tmp_path: Path) -> None:
    read = run_job(tmp_path, "--size=1g", *TIMED).jobs[0].sides["read"]
    assert read.sampled_iops is not None
    assert read.sampled_bw is not None
    # What a busy machine does of 2,000 in half a second is not told; the unit is.
    assert 400 < read.sampled_iops.mean < 10_000
    assert 400 * 4096 < read.sampled_bw.mean < 10_000 * 4096
    short = run_job(tmp_path, "--rw=randread").jobs[0].sides["read"]
    assert (short.sampled_iops, short.sampled_bw) == (None, None)


def test_a_job_that_ended_with_an_error_says_so(tmp_path: Path) -> None:
    full = ("--name=j", "--ioengine=sync", "--filename=/dev/full", "--rw=write")
    data = run_fio(tmp_path, *full, "--size=64k", "--bs=4k", exit_code=1)
    document = parse_document(data)
    assert document.jobs[0].error == 28
    assert "job-error" in [doubt.kind for doubt in find_doubts(document)]


def test_jobs_one_after_another_are_groups(tmp_path: Path) -> None:
    work = ("--ioengine=null", "--size=1m", "--bs=4k", "--rw=randread")
    later = (*work, "--stonewall", "--new_group=1")
    document = parse_document(
        run_fio(tmp_path, "--name=a", *work, "--name=b", *later, "--name=c", *later)
    )
    assert [job.name for job in document.jobs] == ["a", "b", "c"]
    assert [job.group_id for job in document.jobs] == [0, 1, 2]


def test_options_are_those_that_were_given(tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text(
        "[global]\nioengine=null\nsize=1m\nfilename=a\nfilename=b\n"
        '[j]\nrw=randread\ndescription=x}y"z\\w\nbs=4k\nbs=8k\n'
    )
    document = parse_document(run_fio(tmp_path, "job.fio"))
    shared = [(option.name, option.value) for option in document.global_options]
    own = [(option.name, option.value) for option in document.jobs[0].options]
    files = [value for name, value in shared if name == "filename"]
    assert files == ["a", "b"]
    assert [value for name, value in own if name == "bs"] == ["4k", "8k"]
    assert ("description", 'x}y"z\\w') in own


def test_plain_json_has_no_bins_and_the_same_numbers(tmp_path: Path) -> None:
    document = run_job(tmp_path, "--rw=randrw", form="json")
    for side in document.jobs[0].parts:
        assert all(latency.bins is None for latency in side.latencies.values())
        assert side.latencies["clat"].percentiles
    assert summed(document, "total_ios") == 8192


@pytest.mark.parametrize("form", ["normal,json", "json+,normal", "normal,json+,terse"])
def test_other_forms_around_are_text(tmp_path: Path, form: str) -> None:
    document = run_job(tmp_path, "--rw=randread", form=form)
    assert summed(document, "total_ios") == 8192
    assert "groupid=0" in document.prefix + document.suffix


def test_disks_are_read_where_fio_looks_at_them(tmp_path: Path) -> None:
    data = run_fio(tmp_path, *SYNC, form="json")
    printed: list[Mapping[str, Any]] = json.loads(data).get("disk_util", [])
    disks = [disk for disk in parse_document(data).disks if not disk.is_of_members]
    assert [disk.name for disk in disks] == [disk["name"] for disk in printed]
    assert [disk.write_ios for disk in disks] == [disk["write_ios"] for disk in printed]
    none = run_fio(tmp_path, *SYNC, "--disk_util=0", form="json")
    assert parse_document(none).disks == ()


def test_latencies_of_each_priority_are_said_to_be_left_out(tmp_path: Path) -> None:
    priorities = ("--ioengine=libaio", "--cmdprio_percentage=50", "--cmdprio_class=1")
    job = ("--name=j", "--filename=f", "--size=1m", "--bs=4k", "--rw=randread")
    document = parse_document(run_fio(tmp_path, *job, *priorities))
    (doubt,) = (one for one in document.doubts if one.kind == "left-out")
    assert doubt.place == "jobs[0].read.prios"
    clat = document.jobs[0].sides["read"].latencies["clat"]
    assert clat.summary.count == 256
    assert check_percentiles(clat)

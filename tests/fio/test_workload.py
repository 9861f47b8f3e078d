"""The workload read from fio's options is the one that fio runs."""

import json
import re
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.fio.installed import require_fio
from ssdlab.fio.jobs.jobfile import render_job
from ssdlab.fio.jobs.jobspec import parse_job_file
from ssdlab.fio.jobs.workload import (
    ForeignWorkload,
    describe_workload,
    parse_seconds,
    parse_size,
    parse_size_range,
)
from ssdlab.fio.read import read_fio
from ssdlab.model.spec import Access
from tests.fio.jobs import cell, workload
from tests.paths import FIO_SAMPLES, ROOT, require_folder
from tests.quick_fio import CLOCK

MATRIX = ROOT / "tests" / "data" / "jobs" / "matrix.fio"

SIZES = {
    "4096": 4096,
    "4k": 4096,
    "4K": 4096,
    "4kB": 4096,
    "4ki": 4096,
    "4kib": 4000,
    "4096b": 4096,
    "1m": 1 << 20,
    "1MiB": 1_000_000,
    "0x1000": 4096,
    "0X10k": 16,
    "+4k": 4096,
    "010": 10,
    "08k": 8192,
    "4.5k": 4,
    "8*512": 8,
    "4kk": 4096,
    " 4k": 4,
    "4 k": 4,
}


def described(**options: str) -> ForeignWorkload:
    found = describe_workload(options)
    assert found is not None
    return found


@pytest.mark.parametrize(("text", "size"), SIZES.items())
def test_size_has_the_suffix_that_fio_sees(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["", "k", "-4k", "20%", "(4*1024)", "9" * 20, "9" * 5000, "9000000t", "٤k"]
)
def test_size_that_is_no_number_of_bytes_is_missing(text: str) -> None:
    assert parse_size(text) is None


def test_decimal_base_swaps_the_meaning_of_both_suffixes() -> None:
    assert parse_size("4k", kb_base=1000) == 4000
    assert parse_size("4kib", kb_base=1000) == 4096


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("4k-16k", (4096, 16384)),
        ("16k:4k", (4096, 16384)),
        ("4k", None),
        ("4k-", None),
        ("1-2-3", None),
    ],
)
def test_range_has_two_ends_in_order(text: str, ends: tuple[int, int] | None) -> None:
    assert parse_size_range(text) == ends


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2", 2),
        ("2s", 2),
        ("1m", 60),
        ("1M", 60),
        ("1h", 3600),
        ("1d", 86400),
        ("300ms", 0.3),
        ("300msec", 0.3),
        ("5us", 5e-6),
        ("20.5", 20),
        ("2.5m", 2),
        ("20 m", 20),
        (" 20m", 20),
    ],
)
def test_time_is_in_seconds_unless_it_says_otherwise(text: str, seconds: float) -> None:
    assert parse_seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "20sec", "1m30s", "2min", "0x20", "9" * 99])
def test_time_that_fio_takes_for_another_is_missing(text: str) -> None:
    assert parse_seconds(text) is None


def test_no_options_are_no_workload() -> None:
    assert describe_workload({}) is None


def test_defaults_are_those_of_fio() -> None:
    assert described(ioengine="libaio") == ForeignWorkload(
        access="seq",
        block_size_bytes=4096,
        read_percent=100,
        threads=1,
        queue_depth=1,
        runtime_s=None,
    )


@pytest.mark.parametrize(
    ("options", "block"),
    [
        ({"rw": "randrw", "bs": "8k"}, 8192),
        ({"rw": "randrw", "blocksize": "8k"}, 8192),
        ({"rw": "randrw", "bs": "4k,8k"}, None),
        ({"rw": "randwrite", "bs": "4k,8k"}, 8192),
        ({"rw": "randread", "bs": "4k,8k"}, 4096),
        ({"rw": "randtrim", "bs": "4k,8k"}, 8192),
        ({"rw": "randwrite", "bs": "8k,"}, None),
        ({"rw": "randread", "bs": "8k,"}, 8192),
        ({"rw": "write", "bs": "4k-8k"}, 8192),
        ({"rw": "write", "bs": "4k:8k"}, 8192),
        ({"rw": "trim", "bs": "4k,8k-16k"}, None),
        ({"rw": "read", "bs": "64k", "bsrange": "4k-8k"}, None),
        ({"rw": "read", "bs": "64k", "bsrange": "4k-4k"}, 4096),
        ({"rw": "write", "bsrange": "4k-4k,1k-2k"}, None),
        ({"rw": "read", "bssplit": "4k/50:8k/50"}, None),
        ({"rw": "randrw", "bs": "4k,8k", "bs_is_seq_rand": "1"}, 8192),
        ({"rw": "rw", "bs": "4k,8k", "bs_is_seq_rand": "1"}, 4096),
        ({"rw": "read", "bs": "4kib", "kb_base": "1000"}, 4096),
        ({"rw": "sideways", "bs": "4k"}, None),
    ],
    ids=str,
)
def test_block_size_is_the_one_of_the_directions_in_use(
    options: Mapping[str, str], block: int | None
) -> None:
    found = describe_workload(options)
    assert found is not None
    assert found.block_size_bytes == block


@pytest.mark.parametrize(
    ("rw", "access", "read_percent"),
    [
        ("read", "seq", 100),
        ("write", "seq", 0),
        ("randread", "rnd", 100),
        ("randwrite", "rnd", 0),
        ("rw", "seq", 50),
        ("readwrite", "seq", 50),
        ("randrw", "rnd", 50),
        ("trim", "seq", None),
        ("randtrim", "rnd", None),
        ("trimwrite", "seq", None),
        ("randtrimwrite", "rnd", None),
        ("randread:1", "rnd", 100),
        ("randread:8", None, 100),
        ("read:8k", None, 100),
        ("RANDREAD", None, None),
    ],
)
def test_direction_says_access_and_mix(
    rw: str, access: Access | None, read_percent: int | None
) -> None:
    found = described(rw=rw)
    assert (found.access, found.read_percent) == (access, read_percent)


@pytest.mark.parametrize(
    ("options", "percent"),
    [
        ({"rwmixread": "70"}, 70),
        ({"rwmixwrite": "70"}, 30),
        ({"rwmixread": "70", "rwmixwrite": "60"}, 40),
        ({"rwmixwrite": "60", "rwmixread": "70"}, 70),
        ({"rwmixread": "x"}, None),
        ({"rwmixread": "101"}, None),
    ],
    ids=str,
)
def test_last_of_two_mixes_counts(
    options: Mapping[str, str], percent: int | None
) -> None:
    assert described(rw="randrw", **options).read_percent == percent
    assert described(rw="randread", **options).read_percent == 100


def test_partly_random_offsets_are_of_no_access() -> None:
    assert described(rw="randrw", percentage_random="50").access is None


def test_depth_of_a_synchronous_engine_is_marked() -> None:
    assert described(rw="read", iodepth="32").is_depth_ignored
    assert described(rw="read", iodepth="32", ioengine="pvsync2").is_depth_ignored
    assert not described(rw="read", iodepth="32", ioengine="libaio").is_depth_ignored
    assert not described(rw="read", ioengine="psync").is_depth_ignored


@given(
    st.dictionaries(
        st.sampled_from([
            *("rw", "bs", "bsrange", "iodepth", "numjobs", "runtime", "kb_base"),
            *("rwmixread", "rwmixwrite", "percentage_random", "bs_is_seq_rand"),
        ]),
        st.one_of(st.none(), st.text("0123456789kmib%,:-x. ", max_size=8), st.text()),
    )
)
def test_any_options_are_described_without_an_error(
    options: dict[str, str | None],
) -> None:
    found = describe_workload(options)
    assert (found is None) == (not options)
    assert found is None or (found.block_size_bytes or 0) >= 0


@pytest.mark.parametrize(
    ("access", "read_percent"), [("rnd", 65), ("rnd", 0), ("seq", 100), ("seq", 50)]
)
def test_job_file_of_a_step_says_its_workload(
    access: Access, read_percent: int
) -> None:
    work = workload(access, 8192, read_percent, threads=4, queue_depth=16)
    text = render_job(cell(work, seconds=60), {"ioengine": "libaio"})
    assert describe_workload(parse_job_file(text).resolved("cell")) == ForeignWorkload(
        access=access,
        block_size_bytes=8192,
        read_percent=read_percent,
        threads=4,
        queue_depth=16,
        runtime_s=60.0,
    )


def test_job_file_of_others_says_its_workload() -> None:
    path = require_folder(FIO_SAMPLES) / "hist2" / "pkb-7fb0c9d8-0_fio.job"
    job_file = parse_job_file(path.read_text("utf-8"))
    read, write = (describe_workload(job_file.resolved(at)) for at in (0, 1))
    assert read == ForeignWorkload(
        access="rnd",
        block_size_bytes=16384,
        read_percent=100,
        threads=2,
        queue_depth=1,
        runtime_s=10.0,
    )
    assert write is not None
    assert (write.read_percent, write.access) == (0, "rnd")


def test_workloads_of_real_pts_runs_are_those_of_their_names() -> None:
    names = require_folder(FIO_SAMPLES).rglob("*wdpc_bs*_read*.json")
    checked = 0
    for path in sorted(names)[::7]:
        match = re.search(r"bs(\d+)(K?)B_read(\d+)", path.name)
        assert match is not None
        options = read_fio(path).options
        found = describe_workload(
            dict(zip(options["option"], options["value"], strict=True))
        )
        assert found is not None
        size = int(match[1]) * (1024 if match[2] else 1)
        wanted = (size, int(match[3]))
        assert (found.block_size_bytes, found.read_percent) == wanted, path.name
        checked += 1
    assert checked > 10


def run_fio(*arguments: str) -> str:
    return subprocess.run(
        [require_fio()[0], CLOCK, "--ioengine=null", "--size=64m", *arguments],
        check=True,
        capture_output=True,
        text=True,
    ).stdout


@pytest.mark.fio
@pytest.mark.parametrize("kb_base", [1024, 1000])
def test_sizes_are_those_of_fio(kb_base: int) -> None:
    """As the greatest block of four reads, which fio tells in bytes."""
    texts = [text for text in SIZES if parse_size(text) is not None]
    jobs = [
        word
        for at, text in enumerate(texts)
        for word in (f"--name=j{at}", "--rw=read", f"--bs={text}", "--number_ios=4")
    ]
    said = run_fio(f"--kb_base={kb_base}", "--output-format=json", *jobs)
    done = [job["read"] for job in json.loads(said)["jobs"]]
    sizes = [side["io_bytes"] // side["total_ios"] for side in done]
    assert sizes == [parse_size(text, kb_base=kb_base) for text in texts]


@pytest.mark.fio
@pytest.mark.parametrize(
    "text", ["4k,8k", "4k-8k", "4k:8k", "8k", "1k,2k,4k", " 4k,8k", "4k, 8k"]
)
def test_block_sizes_of_each_direction_are_those_of_fio(text: str) -> None:
    said = run_fio("--name=j", "--rw=randrw", f"--bs={text}", "--number_ios=2")
    match = re.search(r"bs=\(R\) (\S+?)-\S+, \(W\) (\S+?)-", said)
    assert match is not None
    found = [described(rw=rw, bs=text).block_size_bytes for rw in ("read", "write")]
    assert found == [parse_size(match[1]), parse_size(match[2])]


@pytest.mark.fio
@pytest.mark.parametrize("text", ["20", "20s", "1m", "1h", "1d", "20000ms", "20.5"])
def test_times_are_those_of_fio(text: str) -> None:
    """As the window of its steady-state rule, which it tells in seconds."""
    said = run_fio(
        "--name=j",
        "--number_ios=2",
        "--ss=iops:10%",
        f"--ss_dur={text}",
        "--output-format=json",
    )
    (job,) = json.loads(said)["jobs"]
    assert job["steadystate"]["duration"] == parse_seconds(text)


@pytest.mark.fio
def test_workloads_are_those_that_fio_ran() -> None:
    said = run_fio("--output-format=json", str(MATRIX))
    content = json.loads(said[said.index("{") :])
    jobs: dict[str, dict[str, Any]] = {}
    threads: dict[str, int] = {}
    for job in content["jobs"]:
        jobs[job["jobname"]] = job
        threads[job["jobname"]] = threads.get(job["jobname"], 0) + 1
    job_file = parse_job_file(MATRIX.read_text("utf-8"))
    for section in job_file.jobs:
        job = jobs[section.name]
        found = describe_workload({**content["global options"], **job["job options"]})
        assert found == describe_workload(job_file.resolved(section.name))
        assert found is not None
        assert found.threads == threads[section.name]
        assert_is_what_ran(found, job)


def assert_is_what_ran(found: ForeignWorkload, job: dict[str, Any]) -> None:
    reads, writes, trims = (job[side] for side in ("read", "write", "trim"))
    ios = reads["total_ios"] + writes["total_ios"]
    assert (found.read_percent is None) == bool(trims["total_ios"])
    if found.read_percent is not None:
        share = 100 * reads["total_ios"] / ios
        assert share == pytest.approx(found.read_percent, abs=5)
    if found.block_size_bytes is not None:
        moved = reads["io_bytes"] + writes["io_bytes"]
        assert moved == found.block_size_bytes * ios
    if found.runtime_s == 0.3:
        assert reads["runtime"] == pytest.approx(300, abs=60)

"""fio's terse output, each version of it, held against fio's JSON of the same run."""

import math
from typing import Any

import pytest

from ssdlab.fio.document import FioDisk, FioDocument, FioJob, FioSide
from ssdlab.fio.from_text.terse import parse_terse
from tests.fio.text_runs import RUNS, json_documents, run_all
from tests.paths import FIO_SAMPLES, require_folder

US = 1000


def parse(text: str) -> tuple[FioDocument, ...]:
    return parse_terse(text, source="text")


def only(text: str) -> FioDocument:
    (document,) = parse(text)
    return document


def grave(document: FioDocument) -> list[str]:
    return [doubt.kind for doubt in document.doubts if doubt.is_grave]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return run_all(tmp_path_factory.mktemp("terse"))


def test_terse_agrees_with_json_in_the_same_file() -> None:
    folder = require_folder(FIO_SAMPLES / "local_fio333")
    text = (folder / "three_formats.txt").read_text("utf-8")
    assert_says_the_same(only(text), json_documents(text)[0], version=3)


@pytest.mark.fio
@pytest.mark.parametrize("name", RUNS)
def test_terse_agrees_with_json_of_the_same_run(
    runs: dict[str, str], name: str
) -> None:
    documents, said = parse(runs[name]), json_documents(runs[name])
    wanted = [word for word in RUNS[name] if word.startswith("--terse-version=")]
    version = int(wanted[0][-1]) if wanted else 3
    assert len(documents) == len(said) >= (3 if name.startswith("status") else 1)
    for document, content in zip(documents, said, strict=True):
        assert_says_the_same(document, content, version=version)


@pytest.mark.fio
@pytest.mark.parametrize("name", ["status-file", "status-null"])
def test_terse_lines_alone_fall_into_the_same_documents(
    runs: dict[str, str], name: str
) -> None:
    lines = [line for line in runs[name].splitlines() if line.startswith("3;fio-")]
    apart, alone = parse(runs[name]), parse("\n".join(lines))
    assert [len(document.jobs) for document in alone] == [3] * len(apart)
    for first, second in zip(apart, alone, strict=True):
        assert [bytes_of(job) for job in first.jobs] == [
            bytes_of(job) for job in second.jobs
        ]


def bytes_of(job: FioJob) -> list[int | None]:
    return [side.io_bytes for side in job.sides.values()]


def assert_says_the_same(
    document: FioDocument, content: dict[str, Any], *, version: int
) -> None:
    assert document.is_whole
    uncounted = [
        said for entry in content["jobs"] for said in sides_without_bytes(entry)
    ]
    assert grave(document) == ["no-bytes"] * len(uncounted)
    assert document.fio_version == content["fio version"]
    assert len(document.jobs) == len(content["jobs"])
    for job, entry in zip(document.jobs, content["jobs"], strict=True):
        assert (job.name, job.group_id) == (entry["jobname"], entry["groupid"])
        assert (job.error, job.total_errors) == (entry["error"], entry.get("total_err"))
        assert job.usr_cpu_percent == pytest.approx(entry["usr_cpu"], abs=1e-6)
        assert job.sys_cpu_percent == pytest.approx(entry["sys_cpu"], abs=1e-6)
        directions = [d for d in ("read", "write", "trim", "mixed") if d in entry]
        if version == 3 and "read" in entry:
            directions.remove("trim")
        assert list(job.sides) == directions
        for direction, side in job.sides.items():
            assert_side_is(side, entry[direction])
            assert (side.sampled_iops is not None) == (
                version == 5 and entry[direction]["iops_samples"] > 0
            )
    if version > 2:
        assert_disks_are(document.disks, content.get("disk_util", []))


def sides_without_bytes(entry: dict[str, Any]) -> list[str]:
    """Return the directions of which fio has latencies and no KiB yet."""
    return [
        direction
        for direction in ("read", "write", "trim", "mixed")
        if direction in entry
        and entry[direction]["io_bytes"] < 1024
        and any(entry[direction][f"{kind}_ns"]["mean"] for kind in ("clat", "lat"))
    ]


def assert_side_is(side: FioSide, said: dict[str, Any]) -> None:
    if side.io_bytes is None:
        assert said["io_bytes"] < 1024
        return
    assert side.io_bytes == said["io_bytes"] // 1024 * 1024
    assert side.runtime_ms == said["runtime"]
    if side.io_bytes and not side.runtime_ms:
        assert math.isnan(side.iops)
        assert math.isnan(side.bw_bytes_per_s)
        return
    assert side.iops == math.floor(said["iops"])
    lost = 1024 * 1000 / (said["runtime"] or 1)
    assert said["bw_bytes"] - lost - 1 <= side.bw_bytes_per_s <= said["bw_bytes"]
    if said["io_bytes"] % 1024 == 0:
        assert side.bw_bytes_per_s == said["bw_bytes"]
    measured = [k for k in ("slat", "clat", "lat") if said[f"{k}_ns"]["N"]]
    assert list(side.latencies) == measured
    for kind, latency in side.latencies.items():
        told, summary = said[f"{kind}_ns"], latency.summary
        assert summary.min_ns == told["min"] // US * US
        assert summary.max_ns == told["max"] // US * US
        assert summary.mean_ns == pytest.approx(told["mean"], abs=0.0011)
        assert summary.stddev_ns == pytest.approx(told["stddev"], abs=0.0011)
        if kind != "slat":
            assert latency.percentiles == {
                float(level): value // US * US
                for level, value in told.get("percentile", {}).items()
            }
    for rate, name, scale in (
        (side.sampled_bw, "bw", 1024),
        (side.sampled_iops, "iops", 1),
    ):
        if rate is not None:
            stddev = said["bw_dev" if name == "bw" else "iops_stddev"]
            assert rate.minimum == said[f"{name}_min"] * scale
            assert rate.maximum == said[f"{name}_max"] * scale
            assert rate.mean == pytest.approx(said[f"{name}_mean"] * scale, abs=1e-3)
            assert rate.stddev == pytest.approx(stddev * scale, abs=1e-3)
    assert (side.sampled_bw is not None) == (said["bw_samples"] > 0)


def assert_disks_are(disks: tuple[FioDisk, ...], said: list[dict[str, Any]]) -> None:
    assert [disk.name for disk in disks] == [disk["name"] for disk in said]
    for disk, told in zip(disks, said, strict=True):
        assert (disk.read_ios, disk.write_ios) == (told["read_ios"], told["write_ios"])
        assert disk.read_merges == told["read_merges"]
        assert disk.write_merges == told["write_merges"]
        assert disk.read_ticks_ms == told["read_ticks"]
        assert disk.write_ticks_ms == told["write_ticks"]
        assert disk.in_queue_ms == told["in_queue"]
        assert disk.util_percent == pytest.approx(told["util"], abs=0.0051)

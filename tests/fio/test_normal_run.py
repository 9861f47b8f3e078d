"""fio's normal text held against fio's JSON of the same run, within the rounding."""

import math
from typing import Any

import pytest

from ssdlab.fio.document import FioDocument, FioLatency, FioSide, FioSync, RateSummary
from ssdlab.fio.from_text.normal import parse_normal
from tests.fio.text_runs import RUNS, json_documents, run_all
from tests.paths import FIO_SAMPLES, require_folder

MIB = 1024**2


def parse(text: str) -> tuple[FioDocument, ...]:
    return parse_normal(text, source="text")


def only(text: str) -> FioDocument:
    (document,) = parse(text)
    return document


def grave(document: FioDocument) -> list[str]:
    return [doubt.kind for doubt in document.doubts if doubt.is_grave]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return run_all(tmp_path_factory.mktemp("normal"))


def test_normal_agrees_with_json_in_the_same_file() -> None:
    folder = require_folder(FIO_SAMPLES / "local_fio333")
    text = (folder / "three_formats.txt").read_text("utf-8")
    assert_says_the_same(only(text), json_documents(text)[0])


@pytest.mark.fio
@pytest.mark.parametrize("name", RUNS)
def test_normal_agrees_with_json_of_the_same_run(
    runs: dict[str, str], name: str
) -> None:
    documents = [document for document in parse(runs[name]) if document.jobs]
    said = [  # before a job has begun there is next to nothing in the text
        content
        for content in json_documents(runs[name])
        if any(map(has_begun, content["jobs"]))
    ]
    assert len(documents) == len(said) >= (3 if name.startswith("status") else 1)
    for document, content in zip(documents[:-1], said[:-1], strict=True):
        assert_says_the_same(document, content, is_interim=True)
    assert_says_the_same(documents[-1], said[-1])


@pytest.mark.fio
def test_bytes_are_exact_where_the_block_size_is_named(runs: dict[str, str]) -> None:
    for name in ("randrw-v3", "mixed", "both", "trim", "decimal", "bits", "slow"):
        document = only(runs[name])
        (entry,) = json_documents(runs[name])[0]["jobs"]
        for direction, side in document.jobs[0].sides.items():
            assert side.io_bytes == entry[direction]["io_bytes"]
            assert side.bw_bytes_per_s == entry[direction]["bw_bytes"]


def assert_says_the_same(
    document: FioDocument, content: dict[str, Any], *, is_interim: bool = False
) -> None:
    assert document.is_whole
    assert grave(document) == ["missing"] * len(unprinted(content))
    assert (document.form, document.timestamp_s) == ("normal", None)
    assert document.fio_version == content["fio version"]
    begun = [entry for entry in content["jobs"] if has_begun(entry)]
    assert len(document.jobs) == len(begun)
    assert len(begun) == len(content["jobs"]) or is_interim
    for number, (job, entry) in enumerate(zip(document.jobs, begun, strict=True)):
        assert (job.name, job.group_id) == (entry["jobname"], entry["groupid"])
        assert (job.error, job.total_errors) == (entry["error"], entry.get("total_err"))
        assert job.usr_cpu_percent == pytest.approx(entry["usr_cpu"], abs=0.0051)
        assert job.sys_cpu_percent == pytest.approx(entry["sys_cpu"], abs=0.0051)
        busy = [
            direction
            for direction in ("read", "write", "trim", "mixed")
            if entry.get(direction, {}).get("total_ios")
            and (number, direction) not in unprinted(content)
        ]
        assert list(job.sides) == busy
        for direction, side in job.sides.items():
            place = f"jobs[{number}].{direction}.io_bytes"
            rounded = [doubt for doubt in document.doubts if doubt.place == place]
            is_in_full = (side.io_bytes or 0) < 10_000  # fio has room for four digits
            assert rounded or not is_interim or is_in_full
            assert_side_is(side, entry[direction], is_rounded=bool(rounded))
            for kind, latency in side.latencies.items():
                count = None if is_interim else entry[direction][f"{kind}_ns"]["N"]
                assert latency.summary.count == count
        assert_sync_is(job.sync, entry.get("sync", {}))
    disks = content.get("disk_util", [])
    assert [disk.name for disk in document.disks] == [disk["name"] for disk in disks]
    for disk, told in zip(document.disks, disks, strict=True):
        assert (disk.read_ios, disk.write_ios) == (told["read_ios"], told["write_ios"])
        assert disk.write_ticks_ms == told["write_ticks"]
        assert disk.in_queue_ms == told["in_queue"]
        assert disk.util_percent == pytest.approx(told["util"], abs=0.0051)


def has_begun(entry: dict[str, Any]) -> bool:
    """Tell whether a job did IO; fio prints no other in normal text."""
    return any(
        entry.get(direction, {}).get("total_ios")
        for direction in ("read", "write", "trim", "mixed")
    )


def unprinted(content: dict[str, Any]) -> list[tuple[int, str]]:
    """Return the directions that had begun and had no time yet: fio prints no block."""
    return [
        (number, direction)
        for number, entry in enumerate(filter(has_begun, content["jobs"]))
        for direction in ("read", "write", "trim")
        if entry.get(direction, {}).get("total_ios")
        and not (entry[direction]["runtime"] and entry[direction]["io_bytes"])
    ]


def assert_sync_is(sync: FioSync | None, told: dict[str, Any]) -> None:
    assert (sync.total_ios if sync else 0) == told.get("total_ios", 0)
    if sync:
        assert sync.lat is not None
        assert sync.lat.summary.count == told["lat_ns"]["N"]
        assert_latency_is(sync.lat, told["lat_ns"])


def assert_side_is(side: FioSide, said: dict[str, Any], *, is_rounded: bool) -> None:
    assert side.total_ios == said["total_ios"]
    assert side.short_ios == said["short_ios"]
    assert side.dropped_ios == said["drop_ios"]
    assert side.runtime_ms == said["runtime"]
    assert side.iops == pytest.approx(said["iops"], rel=1e-9, abs=1e-6)
    slack = 0.006 if is_rounded else 0
    assert side.io_bytes == pytest.approx(said["io_bytes"], rel=slack, abs=0)
    assert side.bw_bytes_per_s == pytest.approx(said["bw_bytes"], rel=slack, abs=0)
    measured = [k for k in ("slat", "clat", "lat") if said[f"{k}_ns"]["N"]]
    assert list(side.latencies) == measured
    for kind, latency in side.latencies.items():
        assert_latency_is(latency, said[f"{kind}_ns"])
    assert (side.sampled_bw is not None) == (said["bw_samples"] > 0)
    assert (side.sampled_iops is not None) == (said["iops_samples"] > 0)
    if side.sampled_bw and side.sampled_iops:
        bw = {key: said[f"bw_{key}"] * 1024 for key in ("min", "max", "mean", "dev")}
        step = 1024 if bw["mean"] < 1000**2 * 1024 else MIB
        assert_rate_is(side.sampled_bw, bw, step=step)
        iops = {key: said[f"iops_{key}"] for key in ("min", "max", "mean")}
        iops["dev"] = said["iops_stddev"]
        assert_rate_is(side.sampled_iops, iops, step=1)


def assert_rate_is(rate: RateSummary, said: dict[str, float], *, step: int) -> None:
    assert said["min"] - step < rate.minimum <= said["min"]
    assert said["max"] - step < rate.maximum <= said["max"]
    assert rate.mean == pytest.approx(said["mean"], abs=0.0051 * step)
    assert rate.stddev == pytest.approx(said["dev"], abs=0.0051 * step)


def assert_latency_is(latency: FioLatency, told: dict[str, Any]) -> None:
    unit = unit_ns(told["min"], told["max"], told["stddev"])
    summary = latency.summary
    for value, exact in (
        (summary.min_ns, told["min"]),
        (summary.max_ns, told["max"]),
    ):
        is_in_full = exact // unit < 10**6
        assert value == (
            exact // unit * unit if is_in_full else pytest.approx(exact, rel=6e-5)
        )
    assert summary.mean_ns == pytest.approx(told["mean"], abs=0.0051 * unit)
    assert summary.stddev_ns == pytest.approx(told["stddev"], abs=0.0051 * unit)
    exact_ones = told.get("percentile", {})
    unit = unit_ns(*least_and_greatest(exact_ones), math.inf)
    assert latency.percentiles == {
        float(level): math.ceil(value / unit) * unit
        for level, value in exact_ones.items()
    }


def least_and_greatest(percentiles: dict[str, int]) -> tuple[int, int]:
    values = [*percentiles.values()] or [0]
    return min(values), max(values)


def unit_ns(low: float, high: float, stddev: float) -> int:
    """Return the unit that fio prints latencies in: nsec_to_msec, nsec_to_usec."""
    for unit in (10**6, 10**3):
        if low > 2 * unit and high >= 100 * unit and stddev > unit:
            return unit
    return 1

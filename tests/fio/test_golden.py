"""Real outputs of many versions against a second, short reading of the same JSON."""

import csv
import json
import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ssdlab.fio.document import (
    Direction,
    FioDocument,
    FioSide,
    LatencyBins,
    LatencyKind,
)
from ssdlab.fio.from_json.parse import parse_document, parse_documents
from ssdlab.fio.measure import measure
from ssdlab.stats.latency import UNKNOWN_EXTREMES, percentiles_from_bins
from tests.fio.samples import DATA
from tests.paths import FIO_SAMPLES, require_folder

LEAST_OUTPUTS = {
    "ssspt_hp_iops_3": 308,
    "ssspt_hp_lat_2": 49,
    "ssspt_hp_throughput_3": 66,
    "json3": 19,
    "json2": 5,
    "local_fio333": 11,
    "odd": 4,
    "hist2": 1,
}
MARK = '"fio version"'
KINDS: tuple[LatencyKind, ...] = ("slat", "clat", "lat")
NAMES: tuple[Direction, ...] = ("read", "write", "trim", "mixed")


def outputs(folder: str) -> list[Path]:
    where = require_folder(FIO_SAMPLES / folder)
    files = sorted(path for path in where.iterdir() if path.is_file())
    return [path for path in files if MARK in path.read_text(errors="replace")]


def test_every_json_of_the_manifest_is_looked_at() -> None:
    root = require_folder(FIO_SAMPLES)
    with (root / "MANIFEST.csv").open(newline="") as file:
        files = [root / line["file"] for line in csv.DictReader(file)]
    with_json = {path for path in files if MARK in path.read_text(errors="replace")}
    assert with_json == {path for name in LEAST_OUTPUTS for path in outputs(name)}


def json_documents(text: str) -> list[tuple[dict[str, Any], list[Any]]]:
    """Return each document, and its options as they stand, repeated ones too."""
    found = []
    at = text.find(MARK)
    while at >= 0:
        start = text.rindex("{", 0, at)
        content, _ = json.JSONDecoder().raw_decode(text, start)
        pairs, end = json.JSONDecoder(object_pairs_hook=list).raw_decode(text, start)
        found.append((content, pairs))
        at = text.find(MARK, end)
    return found


def entries_key(content: dict[str, Any]) -> str:
    return "jobs" if "jobs" in content else "client_stats"


def options_in(pairs: list[Any]) -> list[list[tuple[str, str]]]:
    """Return the global options, then those of each entry."""
    top = dict(pairs)
    entries = [dict(entry) for entry in top[entries_key(top)]]
    return [
        [tuple(pair) for pair in top.get("global options", [])],
        *([tuple(p) for p in entry.get("job options", [])] for entry in entries),
    ]


def read_options(document: FioDocument) -> list[list[tuple[str, str]]]:
    groups = [document.global_options, *(job.options for job in document.jobs)]
    return [[(option.name, option.value) for option in group] for group in groups]


def expected_latency(side: dict[str, Any], kind: str) -> tuple[Any, ...] | None:
    """Read one latency the short way, in ns: min, mean, stddev, max, more."""
    scale = 1000 if kind in side else 1
    table = side[kind if kind in side else f"{kind}_ns"]
    did = table.get("N", side.get("total_ios", side["io_bytes"]))
    if not did or not table["max"]:
        return None
    bins = table.get("bins", {})
    return (
        *(table[key] * scale for key in ("min", "mean", "stddev", "max")),
        {
            float(level): value * scale
            for level, value in table.get("percentile", {}).items()
            if float(level)
        },
        {int(name): count for name, count in bins.items() if count},
    )


def read_latency(side: FioSide, kind: LatencyKind) -> tuple[Any, ...] | None:
    latency = side.latencies.get(kind)
    if latency is None:
        return None
    summary, bins = latency.summary, latency.bins
    return (
        *(summary.min_ns, summary.mean_ns, summary.stddev_ns, summary.max_ns),
        dict(latency.percentiles),
        {}
        if bins is None
        else dict(zip(bins.lat_ns.tolist(), bins.counts.tolist(), strict=True)),
    )


def expected_side(side: dict[str, Any]) -> dict[str, Any]:
    """Read one side the short way: nanoseconds, bytes, None where nothing was done."""
    is_old = "clat" in side
    bw_bytes = side.get("bw_bytes", side["bw"] * 1024)
    samples = side.get("bw_samples", side["bw_mean"])
    keys = ("bw_min", "bw_max", "bw_mean", "bw_dev")
    return {
        "io_bytes": side["io_bytes"] * (1024 if is_old else 1),
        "total_ios": side.get("total_ios"),
        "short_ios": side.get("short_ios"),
        "dropped_ios": side.get("drop_ios"),
        "runtime_ms": side["runtime"],
        "iops": side["iops"],
        "bw_bytes_per_s": bw_bytes,
        "sampled_bw": tuple(side[key] * 1024 for key in keys) if samples else None,
        **{kind: expected_latency(side, kind) for kind in KINDS},
    }


def read_side(side: FioSide) -> dict[str, Any]:
    rate = side.sampled_bw
    return {
        "io_bytes": side.io_bytes,
        "total_ios": side.total_ios,
        "short_ios": side.short_ios,
        "dropped_ios": side.dropped_ios,
        "runtime_ms": side.runtime_ms,
        "iops": side.iops,
        "bw_bytes_per_s": side.bw_bytes_per_s,
        "sampled_bw": rate and (rate.minimum, rate.maximum, rate.mean, rate.stddev),
        **{kind: read_latency(side, kind) for kind in KINDS},
    }


def check_document(
    document: FioDocument, content: dict[str, Any], pairs: list[Any]
) -> None:
    entries = content[entries_key(content)]
    assert [job.name for job in document.jobs] == [e["jobname"] for e in entries]
    assert document.fio_version == content["fio version"]
    assert read_options(document) == options_in(pairs)
    for job, entry in zip(document.jobs, entries, strict=True):
        assert job.is_aggregate == (entry["jobname"] == "All clients")
        assert (job.error, job.usr_cpu_percent) == (entry["error"], entry["usr_cpu"])
        assert list(job.sides) == [name for name in NAMES if name in entry]
        for name, side in job.sides.items():
            assert read_side(side) == expected_side(entry[name])
    disks = content.get("disk_util", [])
    of_members = [disk for disk in disks if "aggr_util" in disk]
    own = [disk for disk in document.disks if not disk.is_of_members]
    added = [disk for disk in document.disks if disk.is_of_members]
    assert [(d.name, d.util_percent) for d in own] == [
        (d["name"], d["util"]) for d in disks
    ]
    assert [(d.read_ios, d.write_merges) for d in added] == [
        (d["aggr_read_ios"], d["aggr_write_merge"]) for d in of_members
    ]


@pytest.mark.parametrize("folder", LEAST_OUTPUTS)
def test_every_real_output_is_read_as_it_stands(folder: str) -> None:
    paths = outputs(folder)
    assert len(paths) >= LEAST_OUTPUTS[folder]
    for path in paths:
        text = path.read_text()
        expected = json_documents(text)
        documents = parse_documents(path.read_bytes(), source=path.name)
        assert len(documents) == len(expected)
        for document, (content, pairs) in zip(documents, expected, strict=True):
            check_document(document, content, pairs)


def histograms(paths: list[Path]) -> Iterator[tuple[LatencyBins, dict[float, float]]]:
    for path in paths:
        documents = parse_documents(path.read_bytes(), source=path.name)
        jobs = [job for document in documents for job in document.jobs]
        sides = [side for job in jobs for side in job.parts]
        for latency in (found for side in sides for found in side.latencies.values()):
            if latency.bins is not None:
                yield latency.bins, dict(latency.percentiles)


def differing(bins: LatencyBins, percentiles: dict[float, float]) -> list[float]:
    found = percentiles_from_bins(
        bins.lat_ns, bins.counts, list(percentiles), within=UNKNOWN_EXTREMES
    )
    return [
        level
        for level, ours, fios in zip(
            percentiles, found, percentiles.values(), strict=True
        )
        if ours != fios
    ]


def test_percentiles_are_those_that_fio_3_33_printed() -> None:
    checked = 0
    for bins, percentiles in histograms(list(DATA.glob("fio-3.33-*.json"))):
        assert differing(bins, percentiles) == []
        checked += len(percentiles)
    assert checked > 100


def test_percentiles_are_those_that_fio_3_8_printed_but_for_a_tie() -> None:
    """fio 3.8 computes in double: it may differ where a bin ends at the very share."""
    checked, ties = 0, []
    for folder in ("ssspt_hp_iops_3", "ssspt_hp_lat_2", "ssspt_hp_throughput_3"):
        for bins, percentiles in histograms(outputs(folder)):
            checked += len(percentiles)
            total = int(bins.counts.sum())
            for level in differing(bins, percentiles):
                share = total * level / 100
                assert math.isclose(share, round(share), rel_tol=1e-12)
                assert round(share) in bins.counts.cumsum()
                ties.append(level)
    assert checked > 11_000
    assert len(ties) == 1


def published(name: str) -> list[dict[str, str]]:
    path = require_folder(FIO_SAMPLES / "ssspt_published") / name
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def cells(folder: str) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """Return the row ``total`` of each cell, round by round."""
    rounds: dict[tuple[str, int], dict[int, dict[str, Any]]] = defaultdict(dict)
    for path in require_folder(FIO_SAMPLES / folder).glob("wdpc_*.json"):
        _, size, read, number = path.stem.split("_")
        cell = (size.removeprefix("bs"), int(read.removeprefix("read")))
        rows = measure(parse_document(path.read_bytes(), source=path.name)).measurements
        assert rows[-1]["direction"] == "total"
        rounds[cell][int(number.removeprefix("round"))] = rows[-1]
    return {cell: [rows[n] for n in sorted(rows)] for cell, rows in rounds.items()}


def window_mean(rows: list[dict[str, Any]], column: str) -> float:
    return math.fsum(row[column] for row in rows[-5:]) / 5


def test_iops_of_a_real_drive_are_those_published() -> None:
    rows = cells("ssspt_hp_iops_3")
    table = published("ssspt_hp_iops_3_table.csv")
    assert len(table) == len(rows) == 56
    for line in table:
        cell = rows[line["block_size"], int(line["read_pct"])]
        expected = float(line["mean_over_window"])
        assert window_mean(cell, "iops") == pytest.approx(expected, abs=0.001)


def test_latencies_of_a_real_drive_are_those_published() -> None:
    rows = cells("ssspt_hp_lat_2")
    table = published("ssspt_hp_lat_2_table.csv")
    assert len(table) == len(rows) == 9
    for line in table:
        mean = window_mean(
            rows[line["block_size"], int(line["read_pct"])], "lat_mean_ns"
        )
        stale = line["agrees_with_raw_files"].partition("raw mean ")[2].rstrip(")")
        expected = float(stale or line["mean_over_window"])
        assert mean == pytest.approx(expected, abs=0.001)


def test_throughput_of_a_real_drive_is_that_published() -> None:
    """Published are means of fio's ``bw``, which is cut to whole KiB/s."""
    rows = cells("ssspt_hp_throughput_3")
    table = published("ssspt_hp_throughput_3_window.csv")
    assert len(table) == len(rows) == 12
    for line in table:
        size = line["case"].removeprefix("Block Size: ")
        cell = rows[size, 100 if line["mode"] == "read" else 0]
        kib_per_s = math.fsum(row["bw_bytes_per_s"] // 1024 for row in cell[-5:]) / 5
        expected_mib = float(line["average"].removesuffix(" MB/s"))
        assert kib_per_s / 1024 == pytest.approx(expected_mib, abs=0.001)

"""Real outputs of many versions against a second, short reading of the same JSON."""

import csv
import json
import math
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ssdlab.analysis.latency import percentiles_from_bins
from ssdlab.fio.document import FioSide, LatencyBins
from ssdlab.fio.measure import DEFAULT_LEVELS, measure
from ssdlab.fio.parse import parse_document, parse_documents
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


def outputs(folder: str) -> list[Path]:
    where = require_folder(FIO_SAMPLES / folder)
    return sorted(
        path
        for path in where.iterdir()
        if path.suffix in {".json", ".txt"} and '"fio version"' in path.read_text()
    )


def last_json(text: str) -> dict[str, Any]:
    start = text.rindex('"fio version"')
    content, _ = json.JSONDecoder().raw_decode(text[text.rindex("{", 0, start) :])
    return dict(content)


def entries_of(content: dict[str, Any]) -> list[dict[str, Any]]:
    entries = content.get("jobs", content.get("client_stats"))
    assert entries
    return [entry for entry in entries if entry["jobname"] != "All clients"]


def expected_side(side: dict[str, Any]) -> dict[str, float | None]:
    """Read one side the short way: nanoseconds, bytes, None where nothing was done."""
    is_old = "clat" in side
    scale = 1000 if is_old else 1
    lat = side["lat" if is_old else "lat_ns"]
    is_measured = lat.get("N", side.get("total_ios", side["io_bytes"])) and lat["max"]
    return {
        "io_bytes": side["io_bytes"] * (1024 if is_old else 1),
        "total_ios": side.get("total_ios"),
        "runtime_ms": side["runtime"],
        "iops": side["iops"],
        "bw_bytes_per_s": side.get("bw_bytes", side["bw"] * 1024),
        "lat_mean_ns": lat["mean"] * scale if is_measured else None,
        "lat_max_ns": lat["max"] * scale if is_measured else None,
    }


def read_side(side: FioSide) -> dict[str, float | None]:
    return {
        "io_bytes": side.io_bytes,
        "total_ios": side.total_ios,
        "runtime_ms": side.runtime_ms,
        "iops": side.iops,
        "bw_bytes_per_s": side.bw_bytes_per_s,
        "lat_mean_ns": side.lat.mean_ns if side.lat else None,
        "lat_max_ns": side.lat.max_ns if side.lat else None,
    }


@pytest.mark.parametrize("folder", LEAST_OUTPUTS)
def test_every_real_output_is_read_as_it_stands(folder: str) -> None:
    paths = outputs(folder)
    assert len(paths) >= LEAST_OUTPUTS[folder]
    for path in paths:
        text = path.read_text()
        entries = entries_of(last_json(text))
        document = parse_document(text, source=path.name)
        assert [job.name for job in document.jobs] == [e["jobname"] for e in entries]
        for job, entry in zip(document.jobs, entries, strict=True):
            assert job.sides.keys() == {"read", "write", "trim", "mixed"} & entry.keys()
            for name, side in job.sides.items():
                assert read_side(side) == expected_side(entry[name]), path.name


def busy_sides(paths: list[Path]) -> Iterator[FioSide]:
    for path in paths:
        for document in parse_documents(path.read_bytes(), source=path.name):
            for job in document.jobs:
                yield from job.parts


def histograms(paths: list[Path]) -> Iterator[tuple[LatencyBins, dict[float, float]]]:
    for side in busy_sides(paths):
        for bins, percentiles in (
            (side.lat_bins, side.lat_percentiles),
            (side.clat_bins, side.clat_percentiles),
            (side.slat_bins, side.slat_percentiles),
        ):
            if bins is not None:
                yield bins, dict(percentiles)


def differing(bins: LatencyBins, percentiles: dict[float, float]) -> list[float]:
    found = percentiles_from_bins(bins.lat_ns, bins.counts, list(percentiles))
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


@pytest.mark.fio
@pytest.mark.parametrize("ios", [100, 1000, 20_000])
def test_percentiles_are_those_that_a_real_fio_prints(tmp_path: Path, ios: int) -> None:
    output = tmp_path / "fio.json"
    command = ["fio", "--name=cell", "--ioengine=null", "--size=1g", "--rw=randread"]
    command += [f"--number_ios={ios}", "--bs=4k", "--lat_percentiles=1"]
    command += [
        "--percentile_list=" + ":".join(f"{level:g}" for level in DEFAULT_LEVELS)
    ]
    command += ["--output-format=json+", f"--output={output}"]
    subprocess.run(command, check=True)
    for bins, percentiles in histograms([output]):
        assert list(percentiles) == list(DEFAULT_LEVELS)
        assert differing(bins, percentiles) == []

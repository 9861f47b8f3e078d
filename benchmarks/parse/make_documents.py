"""json+ documents with bins: an IOPS run of 25 rounds, one document per cell and round.

The format is that of a captured document of fio 3.33; the numbers are synthetic but
consistent: counts, bins, percentiles, means.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from ssdlab.fio.bins import bin_value
from ssdlab.stats.latency import percentile_places

FOLDER = "documents"
ROUNDS = 25
BLOCK_SIZES_BYTES = (512, 4096, 8192, 16384, 32768, 65536, 131072, 1048576)
READ_PERCENTS = (100, 95, 65, 50, 35, 5, 0)

_CAPTURED = Path(__file__).parents[2] / "tests" / "data" / "fio-3.33-randrw.json"
_BINS = 293
_RUNTIME_MS = 60_000
_FIRST_BIN = {"slat_ns": 420, "clat_ns": 700, "lat_ns": 705}


def write_documents(folder: Path, scale: float) -> None:
    target = folder / FOLDER
    target.mkdir(parents=True, exist_ok=True)
    captured = json.loads(_CAPTURED.read_text())
    random = np.random.default_rng(20261121)
    cells = [(bs, read) for bs in BLOCK_SIZES_BYTES for read in READ_PERCENTS]
    count = max(2, round(ROUNDS * len(cells) * scale))
    for number in range(count):
        cell = cells[number % len(cells)]
        block_size_bytes, read_percent = cell
        name = (
            f"wdpc_bs{block_size_bytes}_read{read_percent}"
            f"_round{number // len(cells) + 1}.json"
        )
        document = _document(captured, cell, random)
        text = json.dumps(document, indent=2, separators=(",", " : "))
        (target / name).write_text(text + "\n")


def _document(
    captured: dict[str, Any], cell: tuple[int, int], random: np.random.Generator
) -> dict[str, Any]:
    block_size_bytes, read_percent = cell
    job = dict(captured["jobs"][0])
    options = {"bs": str(block_size_bytes), "rwmixread": str(read_percent)}
    job["job options"] = job["job options"] | options
    shares = {"read": read_percent, "write": 100 - read_percent}
    for direction, percent in shares.items():
        ios = percent * 40_000 if percent else 0
        side = _empty(job["trim"])
        job[direction] = _side(side, ios, block_size_bytes, random) if ios else side
    return captured | {"jobs": [job]}


def _empty(side: dict[str, Any]) -> dict[str, Any]:
    return {
        key: dict(value) if isinstance(value, dict) else value
        for key, value in side.items()
    }


def _side(
    side: dict[str, Any], ios: int, block_size_bytes: int, random: np.random.Generator
) -> dict[str, Any]:
    io_bytes = ios * block_size_bytes
    bw_bytes = io_bytes * 1000 // _RUNTIME_MS
    said = {
        "io_bytes": io_bytes,
        "io_kbytes": io_bytes >> 10,
        "bw_bytes": bw_bytes,
        "bw": bw_bytes >> 10,
        "iops": round(ios * 1000 / _RUNTIME_MS, 6),
        "runtime": _RUNTIME_MS,
        "total_ios": ios,
    }
    latencies = {
        kind: _latency(first + int(random.integers(0, 60)), ios, random)
        for kind, first in _FIRST_BIN.items()
    }
    return side | said | latencies


def _latency(first: int, ios: int, random: np.random.Generator) -> dict[str, Any]:
    """Return one latency of ``count`` IOs without empty bins."""
    values = bin_value(np.arange(first, first + _BINS))
    shape = np.exp(-0.5 * ((np.arange(_BINS) - 90) / 22.0) ** 2) + 1e-4
    drawn = random.multinomial(ios - _BINS, shape / shape.sum())
    counts = drawn + 1
    mean = float(values @ counts) / ios
    spread = float(np.sqrt(((values - mean) ** 2 * counts).sum() / (ios - 1)))
    levels = (1.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999)
    percentiles = values[percentile_places(counts, levels)].tolist()
    return {
        "min": int(values[0]),
        "max": int(values[-1]),
        "mean": round(mean, 6),
        "stddev": round(spread, 6),
        "N": ios,
        "percentile": {
            f"{level:.6f}": value
            for level, value in zip(levels, percentiles, strict=True)
        },
        "bins": {
            str(value): count
            for value, count in zip(values.tolist(), counts.tolist(), strict=True)
        },
    }

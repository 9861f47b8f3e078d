"""Histogram logs of four jobs, as ``write_hist_log log_hist_msec=10`` makes them."""

from pathlib import Path

import numpy as np

from ssdlab.fio.bins import BIN_COUNT, bin_index

JOBS = 4
RECORDS = 31_902
PATTERN = "randrw_clat_hist.*.log"
HALF_INTERVAL_MS = 5

_INTERVAL_MS = 2 * HALF_INTERVAL_MS
_IOS = 55
_DIRECTIONS = 2
_MEDIAN_NS = (85_000.0, 24_000.0)
_BLOCK_SIZE_BYTES = 4096


def write_histograms(folder: Path, scale: float) -> None:
    intervals = max(4, round(RECORDS * scale) // (JOBS * _DIRECTIONS))
    random = np.random.default_rng(20261121)
    for job in range(1, JOBS + 1):
        name = PATTERN.replace("*", str(job))
        with (folder / name).open("w") as file:
            file.writelines(
                _record(interval * _INTERVAL_MS, direction, random)
                for interval in range(1, intervals + 1)
                for direction in range(_DIRECTIONS)
            )


def _record(end_ms: int, direction: int, random: np.random.Generator) -> str:
    time_ms = end_ms + int(random.integers(0, 2))
    return f"{time_ms}, {direction}, {_BLOCK_SIZE_BYTES}, {_bins(direction, random)}"


def _bins(direction: int, random: np.random.Generator) -> str:
    count = int(random.poisson(_IOS))
    spread = np.exp(0.5 * random.standard_normal(count))
    lat_ns = _MEDIAN_NS[direction] * spread
    texts = ["0"] * BIN_COUNT
    found, numbers = np.unique(bin_index(lat_ns.astype(np.int64)), return_counts=True)
    for index, number in zip(found.tolist(), numbers.tolist(), strict=True):
        texts[index] = str(number)
    return ", ".join(texts) + "\n"

"""Reading json+ output: ours against json.load and lists of rows, turn and turn about.

Both start from the same files and end in data frames of directions and of bins. Run:
``python benchmarks/bench_fio_parse.py [FOLDER_OR_FILE ...]``; without arguments it
reads one captured output many times.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ssdlab.fio.frames import tabulate
from ssdlab.fio.parse import parse_documents

ROOT = Path(__file__).resolve().parents[1]
CAPTURED = ROOT / "tests" / "data" / "fio-3.33-randrw.json"
REPEATS = 5
COPIES = 400


def read_ours(paths: Sequence[Path]) -> tuple[pd.DataFrame, pd.DataFrame]:
    result = tabulate(
        parse_documents(path.read_bytes(), source=path.name) for path in paths
    )
    return result.jobs, result.bins


def read_plainly(paths: Sequence[Path]) -> tuple[pd.DataFrame, pd.DataFrame]:
    rows: list[dict[str, object]] = []
    bins: list[tuple[object, ...]] = []
    for path in paths:
        with path.open() as file:
            content = json.load(file)
        for entry, job in enumerate(content["jobs"]):
            for direction in ("read", "write", "trim"):
                key = (path.name, entry, direction)
                add_plainly(job[direction], key, rows=rows, bins=bins)
    return pd.DataFrame(rows), pd.DataFrame(bins)


def add_plainly(
    side: dict[str, Any],
    key: tuple[object, ...],
    *,
    rows: list[dict[str, object]],
    bins: list[tuple[object, ...]],
) -> None:
    row = {"key": key, "iops": side["iops"], "io_bytes": side["io_bytes"]}
    for latency in ("slat_ns", "clat_ns", "lat_ns"):
        row[latency] = side[latency]["mean"]
        for lat_ns, count in side[latency].get("bins", {}).items():
            bins.append((*key, latency, int(lat_ns), count))
    rows.append(row)


def read_bytes(paths: Sequence[Path]) -> tuple[pd.DataFrame, pd.DataFrame]:
    for path in paths:
        path.read_bytes()
    return pd.DataFrame(), pd.DataFrame()


READERS: dict[str, Callable[[Sequence[Path]], tuple[pd.DataFrame, pd.DataFrame]]] = {
    "ours": read_ours,
    "json.load and row lists": read_plainly,
    "only the bytes": read_bytes,
}


def outputs(arguments: Sequence[str]) -> list[Path]:
    if not arguments:
        return [CAPTURED] * COPIES
    paths: list[Path] = []
    for argument in map(Path, arguments):
        paths += sorted(argument.rglob("*.json")) if argument.is_dir() else [argument]
    return paths


def main() -> None:
    paths = outputs(sys.argv[1:])
    seconds: dict[str, list[float]] = {name: [] for name in READERS}
    for _ in range(REPEATS):
        for name, read in READERS.items():
            start = time.perf_counter()
            read(paths)
            seconds[name].append(time.perf_counter() - start)
    ours_s = statistics.median(seconds["ours"])
    jobs, bins = read_ours(paths)
    plain_jobs, plain_bins = read_plainly(paths)
    assert (len(jobs), len(bins)) == (len(plain_jobs), len(plain_bins))
    print(f"{len(paths)} files, {len(jobs)} directions, {len(bins)} bins")
    for name, values in seconds.items():
        median_s = statistics.median(values)
        print(
            f"{name:24} {median_s * 1e3:8.1f} ms   ours / it = {ours_s / median_s:.2f}"
        )


if __name__ == "__main__":
    main()

"""Readers of histogram logs: percentiles of each second, jobs and directions pooled."""

from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.parse.answers import LEVELS, Answer
from benchmarks.parse.make_histograms import HALF_INTERVAL_MS, PATTERN
from ssdlab.fio.bins import BIN_COUNT, bin_value

_FIRST_BIN = 3
_COLUMNS = _FIRST_BIN + BIN_COUNT


def histogram_paths(folder: Path) -> list[Path]:
    return sorted(folder.glob(PATTERN))


def histogram_answer(seconds: NDArray[np.int64], bins: NDArray[np.int64]) -> Answer:
    """Return the answer from histograms by second, a row a second.

    fio writes a record at its end: it counts in the second that holds its middle.
    """
    shares = np.array(LEVELS) / 100
    reached = np.cumsum(bins, axis=1)
    wanted = np.ceil(reached[:, -1:] * shares)
    indices = [
        np.searchsorted(row, levels)
        for row, levels in zip(reached, wanted, strict=True)
    ]
    return {
        "seconds": seconds,
        "counts": reached[:, -1],
        "percentiles": bin_value(np.array(indices)),
    }


def _pool(time_ms: NDArray[np.int64], bins: NDArray[np.int64]) -> Answer:
    seconds = (time_ms - HALF_INTERVAL_MS) // 1000
    found = np.unique(seconds)
    sums = [bins[seconds == second].sum(axis=0) for second in found]
    return histogram_answer(found, np.array(sums))


def with_loadtxt(folder: Path) -> Answer:
    parts = [
        np.loadtxt(path, np.int64, delimiter=",") for path in histogram_paths(folder)
    ]
    rows = np.concatenate(parts)
    return _pool(rows[:, 0], rows[:, _FIRST_BIN:])


def with_pandas(folder: Path) -> Answer:
    import pandas as pd

    parts = [
        pd.read_csv(path, header=None, dtype="int64", engine="c").to_numpy()
        for path in histogram_paths(folder)
    ]
    rows = np.concatenate(parts)
    return _pool(rows[:, 0], rows[:, _FIRST_BIN:])


def with_polars(folder: Path) -> Answer:
    import polars as pl

    schema = {f"column_{number}": pl.Int64 for number in range(_COLUMNS)}
    parts = [
        pl.scan_csv(path, has_header=False, schema=schema)
        for path in histogram_paths(folder)
    ]
    second = (pl.col("column_0") - HALF_INTERVAL_MS) // 1000
    sums = (
        pl
        .concat(parts)
        .group_by(second.alias("second"))
        .agg(pl.exclude("column_0", "column_1", "column_2").sum())
        .sort("second")
        .collect()
    )
    return histogram_answer(sums["second"].to_numpy(), sums.to_numpy()[:, 1:])


def with_duckdb(folder: Path) -> Answer:
    import duckdb

    columns = {f"column_{number}": "BIGINT" for number in range(_COLUMNS)}
    names = ", ".join(
        f"sum(column_{number})::bigint" for number in range(_FIRST_BIN, _COLUMNS)
    )
    with duckdb.connect() as base:
        rows = base.execute(
            f"select (column_0 - {HALF_INTERVAL_MS}) // 1000 as second, {names} "
            f"from read_csv('{folder / PATTERN}', header=false, delim=', ', "
            f"columns={columns}) group by second order by second"
        ).fetchall()
    table = np.array(rows, dtype=np.int64)
    return histogram_answer(table[:, 0], table[:, 1:])


def with_plain_python(folder: Path) -> Answer:
    sums: dict[int, list[int]] = defaultdict(lambda: [0] * BIN_COUNT)
    for path in histogram_paths(folder):
        with path.open() as file:
            for line in file:
                time_ms, _, _, *counts = map(int, line.split(","))
                second = (time_ms - HALF_INTERVAL_MS) // 1000
                sums[second] = list(map(int.__add__, sums[second], counts))
    ordered = dict(sorted(sums.items()))
    return histogram_answer(np.array(list(ordered)), np.array(list(ordered.values())))

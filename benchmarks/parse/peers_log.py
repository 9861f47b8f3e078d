"""Readers of a latency log: percentiles and means a second, by direction."""

import csv
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.parse.answers import LEVELS, Answer, log_answer
from benchmarks.parse.make_log import HEAD_NAME, NAME

_NAMES = ("time", "value", "direction", "block_size", "offset", "priority")
_WIDTHS = ("int64", "int64", "int8", "int32", "int64")
_COLUMNS = [0, 1, 2]


def with_pandas_plainly(folder: Path) -> Answer:
    import pandas as pd

    frame = pd.read_csv(folder / NAME, names=list(_NAMES), skipinitialspace=True)
    frame["second"] = frame["time"] // 1000
    by_direction = frame.groupby("direction")["value"]
    levels = np.array(LEVELS) / 100
    quantiles = by_direction.quantile(levels, interpolation="higher")
    means = frame.groupby(["direction", "second"])["value"].mean()
    counts = by_direction.count().to_numpy()
    return {
        "counts": counts,
        "percentiles": quantiles.to_numpy().reshape(len(counts), -1),
        "means": means.to_numpy().reshape(len(counts), -1),
    }


def with_pandas_tuned(folder: Path) -> Answer:
    import pandas as pd

    frame = pd.read_csv(
        folder / NAME,
        header=None,
        usecols=_COLUMNS,
        dtype=dict(enumerate(_WIDTHS[:3])),
        engine="c",
        low_memory=False,
    )
    return log_answer(*(frame[column].to_numpy() for column in _COLUMNS))


def with_pyarrow(folder: Path) -> Answer:
    from pyarrow import csv as arrow_csv

    options = arrow_csv.ReadOptions(column_names=_NAMES)
    wanted = arrow_csv.ConvertOptions(include_columns=_NAMES[:3])
    table = arrow_csv.read_csv(
        folder / NAME, read_options=options, convert_options=wanted
    )
    return log_answer(*(np.asarray(column, np.int64) for column in table.columns))


def with_loadtxt(folder: Path) -> Answer:
    rows = np.loadtxt(folder / NAME, np.int64, delimiter=",", usecols=_COLUMNS)
    return log_answer(rows[:, 0], rows[:, 1], rows[:, 2])


def with_polars(folder: Path) -> Answer:
    """Return the answer by a lazy query, so that polars reads only what it needs."""
    import polars as pl

    value = pl.col("value")
    rows = pl.scan_csv(folder / NAME, has_header=False, schema=polars_schema())
    by_direction = rows.group_by("direction").agg(
        value.count().alias("count"),
        *(
            value.quantile(level / 100, "equiprobable").alias(str(level))
            for level in LEVELS
        ),
    )
    seconds = rows.group_by("direction", pl.col("time") // 1000).agg(value.mean())
    ends, means = pl.collect_all([
        by_direction.sort("direction"),
        seconds.sort("direction", "time"),
    ])
    return {
        "counts": ends["count"].to_numpy(),
        "percentiles": ends.select(map(str, LEVELS)).to_numpy(),
        "means": means["value"].to_numpy().reshape(ends.height, -1),
    }


def polars_schema() -> dict[str, Any]:
    import polars as pl

    types = [pl.Int64, pl.Int64, pl.Int8, pl.Int32, pl.Int64, pl.String]
    return dict(zip(_NAMES, types, strict=True))


def with_duckdb(folder: Path) -> Answer:
    import duckdb

    types = ("BIGINT", "BIGINT", "TINYINT", "INTEGER", "BIGINT", "VARCHAR")
    columns = dict(zip(_NAMES, types, strict=True))
    source = f"read_csv('{folder / NAME}', header=false, delim=', ', columns={columns})"
    levels = [level / 100 for level in LEVELS]
    with duckdb.connect() as base:
        base.execute(
            "create temp table log as "
            f"select direction, time // 1000 as second, value from {source}"
        )
        ends = base.execute(
            f"select count(*), quantile_disc(value, {levels}) from log "
            "group by direction order by direction"
        ).fetchall()
        means = base.execute(
            "select avg(value) as mean from log "
            "group by direction, second order by direction, second"
        ).fetchnumpy()["mean"]
    return {
        "counts": np.array([ios for ios, _ in ends]),
        "percentiles": np.array([percentiles for _, percentiles in ends]),
        "means": np.asarray(means).reshape(len(ends), -1),
    }


def with_plain_python(folder: Path) -> Answer:
    """Return the answer using lists, without any library."""
    values: dict[int, list[int]] = defaultdict(list)
    seconds: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
    with (folder / NAME).open() as file:
        for line in file:
            time_ms, value, direction = map(int, line.split(",", 3)[:3])
            values[direction].append(value)
            second = seconds[direction, time_ms // 1000]
            second[0] += value
            second[1] += 1
    ordered = [sorted(values[direction]) for direction in sorted(values)]
    means = [total / count for _, (total, count) in sorted(seconds.items())]
    return {
        "counts": np.array([len(column) for column in ordered]),
        "percentiles": np.array([_nearest_ranks(column) for column in ordered]),
        "means": np.array(means).reshape(len(ordered), -1),
    }


def _nearest_ranks(ordered: list[int]) -> list[int]:
    return [
        ordered[min(len(ordered), -int(-len(ordered) * level // 100)) - 1]
        for level in LEVELS
    ]


def with_rows_of_dicts(folder: Path) -> Answer:
    """Return the answer in fio-plot's manner, written anew: a dict a line.

    Each row is kept with all its columns as text, and read four times: by direction,
    for its time and for its value.
    """
    with (folder / HEAD_NAME).open(newline="") as file:
        rows = list(csv.DictReader(file, _NAMES, skipinitialspace=True, strict=True))
    return log_answer(
        np.array([int(row["time"]) for row in rows]),
        np.array([int(row["value"]) for row in rows]),
        np.array([int(row["direction"]) for row in rows]),
    )


def with_fio_plot(folder: Path) -> Answer:
    """Return the answer from what fio-plot's own reader hands to its charts."""
    from fio_plot.fiolib import dataimport

    source = {"filename": str(folder / HEAD_NAME)}
    rows = dataimport.readLogData({}, source)
    record = {"data": rows, "hostname": None, "filename": source}
    merged = dataimport.mergeSingleDataSet([record], "lat")[0]
    pairs = [np.array(merged[name]) for name in ("read", "write")]
    column = [np.concatenate([pair[:, place] for pair in pairs]) for place in (0, 1)]
    directions = np.repeat((0, 1), [len(pair) for pair in pairs])
    return log_answer(column[0].astype(np.int64), column[1], directions)


def frame_with_polars(folder: Path) -> Answer:
    import polars as pl

    frame = pl.read_csv(folder / NAME, has_header=False, schema=polars_schema())
    sums = frame.select(pl.col(_NAMES[:5]).cast(pl.Int64).sum())
    return {name: sums[name].to_numpy() for name in sums.columns}


def frame_with_pandas(folder: Path) -> Answer:
    import pandas as pd

    frame = pd.read_csv(
        folder / NAME,
        names=list(_NAMES),
        skipinitialspace=True,
        dtype=dict(zip(_NAMES[:5], _WIDTHS, strict=True)),
        engine="c",
        low_memory=False,
    )
    return {name: np.array([frame[name].sum()]) for name in _NAMES[:5]}

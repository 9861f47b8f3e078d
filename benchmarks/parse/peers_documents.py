"""Readers of json+ documents: a table of directions and a table of bins."""

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.parse.answers import Answer
from benchmarks.parse.make_documents import FOLDER

_DIRECTIONS = ("read", "write", "trim")
_KINDS = ("slat_ns", "clat_ns", "lat_ns")


def document_paths(folder: Path) -> list[Path]:
    return sorted((folder / FOLDER).glob("*.json"))


def only_read(folder: Path) -> Answer:
    size = sum(len(path.read_bytes()) for path in document_paths(folder))
    return {"size": np.array([size])}


def with_orjson_columns(folder: Path) -> Answer:
    import orjson

    return _with_columns(folder, orjson.loads)


def with_json_columns(folder: Path) -> Answer:
    return _with_columns(folder, json.loads)


def _with_columns(folder: Path, decode: Callable[[bytes], Any]) -> Answer:
    """Return the answer from columns: handwritten for this format only."""
    import pandas as pd

    keys: list[tuple[object, ...]] = []
    rows: list[tuple[object, ...]] = []
    values: list[str] = []
    counts: list[int] = []
    sizes: list[int] = []
    for place, side in _sides(folder, decode):
        rows.append((*place, side["total_ios"], side["iops"], side["io_bytes"]))
        for kind in _KINDS:
            bins = side[kind].get("bins", {})
            keys.append((*place, kind))
            values.extend(bins)
            counts.extend(bins.values())
            sizes.append(len(bins))
    names = ("file", "entry", "direction", "latency")
    columns = dict(zip(names, zip(*keys, strict=True), strict=True))
    bins_frame = pd.DataFrame({
        name: pd.Categorical(column).repeat(sizes) for name, column in columns.items()
    })
    bins_frame["lat_ns"] = np.array(values, dtype=np.int64)
    bins_frame["count"] = np.array(counts, dtype=np.int64)
    side_names = (*names[:3], "total_ios", "iops", "io_bytes")
    return documents_answer(pd.DataFrame(rows, columns=side_names), bins_frame)


def with_row_lists(folder: Path) -> Answer:
    """Return the answer of a simple version: a tuple per bin and per direction."""
    import pandas as pd

    rows: list[tuple[object, ...]] = []
    bins: list[tuple[object, ...]] = []
    for place, side in _sides(folder, json.loads):
        rows.append((*place, side["total_ios"], side["iops"], side["io_bytes"]))
        for kind in _KINDS:
            for lat_ns, count in side[kind].get("bins", {}).items():
                bins.append((*place, kind, int(lat_ns), count))
    names = ("file", "entry", "direction")
    return documents_answer(
        pd.DataFrame(rows, columns=[*names, "total_ios", "iops", "io_bytes"]),
        pd.DataFrame(bins, columns=[*names, "latency", "lat_ns", "count"]),
    )


def _sides(
    folder: Path, decode: Callable[[bytes], Any]
) -> Iterator[tuple[tuple[str, int, str], dict[str, Any]]]:
    for path in document_paths(folder):
        for entry, job in enumerate(decode(path.read_bytes())["jobs"]):
            for direction in _DIRECTIONS:
                yield (path.name, entry, direction), job[direction]


def documents_answer(sides: Any, bins: Any) -> Answer:
    """Return sums over both frames, to compare their contents."""
    counts = bins["count"].to_numpy().astype(np.int64)
    lat_ns = bins["lat_ns"].to_numpy().astype(np.int64)
    return {
        "sides": np.array([int((sides["total_ios"] > 0).sum())]),
        "total_ios": np.array([int(sides["total_ios"].sum())]),
        "iops": np.array([float(sides["iops"].sum())]),
        "bins": np.array([len(bins)]),
        "binned_ios": np.array([int(counts.sum())]),
        "binned_ns": np.array([float(lat_ns.astype(np.float64) @ counts)]),
    }


def with_duckdb(folder: Path) -> Answer:
    import duckdb

    source = f"read_json('{folder / FOLDER}/*.json', columns={{jobs: 'JSON[]'}})"
    unnested = " union all ".join(
        f"select number, job->'{direction}' as side, "
        f"job->'{direction}'->'{kind}'->'bins' as bins, '{kind}' as kind from jobs"
        for direction in _DIRECTIONS
        for kind in _KINDS
    )
    with duckdb.connect() as base:
        base.execute(
            "create temp table jobs as select row_number() over () as number, job "
            f"from (select unnest(jobs) as job from {source})"
        )
        sides = base.execute(
            " union all ".join(
                f"select (job->'{name}'->>'total_ios')::bigint as total_ios, "
                f"(job->'{name}'->>'iops')::double as iops from jobs"
                for name in _DIRECTIONS
            )
        ).df()
        bins = base.execute(
            f"with sides as ({unnested}), named as (select number, kind, bins, "
            "unnest(json_keys(bins)) as name from sides) "
            "select number, kind, name::bigint as lat_ns, "
            "json_extract(bins, name)::bigint as count from named"
        ).df()
    return documents_answer(sides, bins)


def clat2csv_answer(target: Path) -> Answer:
    """Return the content of the files of fio's tool, one row per latency."""
    bins, ios = 0, 0
    for path in target.glob("*.csv"):
        with path.open(newline="") as file:
            rows = csv.reader(file, skipinitialspace=True)
            names = next(rows)
            columns = [place for place, name in enumerate(names) if "_count" in name]
            counts = [
                int(row[place]) for row in rows for place in columns if row[place]
            ]
        bins += len(counts)
        ios += sum(counts)
    return {"bins": np.array([bins]), "binned_ios": np.array([ios])}

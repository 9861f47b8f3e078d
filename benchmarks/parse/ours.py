"""The same tasks by ssdlab, using only its public API."""

from pathlib import Path

import numpy as np

from benchmarks.parse.answers import LEVELS, Answer
from benchmarks.parse.make_log import HEAD_NAME, NAME
from benchmarks.parse.peers_documents import document_paths, documents_answer
from benchmarks.parse.peers_histogram import histogram_paths
from ssdlab.fio.histlogs.read import read_fio_histogram_log
from ssdlab.fio.logs.read import read_fio_log
from ssdlab.fio.read import read_fio


def with_log(folder: Path) -> Answer:
    return _log_answer(folder / NAME)


def with_head_of_log(folder: Path) -> Answer:
    return _log_answer(folder / HEAD_NAME)


def _log_answer(path: Path) -> Answer:
    log = read_fio_log(path)
    percentiles = log.percentiles(LEVELS)
    seconds = log.seconds().sort_values(["direction", "start_s"])
    directions = percentiles["direction"].nunique()
    return {
        "counts": percentiles["count"].to_numpy()[:: len(LEVELS)],
        "percentiles": percentiles["lat_ns"].to_numpy().reshape(directions, -1),
        "means": seconds["lat_mean_ns"].to_numpy().reshape(directions, -1),
    }


def frame_of_log(folder: Path) -> Answer:
    frame = read_fio_log(folder / NAME).frame
    return {
        "time": np.array([frame["time_ms"].sum()]),
        "value": np.array([frame["lat_ns"].sum()]),
        "direction": np.array([frame["direction"].cat.codes.astype("int64").sum()]),
        "block_size": np.array([frame["block_size_bytes"].sum()]),
        "offset": np.array([frame["offset_bytes"].sum()]),
    }


def with_documents(folder: Path) -> Answer:
    result = read_fio(document_paths(folder))
    return documents_answer(result.jobs, result.bins)


def with_histograms(folder: Path) -> Answer:
    log = read_fio_histogram_log(histogram_paths(folder))
    rows = log.percentiles(LEVELS)
    total = rows[rows["direction"] == "total"]
    first = total[total["percentile"] == LEVELS[0]]
    return {
        "seconds": np.rint(first["time_s"].to_numpy()).astype(np.int64) - 1,
        "counts": first["total_ios"].to_numpy(),
        "percentiles": total["lat_ns"].to_numpy().reshape(len(first), -1),
    }

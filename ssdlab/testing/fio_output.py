"""What fio 3.33 would have printed for a step, with the bins of json+."""

import json
from typing import Any

import numpy as np

from ssdlab.fio.bins import bin_index, bin_value
from ssdlab.model.spec import Workload
from ssdlab.model.step import Step
from ssdlab.testing.answer import Answer, Counts

_NOTHING = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
_MS_PER_S = 1000


def render_fio_output(
    step: Step, answer: Answer, *, ended_s: float, error: int = 0
) -> bytes:
    """Return the output of a step in which a drive gave this answer."""
    if step.workload is None:
        msg = f"step {step.step_id} does no IO"
        raise ValueError(msg)
    runtime_s = io_seconds(step, answer)
    ios = round(answer.iops * runtime_s)
    reads = round(ios * read_ratio(step.workload))
    counts = {"read": reads, "write": ios - reads, "trim": 0}
    sides = {
        name: _side(
            count,
            answer.latency_of(name).count(count),
            block_bytes=mean_block_bytes(step.workload),
            runtime_s=runtime_s,
        )
        for name, count in counts.items()
    }
    job = {"jobname": "cell", "groupid": 0, "error": error}
    said = {
        "fio version": "fio-3.33",
        "timestamp_ms": round(ended_s * _MS_PER_S),
        "jobs": [job | {"usr_cpu": 1.5, "sys_cpu": 2.5} | sides],
    }
    return json.dumps(said).encode()


def io_seconds(step: Step, answer: Answer) -> float:
    """Return how long a step does IO [s]: its time, or until its amount is done."""
    amount, ends_s = step.whole_amount_bytes, []
    if step.runtime_s is not None:
        ends_s.append(step.runtime_s)
    if amount is not None and step.workload is not None:
        ends_s.append(amount / (answer.iops * mean_block_bytes(step.workload)))
    return min(ends_s, default=0.0)


def mean_block_bytes(workload: Workload) -> float:
    """Return the mean size of an IO [B]."""
    if workload.streams:
        whole = sum(stream.share_percent for stream in workload.streams)
        parts = (one.block_size_bytes * one.share_percent for one in workload.streams)
        return sum(parts) / whole
    if workload.composite is not None:
        return workload.composite.mean_block_bytes
    return float(workload.block_size_bytes)


def read_ratio(workload: Workload) -> float:
    """Return the share of IOs that read."""
    if not workload.streams:
        return workload.read_percent / 100
    whole = sum(stream.share_percent for stream in workload.streams)
    return sum(one.share_percent for one in workload.streams if one.is_read) / whole


def _side(
    ios: int, counted: Counts, *, block_bytes: float, runtime_s: float
) -> dict[str, Any]:
    """Return the output of fio for a direction."""
    moved = round(ios * block_bytes)
    return {
        "io_bytes": moved,
        "bw_bytes": int(moved / runtime_s) if ios else 0,
        "iops": ios / runtime_s if ios else 0.0,
        "runtime": round(runtime_s * _MS_PER_S) if ios else 0,
        "total_ios": ios,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": _NOTHING,
        "clat_ns": _NOTHING,
        "lat_ns": _latency(*counted) if ios else _NOTHING,
    }


def _latency(lat_ns: Any, counts: Any) -> dict[str, Any]:
    ios = int(counts.sum())
    mean_ns = float(counts @ lat_ns) / ios
    variance = float(counts @ (lat_ns - mean_ns) ** 2) / ios
    names, places = np.unique(bin_index(lat_ns), return_inverse=True)
    held = np.bincount(places, weights=counts).astype(np.int64)
    return {
        "min": int(lat_ns[0]),
        "max": int(lat_ns[-1]),
        "mean": mean_ns,
        "stddev": variance**0.5,
        "N": ios,
        "bins": dict(zip(map(str, bin_value(names)), held.tolist(), strict=True)),
    }

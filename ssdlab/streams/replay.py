"""What a replay and an OIO sweep of captured streams measured: RWSW PTS.

ssdlab experimental, not the RWSW standard.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

import pandas as pd

from ssdlab.stats.knee import find_efficient, find_knee
from ssdlab.streams.kept import keep_streams, measure_kept, streams_of
from ssdlab.streams.mix import expand_mix, misplaced_percent, mix_streams

if TYPE_CHECKING:
    from ssdlab.model.capture import Capture, CaptureStep
    from ssdlab.model.spec import Workload

_STEP_PHASE = r"step-(\d+)"
_OIO_PHASE = r"oio-\d+"
_NO_STEP: dict[str, object] = dict.fromkeys(
    (
        *("native_iops", "native_bw_bytes_per_s", "ios_percent", "bytes_percent"),
        *("written_bytes_percent", "captured_read_percent", "applied_read_percent"),
        *("misplaced_ios_percent", "misplaced_bytes_percent"),
    ),
    math.nan,
)
_VALUES = ("iops", "bw_bytes_per_s", "lat_mean_ns", "lat_max_ns")


def summarise_replay(
    measurements: pd.DataFrame,
    capture: "Capture",
    *,
    applied: Mapping[int, "Workload"],
) -> pd.DataFrame:
    """Compare what each replayed step measured with what was captured."""
    native = pd.DataFrame([
        {
            "step": step.number,
            "start_s": step.start_s,
            "duration_s": step.duration_s,
            "native_queue_depth": step.queue_depth,
            "captured_iops": step.iops,
            **_native(step, applied.get(step.number)),
        }
        for step in capture.busy_steps
    ])
    rows = _long_runs(measurements, _STEP_PHASE)
    number = rows["phase"].str.extract(_STEP_PHASE, expand=False)
    rows = rows.assign(step=number.astype("int64"))
    names = ["step", "oio", "runtime_s", *_VALUES]
    table = native.merge(rows[names], on="step", how="left")
    table["iops_ratio"] = table["iops"].astype(float) / table["native_iops"]
    return table


def _native(step: "CaptureStep", workload: "Workload | None") -> dict[str, object]:
    """Return the applied part of a step, and what the applied streams did in it."""
    if workload is None:
        return _NO_STEP
    streams = streams_of(workload)
    kept = keep_streams(step.streams, streams)
    moved = sum(stream.ios * stream.block_size_bytes for stream in kept)
    made = expand_mix(mix_streams(streams)) if len(streams) > 1 else streams
    return {
        "native_iops": sum(stream.ios for stream in kept) / step.duration_s,
        "native_bw_bytes_per_s": moved / step.duration_s,
        **asdict(measure_kept(step.streams, streams)),
        "misplaced_ios_percent": misplaced_percent(streams, made),
        "misplaced_bytes_percent": misplaced_percent(streams, made, of="bytes"),
    }


def summarise_sweep(measurements: pd.DataFrame) -> pd.DataFrame:
    """Return what each point of an OIO sweep measured, with its knee."""
    rows = _long_runs(measurements, _OIO_PHASE).sort_values("oio")
    names = ["oio", "threads", "queue_depth", *_VALUES]
    table = rows[names].reset_index(drop=True).assign(is_knee=False)
    rates, times = table["iops"].astype(float), table["lat_mean_ns"].astype(float)
    table["is_efficient"] = find_efficient(rates, times)
    knee = find_knee(rates, times)
    if knee is not None:
        table.loc[knee, "is_knee"] = True
    return table


def _long_runs(measurements: pd.DataFrame, phase: str) -> pd.DataFrame:
    """Return the merged rows of the long runs whose phase is of a form."""
    chosen = measurements[
        (measurements["kind"] == "histogram")
        & (measurements["direction"] == "total")
        & measurements["phase"].astype("string").str.fullmatch(phase)
    ]
    return chosen.assign(oio=chosen["threads"] * chosen["queue_depth"])

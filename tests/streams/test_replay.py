"""Replays beside their capture, and sweeps with their knee."""

import pandas as pd
import pytest

from ssdlab.model.capture import Capture, CaptureStep, StreamCount
from ssdlab.model.spec import IoStream, Workload
from ssdlab.streams.replay import summarise_replay, summarise_sweep

READS = Workload(
    access="rnd", block_size_bytes=4096, read_percent=100, threads=1, queue_depth=2
)


def rows(phases: dict[str, tuple[int, int, float, float]]) -> pd.DataFrame:
    """Return measurements: threads, depth, IOPS and response time [ns] by phase."""
    return pd.DataFrame([
        {
            "phase": phase,
            "kind": "histogram",
            "direction": "total",
            "threads": threads,
            "queue_depth": depth,
            "runtime_s": 2.0,
            "iops": iops,
            "bw_bytes_per_s": 4096 * iops,
            "lat_mean_ns": lat,
            "lat_max_ns": 2 * lat,
        }
        for phase, (threads, depth, iops, lat) in phases.items()
    ])


def capture() -> Capture:
    stream = StreamCount(access="rnd", block_size_bytes=4096, is_read=True, ios=600)
    return Capture(
        name="made",
        steps=tuple(
            CaptureStep(
                number=number,
                start_s=60.0 * number,
                duration_s=60.0,
                queue_depth=2.5,
                streams=() if number == 2 else (stream,),
            )
            for number in (1, 2, 3)
        ),
    )


def test_replay_stands_beside_native_values() -> None:
    """600 IOs of 4 KiB in 60 s are 10 IOPS; the replay did 40."""
    frame = summarise_replay(
        rows({"step-0001": (1, 2, 40.0, 5e4), "fill": (1, 32, 9.0, 1.0)}),
        capture(),
        applied={1: READS, 3: READS},
    )
    assert frame["step"].tolist() == [1, 3]
    assert frame["native_iops"].tolist() == [10.0, 10.0]
    assert frame["native_bw_bytes_per_s"].tolist() == [40960.0, 40960.0]
    first, missing = frame.iloc[0], frame.iloc[1]
    assert (first["iops"], first["iops_ratio"], first["oio"]) == (40.0, 4.0, 2)
    assert pd.isna(missing["iops"])
    assert pd.isna(missing["iops_ratio"])


def test_native_values_are_of_the_applied_streams_alone() -> None:
    """85 reads of 4 KiB and 15 writes of 64 KiB in 10 s, of which reads are applied."""
    written = StreamCount(access="rnd", block_size_bytes=65536, is_read=False, ios=15)
    read = StreamCount(access="rnd", block_size_bytes=4096, is_read=True, ios=85)
    step = CaptureStep(
        number=1, start_s=0, duration_s=10, queue_depth=4, streams=(read, written)
    )
    frame = summarise_replay(
        rows({"step-0001": (1, 4, 17.0, 5e4)}),
        Capture(name="made", steps=(step,)),
        applied={1: READS},
    )
    row = frame.iloc[0]
    assert (row["captured_iops"], row["native_iops"]) == (10.0, 8.5)
    assert row["native_bw_bytes_per_s"] == 8.5 * 4096
    assert row["iops_ratio"] == 2.0
    assert row["ios_percent"] == 85
    assert row["bytes_percent"] == pytest.approx(100 * 85 / (85 + 15 * 16))
    assert row["written_bytes_percent"] == 0
    assert (row["captured_read_percent"], row["applied_read_percent"]) == (85, 100)
    assert (row["misplaced_ios_percent"], row["misplaced_bytes_percent"]) == (0, 0)


def test_native_values_are_missing_where_the_applied_streams_are_not_known() -> None:
    frame = summarise_replay(
        rows({"step-0001": (1, 2, 40.0, 5e4)}), capture(), applied={}
    )
    names = ["native_iops", "ios_percent", "iops_ratio", "misplaced_ios_percent"]
    assert frame[names].isna().all().all()
    assert frame["iops"].tolist()[:1] == [40.0]


def test_misplaced_ios_of_a_step_are_those_of_its_mix() -> None:
    """Half RND reads of 4 KiB, half RND writes of 8 KiB: one job has both exactly."""
    streams = (
        IoStream(access="rnd", block_size_bytes=4096, is_read=True, share_percent=50),
        IoStream(access="rnd", block_size_bytes=8192, is_read=False, share_percent=50),
    )
    mixed = Workload(
        access="rnd",
        block_size_bytes=0,
        read_percent=50,
        threads=1,
        queue_depth=2,
        streams=streams,
    )
    frame = summarise_replay(
        rows({"step-0001": (1, 2, 40.0, 5e4)}), capture(), applied={1: mixed}
    )
    assert frame["misplaced_ios_percent"].tolist()[0] == pytest.approx(0)


def test_sweep_is_ordered_and_has_its_knee() -> None:
    """By hand, both scaled to 0 to 1: gains 0, 0.617, 0.633 and 0."""
    frame = summarise_sweep(
        rows({
            "oio-8": (1, 8, 400.0, 1.1e7),
            "oio-4": (1, 4, 350.0, 3e6),
            "oio-2": (1, 2, 300.0, 1.5e6),
            "oio-1": (1, 1, 100.0, 1e6),
            "saturation": (1, 32, 999.0, 1.0),
        })
    )
    assert frame["oio"].tolist() == [1, 2, 4, 8]
    assert frame.loc[frame["is_knee"], "oio"].tolist() == [4]
    assert frame["is_efficient"].all()


def test_sweep_without_points_is_empty() -> None:
    frame = summarise_sweep(rows({"saturation": (1, 32, 9.0, 1.0)}))
    assert frame.empty
    assert frame.columns.tolist()[:2] == ["oio", "threads"]


def test_sum_of_oio_is_threads_times_depth() -> None:
    frame = summarise_sweep(rows({"oio-256": (2, 128, 9.0, 1.0)}))
    assert frame["oio"].tolist() == [256]
    assert frame["lat_max_ns"].tolist() == [pytest.approx(2.0)]

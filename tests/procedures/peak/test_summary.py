"""Rates of single jobs: what fio counts, and what was completed."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.units import MIB
from ssdlab.procedures.peak.summary import (
    _fio_kb_per_s,
    guide_mb_per_s,
    summarise_peak_jobs,
)


def job(**values: object) -> dict[str, object]:
    return {
        "run_id": "r",
        "step_id": "1",
        "direction": "total",
        "phase": "job-02",
        "access": "rnd",
        "block_size_bytes": 4096,
        "read_percent": 0,
        "threads": 4,
        "queue_depth": 128,
        "total_ios": 1000,
        "io_bytes": 4096 * 1000,
        "runtime_s": 2.0,
        "iops": 500.0,
        "bw_bytes_per_s": 4096 * 500.0,
        "lat_mean_ns": 1e6,
        "lat_max_ns": 9e6,
        **values,
    }


def levels(step_id: str, *, four: float, is_supported: bool) -> list[dict[str, object]]:
    where = {"run_id": "r", "step_id": step_id}
    return [
        {
            **where,
            "direction": direction,
            "percentile": level,
            "lat_ns": value if direction == "total" else -1.0,
            "is_supported": supported,
        }
        for direction in ("write", "total")
        for level, value, supported in (
            (99.0, 2e6, True),
            (99.9, 3e6, True),
            (99.99, four, is_supported),
        )
    ]


def bins(*counts: int, step_id: str = "1") -> pd.DataFrame:
    """Return a histogram: the write rows and the same in total."""
    rows = [
        {"run_id": "r", "step_id": step_id, "direction": direction, "count": count}
        for direction in ("write", "total")
        for count in counts
    ]
    return pd.DataFrame(rows, columns=["run_id", "step_id", "direction", "count"])


def test_example_of_the_guide_is_reproduced() -> None:
    """479,075 IOPS of 512 B; fio 2.0.8 printed 239540KB/s, HGST/WD, 17 April 2018."""
    bytes_per_s = 479_075 * 512
    assert _fio_kb_per_s(bytes_per_s) == 239_537.5
    assert _fio_kb_per_s(bytes_per_s) == pytest.approx(239_540, abs=5)
    assert guide_mb_per_s(bytes_per_s) == pytest.approx(233.923, abs=1e-3)
    # 7018.6 MB in 30,001 ms, at the guide's MB of 1,024 KB
    assert guide_mb_per_s(bytes_per_s) * 30.001 == pytest.approx(7018.6, abs=1)


@given(st.floats(1, 1e12))
def test_guide_s_megabytes_are_fewer_than_decimal_ones_by_one_ratio(
    rate: float,
) -> None:
    assert guide_mb_per_s(rate) == pytest.approx(rate / 1e6 * 1e6 / 1024**2)
    assert guide_mb_per_s(rate) == pytest.approx(rate / MIB)


def test_ios_are_those_of_the_histogram_where_a_ramp_made_counts_differ() -> None:
    """As fio 3.33 says of 4 x 128 IOs of 1 MiB: 64 submitted since, 572 completed.

    Four jobs, each with three IOs more in the batch in which its ramp ended.
    """
    said = job(
        block_size_bytes=MIB,
        total_ios=64,
        io_bytes=572 * MIB,
        runtime_s=18.268,
        iops=64 / 18.268,
        bw_bytes_per_s=572 * MIB / 18.268,
    )
    frame = summarise_peak_jobs(
        pd.DataFrame([said]),
        pd.DataFrame(levels("1", four=4e6, is_supported=True)),
        bins(500, 60),
    )
    found = frame.iloc[0]
    assert found["total_ios"] == 560
    assert found["ios_by_bytes"] == 572
    assert found["iops"] == pytest.approx(560 / 18.268)
    assert found["bw_bytes_per_s"] == said["bw_bytes_per_s"]
    assert (found["fio_total_ios"], found["fio_iops"]) == (
        64,
        pytest.approx(3.5034, abs=1e-4),
    )


def test_levels_are_of_all_directions_and_say_what_stands_behind_them() -> None:
    rows = [job(step_id="1"), job(step_id="2", phase="job-03")]
    said = levels("1", four=4e6, is_supported=False)
    said += levels("2", four=5e6, is_supported=True)
    frame = summarise_peak_jobs(pd.DataFrame(rows), pd.DataFrame(said), bins(9))
    assert list(frame["phase"]) == ["job-02", "job-03"]
    assert list(frame["lat_two_nines_ns"]) == [2e6, 2e6]
    assert list(frame["lat_four_nines_ns"]) == [4e6, 5e6]
    assert list(frame["is_four_nines_supported"]) == [False, True]
    assert list(frame["is_two_nines_supported"]) == [True, True]


def test_only_the_row_of_all_directions_counts() -> None:
    rows = [job(), job(direction="write", iops=1.0)]
    said = pd.DataFrame(levels("1", four=4e6, is_supported=True))
    frame = summarise_peak_jobs(pd.DataFrame(rows), said, bins(7, 3))
    assert len(frame) == 1
    assert frame.iloc[0]["fio_iops"] == 500
    assert frame.iloc[0]["total_ios"] == 10


def test_what_was_not_measured_is_missing() -> None:
    row = job(
        iops=math.nan, bw_bytes_per_s=math.nan, total_ios=None, lat_mean_ns=math.nan
    )
    none = pd.DataFrame(levels("other", four=1.0, is_supported=True))
    found = summarise_peak_jobs(pd.DataFrame([row]), none, bins()).iloc[0]
    for name in ("iops", "total_ios", "fio_iops", "fio_total_ios", "lat_mean_ns"):
        assert pd.isna(found[name]), name
    assert pd.isna(found["lat_four_nines_ns"])
    assert pd.isna(found["is_four_nines_supported"])


@given(st.integers(1, 10**6), st.integers(1, 512), st.floats(0.01, 100))
def test_iops_times_block_size_is_the_data_rate_where_both_counts_agree(
    ios: int, sectors: int, seconds: float
) -> None:
    size = 512 * sectors
    said = job(
        block_size_bytes=size,
        io_bytes=ios * size,
        bw_bytes_per_s=ios * size / seconds,
        runtime_s=seconds,
    )
    none = pd.DataFrame(levels("1", four=1.0, is_supported=True))
    found = summarise_peak_jobs(pd.DataFrame([said]), none, bins(ios)).iloc[0]
    assert found["total_ios"] == found["ios_by_bytes"] == ios
    assert found["iops"] * size == pytest.approx(found["bw_bytes_per_s"])

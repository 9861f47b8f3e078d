"""What jobs are offered, and their results by hand."""

import math

import pandas as pd
import pytest

from ssdlab.fio.jobs.file_jobs import read_file_jobs
from ssdlab.procedures.jobs.open_loop import offered_iops
from ssdlab.procedures.jobs.summary import Side, summarise_sides


def offered(text: str) -> float:
    (found,) = read_file_jobs(text, source="mine.fio")
    return offered_iops(found.workload)


@pytest.mark.parametrize(
    ("text", "iops"),
    [
        ("[a]\nrw=read\nrate_iops=100\n", 100),
        ("[a]\nrw=write\nrate_iops=1k,200\n", 200),
        ("[a]\nrw=read\nrate_iops=1k,200\nnumjobs=3\n", 3072),
        ("[a]\nrw=read\nrate_iops=100\n[b]\nrw=write\nrate_iops=50\n", 150),
    ],
)
def test_offered_iops_are_the_limits_of_all_threads(text: str, iops: float) -> None:
    assert offered(text) == iops


@pytest.mark.parametrize(
    "text",
    [
        "[a]\nrw=read\n",
        "[a]\nrw=write\nrate_iops=100,\n",
        "[a]\nrw=randrw\nrate_iops=100\n",
        "[a]\nrw=read\nrate_iops=100\n[b]\nrw=write\n",
    ],
)
def test_where_one_job_has_no_limit_nothing_is_said(text: str) -> None:
    assert math.isnan(offered(text))


def test_side_has_means_of_rounds_weighted_by_ios_and_levels_of_all_bins() -> None:
    rounds = pd.DataFrame({
        "step_id": ["s1", "s2"],
        "round": [1, 2],
        "iops": [100.0, 200.0],
        "bw_bytes_per_s": [4e5, 8e5],
        "total_ios": [100, 300],
        "lat_mean_ns": [1000.0, 2000.0],
        "lat_min_ns": [900.0, 900.0],
        "lat_max_ns": [5000.0, 9000.0],
        "clat_min_ns": [math.nan] * 2,
        "clat_max_ns": [math.nan] * 2,
    })
    bins = pd.DataFrame(
        {"step_id": step, "lat_ns": lat, "lat_lower_ns": lat, "lat_upper_ns": lat + 1}
        | {"direction": "read", "count": count}
        for step, lat, count in (
            *(("s1", 1000, 100), ("s2", 1000, 290), ("s2", 9000, 10)),
        )
    )
    side = Side(job="a", direction="read", rounds=rounds, bins=bins)
    (row,) = summarise_sides((side,), (50.0, 97.6)).to_dict("records")
    assert row["iops"] == 150
    assert row["bw_bytes_per_s"] == 6e5
    assert row["lat_mean_ns"] == (100 * 1000 + 300 * 2000) / 400
    assert row["lat_max_ns"] == 9000
    assert row["total_ios"] == 400
    assert row["lat_two_nines_ns"] == 9000  # 396 of 400, and 390 are of 1000 ns
    assert row["p50_ns"] == 1000
    assert row["p97.6_ns"] == 9000  # 390.4 of 400
    assert row["is_p50_ns_supported"]

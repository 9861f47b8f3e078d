"""Intervals between documents that accumulate hold the IOs of their time alone."""

import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.fio.frames.intervals import FioIntervals, true_intervals
from ssdlab.fio.frames.result import FioResult, tabulate
from ssdlab.fio.installed import require_fio
from ssdlab.fio.read import read_fio
from ssdlab.stats.latency import LatencySummary, merge_summaries
from tests.fio.made import Did, bins_of, document_of, job_of, summary_of
from tests.fio.samples import captured
from tests.paths import FIO_SAMPLES, require_folder

BIN_KEYS = ["entry", "direction", "latency", "lat_ns"]
SERIES = ["file", "run", "entry", "direction"]


def run_of(*intervals: Sequence[int], step_ms: int = 500) -> FioResult:
    """Return a run whose documents hold all latencies up to the end of an interval."""
    done: list[int] = []
    documents = []
    for number, values in enumerate(intervals, start=1):
        done.extend(values)
        did = Did(lat_ns=tuple(done), runtime_ms=number * step_ms)
        documents.append(
            document_of(job_of("a", did), timestamp_s=1e9 + number * step_ms / 1000)
        )
    return tabulate([documents])


def intervals_of(result: FioResult) -> FioIntervals:
    return true_intervals(result.jobs, result.bins, result.documents)


def with_jobs(result: FioResult, **columns: Any) -> FioResult:
    return replace(result, jobs=result.jobs.assign(**columns))


def test_interval_is_the_difference_as_by_hand() -> None:
    found = intervals_of(run_of((100, 300), (1000, 1200, 1400), (400, 402)))
    jobs = found.jobs
    assert jobs["document"].tolist() == [0, 1, 2]
    assert jobs["from_ms"].tolist() == [0, 500, 1000]
    assert jobs["to_ms"].tolist() == [500, 1000, 1500]
    assert jobs["runtime_ms"].tolist() == [500, 500, 500]
    assert jobs["total_ios"].tolist() == [2, 3, 2]
    assert jobs["io_bytes"].tolist() == [8192, 12288, 8192]
    assert jobs["iops"].tolist() == [4, 6, 4]
    assert jobs["bw_bytes_per_s"].tolist() == [16384, 24576, 16384]
    assert jobs["lat_mean_ns"].tolist() == pytest.approx([200, 1200, 401])
    spread = [20_000**0.5, 200, 2**0.5]
    assert jobs["lat_stddev_ns"].tolist() == pytest.approx(spread, rel=1e-6)
    assert found.issues.empty


def test_least_and_greatest_are_known_where_they_changed() -> None:
    jobs = intervals_of(run_of((100, 300), (50, 200), (60, 900), (61, 62))).jobs
    assert jobs["lat_min_ns"].tolist() == pytest.approx(
        [100, 50, np.nan, np.nan], nan_ok=True
    )
    assert jobs["lat_max_ns"].tolist() == pytest.approx(
        [300, np.nan, 900, np.nan], nan_ok=True
    )


def test_interval_without_io_has_a_rate_of_0_and_no_latency() -> None:
    row = intervals_of(run_of((100, 300), ())).jobs.iloc[1]
    assert (row["total_ios"], row["iops"]) == (0, 0)
    names = [f"lat_{what}_ns" for what in ("min", "mean", "stddev", "max")]
    assert row[names].isna().all()


def test_interval_of_no_time_has_no_rate() -> None:
    """As where a job has ended and others go on."""
    result = run_of((100, 300), ())
    result = with_jobs(result, runtime_ms=pd.array([500, 500], dtype="Int64"))
    row = intervals_of(result).jobs.iloc[1]
    assert (row["runtime_ms"], row["total_ios"]) == (0, 0)
    assert np.isnan(row["iops"])
    assert np.isnan(row["bw_bytes_per_s"])


@pytest.mark.parametrize("name", ["total_ios", "runtime_ms", "io_bytes"])
def test_counter_that_went_back_is_missing_and_named(name: str) -> None:
    result = run_of((1, 2), (3, 4), (5, 6), (7, 8))
    held = result.jobs[name].to_numpy(np.int64)
    column = pd.array([held[0], held[1], 1, held[3]], dtype="Int64")
    found = intervals_of(with_jobs(result, **{name: column}))
    assert found.issues["kind"].tolist() == ["counted-again"]
    assert found.issues["is_grave"].all()
    (meaning,) = found.issues["meaning"]
    assert meaning.startswith(f"{name} decreased")
    assert found.issues["place"].str.contains("document=2").all()
    row = found.jobs.iloc[2]
    assert row[["total_ios", "io_bytes", "runtime_ms", "iops"]].isna().all()
    assert row[["lat_min_ns", "lat_mean_ns", "lat_max_ns"]].isna().all()
    assert set(found.bins["document"]) == {0, 1, 3}
    assert found.jobs.iloc[[0, 1, 3]]["total_ios"].notna().all()


def test_latency_after_ios_without_any_is_a_new_beginning() -> None:
    """``ramp_time`` ended between the two: the IOs of the first are forgotten."""
    ramp = Did(lat_ns=(1,) * 10, runtime_ms=500, kinds=())
    after = Did(lat_ns=(2,) * 30, runtime_ms=1500)
    result = tabulate([
        [
            document_of(job_of("a", ramp), timestamp_s=1e9 + 0.1),
            document_of(job_of("a", after), timestamp_s=1e9 + 1.1),
        ]
    ])
    found = intervals_of(result)
    assert found.issues["meaning"].str.startswith("latency began after").all()
    assert found.jobs["total_ios"].isna().tolist() == [False, True]


def test_entry_that_became_another_job_is_not_its_continuation() -> None:
    result = run_of((1, 2), (3, 4))
    found = intervals_of(with_jobs(result, job_name=["a", "b"]))
    assert found.issues["kind"].tolist() == ["counted-again"]
    assert found.jobs["iops"].isna().tolist() == [False, True]


def test_bin_that_went_back_leaves_no_bins_and_no_percentiles() -> None:
    result = run_of((5, 6), (5, 7))
    late = result.bins["document"] == 1
    result.bins.loc[late & (result.bins["lat_ns"] == 6), "count"] = 0
    found = intervals_of(result)
    assert found.issues["kind"].tolist() == ["bins-lost"]
    assert found.bins["document"].unique().tolist() == [0]
    assert found.percentiles["document"].unique().tolist() == [0]
    assert found.jobs["total_ios"].tolist() == [2, 2]


def test_one_document_is_an_interval_since_the_start() -> None:
    result = read_fio(captured("randrw.json"))
    found = intervals_of(result)
    for name in ("total_ios", "io_bytes", "iops", "lat_mean_ns", "lat_stddev_ns"):
        busy = result.jobs["total_ios"] > 0
        was, now = result.jobs.loc[busy], found.jobs[found.jobs["total_ios"] > 0]
        assert sorted(now[name]) == pytest.approx(sorted(was[name]), nan_ok=True)
    assert found.bins["count"].sum() == result.bins["count"].sum()
    assert found.issues.empty


def test_nothing_has_no_intervals() -> None:
    empty = tabulate([])
    found = intervals_of(empty)
    for frame in (found.jobs, found.bins, found.percentiles, found.issues):
        assert frame.empty


def test_what_is_missing_stays_missing() -> None:
    result = run_of((1, 2), (3, 4), (5, 6))
    unknown = with_jobs(result, total_ios=pd.array([2, None, 6], dtype="Int64"))
    jobs = intervals_of(unknown).jobs
    assert jobs["total_ios"].isna().tolist() == [False, True, True]
    assert jobs["iops"].isna().tolist() == [False, True, True]
    assert jobs["io_bytes"].tolist() == [8192, 8192, 8192]
    assert jobs["lat_mean_ns"].isna().tolist() == [False, True, True]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.lists(st.integers(1, 10**8), min_size=2, max_size=40),
        min_size=1,
        max_size=5,
    )
)
def test_each_interval_is_that_of_its_own_ios(parts: list[list[int]]) -> None:
    found = intervals_of(run_of(*parts))
    assert found.issues.empty
    for place, values in enumerate(parts):
        row, truth = found.jobs.iloc[place], summary_of(values)
        assert row["total_ios"] == len(values)
        assert row["lat_mean_ns"] == pytest.approx(truth.mean_ns, rel=1e-6)
        if not np.isnan(row["lat_stddev_ns"]):
            most = max(map(max, parts))
            assert row["lat_stddev_ns"] == pytest.approx(
                truth.stddev_ns, rel=1e-3, abs=1e-3 * most
            )
        bins = found.bins[found.bins["document"] == place]
        assert bins["lat_ns"].tolist() == bins_of(values).lat_ns.tolist()
        assert bins["count"].tolist() == bins_of(values).counts.tolist()


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.lists(st.integers(1, 10**8), min_size=2, max_size=40),
        min_size=1,
        max_size=5,
    )
)
def test_all_intervals_make_the_last_document(parts: list[list[int]]) -> None:
    result = run_of(*parts)
    assert_sum_is_the_result(result, intervals_of(result))


def assert_sum_is_the_result(result: FioResult, found: FioIntervals) -> None:
    """Intervals add up to the last document, where no counter decreased."""
    last = result.jobs[result.jobs["is_result"] & (result.jobs["direction"] != "sync")]
    again = found.issues["kind"] == "counted-again"
    assert not again.any()
    names = ["total_ios", "io_bytes", "runtime_ms"]
    sums = found.jobs.groupby(["entry", "direction"])[names].sum()
    wanted = last.set_index(["entry", "direction"])[names].sort_index()
    pd.testing.assert_frame_equal(sums, wanted, check_index_type=False)
    bins = result.bins.merge(
        last[["file", "document", "entry", "direction"]],
        on=["file", "document", "entry", "direction"],
    )
    counted = found.bins.groupby(BIN_KEYS, observed=True)["count"].sum().sort_index()
    of_last = bins.groupby(BIN_KEYS, observed=True)["count"].sum().sort_index()
    assert counted.tolist() == of_last[of_last > 0].tolist()
    for row in last[last["total_ios"] > 0].to_dict("records"):
        own = found.jobs[
            (found.jobs["entry"] == row["entry"])
            & (found.jobs["direction"] == row["direction"])
            & (found.jobs["total_ios"] > 0)
        ]
        assert_moments_add_up({str(k): v for k, v in row.items()}, own)


def assert_moments_add_up(whole: dict[str, Any], own: pd.DataFrame) -> None:
    for kind in ("slat", "clat", "lat"):
        mean = whole[f"{kind}_mean_ns"]
        if np.isnan(mean) or own[f"{kind}_mean_ns"].isna().any():
            continue
        pooled = merge_summaries([
            LatencySummary(
                min_ns=0,
                mean_ns=row[f"{kind}_mean_ns"],
                stddev_ns=np.nan_to_num(row[f"{kind}_stddev_ns"]),
                max_ns=0,
                count=int(row["total_ios"]),
            )
            for row in own.to_dict("records")
        ])
        assert pooled.mean_ns == pytest.approx(mean, rel=1e-6)
        if own[f"{kind}_stddev_ns"].notna().all():
            spread = whole[f"{kind}_stddev_ns"]
            assert pooled.stddev_ns == pytest.approx(spread, rel=1e-4)


def test_documents_of_others_in_one_file_make_intervals() -> None:
    folder = require_folder(FIO_SAMPLES) / "local_fio333"
    result = read_fio(folder / "status_interval_concatenated.json")
    found = intervals_of(result)
    reads = found.jobs[found.jobs["direction"] == "read"]
    ios = [1782953, 4236396 - 1782953, 6419232 - 4236396, 6651469 - 6419232]
    assert reads["total_ios"].tolist() == ios
    assert reads["runtime_ms"].tolist() == [896, 1000, 1000, 105]
    rates = [1000 * n / ms for n, ms in zip(ios, [896, 1000, 1000, 105], strict=True)]
    assert reads["iops"].tolist() == pytest.approx(rates)
    assert_sum_is_the_result(result, found)


def fio_documents(folder: Path, *jobs: str, interval: str = "200ms") -> FioResult:
    said = folder / "said.json"
    subprocess.run(
        [
            require_fio()[0],
            "--output-format=json+",
            f"--status-interval={interval}",
            f"--output={said}",
            "--ioengine=null",
            "--size=64g",
            "--bs=4k",
            "--time_based",
            *jobs,
        ],
        check=True,
    )
    return read_fio(said)


@pytest.mark.fio
def test_intervals_of_a_run_add_up_to_its_result(tmp_path: Path) -> None:
    result = fio_documents(
        tmp_path,
        *("--name=a", "--rw=randrw", "--numjobs=2", "--rate_iops=3000"),
        *("--runtime=900ms", "--name=b", "--stonewall", "--rw=write"),
        *("--rate_iops=3000", "--runtime=500ms"),
    )
    assert len(result.documents) >= 5
    assert set(result.documents["run"]) == {0}
    found = intervals_of(result)
    assert_sum_is_the_result(result, found)
    busy = found.jobs[found.jobs["total_ios"] > 300]
    assert len(busy) >= 8
    assert 2400 < busy["iops"].median() < 3600  # one alone may catch up on another
    assert busy["iops"].between(600, 15_000).all()
    waiting = found.jobs[(found.jobs["job_name"] == "b") & (found.jobs["document"] < 3)]
    assert waiting["iops"].isna().all()


@pytest.mark.fio
def test_end_of_a_ramp_is_a_new_beginning_in_a_real_run(tmp_path: Path) -> None:
    result = fio_documents(
        tmp_path,
        *("--name=a", "--rw=read", "--rate_iops=2000", "--ramp_time=1"),
        "--runtime=1300ms",
    )
    found = intervals_of(result)
    assert found.issues["kind"].tolist() == ["counted-again"]
    rates = found.jobs.loc[found.jobs["direction"] == "read", "iops"]
    assert rates.isna().sum() >= 1
    # On a busy host an interval may be of one millisecond: most are near the rate.
    assert rates.dropna().between(1500, 2600).mean() > 0.5

"""Merged numbers are those of all IOs together, or missing with a reason."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.fio.document import FioDocument
from ssdlab.fio.frames.merge import MergedFio, Timing, merge_jobs
from ssdlab.fio.frames.result import FioResult, tabulate
from ssdlab.fio.read import read_fio
from ssdlab.stats.latency import is_supported, merge_bins, percentiles_from_bins
from tests.fio.made import Did, bins_of, document_of, job_of, summary_of
from tests.paths import FIO_SAMPLES, require_folder

LEVELS = (50.0, 90.0, 99.0)
LATENCIES = st.lists(st.integers(1, 10**9), min_size=1, max_size=30).map(tuple)


def merged(
    result: FioResult, by: Sequence[str], timing: Timing = "together"
) -> MergedFio:
    return merge_jobs(
        result.jobs,
        result.bins,
        result.documents,
        by=by,
        timing=timing,
        levels=LEVELS,
    )


def tables_of(*documents: FioDocument) -> FioResult:
    return tabulate([[document] for document in documents])


def one(frame: pd.DataFrame) -> dict[str, Any]:
    (row,) = frame.to_dict("records")
    return {str(name): value for name, value in row.items()}


def kinds(found: MergedFio) -> list[str]:
    return sorted(found.issues["kind"])


def test_two_jobs_are_merged_as_by_hand() -> None:
    """Reads of 100, 200, 300 ns in 1 s, and writes of 1000, 1400 ns in 0.5 s.

    The squares of the deviations from 600 are 25, 16, 9, 16 and 64 times 10,000.
    """
    result = tables_of(
        document_of(
            job_of(
                "a",
                Did(lat_ns=(100, 200, 300)),
                Did(lat_ns=(1000, 1400), direction="write", runtime_ms=500),
            )
        )
    )
    row = one(merged(result, []).jobs)
    assert (row["parts"], row["total_ios"], row["io_bytes"]) == (2, 5, 5 * 4096)
    assert row["iops"] == pytest.approx(3 + 4)
    assert row["bw_bytes_per_s"] == pytest.approx(7 * 4096)
    assert row["runtime_ms"] == 1000
    assert (row["lat_min_ns"], row["lat_max_ns"]) == (100, 1400)
    assert row["lat_mean_ns"] == pytest.approx(600)
    assert row["lat_stddev_ns"] == pytest.approx((1_300_000 / 4) ** 0.5)
    assert np.isnan(row["clat_mean_ns"])


def test_rounds_have_the_mean_rate_of_their_time() -> None:
    """3 IOs in 1 s and 9 in 2 s are 12 in 3 s: 4 a second, and not 7.5 or 3.75."""
    result = tables_of(
        document_of(job_of("a", Did(lat_ns=(5, 6, 7))), source="1.json"),
        document_of(
            job_of("a", Did(lat_ns=(8,) * 9, runtime_ms=2000)), source="2.json"
        ),
    )
    row = one(merged(result, ["job_name"], "in turn").jobs)
    assert (row["iops"], row["runtime_ms"]) == (pytest.approx(4), 3000)
    assert row["total_ios"] == 12
    assert not kinds(merged(result, ["job_name"], "in turn"))


def test_jobs_of_a_group_are_added_before_rounds_are_averaged() -> None:
    result = tables_of(
        document_of(
            job_of("a", Did(lat_ns=(1,) * 10)),
            job_of("b", Did(lat_ns=(1,) * 20)),
            job_of("c", Did(lat_ns=(1,) * 90, runtime_ms=3000), group_id=1),
        )
    )
    row = one(merged(result, [], "in turn").jobs)
    assert row["iops"] == pytest.approx((10 + 20 + 90) / 4)
    assert row["runtime_ms"] == 4000


def test_groups_that_are_added_as_if_together_are_named() -> None:
    result = tables_of(
        document_of(
            job_of("a", Did(lat_ns=(1,) * 10)),
            job_of("b", Did(lat_ns=(1,) * 20), group_id=1),
        )
    )
    found = merged(result, ["file"])
    assert one(found.jobs)["iops"] == pytest.approx(30)
    assert kinds(found) == ["groups-added"]
    assert found.issues["is_grave"].all()
    assert found.issues["place"].tolist() == ["file=a.json"]
    assert not kinds(merged(result, ["group_id"]))


def test_directions_and_jobs_stay_apart_where_asked() -> None:
    write = Did(lat_ns=(7, 9), direction="write")
    result = tables_of(
        document_of(job_of("b", Did(lat_ns=(5,)), write), job_of("a", write))
    )
    jobs = merged(result, ["job_name", "direction"]).jobs
    assert jobs[["job_name", "direction", "total_ios"]].to_numpy().tolist() == [
        ["a", "write", 2],
        ["b", "read", 1],
        ["b", "write", 2],
    ]


def test_sums_of_others_progress_and_idle_directions_are_left_out() -> None:
    idle = Did(lat_ns=(), direction="trim")
    early = document_of(
        job_of("a", Did(lat_ns=(5,), runtime_ms=500), idle), timestamp_s=1e9 + 0.1
    )
    late = document_of(
        job_of("a", Did(lat_ns=(5, 6)), idle),
        job_of("All clients", Did(lat_ns=(5, 6)), is_aggregate=True),
        timestamp_s=1e9 + 0.6,
    )
    found = merged(tabulate([[early, late]]), ["file"])
    assert one(found.jobs)["total_ios"] == 2
    assert found.bins["count"].sum() == 2
    assert not kinds(found)


def test_syncs_are_no_ios_and_merge_with_syncs_alone() -> None:
    result = tables_of(document_of(job_of("a", Did(lat_ns=(5, 6)))))
    sync = result.jobs.assign(direction="sync", total_ios=pd.array([9], dtype="Int64"))
    jobs = pd.concat([result.jobs, sync], ignore_index=True)
    both = merge_jobs(jobs, result.bins, result.documents, by=[], timing="together")
    assert one(both.jobs)["total_ios"] == 2
    apart = merge_jobs(
        jobs, result.bins, result.documents, by=["direction"], timing="together"
    )
    assert apart.jobs["total_ios"].tolist() == [2, 9]


def test_latency_that_a_part_lacks_is_missing_in_the_whole() -> None:
    result = tables_of(
        document_of(
            job_of("a", Did(lat_ns=(5, 6))), job_of("b", Did(lat_ns=(7,), kinds=()))
        )
    )
    found = merged(result, [])
    row = one(found.jobs)
    assert row["total_ios"] == 3
    assert np.isnan([row[f"lat_{what}_ns"] for what in ("min", "mean", "max")]).all()
    assert kinds(found) == ["no-bins", "no-latency"]
    assert found.percentiles.empty
    assert found.bins.empty


def test_bins_that_a_part_lacks_leave_no_percentiles() -> None:
    whole = Did(lat_ns=(5, 6), kinds=("clat", "lat"))
    result = tables_of(
        document_of(
            job_of("a", whole),
            job_of("b", whole),
            job_of("b", replace(whole, has_bins=False)),
        )
    )
    found = merged(result, ["job_name"])
    assert set(found.percentiles["job_name"]) == {"a"}
    assert set(found.bins["job_name"]) == {"a"}
    assert found.issues["meaning"].tolist() == [
        "1 of 2 parts have no bins of clat",
        "1 of 2 parts have no bins of lat",
    ]
    assert not found.jobs["lat_mean_ns"].isna().any()


def test_output_without_any_bins_is_named_once() -> None:
    part = Did(lat_ns=(5, 6), has_bins=False)
    result = tables_of(document_of(job_of("a", part), job_of("b", part)))
    found = merged(result, ["job_name"])
    assert (kinds(found), found.issues["is_grave"].tolist()) == (["no-bins"], [False])


def test_mean_over_unknown_counts_is_missing() -> None:
    part = Did(lat_ns=(5, 9), is_counted=False)
    result = tables_of(document_of(job_of("a", part), job_of("b", part)))
    alone, both = merged(result, ["job_name"]), merged(result, [])
    assert alone.jobs["lat_mean_ns"].tolist() == [7, 7]
    row = one(both.jobs)
    assert pd.isna(row["total_ios"])
    assert np.isnan([row["lat_mean_ns"], row["lat_stddev_ns"]]).all()
    assert (row["lat_min_ns"], row["lat_max_ns"], row["iops"]) == (5, 9, 4)
    assert kinds(both) == ["no-io-count"]


def test_parts_that_are_no_whole_measurement_are_named() -> None:
    result = tables_of(
        document_of(job_of("a", Did(lat_ns=(5,)), error=5), is_whole=False)
    )
    assert kinds(merged(result, ["file"])) == ["cut-short", "job-error"]


def test_bins_of_two_layouts_are_not_added() -> None:
    result = tables_of(
        document_of(job_of("a", Did(lat_ns=(1000, 1010, 5000)))),
        document_of(job_of("a", Did(lat_ns=(1000, 5000))), source="b.json"),
    )
    coarse = result.bins["file"] == "b.json"
    lower = result.bins["lat_ns"] // 1000 * 1000
    result.bins.loc[coarse, "lat_lower_ns"] = lower[coarse]
    result.bins.loc[coarse, "lat_upper_ns"] = lower[coarse] + 1000
    found = merged(result, ["job_name"], "in turn")
    assert kinds(found) == ["bins-lost"]
    assert found.bins.empty
    assert found.percentiles.empty


def test_sum_beyond_64_bits_is_missing() -> None:
    result = tables_of(
        document_of(job_of("a", Did(lat_ns=(5,))), job_of("b", Did(lat_ns=(5,))))
    )
    result.jobs["io_bytes"] = pd.array([2**62, 2**62], dtype="Int64")
    result.bins["count"] = 2**62
    found = merged(result, [])
    assert pd.isna(one(found.jobs)["io_bytes"])
    assert kinds(found) == ["bins-lost"]


@pytest.mark.parametrize("name", ["rounds", "iops", "lat_mean_ns", "parts"])
def test_merging_by_what_is_no_name_is_refused(name: str) -> None:
    result = tables_of(document_of(job_of("a", Did(lat_ns=(5,)))))
    with pytest.raises(ValueError, match=f"cannot be merged by '{name}'"):
        merged(result, [name])


def test_column_of_ones_own_may_tell_groups_apart() -> None:
    result = tables_of(
        *(
            document_of(job_of("a", Did(lat_ns=(5,) * n)), source=f"{n}.json")
            for n in (1, 2, 3)
        )
    )
    result.jobs["round"] = [1, 1, 2]
    found = merged(result, ["round"], "in turn")
    assert found.jobs["total_ios"].tolist() == [3, 3]
    assert found.percentiles["round"].unique().tolist() == [1, 2]


@pytest.mark.parametrize("by", [[], ["file"]])
def test_nothing_merges_into_nothing(by: list[str]) -> None:
    found = merged(tables_of(document_of(job_of("a", Did(lat_ns=())))), by)
    for frame in (found.jobs, found.percentiles, found.bins, found.issues):
        assert frame.empty
    assert found.jobs["total_ios"].dtype == "Int64"


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from(["read", "write"]), LATENCIES),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([[], ["job_name"], ["direction"], ["job_name", "direction"]]),
)
def test_merged_numbers_are_those_of_all_ios(
    parts: list[tuple[str, Any, tuple[int, ...]]], by: list[str]
) -> None:
    jobs = [job_of(n, Did(lat_ns=v, direction=d)) for n, d, v in parts]
    found = merged(tables_of(document_of(*jobs)), by)
    wanted: dict[tuple[str, ...], list[int]] = {}
    for name, direction, part in parts:
        named = {"job_name": name, "direction": direction}
        wanted.setdefault(tuple(named[key] for key in by), []).extend(part)
    assert len(found.jobs) == len(wanted)
    for place, (_, every) in enumerate(sorted(wanted.items())):
        row, values = found.jobs.iloc[place], tuple(every)
        truth = summary_of(values)
        assert row["total_ios"] == row["iops"] == len(values)
        assert row["lat_min_ns"] == truth.min_ns
        assert row["lat_max_ns"] == truth.max_ns
        assert row["lat_mean_ns"] == pytest.approx(truth.mean_ns)
        assert row["lat_stddev_ns"] == pytest.approx(truth.stddev_ns, rel=1e-9, abs=1)
        names, counts = bins_of(values).lat_ns, bins_of(values).counts
        mine = found.percentiles.iloc[3 * place : 3 * place + 3]
        extremes = (truth.min_ns, truth.max_ns)
        levels = percentiles_from_bins(names, counts, LEVELS, within=extremes)
        assert mine["lat_ns"].tolist() == levels.tolist()
        assert (mine["lat_lower_ns"] <= mine["lat_ns"]).all()
        assert (mine["lat_ns"] < mine["lat_upper_ns"]).all()
        assert (mine["lat_ns"] <= truth.max_ns).all()
        supported = is_supported(LEVELS, len(values))
        assert mine["is_supported"].tolist() == supported.tolist()


@settings(deadline=None, max_examples=30)
@given(
    st.lists(LATENCIES, min_size=2, max_size=5),
    st.randoms(use_true_random=False),
    st.sampled_from(["together", "in turn"]),
)
def test_order_of_the_rows_does_not_matter(
    parts: list[tuple[int, ...]], random: Any, timing: Timing
) -> None:
    result = tables_of(
        *(
            document_of(
                job_of("a", Did(lat_ns=values, runtime_ms=100 * (place + 1))),
                source=f"{place}.json",
            )
            for place, values in enumerate(parts)
        )
    )
    order = list(range(len(parts)))
    random.shuffle(order)
    shuffled = replace(
        result,
        jobs=result.jobs.iloc[order],
        bins=result.bins.sample(frac=1, random_state=1),
    )
    one_way, other_way = (merged(r, ["job_name"], timing) for r in (result, shuffled))
    pd.testing.assert_frame_equal(one_way.jobs, other_way.jobs, rtol=1e-9)
    pd.testing.assert_frame_equal(one_way.bins, other_way.bins)
    pd.testing.assert_frame_equal(one_way.percentiles, other_way.percentiles)


@settings(deadline=None, max_examples=30)
@given(
    st.lists(LATENCIES, min_size=2, max_size=6),
    st.integers(1, 5),
    st.sampled_from(["together", "in turn"]),
)
def test_merging_what_was_merged_is_merging_all(
    parts: list[tuple[int, ...]], cut: int, timing: Timing
) -> None:
    result = tables_of(
        *(
            document_of(
                job_of("a", Did(lat_ns=values, runtime_ms=100 * (place + 1))),
                source=f"{place}.json",
            )
            for place, values in enumerate(parts)
        )
    )
    halves = np.where(np.arange(len(parts)) < cut, "first", "second")
    result.jobs["half"] = halves
    first = merged(result, ["half"], timing)
    again = result.jobs.iloc[: len(first.jobs)].assign(
        **{
            str(name): first.jobs[name].array
            for name in first.jobs.columns
            if name in result.jobs.columns
        },
        file=first.jobs["half"],
    )
    bins = first.bins.assign(
        file=first.bins["half"], document=0, entry=0, direction="read"
    )
    twice = merge_jobs(
        again, bins, result.documents, by=["job_name"], timing=timing, levels=LEVELS
    )
    once = merged(result, ["job_name"], timing)
    pd.testing.assert_frame_equal(
        once.jobs.drop(columns="parts"), twice.jobs.drop(columns="parts"), rtol=1e-9
    )
    pd.testing.assert_frame_equal(once.bins, twice.bins)
    pd.testing.assert_frame_equal(once.percentiles, twice.percentiles)


@given(st.lists(LATENCIES, min_size=1, max_size=4))
@settings(deadline=None, max_examples=30)
def test_change_of_unit_changes_latencies_alone(parts: list[tuple[int, ...]]) -> None:
    jobs = [job_of("a", Did(lat_ns=values)) for values in parts]
    result = tables_of(document_of(*jobs))
    columns = [name for name in result.jobs.columns if str(name).startswith("lat_")]
    scaled = result.jobs.assign(**{str(c): result.jobs[c] * 1000 for c in columns})
    was = one(merged(result, []).jobs)
    now = one(merged(replace(result, jobs=scaled), []).jobs)
    assert was.keys() == now.keys()
    for name, value in was.items():
        factor = 1000 if name in columns else 1
        assert now[name] == pytest.approx(value * factor, nan_ok=True)


def test_two_hosts_merge_into_the_sum_that_fio_made() -> None:
    """As in its entry ``All clients``, whose rate is all IOs by the longest time."""
    folder = require_folder(FIO_SAMPLES) / "local_fio333"
    result = read_fio(folder / "client_two_servers.json")
    of_fio = result.jobs[result.jobs["is_aggregate"]]
    found = merged(result, ["direction"]).jobs.set_index("direction")
    assert not of_fio.empty
    for row in of_fio[of_fio["total_ios"] > 0].to_dict("records"):
        mine = found.loc[row["direction"]]
        assert mine["total_ios"] == row["total_ios"]
        assert mine["io_bytes"] == row["io_bytes"]
        assert mine["iops"] == pytest.approx(row["iops"], rel=0.01)
        assert mine["lat_mean_ns"] == pytest.approx(row["lat_mean_ns"], rel=1e-6)
        assert mine["lat_stddev_ns"] == pytest.approx(row["lat_stddev_ns"], rel=1e-6)
        assert mine["lat_max_ns"] == row["lat_max_ns"]


def test_thousands_of_rows_take_no_python_loop_a_row() -> None:
    """So 64 times the rows in as many groups take nowhere near 64 times as long."""
    did = Did(lat_ns=tuple(range(1, 40)))
    result = tables_of(document_of(*(job_of(f"{n % 4}", did) for n in range(100))))
    times = 64
    many = replace(
        result,
        jobs=pd.concat(
            [result.jobs.assign(document=n) for n in range(times)], ignore_index=True
        ),
        bins=pd.concat(
            [result.bins.assign(document=n) for n in range(times)], ignore_index=True
        ),
    )
    merged(result, ["job_name"])
    started = time.process_time()
    merged(result, ["job_name"])
    small_s = time.process_time() - started
    started = time.process_time()
    found = merged(many, ["job_name"])
    assert time.process_time() - started < max(small_s * times / 2, 0.5)
    assert found.jobs["parts"].tolist() == [1600] * 4
    assert found.bins["count"].sum() == 39 * 6400


def test_merged_bins_are_added_by_name() -> None:
    result = tables_of(
        document_of(job_of("a", Did(lat_ns=(5, 5, 900))), job_of("b", Did(lat_ns=(5,))))
    )
    found = merged(result, []).bins
    values, counts = merge_bins([
        (bins_of(part).lat_ns, bins_of(part).counts) for part in ((5, 5, 900), (5,))
    ])
    assert found["lat_ns"].tolist() == values.tolist()
    assert found["count"].tolist() == counts.tolist()


@pytest.mark.parametrize(
    ("runtimes_ms", "ended_s", "has_sum"),
    [
        ((1000, 1000), (None, None), True),
        ((1000, 1100), (1e9 + 0.5, 1e9 + 0.6), True),
        ((1000, 6000), (None, None), False),
        ((1000, 1000), (1e9 + 0.5, 1e9 + 60.5), False),
    ],
)
def test_rates_of_unlike_times_have_no_sum(
    runtimes_ms: tuple[int, int],
    ended_s: tuple[float | None, float | None],
    *,
    has_sum: bool,
) -> None:
    files = [
        [
            document_of(
                job_of("a", Did(lat_ns=(5,) * 10, runtime_ms=ms)),
                source=f"{number}.json",
                timestamp_s=end_s,
            )
        ]
        for number, (ms, end_s) in enumerate(zip(runtimes_ms, ended_s, strict=True))
    ]
    result = tabulate(files)
    found = result.merge(by=[], timing="together")
    assert found.jobs["iops"].notna().tolist() == [has_sum]
    assert found.jobs["total_ios"].tolist() == [20]
    kinds = set(found.issues.loc[found.issues["is_grave"], "kind"])
    assert ("unlike-times" in kinds) != has_sum
    assert result.merge(by=[], timing="in turn").jobs["iops"].notna().all()

"""The logs of a step as one series: rates added, latencies weighted."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from ssdlab.fio.logs.read import FioLog, LogKind, parse_log
from ssdlab.fio.logs.series import tabulate_series
from ssdlab.model.schema import SERIES
from tests.fio.samples import captured, log_of


def frame_of(threads: Sequence[Sequence[FioLog]]) -> pd.DataFrame:
    return pd.DataFrame(tabulate_series(threads, interval_ms=200))


def test_the_columns_of_a_series_are_those_of_the_table() -> None:
    frame = frame_of([[log_of("iops", 1)]])
    assert ["run_id", "step_id", *frame.columns] == list(SERIES.column_names)
    assert frame["lat_mean_ns"].isna().all()


def test_rates_of_threads_add_and_latencies_are_weighted_in_a_series() -> None:
    iops = ["200, 100, 0, 0\n200, 300, 1, 0", "201, 50, 0, 0"]
    lat = ["200, 10, 0, 0\n200, 30, 1, 0", "199, 70, 0, 0"]
    bw = ["200, 4, 0, 0\n200, 12, 1, 0", "200, 2, 0, 0"]
    threads = [
        [parse_log(i, kind="iops"), parse_log(b, kind="bw"), parse_log(x, kind="lat")]
        for i, b, x in zip(iops, bw, lat, strict=True)
    ]
    frame = frame_of(threads).set_index("direction")
    assert frame["time_s"].tolist() == [0.2] * 3
    assert frame.loc["read", "iops"] == 150
    assert frame.loc["read", "lat_mean_ns"] == pytest.approx(30)
    assert frame.loc["total", "iops"] == 450
    assert frame.loc["total", "bw_bytes_per_s"] == 18 * 1024
    assert frame.loc["total", "lat_mean_ns"] == pytest.approx(30)


def test_a_series_of_two_threads_of_fio_is_the_sum_of_its_logs() -> None:
    kinds: tuple[LogKind, ...] = ("iops", "bw", "lat")
    threads = [[log_of(kind, thread) for kind in kinds] for thread in (1, 2)]
    frame = frame_of(threads)
    total = frame[frame["direction"] == "total"]
    assert total["time_s"].tolist() == pytest.approx([0.2, 0.4, 0.6, 0.8])
    logged = sum(log_of("iops", thread).frame["iops"].sum() for thread in (1, 2))
    assert total["iops"].sum() == logged
    assert frame["lat_mean_ns"].between(100, 10_000).all()


def test_threads_that_share_a_file_are_added() -> None:
    """per_job_logs=0 writes thread after thread into one file."""
    kinds: tuple[LogKind, ...] = ("iops", "bw", "lat")
    texts = {
        kind: "".join(captured(f"randrw_{kind}.{i}.log").read_text() for i in (1, 2))
        for kind in kinds
    }
    shared = [[parse_log(text, kind=kind) for kind, text in texts.items()]]
    apart = [[log_of(kind, thread) for kind in kinds] for thread in (1, 2)]
    one = frame_of(shared)
    two = frame_of(apart)
    for column in ("direction", "time_s", "iops", "bw_bytes_per_s"):
        assert one[column].tolist() == two[column].tolist()
    assert one["lat_mean_ns"].tolist() == pytest.approx(
        two["lat_mean_ns"].tolist(), rel=0.01
    )


def test_series_is_what_grouping_its_rows_gives() -> None:
    """The rows of two shared logs, grouped by pandas, are the reference."""
    random = np.random.default_rng(5)
    texts: dict[LogKind, str] = {}
    kinds: tuple[LogKind, ...] = ("iops", "bw", "lat")
    for kind in kinds:
        times = 200 * random.integers(0, 40, 300) + random.integers(-90, 90, 300)
        rows = zip(
            np.abs(times), random.integers(1, 9000, 300), random.integers(0, 3, 300),
            strict=True,
        )  # fmt: skip
        lines = (f"{time}, {value}, {side}, 0" for time, value, side in rows)
        texts[kind] = "\n".join(lines)
    logs = {kind: parse_log(text, kind=kind) for kind, text in texts.items()}

    found = frame_of([list(logs.values())]).set_index(["direction", "time_s"])

    grouped = {}
    for kind, name in (("iops", "iops"), ("bw", "bw_bytes_per_s"), ("lat", "lat_ns")):
        frame = logs[kind].frame
        ends = np.rint(frame["time_ms"] / 200) * 200 / 1000
        groups = frame[name].groupby([frame["direction"].astype(str), ends])
        grouped[kind] = groups.mean() if kind == "lat" else groups.sum()
    wanted = pd.DataFrame(grouped).dropna(subset=["iops"])
    assert set(found.drop("total").index) == set(wanted.index)
    for kind, name in (
        ("iops", "iops"),
        ("bw", "bw_bytes_per_s"),
        ("lat", "lat_mean_ns"),
    ):
        own = found[name].reindex(wanted.index)
        np.testing.assert_allclose(own, wanted[kind], rtol=1e-12)
    whole = found.loc["total"]
    np.testing.assert_array_equal(
        whole["iops"], wanted["iops"].groupby(level=1).sum().reindex(whole.index)
    )

"""Where the IOs were, over time: no IO is lost, and none stands where it was not."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from ssdlab.model.errors import EmptyLogError
from ssdlab.qos.latency_map import origin_text, summarise_latency_map
from tests.qos.made_loads import FAST, ONE_RUN, ROUNDS, SLOW


def records(*rows: tuple[str, str, int, int, int]) -> pd.DataFrame:
    """Return a histogram log: file, direction, time, latency, count."""
    names = ["file", "direction", "time_ms", "lat_ns", "count"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.assign(record=range(len(rows)))


def columns_of(cells: pd.DataFrame) -> list[list[float]]:
    spans = cells[["start", "end"]].drop_duplicates().to_numpy()
    return [[float(end) for end in span] for span in spans.round(9)]


def test_map_of_rounds_holds_every_io() -> None:
    cells = summarise_latency_map(ROUNDS, most_columns=2)
    assert cells["count"].sum() == 5000
    assert cells.groupby("start")["share_percent"].sum().tolist() == [100.0, 100.0]
    said = origin_text(cells, ROUNDS)
    assert "2 columns of 2 rounds each, 5,000 IOs" in said
    assert "Times within a round are unknown" in said


def test_run_without_log_and_rounds_has_no_map() -> None:
    cells = summarise_latency_map(ONE_RUN)
    assert cells.empty
    assert "was not recorded" in origin_text(cells, ONE_RUN)


def test_map_of_a_histogram_log_has_a_column_a_record() -> None:
    log = records(
        ("1", "write", 1000, FAST, 5),
        ("1", "write", 1000, SLOW, 1),
        ("1", "write", 2000, FAST, 6),
    )
    cells = summarise_latency_map(ONE_RUN, log=log)
    assert columns_of(cells) == [[0.0, 1.0], [1.0, 2.0]]
    assert cells["count"].sum() == 12
    said = origin_text(cells, ONE_RUN)
    assert "From fio's histogram log: 2 columns of 1 s, 12 IOs" in said
    assert "holds 40,000: the log holds 0.03 % of them" in said


def test_records_of_several_jobs_and_directions_share_columns() -> None:
    # each has times of its own: 1000 and 1003 ms are the same second
    log = records(
        ("1", "read", 1000, FAST, 5),
        ("1", "write", 1003, FAST, 4),
        ("2", "read", 1001, SLOW, 3),
        ("1", "read", 2001, FAST, 5),
        ("1", "write", 2004, FAST, 4),
        ("2", "read", 2002, SLOW, 3),
    )
    cells = summarise_latency_map(ONE_RUN, log=log)
    assert cells.groupby("start")["count"].sum().tolist() == [12.0, 12.0]


def test_times_of_the_clock_begin_where_the_log_begins() -> None:
    start = 1_795_259_675_000
    log = records(*(("1", "read", start + 500 * n, FAST, n) for n in (1, 2, 3, 4)))
    cells = summarise_latency_map(ONE_RUN, log=log)
    assert columns_of(cells)[0] == [0.0, 0.5]
    assert cells["count"].tolist() == [1.0, 2.0, 3.0, 4.0]


def test_second_in_which_no_io_ended_stays_empty() -> None:
    log = pd.DataFrame({
        "time_ms": [*range(0, 1000, 10), *range(3000, 4000, 10)],
        "direction": "read",
        "clat_ns": FAST,
    })
    cells = summarise_latency_map(ONE_RUN, log=log, most_columns=4)
    assert "From fio's latency log: 2 columns of 998 ms, 200 IOs" in origin_text(
        cells, ONE_RUN
    )
    assert [round(start) for start, _ in columns_of(cells)] == [0, 3]


def test_log_with_more_ios_than_the_load_is_of_another_run() -> None:
    log = pd.DataFrame({
        "time_ms": np.arange(50_000), "direction": "read", "lat_ns": FAST
    })  # fmt: skip
    cells = summarise_latency_map(ONE_RUN, log=log)
    assert len(columns_of(cells)) <= 240
    assert "fewer than the log: the log is of another run" in origin_text(
        cells, ONE_RUN
    )


def test_log_of_one_direction_counts_for_that_direction_alone() -> None:
    log = pd.DataFrame({
        "time_ms": [1, 2, 3], "direction": ["read", "write", "read"], "lat_ns": FAST
    })  # fmt: skip
    reads = replace(ONE_RUN, direction="read")
    assert summarise_latency_map(ONE_RUN, log=log)["count"].sum() == 3
    assert summarise_latency_map(reads, log=log)["count"].sum() == 2


def test_log_without_an_io_says_what_fio_wants() -> None:
    log = records(("1", "write", 1000, FAST, 5))
    with pytest.raises(EmptyLogError, match=r"no IO of reads.*clat_percentiles=1"):
        summarise_latency_map(replace(ONE_RUN, direction="read"), log=log)

"""Cross stimulus recovery from frames small enough to compute by hand."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from ssdlab.model.spec import Stimulus, Workload
from ssdlab.pts.xsr.summary import (
    is_recovery_known,
    recovery_text,
    summarise_access_groups,
    summarise_cross_stimulus,
)
from tests.stats.frames import Row, measured, measurements, steps

WRITES = Workload(
    access="seq", block_size_bytes=1024**2, read_percent=0, threads=1, queue_depth=32
)


def xsr_rounds(
    groups: Sequence[Sequence[float]],
    *,
    runtime_s: float = 60.0,
    gaps_s: Sequence[float] = (),
    broken: int | None = None,
) -> pd.DataFrame:
    """Return the rounds of groups of throughputs [MB/s]."""
    rows: list[Row] = []
    gaps: list[Row] = []
    for group, values in enumerate(groups, start=1):
        for number, value in enumerate(values, start=1):
            place = len(rows)
            rows.append(
                measured(
                    f"{place:05d}",
                    test="xsr",
                    phase=f"group-{group}",
                    round=number,
                    access="rnd" if group == 2 else "seq",
                    block_size_bytes=8192 if group == 2 else 1024**2,
                    read_percent=0,
                    runtime_s=runtime_s,
                    bw_bytes_per_s=value * 1e6,
                    lat_mean_ns=1e9 / value,
                    lat_max_ns=4e9 / value,
                )
            )
            idle_s = gaps_s[place] if place < len(gaps_s) else 0.0
            gap: Row = {"run_id": "r1", "step_id": f"{place:05d}"}
            gaps.append(
                gap | {"idle_before_s": idle_s, "is_contiguous": place != broken}
            )
    return summarise_cross_stimulus(measurements([*reversed(rows)]), steps(gaps))


NOT_YET = (  # 99.98 %, and never rounded to all of it
    "recovered to 99.9 % of the former mean: the best of 2 rounds of group 3, against "
    "the mean of group 1"
)
WHOLE = ((600.0, 500.0, 400.0), (100.0, 80.0), (250.0, 499.0, 500.0, 520.0))


def third_of(groups: Sequence[Sequence[float]]) -> "pd.Series[Any]":
    table = summarise_access_groups(xsr_rounds(groups))
    row: pd.Series[Any] = table[table["group"] == 3].iloc[0]
    return row


def test_rounds_of_all_groups_share_one_time_under_io() -> None:
    table = xsr_rounds(WHOLE)

    assert table["group"].tolist() == [1, 1, 1, 2, 2, 3, 3, 3, 3]
    assert table["round"].tolist() == [1, 2, 3, 1, 2, 1, 2, 3, 4]
    assert table["minutes"].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
    assert table["time_s"].iloc[-1] == 540.0
    assert table["bw_bytes_per_s"].iloc[3] == 1e8


def test_groups_end_with_their_last_round_and_peak_with_their_slowest() -> None:
    gaps = (0.7, 0.25, 0.5, 0.125, 0.0, 0.0625, 0.0, 0.0, 0.01)
    table = summarise_access_groups(xsr_rounds(WHOLE, gaps_s=gaps))

    assert table["n_rounds"].tolist() == [3, 2, 4]
    assert table["bw_mean_bytes_per_s"].tolist() == [500e6, 90e6, 442.25e6]
    assert table["bw_end_bytes_per_s"].tolist() == [400e6, 80e6, 520e6]
    assert table["lat_mean_peak_ns"].tolist() == [2.5e6, 12.5e6, 4e6]
    assert table["lat_max_peak_ns"].tolist() == [1e7, 5e7, 1.6e7]
    assert table["idle_before_s"].tolist() == [0.7, 0.125, 0.0625]
    assert table["idle_max_s"].tolist() == [0.5, 0.0, 0.01]


def test_recovery_is_the_first_minute_that_reaches_the_mean_of_group_1() -> None:
    row = third_of(WHOLE)  # the mean is 500 MB/s; 499 is short of it, 500 reaches it

    assert row["is_recovered"]
    assert (row["recovery_minutes"], row["recovery_s"]) == (3.0, 180.0)
    assert row["recovery_round"] == 3
    assert row["best_ratio"] == 1.04


@pytest.mark.parametrize(
    ("third", "minutes"),
    [
        ((500.0,), 1.0),
        ((499.9, 700.0, 100.0), 2.0),
    ],
    ids=["at-once", "once-is-enough"],
)
def test_recovery_counts_minutes_of_group_3_alone(
    third: tuple[float, ...], minutes: float
) -> None:
    row = third_of((*WHOLE[:2], third))

    assert row["is_recovered"]
    assert row["recovery_minutes"] == minutes


def test_recovery_is_not_yet_when_no_minute_reaches_the_mean() -> None:
    row = third_of((*WHOLE[:2], (100.0, 200.0, 300.0, 499.9)))

    assert not row["is_recovered"]
    assert pd.isna(row["recovery_minutes"])
    assert pd.isna(row["recovery_round"])
    assert row["best_ratio"] == pytest.approx(0.9998)


def test_recovery_does_not_change_with_the_unit_of_throughput() -> None:
    scaled = tuple(tuple(value * 7 for value in group) for group in WHOLE)

    assert third_of(scaled)["recovery_minutes"] == third_of(WHOLE)["recovery_minutes"]


def test_recovery_is_not_measured_before_group_3_began() -> None:
    table = summarise_access_groups(xsr_rounds(WHOLE[:2]))

    assert table["is_recovered"].isna().all()
    assert recovery_text(table).startswith("recovery not measured")


def test_group_that_has_not_ended_has_no_end() -> None:
    phases = [
        Stimulus(
            phase_id=f"group-{number}",
            workload=WRITES,
            round_seconds=60.0,
            time_limit_s=60.0 * rounds,
        )
        for number, rounds in ((1, 3), (2, 2), (3, 5))
    ]
    table = summarise_access_groups(xsr_rounds(WHOLE), phases=phases)

    assert table["n_rounds_wanted"].tolist() == [3, 2, 5]
    assert table["bw_end_bytes_per_s"].iloc[1] == 80e6
    assert pd.isna(table["bw_end_bytes_per_s"].iloc[2])
    assert table["recovery_minutes"].iloc[2] == 3.0


def test_cross_stimulus_is_empty_when_none_was_run() -> None:
    table = summarise_cross_stimulus(measurements([]), steps([]))

    assert table.empty
    assert summarise_access_groups(table).empty
    assert recovery_text(summarise_access_groups(table)).startswith("recovery not")


@pytest.mark.parametrize(
    ("third", "runtime_s", "text"),
    [
        (
            (100.0, 500.0),
            1.5,
            "recovered after 3.0 s: round 2 of group 3 reaches the mean of group 1",
        ),
        (
            (100.0, 500.0),
            60.0,
            "recovered after 2.0 min: round 2 of group 3 reaches the mean of group 1",
        ),
        (
            (100.0, 499.9),
            60.0,
            NOT_YET,
        ),
    ],
    ids=["seconds", "minutes", "not-yet"],
)
def test_text_says_when_it_recovered(
    third: tuple[float, ...], runtime_s: float, text: str
) -> None:
    rounds = xsr_rounds((*WHOLE[:2], third), runtime_s=runtime_s)

    assert recovery_text(summarise_access_groups(rounds)) == text


@pytest.mark.parametrize("broken", [None, 1, 4, 7])
def test_recovery_after_a_break_is_not_sure(broken: int | None) -> None:
    groups = summarise_access_groups(xsr_rounds(WHOLE, broken=broken))
    assert is_recovery_known(groups) == (broken is None)
    assert recovery_text(groups).endswith("after a break of the run") != (
        broken is None
    )

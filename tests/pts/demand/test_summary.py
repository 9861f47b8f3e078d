"""Demand variation: the rule of the three points, the window, the host's processor."""

from collections.abc import Sequence

import pandas as pd
import pytest

from ssdlab.analysis import summarise_demand
from ssdlab.pts.demand.summary import (
    DemandPoint,
    select_points,
    summarise_points,
    summarise_pre_writes,
)
from tests.stats.frames import (
    Row,
    measured,
    measurements,
    steps,
    window,
    windows,
)

MS = 1e6

# TC, QD, IOPS, ART [ms]
Point = tuple[int, int, float, float]
HAND: tuple[Point, ...] = (
    (2, 2, 9000.0, 6.0),  # the most IOPS, and too slow
    (2, 1, 8000.0, 4.9),
    (1, 2, 4100.0, 2.0),
    (1, 1, 1000.0, 1.0),
)


def points(rows: Sequence[Point] = HAND) -> list[DemandPoint]:
    return [
        DemandPoint(threads=tc, queue_depth=qd, iops=iops, lat_mean_ns=art * MS)
        for tc, qd, iops, art in rows
    ]


def names_of(rows: Sequence[Point]) -> list[tuple[int, int]]:
    found = select_points(points(rows))
    return [(p.threads, p.queue_depth) for p in (found.max, found.mid, found.min)]


def test_points_of_a_hand_computed_round() -> None:
    """Half way between 8,000 and 1,000 is 4,500: nearest is 4,100."""
    assert names_of(HAND) == [(2, 1), (1, 2), (1, 1)]
    assert select_points(points()).is_within_limit


def test_point_at_the_limit_is_not_below_it() -> None:
    assert names_of([(2, 1, 8000.0, 5.0), (1, 1, 1000.0, 1.0)])[0] == (1, 1)


def test_middle_is_between_the_points_that_are_fast_enough() -> None:
    """TC1/QD1 is too slow here, so the least IOPS that counts is 4,000."""
    rows = [(4, 1, 9000.0, 1.0), (2, 1, 6400.0, 1.0), (1, 4, 4900.0, 1.0)]
    rows += [(1, 2, 4000.0, 1.0), (1, 1, 100.0, 9.0)]
    assert names_of(rows) == [(4, 1), (2, 1), (1, 1)]  # half way is 6,500


def test_equal_points_are_told_apart_by_toio_and_then_by_threads() -> None:
    rows = [(4, 2, 500.0, 1.0), (2, 4, 500.0, 1.0), (8, 8, 500.0, 1.0)]
    assert names_of(rows) == [(2, 4)] * 3


def test_all_points_may_be_chosen_when_none_is_fast_enough() -> None:
    found = select_points(points([(2, 1, 900.0, 7.0), (1, 1, 500.0, 6.0)]))
    assert (found.max.iops, found.min.iops) == (900.0, 500.0)
    assert not found.is_within_limit


def test_points_without_a_number_are_left_out() -> None:
    rows = [(2, 1, float("nan"), 1.0), (1, 2, 700.0, 1.0), (1, 1, 500.0, float("nan"))]
    assert names_of(rows) == [(1, 2)] * 3
    with pytest.raises(ValueError, match="no point of the demand variation was"):
        select_points(points([(1, 1, float("nan"), 1.0)]))


def run_of(
    rounds: Sequence[Sequence[Point]], run_id: str = "r1"
) -> tuple[list[Row], list[Row]]:
    """Return measurements and steps: before each round a pre-write, then the points."""
    told: list[Row] = []
    for number, cells in enumerate(rounds, start=1):
        common: Row = {"run_id": run_id, "test": "cbw", "phase": "demand"}
        common |= {"round": number, "block_size_bytes": None}
        write: Row = {"kind": "pre_write", "threads": 2, "queue_depth": 2}
        write |= {"read_percent": 0, "iops": 50.0 * number, "runtime_s": 300.0}
        told.append(measured(f"{run_id}-{number}-0", **common | write))
        for cell, (threads, depth, iops, art) in enumerate(cells, start=1):
            values: Row = {"cell": cell, "threads": threads, "queue_depth": depth}
            values |= {"read_percent": 40, "iops": iops, "lat_mean_ns": art * MS}
            values |= {"lat_max_ns": art * 3 * MS, "bw_bytes_per_s": iops * 7818.24}
            values |= {"sys_cpu_percent": 99.0}
            told.append(measured(f"{run_id}-{number}-{cell}", **common | values))
    cpu: list[Row] = [
        {"run_id": run_id, "step_id": row["step_id"]}
        | {"host_system_cpu_percent": place, "host_user_cpu_percent": 2.0}
        for place, row in enumerate(told)
    ]
    return told, cpu


def scaled(factor: float) -> list[Point]:
    return [(tc, qd, iops * factor, art) for tc, qd, iops, art in HAND]


def summary(
    first: int = 2, last: int = 3, factors: Sequence[float] = (9.0, 1.0, 1.2)
) -> pd.DataFrame:
    rows, cpu = run_of([scaled(factor) for factor in factors])
    final = windows([window("demand", first, last, test="cbw")])
    return summarise_demand(measurements(rows), final, steps=steps(cpu), test="cbw")


def test_each_point_is_the_mean_of_the_rounds_of_the_window() -> None:
    frame = summary()
    assert [tuple(p) for p in frame[["threads", "queue_depth", "toio"]].to_numpy()] == [
        (1, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 4)
    ]  # fmt: skip
    assert frame["iops"].tolist() == pytest.approx([1100.0, 4510.0, 8800.0, 9900.0])
    assert frame["lat_max_ns"].tolist() == pytest.approx([3e6, 6e6, 14.7e6, 18e6])
    assert frame["n_rounds"].tolist() == [2] * 4


def test_points_of_equal_toio_stay_apart() -> None:
    frame = summary()
    assert frame[frame["toio"] == 2]["iops"].nunique() == 2


def test_processor_time_is_that_of_the_host_and_not_of_fio() -> None:
    """Rows are 5 a round: TC1/QD1 is place 9 in round 2 and 14 in round 3."""
    frame = summary()
    assert frame["host_system_cpu_percent"].iloc[0] == 11.5
    assert frame["host_user_cpu_percent"].tolist() == [2.0] * 4


def test_processor_time_is_missing_when_the_host_was_not_watched() -> None:
    rows, cpu = run_of([HAND])
    bare = [{name: row[name] for name in ("run_id", "step_id")} for row in cpu]
    final = windows([window("demand", 1, 1, test="cbw")])
    frame = summarise_demand(measurements(rows), final, steps=steps(bare), test="cbw")
    assert frame["host_system_cpu_percent"].isna().all()
    assert frame["iops"].notna().all()


def test_there_is_no_point_before_there_is_a_window() -> None:
    rows, cpu = run_of([HAND])
    none = windows([])
    frame = summarise_demand(measurements(rows), none, steps=steps(cpu), test="cbw")
    assert frame.empty
    other = windows([window("wdpc", 1, 1, test="cbw")])
    frame = summarise_demand(measurements(rows), other, steps=steps(cpu), test="cbw")
    assert frame.empty


def test_knee_is_marked_in_each_run_by_itself() -> None:
    bent = [(1, 1, 100.0, 1.0), (1, 2, 190.0, 1.2), (2, 1, 200.0, 9.0)]
    other = [(1, 1, 100.0, 1.0), (1, 2, 110.0, 1.2), (2, 1, 200.0, 1.3)]
    other += [(2, 2, 210.0, 9.0)]
    rows, cpu = run_of([bent])
    more_rows, more_cpu = run_of([other], "r2")
    final = windows([
        window("demand", 1, 1, test="cbw"),
        window("demand", 1, 1, test="cbw", run_id="r2"),
    ])
    frame = summarise_demand(
        measurements([*rows, *more_rows]),
        final,
        steps=steps([*cpu, *more_cpu]),
        test="cbw",
    )
    marked = frame[frame["is_knee"]][["run_id", "threads", "queue_depth"]]
    assert [tuple(row) for row in marked.to_numpy()] == [("r1", 1, 2), ("r2", 2, 1)]
    assert frame["is_efficient"].all()


def test_points_come_from_the_last_round_and_not_from_the_window() -> None:
    fast = [(2, 2, 9000.0, 4.0), (2, 1, 1.0, 1.0), (1, 2, 1.0, 1.0), (1, 1, 1.0, 1.0)]
    rows, _ = run_of([fast, fast, HAND])
    frame = summarise_points(measurements(rows), test="cbw")
    assert frame["point"].tolist() == ["max", "mid", "min"]
    assert frame["phase"].tolist() == ["max-iops", "mid-iops", "min-iops"]
    assert frame["iops"].tolist() == [8000.0, 4100.0, 1000.0]
    assert set(frame["round"]) == {3}
    assert frame["is_within_limit"].all()


def test_limit_of_the_response_time_is_the_one_that_is_given() -> None:
    rows, _ = run_of([HAND])
    frame = summarise_points(measurements(rows), test="cbw", max_lat_ns=7 * MS)
    assert frame["iops"].tolist() == [9000.0, 4100.0, 1000.0]
    frame = summarise_points(measurements(rows), test="cbw", max_lat_ns=0.5 * MS)
    assert not frame["is_within_limit"].any()


def test_no_point_is_chosen_from_a_round_that_has_not_ended() -> None:
    rows, _ = run_of([HAND, HAND[:3]])
    assert summarise_points(measurements(rows), test="cbw").empty
    assert summarise_points(measurements([]), test="cbw").empty
    assert summarise_points(measurements(rows), test="dirth").empty


def test_pre_writes_take_their_own_time_alone() -> None:
    rows, _ = run_of([HAND, HAND])
    frame = summarise_pre_writes(measurements(rows), test="cbw")
    assert frame["time_s"].tolist() == [300.0, 600.0]
    assert frame["iops"].tolist() == [50.0, 100.0]
    assert summarise_pre_writes(measurements(rows), test="cbw", phase="x").empty

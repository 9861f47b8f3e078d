"""Write saturation from frames small enough to compute by hand."""

import pandas as pd
import pytest

from ssdlab.model.spec import Stimulus, Tracking, Workload
from ssdlab.pts.wsat.summary import (
    summarise_saturation,
    summarise_saturation_directions,
    summarise_wsat_ends,
)
from tests.stats.frames import (
    Row,
    measured,
    measurements,
    percentiles,
    steps,
    window,
    windows,
)

CAPACITY_BYTES = 400_000_000_000
PHASE = Stimulus(
    phase_id="saturation",
    workload=Workload(
        access="rnd", block_size_bytes=4096, read_percent=0, threads=4, queue_depth=32
    ),
    round_seconds=60.0,
    capacity_multiple=4.0,
    time_limit_s=360.0,
    sample_every_rounds=31,
    tracking=Tracking(
        access="rnd", block_size_bytes=4096, read_percent=0, metric="iops"
    ),
)
STEADY: Row = {"test": "wsat", "is_round_steady": True}


def saturation_of(iops: list[float], fills_per_round: float = 0.5) -> pd.DataFrame:
    numbers = range(1, len(iops) + 1)
    rows = [
        measured(
            f"s{n}",
            test="wsat",
            phase="saturation",
            round=n,
            runtime_s=60.0,
            iops=value,
            lat_mean_ns=1e9 / value,
            lat_max_ns=5e6,
        )
        for n, value in zip(numbers, iops, strict=True)
    ]
    histogram = measured("h", test="wsat", phase="histogram", iops=1.0)
    written: list[Row] = [
        {
            "run_id": "r1",
            "step_id": f"s{n}",
            "total_written_bytes": round(n * fills_per_round * CAPACITY_BYTES),
            "drive_fills": n * fills_per_round,
        }
        for n in numbers
    ]
    nines: list[Row] = [
        {
            "run_id": "r1",
            "step_id": "s1",
            "direction": "total",
            "percentile": level,
            "lat_ns": level * 1000,
        }
        for level in (99.0, 99.9, 99.99, 99.999)
    ]
    return summarise_saturation(
        measurements([*reversed(rows), {**histogram, "kind": "histogram"}]),
        steps(written),
        percentiles=percentiles(nines),
    )


def ends_of(
    iops: list[float], fills_per_round: float = 0.1, judged: list[Row] | None = None
) -> pd.Series:
    table = summarise_wsat_ends(
        saturation_of(iops, fills_per_round), windows(judged or []), phase=PHASE
    )
    assert len(table) == 1
    return table.iloc[0]


def test_saturation_counts_time_and_bytes_round_by_round() -> None:
    table = saturation_of([400.0, 200.0, 100.0])

    assert table["round"].tolist() == [1, 2, 3]
    assert table["iops"].tolist() == [400.0, 200.0, 100.0]
    assert table["time_s"].tolist() == [60.0, 120.0, 180.0]
    assert table["minutes"].tolist() == [1.0, 2.0, 3.0]
    assert table["tgbw"].tolist() == [200.0, 400.0, 600.0]
    assert table["total_written_bytes"].tolist() == [2 * 10**11, 4 * 10**11, 6 * 10**11]
    assert table["drive_fills"].tolist() == [0.5, 1.0, 1.5]
    assert table["lat_mean_ns"].tolist() == [2.5e6, 5e6, 1e7]


def test_saturation_shows_percentiles_where_they_were_recorded() -> None:
    table = saturation_of([400.0, 200.0])

    assert table["lat_three_nines_ns"].iloc[0] == 99_900
    assert table["lat_four_nines_ns"].iloc[0] == 99_990
    assert table["lat_five_nines_ns"].iloc[0] == 99_999
    assert pd.isna(table["lat_five_nines_ns"].iloc[1])


def test_saturation_is_empty_when_none_was_run() -> None:
    table = summarise_saturation(
        measurements([]), steps([]), percentiles=percentiles([])
    )

    assert table.empty
    assert "tgbw" in table.columns
    assert summarise_wsat_ends(table, windows([]), phase=PHASE).empty


def test_ends_compare_the_first_round_with_the_last() -> None:
    row = ends_of([80_000.0, 30_000.0, 20_000.0])

    assert (row["iops_fob"], row["iops_end"]) == (80_000.0, 20_000.0)
    assert row["end_to_fob_ratio"] == 0.25
    assert row["n_rounds"] == 3


REACHED = "steady state reached"


@pytest.mark.parametrize(
    ("rounds", "fills_per_round", "judged", "reason"),
    [
        (5, 0.1, [window("saturation", 1, 5, **STEADY)], REACHED),
        (5, 0.8, [], "4 x user capacity written"),
        (6, 0.1, [], "time limit of 6 min"),
        (5, 0.1, [], "ended before a stop rule held"),
        (
            5,
            0.1,
            [window("saturation", 1, 5, **STEADY) | {"is_final": False}],
            "ended before a stop rule held",
        ),
        (
            6,
            0.8,
            [window("saturation", 1, 5, **STEADY)],
            f"{REACHED} and 4 x user capacity written and time limit of 6 min",
        ),
    ],
    ids=["steady", "capacity", "time", "none", "steady-once", "all"],
)
def test_ends_say_which_stop_rules_held(
    rounds: int, fills_per_round: float, judged: list[Row], reason: str
) -> None:
    row = ends_of([100.0] * rounds, fills_per_round, judged)

    assert row["stop_reason"] == reason
    assert row["is_steady"] == reason.startswith("steady state")


def side(step: int, direction: str, ios: int, lat_ns: float, **more: object) -> Row:
    """One direction of a round of 10 s, 8 KiB an IO."""
    return measured(
        f"s{step}",
        test="wsat-oltp",
        phase="saturation",
        round=step,
        read_percent=65,
        direction=direction,
        total_ios=ios,
        iops=ios / 10,
        bw_bytes_per_s=ios / 10 * 8192,
        lat_mean_ns=lat_ns,
        lat_max_ns=lat_ns * 3,
    ) | dict(more)


def test_directions_of_a_mix_stand_apart_round_by_round() -> None:
    table = summarise_saturation_directions(
        measurements([
            side(2, "write", 400, 8e6),
            side(2, "read", 600, 2e6),
            side(1, "read", 700, 1e6),
            side(1, "write", 300, 4e6),
            side(1, "total", 1000, 1.9e6),
            side(9, "read", 9, 1e6, kind="histogram"),
            side(1, "read", 5, 1e6, test="wsat-vod"),
        ]),
        test="wsat-oltp",
    )
    assert table["round"].tolist() == [1, 2]
    assert table["read_percent"].tolist() == [65, 65]
    assert table["read_ios_percent"].tolist() == [70.0, 60.0]
    assert table["read_iops"].tolist() == [70.0, 60.0]
    assert table["write_iops"].tolist() == [30.0, 40.0]
    assert table["write_bw_bytes_per_s"].tolist() == [30.0 * 8192, 40.0 * 8192]
    assert table["read_lat_mean_ns"].tolist() == [1e6, 2e6]
    assert table["write_lat_mean_ns"].tolist() == [4e6, 8e6]
    assert table["read_lat_max_ns"].tolist() == [3e6, 6e6]
    assert table["write_lat_max_ns"].tolist() == [12e6, 24e6]


def test_directions_of_a_round_that_wrote_nothing_are_missing_and_not_zero() -> None:
    table = summarise_saturation_directions(
        measurements([
            side(1, "read", 700, 1e6),
            side(1, "write", 300, 4e6),
            side(2, "read", 10, 1e6),
        ]),
        test="wsat-oltp",
    )
    assert table["round"].tolist() == [1, 2]
    assert table["read_iops"].tolist() == [70.0, 1.0]
    assert pd.isna(table["write_iops"].iloc[1])
    assert pd.isna(table["read_ios_percent"].iloc[1])


@pytest.mark.parametrize("direction", ["read", "write", "total"])
def test_directions_of_one_direction_alone_are_none(direction: str) -> None:
    rows = [side(1, direction, 10, 1e6), side(2, direction, 10, 1e6)]
    table = summarise_saturation_directions(measurements(rows), test="wsat-oltp")
    assert table.empty
    assert "write_iops" in table.columns

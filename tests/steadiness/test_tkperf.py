"""TKperf's arithmetic, by hand: whole numbers, 0.65 and 0.35, MiB/s, a floored mean."""

from collections.abc import Mapping

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.steadiness.tkperf import (
    judge_tkperf_window,
    summarise_tkperf_table,
    take_tkperf_rounds,
)
from tests.stats.frames import Row, measured, measurements, window, windows

KIB = 1024
MIB = KIB * KIB


def cell(
    test: str, number: int, place: tuple[int, int], **sides: Mapping[str, object]
) -> list[Row]:
    """Rows of one cell of a round, a row a direction."""
    size, mix = place
    return [
        measured(
            f"{number}-{size}-{mix}",
            direction=direction,
            test=test,
            phase="rounds",
            round=number,
            block_size_bytes=size,
            read_percent=mix,
            **values,
        )
        for direction, values in sides.items()
    ]


def mixed(number: int, *, reads: float, writes: float, mix: int = 65) -> list[Row]:
    """A mixed cell of LAT whose mean latencies are given [us], its maxima 10 x that."""

    def side(mean_us: float) -> dict[str, object]:
        lat = {"lat_mean_ns": 1e3 * mean_us, "lat_max_ns": 1e4 * mean_us}
        return {"iops": 10.0, **lat}

    total = side((3 * reads + writes) / 4)
    return cell(
        "lat", number, (4096, mix), read=side(reads), write=side(writes), total=total
    )


def test_iops_are_whole_numbers_of_each_direction_added() -> None:
    rows = cell(
        "iops",
        1,
        (4096, 65),
        read={"iops": 650.9},
        write={"iops": 350.9},
        total={"iops": 1001.8},
    )
    taken = take_tkperf_rounds(measurements(rows), "iops")
    assert taken["iops"].tolist() == [1000.0]
    assert taken["own_iops"].tolist() == [1001.8]


def test_mixed_latency_is_weighed_by_the_mix_and_not_by_the_ios() -> None:
    rows = mixed(1, reads=100.0, writes=300.0)
    taken = take_tkperf_rounds(measurements(rows), "lat")
    assert taken["lat_mean_us"].tolist() == [pytest.approx(0.65 * 100 + 0.35 * 300)]
    assert taken["lat_max_us"].tolist() == [pytest.approx(0.65 * 1000 + 0.35 * 3000)]
    assert taken["own_lat_mean_ns"].tolist() == [150_000.0]


def test_greatest_latency_is_of_whole_microseconds() -> None:
    write: dict[str, object] = {
        "iops": 1.0,
        "lat_mean_ns": 1234.5,
        "lat_max_ns": 12_999.0,
    }
    rows = cell("lat", 1, (4096, 0), write=write, total=write)
    taken = take_tkperf_rounds(measurements(rows), "lat")
    assert taken["lat_max_us"].tolist() == [12.0]
    assert taken["lat_mean_us"].tolist() == [1.2345]


@pytest.mark.parametrize("mix", [50, 65], ids=["other mix", "no writes"])
def test_latency_that_tkperf_has_no_shares_for_is_missing(mix: int) -> None:
    rows = mixed(1, reads=100.0, writes=300.0, mix=mix)
    if mix == 65:
        rows = [row for row in rows if row["direction"] != "write"]
    taken = take_tkperf_rounds(measurements(rows), "lat")
    assert taken[["lat_mean_us", "lat_max_us"]].isna().all().all()


def test_results_without_directions_are_taken_as_they_are() -> None:
    rows = cell("iops", 1, (4096, 65), total={"iops": 5776.5})
    taken = take_tkperf_rounds(measurements(rows), "iops")
    assert taken["iops"].tolist() == [5776.5]


@settings(deadline=None, max_examples=30)
@given(st.floats(1, 1e6), st.floats(1, 1e6), st.floats(0.1, 10))
def test_mixed_latency_lies_between_and_scales(
    reads: float, writes: float, factor: float
) -> None:
    rows = [
        *mixed(1, reads=reads, writes=writes),
        *mixed(2, reads=factor * reads, writes=factor * writes),
    ]
    first, second = take_tkperf_rounds(measurements(rows), "lat")["lat_mean_us"]
    assert min(reads, writes) * 0.999999 <= first <= max(reads, writes) * 1.000001
    assert second == pytest.approx(factor * first)


def published_window(test: str, size: int, first: int) -> pd.DataFrame:
    return windows([
        window(
            "rounds",
            first,
            first + 4,
            test=test,
            block_size_bytes=size,
            read_percent=0,
        )
    ])


def test_window_is_the_published_one_of_the_mx200() -> None:
    values = [5776, 5865, 6022, 6160, 6181]
    rows = [
        row
        for number, iops in enumerate(values, start=2)
        for row in cell("iops", number, (4096, 0), total={"iops": float(iops)})
    ]
    taken = take_tkperf_rounds(measurements(rows), "iops")
    found = judge_tkperf_window(taken, published_window("iops", 4096, 2), "iops")
    assert found is not None
    assert found.rounds == (2, 3, 4, 5, 6)
    assert found.series == tuple(values)
    assert found.printed_average == 6000.0
    assert found.verdict.average == 6000.8
    assert found.verdict.slope_per_round == 110.5
    assert found.intercept == pytest.approx(5669.3)  # PTS 2.1.24, rounds from 0
    assert found.verdict.is_steady


def test_mean_of_latencies_keeps_its_fraction() -> None:
    values = [206.155855, 205.510651, 198.602876, 192.757271, 188.223261]
    rows = [
        row
        for number, us in enumerate(values, start=1)
        for row in cell("lat", number, (4096, 0), total={"lat_mean_ns": 1000 * us})
    ]
    taken = take_tkperf_rounds(measurements(rows), "lat")
    found = judge_tkperf_window(taken, published_window("lat", 4096, 1), "lat")
    assert found is not None
    assert found.printed_average == pytest.approx(198.2499828, abs=1e-9)


def test_every_block_size_of_throughput_is_averaged_over_the_tracked_rounds() -> None:
    def rate(number: int, size: int, mix: int) -> list[Row]:
        side = {"iops": 1.0, "bw_bytes_per_s": (100.0 * number + size / MIB) * KIB + 7}
        named = {"read" if mix else "write": side, "total": side}
        return cell("tp", number, (size, mix), **named)

    rows = [
        row
        for number in range(1, 8)
        for size in (MIB, 4096)
        for mix in (100, 0)
        for row in rate(number, size, mix)
    ]
    taken = take_tkperf_rounds(measurements(rows), "tp")
    found = judge_tkperf_window(taken, published_window("tp", MIB, 3), "tp")
    assert found is not None
    table = summarise_tkperf_table(taken, found)
    cells = table.set_index(["block_size_bytes", "read_percent"])
    # Rounds 3 to 7 have a mean of 500 KiB/s; 7 B/s are less than one KiB/s.
    assert cells.loc[(MIB, 0), "tkperf"] == pytest.approx(501 / 1024)
    assert cells.loc[(4096, 100), "tkperf"] == pytest.approx(500 / 1024)
    assert cells.loc[(MIB, 0), "own"] == pytest.approx((501 * KIB + 7) / 1e6)


def test_greatest_latency_of_the_table_is_the_greatest_of_the_window() -> None:
    rows = [
        *(
            row
            for n in range(1, 7)
            for row in mixed(n, reads=10.0 * n, writes=10.0 * n)
        ),
        *(
            row
            for n in range(1, 7)
            for row in cell("lat", n, (4096, 0), total={"lat_mean_ns": 1e5})
        ),
    ]
    taken = take_tkperf_rounds(measurements(rows), "lat")
    found = judge_tkperf_window(taken, published_window("lat", 4096, 1), "lat")
    assert found is not None
    table = summarise_tkperf_table(taken, found)
    chosen = table[(table["quantity"] == "lat_max") & (table["read_percent"] == 65)]
    assert chosen["tkperf"].tolist() == [pytest.approx(0.5)]
    assert chosen["own"].tolist() == [pytest.approx(0.5)]


def test_there_is_no_window_where_none_was_judged_or_several_were() -> None:
    rows = cell("iops", 1, (4096, 0), total={"iops": 1.0})
    taken = take_tkperf_rounds(measurements(rows), "iops")
    assert judge_tkperf_window(taken, windows([]), "iops") is None
    one = published_window("iops", 4096, 1)
    assert judge_tkperf_window(taken, pd.concat([one, one]), "iops") is None

"""Percentiles, their intervals and verdicts of a few rounds and one long run."""

import math
from typing import Any

import pandas as pd
import pytest

from ssdlab.analysis import (
    Load,
    assess_qos,
    claim_text,
    origin_text,
    parse_qos_target,
    select_directions,
    select_load,
    select_loads,
    summarise_curve,
    summarise_latency_map,
    summarise_load,
    summarise_loads,
    summarise_percentile_rounds,
    summarise_qos,
    tabulate_qos,
    tabulate_verdicts,
)
from ssdlab.model.errors import NoHistogramError, UnknownNameError
from tests.analysis.frames import Row, bins, measured, measurements, window, windows

FAST, SLOW = 1_000_000, 5_000_000  # names of two bins [ns]
WORKLOAD: Row = {
    "block_size_bytes": 4096, "read_percent": 65, "threads": 1, "queue_depth": 1,
}  # fmt: skip


def step(name: str, number: int | None, **values: object) -> Row:
    row = measured(
        name,
        test="lat",
        phase="rounds",
        round=number,
        total_ios=1000,
        iops=1000.0,
        bw_bytes_per_s=4.096e6,
        runtime_s=1.0,
        lat_mean_ns=1.2e6,
        lat_max_ns=5.0e6,
    )
    return row | WORKLOAD | values


def held(
    name: str, slow: int, total: int = 1000, direction: str = "total"
) -> list[Row]:
    shared: Row = {"step_id": name, "direction": direction}
    return [
        shared | {"lat_ns": FAST, "count": total - slow},
        shared | {"lat_ns": SLOW, "count": slow},
    ]


STEPS = [step(f"s{number}", number, iops=990.0 + 5 * number) for number in range(1, 6)]
LONG = step("h1", None, phase="histogram", kind="histogram", total_ios=40_000)
SIDES = [
    step("s1", 1, direction="read", total_ios=650),
    step("s1", 1, direction="write", total_ios=350),
]
MEASURED = measurements([*STEPS, LONG, *SIDES])
COUNTED = bins([
    *(row for number in range(1, 6) for row in held(f"s{number}", number)),
    *held("h1", 3, 40_000),
    *held("s1", 1, 650, "read"),
    *held("s1", 1, 350, "write"),
])
WINDOWS = windows([window("rounds", 2, 5, test="lat", is_round_steady=True)])
ROUNDS = select_load(MEASURED, COUNTED, kind="cell")
ONE_RUN = select_load(MEASURED, COUNTED)


def level_of(load: Load, marker: str) -> "pd.Series[Any]":
    rows = summarise_qos(load)
    return rows[rows["marker"] == marker].iloc[0]


def test_loads_are_listed_long_runs_first() -> None:
    table = summarise_loads(MEASURED, COUNTED)
    assert table["kind"].tolist() == ["histogram", "cell"]
    assert table["steps"].tolist() == [1, 5]
    assert table["total_ios"].tolist() == [40_000, 5000]
    assert table["directions"].tolist() == ["", "read, write"]


def test_rounds_of_the_window_alone_count_when_windows_are_given() -> None:
    (_, load) = select_loads(MEASURED, COUNTED, WINDOWS)
    assert load.steps["round"].tolist() == [2, 3, 4, 5]
    assert load.binned().total == 4000
    assert load.note == ""
    shaky = WINDOWS.assign(is_round_steady=False)
    assert select_loads(MEASURED, COUNTED, shaky)[1].note == "the window was not steady"
    none = select_loads(MEASURED, COUNTED, WINDOWS.iloc[:0])[1]
    assert (len(none.steps), none.note) == (5, "no round was judged: all count")


def test_names_that_are_none_are_told_with_those_that_are() -> None:
    with pytest.raises(UnknownNameError, match=r"no test with a histogram 'tp'.*: lat"):
        select_loads(MEASURED, COUNTED, test="tp")
    with pytest.raises(UnknownNameError, match="RND 4 KiB 65/35 T1/Q1"):
        select_loads(MEASURED, COUNTED, workload="SEQ")
    assert len(select_loads(MEASURED, COUNTED, workload="rnd 4kib 65/35")) == 2


def test_run_without_bins_says_what_to_do() -> None:
    with pytest.raises(NoHistogramError, match="json\\+"):
        select_loads(MEASURED, COUNTED.iloc[:0])
    with pytest.raises(NoHistogramError, match="no latency histogram of trims"):
        select_loads(MEASURED, COUNTED, direction="trim")


def test_rounds_claim_the_interval_between_them() -> None:
    row = level_of(ROUNDS, "99 %")
    assert row["claimed"] == "between rounds"
    assert (row["lat_ns"], row["low_ns"], row["high_ns"]) == (FAST, FAST - 1, FAST + 1)
    assert row["is_supported"]


def test_one_long_run_claims_independent_ios_and_says_so() -> None:
    table = summarise_qos(ONE_RUN)
    assert set(table["claimed"]) == {"", "independent IOs", "recorded"}
    assert "one long run cannot tell how rounds differ" in claim_text(ONE_RUN, table)


@pytest.mark.parametrize(
    ("marker", "note"),
    [
        ("99.99 %", ""),
        ("99.999 %", "not supported by 40,000 IOs: 368,887 are needed"),
    ],
)
def test_level_that_too_few_ios_stand_behind_is_not_supported(
    marker: str, note: str
) -> None:
    row = level_of(ONE_RUN, marker)
    assert row["note"] == note
    assert row["is_supported"] == (note == "")
    assert math.isinf(float(str(row["high_ns"]))) == (note != "")


def test_rounds_that_differ_may_not_support_what_their_ios_would() -> None:
    rows = [row for n in range(1, 6) for row in held(f"s{n}", 40 if n == 1 else 0)]
    load = select_load(MEASURED, bins(rows), kind="cell")
    row = level_of(load, "99 %")
    assert not row["is_supported"]
    assert "not supported by 5 rounds: they differ so much" in str(row["note"])
    assert math.isfinite(float(str(row["independent_high_ns"])))


def test_maximum_beyond_the_last_bin_is_a_censored_tail() -> None:
    steps = measurements([LONG | {"lat_max_ns": 9.0e6}])
    load = select_load(steps, COUNTED)
    table = summarise_qos(load, levels=[99, 99.9999]).set_index("marker")
    assert load.is_censored
    assert table["is_censored"].tolist() == [False, False, True, False]
    assert "fio tells no latencies apart" in table["note"]["99.9999 %"]
    assert load.binned().upper[-1] == 9.0e6


def test_ios_that_no_bin_holds_are_told() -> None:
    load = select_load(measurements([LONG | {"total_ios": 90_000}]), COUNTED)
    notes = summarise_qos(load)["note"]
    assert notes.str.contains("the histogram holds 40,000 of 90,000 IOs").all()


def test_wide_bins_are_told() -> None:
    wide = bins([{"step_id": "h1", "lat_ns": FAST, "lat_lower_ns": 500_000,
                  "lat_upper_ns": 2_000_000, "count": 40_000}])  # fmt: skip
    load = select_load(measurements([LONG | {"lat_max_ns": 1.9e6}]), wide)
    assert "its bin is wide: 500,000 to 1,900,000 ns" in str(level_of(load, "50 %"))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("p99 <= 2 ms", "met"),
        ("p99 <= 2 ms at >= 900 IOPS", "met"),
        ("p99 <= 2 ms at >= 1,200 IOPS", "not met"),
        ("p99 <= 2 ms at >= 1,005 IOPS", "cannot be told"),
        ("p99 <= 0.5 ms", "not met"),
        ("p99.99 <= 4 ms", "not met"),
        ("p99.99 <= 6 ms", "cannot be told"),
        ("p99.9 <= 1.0000005 ms", "not met"),
        ("max <= 4 ms", "not met"),
        ("max <= 5 ms", "cannot be told"),
        ("max < 5 ms", "not met"),
        ("mean <= 2 ms", "met"),
        ("mean <= 1 ms", "not met"),
    ],
)
def test_verdict_on_a_target(text: str, verdict: str) -> None:
    found = assess_qos(ROUNDS, parse_qos_target(text))
    assert found.verdict == verdict
    assert found.words.startswith(verdict)
    if verdict != "cannot be told":
        assert found.certainty_percent >= 97.5


def test_certainty_by_hand_of_a_long_run() -> None:
    # 3 of 40,000 beyond: P(at most 39,996 of them below p99.99) with 4 expected beyond
    found = assess_qos(ONE_RUN, parse_qos_target("p99.99 <= 2 ms"))
    tail = math.exp(-4) * (1 + 4 + 8 + 64 / 6)
    assert found.certainty_percent == pytest.approx(100 * (1 - tail), abs=0.05)
    assert found.verdict == "cannot be told"
    assert "if its IOs are independent" in found.words


def test_verdict_agrees_with_the_interval_that_is_claimed() -> None:
    for load in (ROUNDS, ONE_RUN):
        for level in (50.0, 99.0, 99.9, 99.99):
            row = summarise_qos(load, levels=[level]).iloc[1]
            for limit in (0.9e6, 1.1e6, 4e6, 6e6):
                target = parse_qos_target(f"p{level:g} <= {limit:.0f} ns")
                met = assess_qos(load, target).verdict == "met"
                assert met == (float(row["high_ns"]) <= limit + 1)


def test_log_of_one_run_bounds_its_rate() -> None:
    series = pd.DataFrame({
        "step_id": "h1", "direction": "total", "time_s": [float(n) for n in range(40)],
        "iops": [1000.0 + n % 3 for n in range(40)], "lat_mean_ns": 1.2e6,
    })  # fmt: skip
    target = parse_qos_target("p99 <= 2 ms at >= 900 IOPS")
    assert assess_qos(ONE_RUN, target).verdict == "cannot be told"
    found = assess_qos(ONE_RUN, target, series=series)
    assert found.verdict == "met"
    assert found.rate is not None
    assert found.rate.claimed == "batches of the log"


def test_curve_falls_to_nothing_and_tells_where_its_tail_is_not_supported() -> None:
    curve = summarise_curve(ROUNDS, ONE_RUN)
    last = curve.groupby("load")["exceedance_ratio"].last()
    assert last.tolist() == [0.0, 0.0]
    assert curve["is_supported"].tolist() == [True, False, False, False]


def test_directions_are_those_that_fio_told_apart() -> None:
    read, write = select_directions(ROUNDS, MEASURED, COUNTED)
    assert (read.direction, read.binned().total) == ("read", 650)
    assert (write.direction, write.binned().total) == ("write", 350)
    assert select_directions(ONE_RUN, MEASURED, COUNTED) == (ONE_RUN,)


def test_each_round_has_its_own_percentiles() -> None:
    table = summarise_percentile_rounds(ROUNDS, levels=[50, 99.8])
    assert table["round"].tolist() == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    slowest = table[table["percentile"] == 99.8]
    assert slowest["lat_ns"].tolist() == [FAST, FAST, SLOW, SLOW, SLOW]
    assert not slowest["is_supported"].any()
    assert slowest["minutes"].tolist() == pytest.approx([n / 60 for n in range(1, 6)])


def test_map_holds_every_io_whatever_it_is_made_of() -> None:
    cells = summarise_latency_map(ROUNDS, most_columns=2)
    assert cells["count"].sum() == 5000
    assert cells.groupby("start")["share_percent"].sum().tolist() == [100.0, 100.0]
    assert "from round to round" in origin_text(cells)
    assert summarise_latency_map(ONE_RUN).empty
    assert "Nothing was kept" in origin_text(summarise_latency_map(ONE_RUN))
    log = pd.DataFrame({
        "time_ms": [1000, 1000, 2000], "direction": "write",
        "lat_ns": [FAST, SLOW, FAST], "count": [5, 1, 6],
    })  # fmt: skip
    cells = summarise_latency_map(ONE_RUN, histogram_log=log)
    assert cells[["start", "end"]].drop_duplicates().to_numpy().tolist() == [
        [0.0, 1.0],
        [1.0, 2.0],
    ]
    assert cells["count"].sum() == 12


def test_rates_of_a_load_and_its_tables_as_text() -> None:
    assert summarise_load(ROUNDS)["iops"] == pytest.approx(1005)
    shown = tabulate_qos(summarise_qos(ONE_RUN))
    assert shown["95 % interval [ms]"].tolist()[-1] == "at least 5.000"
    verdicts = [assess_qos(ROUNDS, parse_qos_target("p50 <= 2 ms at 900 IOPS"))]
    assert tabulate_verdicts(verdicts)["Verdict"].tolist() == [
        "met, with a certainty of more than 99.9 %"
    ]

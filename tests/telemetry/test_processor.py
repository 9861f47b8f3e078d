"""Processor time per IO: by hand, and only of what was measured."""

import math
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis.strategies import floats, integers, lists, tuples

import ssdlab
from ssdlab.stats.matrix import mark_window
from ssdlab.telemetry.processor import processor_us_per_io, summarise_processor
from tests.paths import ROOT

NO_WINDOW = pd.DataFrame(
    columns=[
        *("run_id", "test", "phase", "is_final"),
        *("window_first_round", "window_last_round"),
    ]
)


def a_round(number: int, **values: Any) -> dict[str, Any]:
    return {
        "run_id": "a", "step_id": f"{number:03d}", "test": "iops", "phase": "rounds",
        "kind": "cell", "direction": "total", "round": number, "access": "rnd",
        "block_size_bytes": 4096, "read_percent": 0, "threads": 4, "queue_depth": 32,
        "total_ios": 1000, "iops": 1000.0, "runtime_s": 1.0,
        "usr_cpu_percent": 10.0, "sys_cpu_percent": 15.0,
        **values,
    }  # fmt: skip


def test_time_is_of_all_threads_over_all_ios() -> None:
    """4 threads busy by 25 % for 1 s are 1 s for 1,000 IOs; then 0.4 s for 3,000."""
    rounds = [
        a_round(1),
        a_round(2, total_ios=3000, usr_cpu_percent=0, sys_cpu_percent=10),
    ]
    (row,) = summarise_processor(pd.DataFrame(rounds), NO_WINDOW).to_dict("records")
    assert row["cpu_us_per_io"] == pytest.approx(1.4 / 4000 * 1e6)
    assert row["iops_per_core"] == pytest.approx(4000 / 1.4)
    assert row["iops"] == 1000


def test_only_rounds_of_the_window_count_where_there_is_one() -> None:
    window = pd.DataFrame([{
        "run_id": "a", "test": "iops", "phase": "rounds", "is_final": True,
        "window_first_round": 2, "window_last_round": 3,
    }])  # fmt: skip
    rounds = [a_round(1, usr_cpu_percent=90), a_round(2), a_round(3)]
    (row,) = summarise_processor(pd.DataFrame(rounds), window).to_dict("records")
    assert row["cpu_us_per_io"] == pytest.approx(1000)


@pytest.mark.parametrize(
    "values",
    [
        {"usr_cpu_percent": math.nan},
        {"usr_cpu_percent": 0.0, "sys_cpu_percent": 0.0},
        {"total_ios": 0},
        {"kind": "precondition"},
        {"direction": "write"},
    ],
)
def test_what_is_not_known_has_no_row(values: dict[str, Any]) -> None:
    assert summarise_processor(pd.DataFrame([a_round(1, **values)]), NO_WINDOW).empty


@given(
    lists(
        tuples(floats(0.5, 100), integers(1, 10**6), integers(1, 64)),
        min_size=1,
        max_size=8,
    )
)
def test_whole_is_between_its_parts_and_no_round_is_weighted_by_time_alone(
    rounds: list[tuple[float, int, int]],
) -> None:
    rows = [
        a_round(n, usr_cpu_percent=busy, total_ios=ios, threads=threads)
        for n, (busy, ios, threads) in enumerate(rounds)
    ]
    parts = [processor_us_per_io(pd.DataFrame([one])) for one in rows]
    whole = processor_us_per_io(pd.DataFrame(rows))
    assert min(parts) * 0.999999 <= whole <= max(parts) * 1.000001


def test_sample_runs_cost_what_their_files_say() -> None:
    run = ssdlab.open_run(ROOT / "data" / "samples" / "virtual-b")
    found = summarise_processor(run.measurements, run.windows)
    (row,) = found[
        (found["test"] == "iops")
        & (found["block_size_bytes"] == 4096)
        & (found["read_percent"] == 0)
    ].to_dict("records")
    busy, ios = 0.0, 0
    marked = mark_window(run.measurements, run.windows)
    for one in marked[marked["is_in_window"].fillna(value=False)].to_dict("records"):
        names = ("test", "direction", "block_size_bytes", "read_percent")
        if [one[name] for name in names] == ["iops", "total", 4096, 0]:
            percent = one["usr_cpu_percent"] + one["sys_cpu_percent"]
            busy += percent / 100 * one["threads"] * one["runtime_s"]
            ios += one["total_ios"]
    assert row["cpu_us_per_io"] == pytest.approx(1e6 * busy / ios)

"""A few rounds and one long run of the same workload, made."""

from typing import Any

import pandas as pd

from ssdlab.analysis import summarise_qos
from ssdlab.qos.load import Load
from ssdlab.qos.loads import select_load
from tests.stats.frames import Row, bins, measured, measurements, window, windows

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

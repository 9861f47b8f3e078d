"""Recorded PTS runs of a real drive go through plan, engine, ingest and analysis.

What comes out is held against what their author published and against the standard's
own rule in plain arithmetic.
"""

import math
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ssdlab.model.errors import FioFailedError
from ssdlab.model.spec import Phase
from ssdlab.stats.matrix import (
    select_window,
    summarise_iops_matrix,
    summarise_latency_table,
    summarise_throughput,
)
from ssdlab.stats.steady_state import assess_steady_state
from ssdlab.store.raw import read_all_steps
from ssdlab.store.run import Run
from tests.golden.real_drive import (
    AUTHORS_RULE,
    KIB,
    MIXES,
    SIZES,
    Cell,
    as_test,
    authors_size,
    drive_recording,
    fill,
    numbers_in,
    own_steady_state,
    published,
    raw_sides,
    recorded_rounds,
    recording_of,
    replay,
    size_in_bytes,
    workload,
)
from tests.paths import FIO_SAMPLES, require_folder

AGREES = 0.001
TP_SIZES = tuple(KIB * size for size in (4, 8, 16, 32, 128, 1024))
MIB = KIB * KIB
FILL = {"wipc_bs1024KB.json": 128 * KIB}


def iops_folder() -> Path:
    return require_folder(FIO_SAMPLES / "ssspt_hp_iops_3")


@pytest.fixture(scope="module")
def iops_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """IOPS as its author took it: a cell, all its rounds, the next cell."""
    recording = recording_of("iops", iops_folder(), access="rnd", fills=FILL)
    cells = [
        workload((size, mix), "rnd", threads=2, queue_depth=16)
        for size in SIZES
        for mix in MIXES
    ]
    phases: tuple[Phase, ...] = (
        fill(128 * KIB, threads=2, queue_depth=16),
        *(own_steady_state(cell, "iops") for cell in cells),
    )
    test = as_test("iops", phases)
    return replay(tmp_path_factory.mktemp("iops"), recording, test)


def one_block_size(size: int) -> tuple[Phase, ...]:
    cells = (
        workload((size, mix), "seq", threads=1, queue_depth=32) for mix in (100, 0)
    )
    rounds = (own_steady_state(cell, "bw_bytes_per_s") for cell in cells)
    return (fill(size, queue_depth=32), *rounds)


@pytest.fixture(scope="module")
def tp_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = require_folder(FIO_SAMPLES / "ssspt_hp_throughput_3")
    fills = {f"wipc_bs{authors_size(size)}.json": size for size in TP_SIZES}
    recording = recording_of("tp", folder, access="seq", fills=fills)
    phases = [phase for size in TP_SIZES for phase in one_block_size(size)]
    test = as_test("tp", phases)
    return replay(tmp_path_factory.mktemp("tp"), recording, test)


# In the order of time; two cells of 4 KiB were taken again a day later. The author's
# jobs say rw=readwrite: his latencies are those of sequential IO.
LAT_CELLS = [
    *((8 * KIB, mix) for mix in (100, 65, 0)),
    (4 * KIB, 100),
    *((512, mix) for mix in (100, 65, 0)),
    *((4 * KIB, mix) for mix in (65, 0)),
]


def lat_folder() -> Path:
    return require_folder(FIO_SAMPLES / "ssspt_hp_lat_2")


@pytest.fixture(scope="module")
def lat_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    fills = {"wipc_bs8KB.json": 128 * KIB}
    recording = recording_of("lat", lat_folder(), access="seq", fills=fills)
    phases: tuple[Phase, ...] = (
        fill(128 * KIB, queue_depth=1),
        *(
            own_steady_state(
                workload(cell, "seq", threads=1, queue_depth=1), "lat_mean_ns"
            )
            for cell in LAT_CELLS
        ),
    )
    test = as_test("lat", phases)
    return replay(tmp_path_factory.mktemp("lat"), recording, test)


def rounds_taken(run: Run) -> dict[Cell, int]:
    cells = run.steps[run.steps["kind"] == "cell"]
    last = cells.groupby(["block_size_bytes", "read_percent"])["round"].max()
    return {(size, mix): int(last[size, mix]) for size, mix in last.index}


def by_cell(frame: pd.DataFrame, metric: str) -> dict[Cell, float]:
    rows = zip(
        frame["block_size_bytes"], frame["read_percent"], frame[metric], strict=True
    )
    return {(int(size), int(mix)): float(value) for size, mix, value in rows}


def published_cells(name: str) -> dict[Cell, dict[str, str]]:
    return {
        (size_in_bytes(row["block_size"]), int(row["read_pct"])): row
        for row in published(name)
    }


def final_window(run: Run, cell: Cell) -> dict[str, float]:
    windows = run.windows[run.windows["is_final"]]
    (place,) = np.flatnonzero(
        (windows["block_size_bytes"] == cell[0]) & (windows["read_percent"] == cell[1])
    )
    return {str(name): value for name, value in windows.iloc[place].items()}


def as_published(window: Mapping[str, float]) -> dict[str, object]:
    """Write a window the way its author did; his slope is one-sided: half of ours."""
    average = window["average"]
    return {
        "average": [round(average, 3)],
        "allowed_pm10pct": [round(1.1 * average, 3), round(0.9 * average, 3)],
        "measured_max_min": [round(window["maximum"], 3), round(window["minimum"], 3)],
        "slope_pct_one_sided": [round(100 * window["slope_ratio"] / 2, 3)],
        "fit_formula_x_is_round": (
            f"{window['slope_per_round']:.4g} x + {window['intercept']:.4g}"
        ),
    }


def assert_agrees(window: Mapping[str, float], row: Mapping[str, str]) -> None:
    for name, value in as_published(window).items():
        if isinstance(value, str):
            assert value == row[name]
        else:
            assert value == pytest.approx(numbers_in(row[name]), abs=AGREES, rel=0), (
                name
            )


def mix_of(case: str) -> int:
    return int(re.findall(r"(\d+):\d+$", case)[0])


@pytest.mark.parametrize("name", ["iops", "tp", "lat"])
def test_recorded_test_ends_each_cell_where_its_author_did(
    name: str, request: pytest.FixtureRequest
) -> None:
    run: Run = request.getfixturevalue(f"{name}_run")
    folder = {"iops": "iops_3", "tp": "throughput_3", "lat": "lat_2"}[name]
    recorded = recorded_rounds(FIO_SAMPLES / f"ssspt_hp_{folder}")
    assert len(recorded) == {"iops": 56, "tp": 12, "lat": 9}[name]
    assert rounds_taken(run) == recorded
    final = run.windows[run.windows["is_final"]]
    assert len(final) == len(recorded)
    assert final["is_round_steady"].all()


@pytest.mark.parametrize("name", ["iops", "tp", "lat"])
def test_recorded_gaps_are_kept_and_no_window_spans_a_long_one(
    name: str, request: pytest.FixtureRequest
) -> None:
    steps = request.getfixturevalue(f"{name}_run").steps
    gaps = steps["idle_before_s"]
    assert gaps.isna().tolist() == [True] + [False] * (len(steps) - 1)
    assert gaps.min() > 2
    later_rounds = steps[steps["round"] > 1]
    assert later_rounds["idle_before_s"].max() < 4
    assert later_rounds["is_contiguous"].all()


def test_fill_that_was_recorded_wrote_twice_the_capacity(
    iops_run: Run, tp_run: Run, lat_run: Run
) -> None:
    for run in (iops_run, tp_run, lat_run):
        fills = run.steps[run.steps["kind"] == "precondition"]
        capacity = run.record.target.capacity_bytes
        blocks = fills["block_size_bytes"]
        assert (fills["written_bytes"] - 2 * capacity).between(0, 2 * blocks).all()


def test_output_of_another_block_size_than_its_name_says_is_refused(
    tmp_path: Path,
) -> None:
    """This fill is named after the first block size tested; it wrote 128 KiB."""
    fills = {"wipc_bs1024KB.json": MIB}
    recording = recording_of("iops", iops_folder(), access="rnd", fills=fills)
    test = as_test("iops", (fill(MIB, threads=2, queue_depth=16),))
    with pytest.raises(FioFailedError, match="1953670 IOs of 1048576 B are 2048571"):
        drive_recording(tmp_path, recording, test, max_idle_s=5)


@pytest.mark.parametrize("size", SIZES, ids=authors_size)
def test_iops_of_every_mix_are_the_published_ones(iops_run: Run, size: int) -> None:
    ours = by_cell(
        summarise_iops_matrix(iops_run.measurements, iops_run.windows), "iops"
    )
    theirs = published_cells("ssspt_hp_iops_3_table.csv")
    assert ours.keys() == theirs.keys()
    for mix in MIXES:
        value = float(theirs[size, mix]["mean_over_window"])
        assert ours[size, mix] == pytest.approx(value, abs=AGREES, rel=0), mix


@pytest.mark.parametrize("number", range(3))
def test_iops_windows_are_the_published_ones(iops_run: Run, number: int) -> None:
    row = published("ssspt_hp_iops_3_window.csv")[number]
    window = final_window(iops_run, (size_in_bytes(row["case"]), mix_of(row["case"])))
    first, last = window["window_first_round"], window["window_last_round"]
    assert f"{first} - {last}" == row["window_rounds"]
    assert_agrees(window, row)


def whole_kib(run: Run, cell: Cell) -> list[float]:
    """Return the data rates [MiB/s] of a window as fio's ``bw`` has them."""
    cells = select_window(run.measurements, run.windows, "tp")
    here = cells[
        (cells["block_size_bytes"] == cell[0]) & (cells["read_percent"] == cell[1])
    ]
    rates = here.sort_values("round")["bw_bytes_per_s"]
    return [math.floor(rate / KIB) / KIB for rate in rates]


@pytest.mark.parametrize("number", range(12))
def test_throughput_windows_are_the_published_ones(tp_run: Run, number: int) -> None:
    row = published("ssspt_hp_throughput_3_window.csv")[number]
    cell = size_in_bytes(row["case"]), {"read": 100, "write": 0}[row["mode"]]
    verdict = assess_steady_state(whole_kib(tp_run, cell), AUTHORS_RULE)
    assert verdict.is_steady
    names = ("average", "maximum", "minimum", "slope_ratio", "slope_per_round")
    assert_agrees({name: getattr(verdict, name) for name in (*names, "intercept")}, row)
    rates = by_cell(
        summarise_throughput(tp_run.measurements, tp_run.windows), "bw_bytes_per_s"
    )
    lost_by_flooring = 1 / KIB
    (average,) = numbers_in(row["average"])
    assert -AGREES <= rates[cell] / MIB - average <= lost_by_flooring + AGREES


def test_throughput_cells_carry_on_where_the_recorded_ones_did(tp_run: Run) -> None:
    """But near the end of the range: ours ends its lap there, and his jobs wrap."""
    moved: dict[str, int] = {}
    wraps = 0
    for record in read_all_steps(tp_run.path):
        step = record.step
        if step.kind != "cell":
            continue
        raw = tp_run.raw_output(step.step_id).decode()
        (recorded,) = re.findall(r'"offset" : "(\d+)"', raw)
        last = moved.get(step.phase_id, 0)
        has_room = int(recorded) + last <= step.range_bytes
        block = step.workload.block_size_bytes if step.workload else 1
        ends_lap = (step.range_bytes - step.range_bytes % block) - last
        expected = int(recorded) if has_room else ends_lap
        assert step.offset_bytes == expected, step.step_id
        wraps += not has_room
        moved[step.phase_id] = record.result.read_bytes + record.result.written_bytes
    assert 0 < wraps < 12


@pytest.mark.parametrize("cell", LAT_CELLS, ids=str)
def test_latencies_are_the_published_ones_or_those_of_the_raw_files(
    lat_run: Run, cell: Cell
) -> None:
    table = summarise_latency_table(
        lat_run.measurements,
        lat_run.windows,
        percentiles=lat_run.percentiles,
        bins=lat_run.bins,
    )
    ours = by_cell(table, "lat_mean_ns")
    theirs = published_cells("ssspt_hp_lat_2_table.csv")
    assert ours.keys() == theirs.keys()
    row = theirs[cell]
    stated = float(row["mean_over_window"])
    stale = numbers_in(row["agrees_with_raw_files"])
    assert bool(stale) == (cell in {(4 * KIB, 65), (4 * KIB, 0)})
    assert ours[cell] == pytest.approx(stale[0] if stale else stated, abs=AGREES, rel=0)
    if stale:
        assert abs(ours[cell] - stated) > 1000


def test_latency_window_is_the_published_one(lat_run: Run) -> None:
    (row,) = published("ssspt_hp_lat_2_window.csv")
    cell = size_in_bytes(row["case"]), mix_of(row["case"])
    assert_agrees(final_window(lat_run, cell), row)


def test_greatest_latency_is_that_of_all_rounds_of_the_window(lat_run: Run) -> None:
    table = summarise_latency_table(
        lat_run.measurements,
        lat_run.windows,
        percentiles=lat_run.percentiles,
        bins=lat_run.bins,
    )
    ours = by_cell(table, "lat_max_ns")
    for cell in LAT_CELLS:
        rounds = list(raw_sides(lat_folder(), cell))[-5:]
        greatest = max(side["lat_ns"]["max"] for busy in rounds for side in busy)
        assert ours[cell] == greatest

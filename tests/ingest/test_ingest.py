"""Ingest: tables from raw output, whatever they were before."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from ssdlab.ingest import ingest
from ssdlab.ingest.ingest import build_tables, ingest_run
from ssdlab.model.errors import FioOutputError, RunFolderError
from ssdlab.model.schema import TABLES
from ssdlab.model.step import Step
from ssdlab.store.raw import put_aside_unfinished
from ssdlab.store.run import Run, open_tables
from ssdlab.store.tables import columns_to_frame
from tests.engine.plans import (
    CAPACITY_BYTES,
    INPUTS,
    cell_name,
    drive,
    write_papers,
)
from tests.fakes import LAT_NS, FakeBackend, Mishap

FILL = "00002-iops-wipc"
ROUND_3 = cell_name(9, 3, 100)
IOPS_STEPS, WSAT_STEPS = 2 + 5 * 3, 1 + 4


def speed(step: Step) -> float:
    """Return IOPS that tell the cells apart: 3000, 2000 and 1000."""
    assert step.workload is not None
    return {100: 3000.0, 65: 2000.0, 0: 1000.0}[step.workload.read_percent]


def measured(run: Path, backend: FakeBackend | None = None) -> Run:
    drive(run, backend or FakeBackend(iops_of=speed))
    write_papers(run)
    ingest_run(run, INPUTS)
    return open_tables(run)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return measured(tmp_path_factory.mktemp("ingest") / "made-up")


def wavering(step: Step) -> float:
    return 1000.0 + (step.round or 0) % 2


def of_step(frame: pd.DataFrame, step_id: str) -> pd.DataFrame:
    return frame[frame["step_id"] == step_id].set_index("direction")


def test_every_step_has_one_row_in_order(run: Run) -> None:
    steps = run.steps
    assert len(steps) == IOPS_STEPS + WSAT_STEPS
    assert steps["step_id"].is_monotonic_increasing
    assert steps["started_s"].is_monotonic_increasing
    assert set(steps["run_id"]) == {"made-up"}
    purges = steps[steps["kind"] == "purge"]
    assert purges[["access", "block_size_bytes", "threads"]].isna().all(axis=None)


def test_step_row_tells_time_gap_and_bytes(run: Run) -> None:
    row = run.steps[run.steps["step_id"] == cell_name(4, 1, 65)].iloc[0]
    assert row["duration_s"] == pytest.approx(1, abs=1e-6)
    assert row["idle_before_s"] == pytest.approx(0.01, abs=1e-5)
    assert (row["read_bytes"], row["written_bytes"]) == (1300 * 4096, 700 * 4096)
    assert (row["round"], row["cell"], row["threads"], row["queue_depth"]) == (
        1,
        2,
        2,
        16,
    )


def test_total_written_bytes_begin_anew_at_each_purge(run: Run) -> None:
    steps = run.steps.set_index("step_id")
    expected = 0
    for _, row in steps.iterrows():
        expected = 0 if row["kind"] == "purge" else expected + row["written_bytes"]
        assert row["total_written_bytes"] == expected
    assert steps["total_written_bytes"][FILL] == 2 * CAPACITY_BYTES
    by_test = steps.groupby("test")["total_written_bytes"].max()
    assert by_test["iops"] == 2 * CAPACITY_BYTES + 5 * (700 + 1000) * 4096
    assert by_test["wsat"] == 4 * 1000 * 4096


def test_drive_fills_are_written_bytes_by_user_capacity(run: Run) -> None:
    steps = run.steps
    ratios = steps["total_written_bytes"].astype(float) / CAPACITY_BYTES
    assert steps["drive_fills"].tolist() == ratios.tolist()
    assert steps.set_index("step_id")["drive_fills"][FILL] == 2


def test_measurements_have_a_row_for_each_direction_that_did_io(run: Run) -> None:
    rows = run.measurements.groupby("step_id")["direction"].agg(list)
    assert len(rows) == IOPS_STEPS + WSAT_STEPS - 2
    assert rows[FILL] == ["write", "total"]
    assert rows[cell_name(3, 1, 100)] == ["read", "total"]
    assert rows[cell_name(4, 1, 65)] == ["read", "write", "total"]


def test_total_of_a_mixed_cell_is_the_sum_and_its_mean_is_weighted_by_io(
    run: Run,
) -> None:
    rows = of_step(run.measurements, cell_name(4, 1, 65))
    assert rows["iops"].to_dict() == {"read": 1300, "write": 700, "total": 2000}
    for name in ("total_ios", "io_bytes", "bw_bytes_per_s"):
        assert rows[name]["total"] == rows[name]["read"] + rows[name]["write"]
    read_ns, write_ns = rows["lat_mean_ns"]["read"], rows["lat_mean_ns"]["write"]
    assert read_ns == pytest.approx(LAT_NS["read"], rel=0.01)
    assert rows["lat_mean_ns"]["total"] == pytest.approx(
        (1300 * read_ns + 700 * write_ns) / 2000
    )
    assert rows["lat_max_ns"]["total"] == write_ns


def test_percentiles_of_a_mixed_cell_are_those_of_the_merged_bins(run: Run) -> None:
    step_id = cell_name(4, 1, 65)
    bins = of_step(run.bins, step_id).loc["total"]
    assert bins["count"].tolist() == [1300, 700]
    rows = of_step(run.percentiles, step_id).loc["total"].set_index("percentile")
    fast, slow = bins["lat_ns"].tolist()
    assert (rows["lat_ns"][60.0], rows["lat_ns"][70.0]) == (fast, slow)
    assert rows["is_supported"].to_dict() == {
        level: level <= 99
        for level in rows.index  # 2,000 IOs of 3,688
    }


def test_step_without_a_log_has_no_series(run: Run) -> None:
    assert run.series.empty
    assert tuple(run.series.columns) == TABLES["series"].column_names


def slowing(step: Step) -> float:
    """Return IOPS that fall until round 6 and then stay."""
    return 1000.0 * 1.3 ** max(0, 6 - (step.round or 0))


def test_every_judgement_is_kept_and_the_last_is_final(tmp_path: Path) -> None:
    windows = measured(tmp_path / "run", FakeBackend(iops_of=slowing)).windows
    assert windows["round"].tolist() == [5, 6, 7, 8, 9, 10]
    assert windows["is_final"].tolist() == [False] * 5 + [True]
    assert windows["is_round_steady"].tolist() == [False] * 5 + [True]
    assert windows["window_first_round"].tolist() == [1, 2, 3, 4, 5, 6]
    first = windows.iloc[0]
    assert first["reason"].startswith("range ")
    assert first["tracking"] == "RND 4 KiB 0/100"
    assert first["maximum"] == round(1000 * 1.3**5)


def test_windows_of_a_run_that_goes_on_end_with_its_last_full_round(
    tmp_path: Path,
) -> None:
    backend = FakeBackend(
        iops_of=slowing,
        mishaps={cell_name(22, 7, 65): Mishap(raises=KeyboardInterrupt())},
    )
    with pytest.raises(KeyboardInterrupt):
        drive(tmp_path, backend)
    put_aside_unfinished(tmp_path)
    write_papers(tmp_path)
    ingest_run(tmp_path, INPUTS)
    windows = open_tables(tmp_path).windows
    assert windows["round"].tolist() == [5, 6]
    assert windows["is_final"].tolist() == [False, True]


def test_window_spans_no_gap_when_built_again(tmp_path: Path) -> None:
    run = measured(tmp_path / "run", FakeBackend(gaps_s={ROUND_3: 60}))
    assert run.windows["window_first_round"].tolist() == [3]
    steps = run.steps
    assert steps.loc[~steps["is_contiguous"], "step_id"].tolist() == [ROUND_3]


def test_tables_are_equal_when_built_again(tmp_path: Path) -> None:
    run = measured(tmp_path / "run")
    frames = {name: getattr(run, name) for name in TABLES}
    (run.path / "tables" / "steps.parquet").write_bytes(b"damaged")
    ingest_run(run.path, INPUTS)
    again = open_tables(run.path)
    for name, frame in frames.items():
        pd.testing.assert_frame_equal(frame, getattr(again, name), check_exact=True)


def frames_of(run: Path) -> dict[str, pd.DataFrame]:
    tables = build_tables(run, INPUTS)
    return {name: columns_to_frame(TABLES[name], tables[name]) for name in TABLES}


def test_unfinished_step_is_in_no_table(tmp_path: Path) -> None:
    run = measured(tmp_path / "run", FakeBackend(iops_of=wavering))
    before = frames_of(run.path)
    half = run.path / "steps" / ".00023-wsat-saturation-r005-rnd-4KiB-r0"
    half.mkdir()
    (half / "fio.json").write_text(json.dumps({"fio version": "fio-3.33"}), "utf-8")
    for name, frame in frames_of(run.path).items():
        pd.testing.assert_frame_equal(frame, before[name])


def test_raw_output_that_lacks_a_value_is_an_error_and_no_row(tmp_path: Path) -> None:
    run = measured(tmp_path / "run")
    raw = run.path / "steps" / FILL / "fio.json.gz"
    content = gzip.decompress(raw.read_bytes()).replace(b'"iops"', b'"iopz"')
    raw.write_bytes(gzip.compress(content))
    with pytest.raises(FioOutputError, match=f"{FILL}.*jobs.0..read.iops is missing"):
        build_tables(run.path, INPUTS)


def test_damaged_raw_output_is_named(tmp_path: Path) -> None:
    run = measured(tmp_path / "run")
    raw = run.path / "steps" / FILL / "fio.json.gz"
    raw.write_bytes(raw.read_bytes()[:50])
    with pytest.raises(RunFolderError, match=r"fio.json.gz is missing or damaged"):
        build_tables(run.path, INPUTS)


def test_tables_written_in_parts_are_those_built_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = measured(tmp_path / "run")
    monkeypatch.setattr(ingest, "_ROWS_WAITING", 10)
    ingest_run(run.path, INPUTS)
    again, at_once = open_tables(run.path), frames_of(run.path)
    groups = pq.read_metadata(run.path / "tables" / "bins.parquet").num_row_groups
    assert groups > 3
    for name in TABLES:
        pd.testing.assert_frame_equal(getattr(again, name), at_once[name])

"""Outputs of fio without a naming rule: what their options and times tell."""

import json
import shutil
from pathlib import Path

import pytest

from ssdlab.cli.outcome import outcome_lines
from ssdlab.importers import import_run, read_import
from ssdlab.ingest.ingest import ingest_run
from tests.departed import words_of
from tests.importers.made import (
    BEGIN_S,
    IOPS_CELLS,
    RANDOM,
    document,
    write_cell,
    write_rounds,
)
from tests.importers.tables import find_table, read_tables
from tests.paths import FIO_SAMPLES, require_folder


def test_whole_rounds_are_judged_in_one_window(tmp_path: Path) -> None:
    write_rounds(tmp_path / "in", IOPS_CELLS, rounds=6)
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    assert run.record.tests == ("iops",)
    assert set(run.steps["phase"]) == {"rounds"}
    finals = run.windows[run.windows["is_final"]]
    assert finals["tracking"].tolist() == [
        "RND 4 KiB 0/100",
        "RND 64 KiB 65/35",
        "RND 1024 KiB 100/0",
    ]
    assert run.windows["round"].tolist() == [5, 5, 5, 6, 6, 6]
    assert finals["is_round_steady"].all()
    assert finals["round"].tolist() == [5, 5, 5]
    assert outcome_lines(run)[0] == "iops  steady in rounds 1 - 5"
    assert run.steps["threads"].unique().tolist() == [2]
    said = "\n".join(words_of(run.record.departures))
    assert "cells were taken by themselves" not in said
    assert "cells of IOPS: 9 of the 56 of the PTS" in said


def test_the_last_window_is_reported_where_none_is_steady(tmp_path: Path) -> None:
    for number in range(7):
        write_cell(
            tmp_path / "in" / f"{number}.json",
            {"rw": "randwrite", "bs": "4k"},
            writes=60_000 * 2**number,
            ended_s=BEGIN_S + 61 * number,
        )
    run = import_run(tmp_path / "in", runs=tmp_path / "runs", test="iops")
    assert not run.windows["is_round_steady"].any()
    assert run.windows[run.windows["is_final"]]["round"].tolist() == [7]


def test_cells_without_a_tracking_variable_are_judged_by_themselves(
    tmp_path: Path,
) -> None:
    cells = [RANDOM | {"bs": bs, "rwmixread": "50"} for bs in ("8k", "16k")]
    cells += [RANDOM | {"bs": bs, "rwmixread": "95"} for bs in ("8k", "16k")]
    write_rounds(tmp_path / "in", cells, rounds=5)
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    assert run.record.tests == ("iops",)
    assert len(run.windows[run.windows["is_final"]]) == 4
    assert "tracking variables of IOPS: RND 4 KiB 0/100 was not measured" in (
        words_of(run.record.departures)
    )


def test_sequential_reads_and_writes_of_one_thread_are_throughput(
    tmp_path: Path,
) -> None:
    cells = [
        {"rw": "rw", "bs": bs, "rwmixread": str(mix), "iodepth": "32"}
        for bs in ("1024k", "128k")
        for mix in (100, 0)
    ]
    write_rounds(tmp_path / "in", cells, rounds=5)
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    assert run.record.tests == ("tp",)
    assert outcome_lines(run)[:2] == [
        "tp 1024 KiB  steady in rounds 1 - 5",
        "tp 128 KiB   steady in rounds 1 - 5",
    ]


def test_long_series_of_random_writes_is_a_write_saturation(tmp_path: Path) -> None:
    cell = {"rw": "randwrite", "bs": "4k", "iodepth": "32", "numjobs": "4"}
    for number in range(160):
        write_cell(
            tmp_path / "in" / f"{number}.json",
            cell,
            writes=200_000 if number < 20 else 60_000,
            ended_s=BEGIN_S + 60.1 * number,
        )
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    assert run.record.tests == ("wsat",)
    rounds = run.measurements[run.measurements["direction"] == "total"]
    assert rounds["iops"].iloc[[0, 19, 20, 159]].tolist() == pytest.approx(
        [200_000 / 60] * 2 + [1000.0] * 2
    )
    (final,) = run.windows[run.windows["is_final"]].to_dict("records")
    assert (final["round"], final["is_steady"]) == (155, True)
    assert final["average"] == pytest.approx(1000)
    assert run.steps["total_written_bytes"].iloc[0] == 200_000 * 4096
    table = find_table(run.path / "report.html", "First and last of 160 rounds")
    assert table["First round"] == ["3,333", "0.8192", "-"]


def test_tree_of_bench_fio_becomes_a_table_of_every_cell(tmp_path: Path) -> None:
    samples = require_folder(FIO_SAMPLES / "json3")
    tree = tmp_path / "sdc" / "4k"
    tree.mkdir(parents=True)
    prefix = "fioplot_fio-3.1_inteld3s4610_"
    names = [path.name for path in samples.glob(f"{prefix}*.json")]
    assert len(names) == 4
    for name in names:
        shutil.copyfile(samples / name, tree / name.removeprefix(prefix))
    (tree / "randread-iodepth-1-numjobs-1_bw.1.log").write_text("500, 1, 0, 4096\n")
    run = import_run(tree.parent, runs=tmp_path / "runs")
    assert run.record.tests == ("custom",)
    assert [Path(e.file).suffix for e in read_import(run).left_out] == [".log"]
    (_, *shown) = read_tables(run.path / "report.html")["All 4 cells"]
    assert [row[:7] for row in shown] == [
        ["RND", "4 KiB", "0/100", "1", "1", "1", "12,234.763"],
        ["RND", "4 KiB", "0/100", "8", "32", "1", "42,122.754"],
        ["RND", "4 KiB", "100/0", "1", "1", "1", "7,529.891"],
        ["RND", "4 KiB", "100/0", "8", "32", "1", "34,697.614"],
    ]
    rows = [json.loads((samples / name).read_bytes()) for name in sorted(names)]
    totals = run.measurements[run.measurements["direction"] == "total"]
    assert sorted(totals["iops"]) == pytest.approx(
        sorted(d["jobs"][0][s]["iops"] for d in rows for s in ("read", "write"))[4:]
    )
    assert set(zip(totals["threads"], totals["queue_depth"], strict=True)) == {
        (1, 1),
        (8, 32),
    }


def test_printed_percentiles_are_kept_where_there_are_no_bins(tmp_path: Path) -> None:
    samples = require_folder(FIO_SAMPLES / "json3")
    name = "fioplot_fio-3.1_inteld3s4610_randread-32-8.json"
    run = import_run(samples / name, runs=tmp_path)
    said = json.loads((samples / name).read_bytes())["jobs"][0]["read"]["clat_ns"]
    totals = run.percentiles[run.percentiles["direction"] == "total"]
    ours = dict(zip(totals["percentile"], totals["lat_ns"], strict=True))
    assert ours[99.0] == said["percentile"]["99.000000"]
    assert ours[99.99] == said["percentile"]["99.990000"]
    assert (totals["lat_lower_ns"] < totals["lat_upper_ns"]).all()


def test_text_of_fio_is_imported_like_its_json(tmp_path: Path) -> None:
    """What fio wrote in the terse form, named by a pattern: it says no options."""
    sample = require_folder(FIO_SAMPLES / "terse")
    (path,) = sample.iterdir()
    (tmp_path / "rnd-4k.txt").write_bytes(path.read_bytes())
    run = import_run(
        tmp_path, pattern="{access}-{block_size}.txt", runs=tmp_path / "runs"
    )
    fields = path.read_text().splitlines()[-1].split(";")
    (total,) = run.measurements[run.measurements["direction"] == "total"].to_dict(
        "records"
    )
    assert total["iops"] == float(fields[7]) + float(fields[48])
    assert run.measurements["threads"].isna().all()
    before = {p.name: p.read_bytes() for p in run.path.glob("tables/*")}
    ingest_run(run.path)
    assert {p.name: p.read_bytes() for p in run.path.glob("tables/*")} == before


def test_files_without_a_time_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    for number in (1, 2, 10):
        write_cell(
            tmp_path / "in" / f"pass{number}.json",
            {"rw": "randread"},
            reads=1000 * number,
            ended_s=None,
        )
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    total = run.measurements[run.measurements["direction"] == "total"]
    assert total["total_ios"].tolist() == [1000, 2000, 10_000]
    assert run.steps[["started_s", "ended_s", "duration_s"]].isna().all().all()
    assert run.runs["started_at"].isna().all()
    assert any("3 of 3 files" in line for line in words_of(run.record.departures))


def test_rests_inside_a_phase_are_named(tmp_path: Path) -> None:
    for number in range(6):
        write_cell(
            tmp_path / "in" / f"{number}.json",
            {"rw": "randread"},
            reads=1000,
            ended_s=BEGIN_S + number * 360,
        )
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    (line,) = (
        text for text in words_of(run.record.departures) if text.startswith("gaps")
    )
    assert "5 times" in line
    assert "5 min at most" in line


def test_write_of_an_amount_among_timed_cells_is_preconditioning(
    tmp_path: Path,
) -> None:
    write_rounds(tmp_path / "in", IOPS_CELLS, rounds=1)
    fill = {"rw": "write", "bs": "128k", "size": "100%", "loops": "2"}
    plain = document(fill | {"filename": "/dev/sdx"}, writes=5000, ended_s=BEGIN_S - 99)
    (tmp_path / "in" / "a.json").write_text(json.dumps(plain))
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    assert run.steps["kind"].tolist() == ["precondition"] + ["cell"] * 9
    assert run.record.tests == ("custom",)  # one round is no test of the PTS


def test_same_content_twice_is_one_round(tmp_path: Path) -> None:
    path = write_cell(tmp_path / "in" / "a.json", {"rw": "randread"}, reads=1000)
    shutil.copyfile(path, path.with_name("copy of a.json"))
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    assert len(run.steps) == 1
    (entry,) = read_import(run).left_out
    assert entry.why == "same content as a.json"


def test_damaged_file_in_a_folder_is_left_out_and_said(tmp_path: Path) -> None:
    good = write_cell(tmp_path / "in" / "a.json", {"rw": "randread"}, reads=1000)
    text = good.read_text()
    (tmp_path / "in" / "b.json").write_text(text[: len(text) // 2])
    (tmp_path / "in" / "notes.txt").write_text("on a Tuesday\n")
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    assert len(run.steps) == 1
    doubts = {
        Path(entry.file).name: entry.is_doubt for entry in read_import(run).left_out
    }
    assert doubts == {"b.json": True, "notes.txt": False}
    assert any(
        line.startswith("left out: 1 files") for line in words_of(run.record.departures)
    )

"""One output with many results: groups of jobs, and runs that were appended."""

import json
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pytest

from ssdlab.importers import import_run, read_import
from ssdlab.ingest.ingest import ingest_run
from ssdlab.model.errors import FioOutputError, RunFolderError
from ssdlab.store.run import Run
from tests.departed import words_of
from tests.importers.made import BEGIN_S, document
from tests.paths import FIO_SAMPLES, ROOT, require_folder

DATA = ROOT / "tests" / "data"
JSON = DATA / "fio-3.33-groups.json"
TEXT = DATA / "fio-3.33-groups.txt"
CELLS = [
    ("rnd", 4096, 100, 2, 4, 1),
    ("rnd", 8192, 65, 1, 16, 1),
    ("seq", 65536, 0, 1, 2, 1),
    ("rnd", 4096, 100, 2, 4, 2),
]
NAMES = ["access", "block_size_bytes", "read_percent", "threads", "queue_depth"]


def totals(run: Run) -> list[dict[Hashable, Any]]:
    frame = run.measurements
    return frame[frame["direction"] == "total"].to_dict("records")


def cells(run: Run) -> list[tuple[object, ...]]:
    return [tuple(row[name] for name in [*NAMES, "round"]) for row in totals(run)]


def test_groups_of_jobs_in_json_are_cells_and_their_numbers_fios(
    tmp_path: Path,
) -> None:
    run = import_run(JSON, runs=tmp_path)
    assert cells(run) == CELLS
    said = json.loads(JSON.read_bytes())["jobs"]
    assert [row["iops"] for row in totals(run)] == pytest.approx([
        job["read"]["iops"] + job["write"]["iops"] for job in said
    ])
    assert [row["io_bytes"] for row in totals(run)] == [
        job["read"]["io_bytes"] + job["write"]["io_bytes"] for job in said
    ]
    last = said[3]["read"]["lat_ns"]
    assert totals(run)[3]["lat_max_ns"] == last["max"]
    for step_id in run.steps["step_id"]:
        assert run.raw_output(step_id) == JSON.read_bytes()
    before = {path.name: path.read_bytes() for path in run.path.glob("tables/*")}
    ingest_run(run.path)
    assert {p.name: p.read_bytes() for p in run.path.glob("tables/*")} == before


def test_groups_of_jobs_in_text_are_cells_by_their_banners(tmp_path: Path) -> None:
    run = import_run(TEXT, runs=tmp_path)
    assert cells(run) == CELLS
    ios = [2749741, 1198561 + 646007, 319704, 2738474]
    assert [row["total_ios"] for row in totals(run)] == ios
    assert totals(run)[1]["iops"] == pytest.approx(ios[1] / 1.003)
    said = "\n".join(words_of(run.record.departures))
    assert "one after another" in said
    assert run.steps["ended_s"].isna().all()


def test_banner_of_an_old_version_tells_the_workload(tmp_path: Path) -> None:
    """Five runs of fio 2.2.10 in one log, of 8 jobs each."""
    path = require_folder(FIO_SAMPLES / "text") / "vps_fio-2.2.10_randwrite.log"
    run = import_run(path, runs=tmp_path)
    assert cells(run) == [("rnd", 4096, 0, 8, 16, number) for number in range(1, 6)]
    assert [row["runtime_s"] for row in totals(run)][:2] == [77.721, 146.268]


def test_groups_that_ran_together_are_no_cells(tmp_path: Path) -> None:
    with pytest.raises(FioOutputError, match=r"job reads: .* ran together"):
        import_run(DATA / "fio-3.33-new-groups.json", runs=tmp_path)


def test_jobs_that_say_when_they_began_tell_whether_they_ran_together(
    tmp_path: Path,
) -> None:
    plain = json.loads(JSON.read_bytes())
    for place, job in enumerate(plain["jobs"]):
        job["job_start"] = 1_700_000_000_000 + 100 * place
    path = tmp_path / "a.json"
    path.write_text(json.dumps(plain))
    with pytest.raises(FioOutputError, match="ran together"):
        import_run(path, runs=tmp_path / "runs")


def test_a_mix_that_few_ios_do_not_tell_costs_its_group_alone(tmp_path: Path) -> None:
    text = TEXT.read_text().replace("1198561,646007,0,0", "119,64,0,0")
    path = tmp_path / "a.txt"
    path.write_text(text)
    run = import_run(path, runs=tmp_path / "runs")
    assert len(totals(run)) == 3
    (entry,) = read_import(run).left_out
    assert entry.why.startswith("job mixed: ")


def test_an_error_of_one_group_costs_no_other(tmp_path: Path) -> None:
    plain = json.loads(JSON.read_bytes())
    plain["jobs"][1]["error"] = 5
    plain["jobs"][1]["read"]["iops"] = -1
    path = tmp_path / "a.json"
    path.write_text(json.dumps(plain))
    run = import_run(path, runs=tmp_path / "runs")
    assert cells(run) == [CELLS[0], *CELLS[2:]]
    (entry,) = read_import(run).left_out
    assert entry.why.startswith("job mixed: ")


def test_runs_that_were_appended_to_one_file_are_rounds(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    options = {"rw": "randwrite", "bs": "4k", "numjobs": "3"}
    runs = [
        document(options, writes=1000 * (n + 1), ended_s=BEGIN_S + 61 * n)
        for n in range(3)
    ]
    path.write_text("\n".join(json.dumps(each, indent=1) for each in runs))
    run = import_run(path, runs=tmp_path / "runs")
    assert [row["total_ios"] for row in totals(run)] == [1000, 2000, 3000]
    assert [row["threads"] for row in totals(run)] == [3, 3, 3]
    assert run.steps["idle_before_s"].dropna().tolist() == pytest.approx([1, 1])


def test_note_of_a_part_that_is_damaged_is_an_error(tmp_path: Path) -> None:
    run = import_run(JSON, runs=tmp_path)
    step = run.path / "steps" / run.steps["step_id"].iloc[1] / "part.json"
    step.write_text('{"run": 0, "group": "x"}')
    with pytest.raises(RunFolderError, match=r"part.json is damaged"):
        ingest_run(run.path)
    step.write_text('{"run": 7, "group": 1}')
    with pytest.raises(FioOutputError, match="does not hold the result"):
        ingest_run(run.path)


def test_a_printing_that_may_be_of_the_run_before_is_no_round(tmp_path: Path) -> None:
    """One entry printed twice without banner, date or process."""
    text = TEXT.read_text()
    entry = text[text.index("fill: (groupid=2") : text.index("reads-again: (groupid")]
    entry = entry.replace("groupid=2", "groupid=0").replace(": pid=21556:", ": pid=0:")
    results = "Run status group 0 (all jobs):\n  WRITE: bw=19.5GiB/s (20.9GB/s), "
    results += "19.5GiB/s-19.5GiB/s (20.9GB/s-20.9GB/s), io=19.5GiB (21.0GB), "
    results += "run=1001-1001msec\n"
    path = tmp_path / "seq-64k.txt"
    path.write_text(f"{entry}\n{results}\n{entry}\n{results}")
    pattern = "{access}-{block_size}.txt"
    run = import_run(path, pattern=pattern, runs=tmp_path / "runs")
    assert len(totals(run)) == 1
    (lost,) = read_import(run).left_out
    assert "it is unclear whether it is of the same run" in lost.why
    assert lost.is_doubt

"""What cannot be imported is refused by name, and no run folder is left behind."""

import json
from pathlib import Path
from typing import Any

import pytest

from ssdlab.importers import import_run
from ssdlab.model.errors import FioOutputError, RunFolderError, UnknownNameError
from tests.departed import words_of
from tests.importers.made import BEGIN_S, document, write_cell

PATTERN = "bs{block_size}_read{read_percent}_round{round}.json"
READ = {"rw": "randread", "bs": "4k"}


def refuse(given: Path, match: str, **more: Any) -> None:
    runs = given.parent / "runs"
    with pytest.raises(FioOutputError, match=match):
        import_run(given, runs=runs, **more)
    assert not runs.exists() or not list(runs.iterdir())


def test_name_that_contradicts_the_options_is_refused(tmp_path: Path) -> None:
    write_cell(tmp_path / "in" / "bs8KB_read100_round1.json", READ, reads=1000)
    refuse(
        tmp_path / "in",
        "block size: 8 KiB from its name, 4 KiB from its job options",
        pattern=PATTERN,
    )


def test_mix_that_was_not_done_is_refused(tmp_path: Path) -> None:
    cell = {"rw": "randrw", "rwmixread": "65", "bs": "4k"}
    path = write_cell(tmp_path / "a.json", cell, reads=3000, writes=7000)
    refuse(path, r"30\.0 % of its IOs are reads, instead of 65 %")


def test_block_size_that_was_not_done_is_refused(tmp_path: Path) -> None:
    path = write_cell(tmp_path / "a.json", READ, reads=1000)
    text = path.read_text().replace('"bs": "4k"', '"bs": "8k"')
    path.write_text(text)
    refuse(path, "1000 IOs of 8192 B are 8192000 B, but 4096000 B were done")


def test_round_twice_is_refused(tmp_path: Path) -> None:
    names = ("bs4k_read100_round1.json", "bs4KB_read100_round1.json")
    for number, name in enumerate(names, start=1):
        write_cell(tmp_path / "in" / name, READ, reads=1000 * number)
    refuse(tmp_path / "in", "it is round 1 of RND 4 KiB 100/0", pattern=PATTERN)


def test_names_that_count_no_rounds_are_refused(tmp_path: Path) -> None:
    for number in (20180907, 20180911, 20181001):
        name = f"bs4k_read100_round{number}.json"
        write_cell(tmp_path / "in" / name, READ, reads=number)
    match = "it is round 20181001 .*, and most of the rounds before it are missing"
    refuse(tmp_path / "in", match, pattern=PATTERN)


def test_pattern_that_no_file_follows_is_refused(tmp_path: Path) -> None:
    write_cell(tmp_path / "in" / "other.json", READ, reads=1000)
    refuse(
        tmp_path / "in",
        "no fio output matches the pattern bs.*other.json: ",
        pattern=PATTERN,
    )


@pytest.mark.parametrize(
    ("pattern", "match"),
    [
        ("{size}.json", "unknown field 'size' in the pattern; known: block_size"),
        ("{round}-{round}.json", "'round' occurs twice"),
        ("x{block_size.json", "unmatched brace"),
    ],
    ids=["unknown", "twice", "single brace"],
)
def test_pattern_that_is_none_is_refused(
    tmp_path: Path, pattern: str, match: str
) -> None:
    write_cell(tmp_path / "in" / "a.json", READ, reads=1000)
    refuse(tmp_path / "in", match, pattern=pattern)


def test_share_of_reads_beyond_all_is_refused(tmp_path: Path) -> None:
    write_cell(tmp_path / "in" / "bs4k_read101_round1.json", READ, reads=1000)
    refuse(tmp_path / "in", "101 is not a valid percentage of reads", pattern=PATTERN)


def test_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    refuse(tmp_path / "absent", "it cannot be read")


def test_empty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    refuse(tmp_path / "in", "no files")


def test_rounds_of_two_devices_are_refused_and_named_ones_taken(
    tmp_path: Path,
) -> None:
    for number, device in enumerate(("/dev/sda", "/dev/sdb"), start=1):
        write_cell(
            tmp_path / "in" / f"{number}.json",
            READ | {"filename": device},
            reads=1000,
            ended_s=BEGIN_S + 70 * number,
        )
    refuse(tmp_path / "in", "from /dev/sdb, but .*1.json .* from /dev/sda")
    run = import_run(tmp_path / "in", runs=tmp_path / "runs", device_label="one")
    assert run.record.target.model == "one"
    assert "devices: /dev/sda, /dev/sdb in one run" in words_of(run.record.departures)


def test_run_that_was_stopped_is_refused(tmp_path: Path) -> None:
    path = write_cell(tmp_path / "a.json", READ, reads=1000)
    path.write_text(f"fio: terminating on signal 2\n{path.read_text()}")
    refuse(path, "not a complete measurement .* terminating on signal 2")


def test_run_that_ended_early_is_refused(tmp_path: Path) -> None:
    path = write_cell(tmp_path / "a.json", READ, reads=1000, seconds=20)
    refuse(path, "fio ran for 20 s of the requested 60 s")


def test_run_that_failed_is_refused(tmp_path: Path) -> None:
    plain = document(READ | {"filename": "x"}, reads=1000)
    plain["jobs"][0]["error"] = 5
    (tmp_path / "a.json").write_text(json.dumps(plain))
    refuse(tmp_path / "a.json", r"ended with error 5 \(Input/output error\)")


def test_jobs_of_several_workloads_are_refused(tmp_path: Path) -> None:
    plain = document(READ | {"filename": "x"}, reads=1000)
    other = document({"rw": "randwrite", "bs": "4k"}, writes=1000)
    plain["jobs"] += other["jobs"]
    (tmp_path / "a.json").write_text(json.dumps(plain))
    refuse(tmp_path / "a.json", "several workloads")


def test_output_that_tells_no_workload_is_refused(tmp_path: Path) -> None:
    plain = document({}, reads=1000)
    del plain["jobs"][0]["job options"]
    (tmp_path / "a.json").write_text(json.dumps(plain))
    refuse(tmp_path / "a.json", "neither its options nor its name specify its access")


def test_named_test_tells_the_access_that_a_file_does_not(tmp_path: Path) -> None:
    plain = document({}, reads=1000)
    del plain["jobs"][0]["job options"]
    (tmp_path / "a.json").write_text(json.dumps(plain))
    run = import_run(tmp_path / "a.json", test="iops", runs=tmp_path / "runs")
    (step,) = run.steps.to_dict("records")
    assert (step["access"], step["block_size_bytes"]) == ("rnd", 4096)
    assert run.steps[["threads", "queue_depth"]].isna().all().all()


def test_test_whose_tables_cannot_hold_the_cells_is_refused(tmp_path: Path) -> None:
    for depth in ("1", "32"):
        write_cell(
            tmp_path / "in" / f"{depth}.json",
            READ | {"iodepth": depth},
            reads=1000 + int(depth),
        )
    refuse(tmp_path / "in", "several TC/QD: T1/Q1, T1/Q32", test="lat")


def test_unknown_test_is_refused(tmp_path: Path) -> None:
    path = write_cell(tmp_path / "a.json", READ, reads=1000)
    with pytest.raises(UnknownNameError, match="Unknown test 'hir'"):
        import_run(path, test="hir", runs=tmp_path / "runs")


def test_folder_of_runs_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    path = write_cell(tmp_path / "a.json", READ, reads=1000)
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match="the run cannot be written"):
        import_run(path, runs=tmp_path / "file")


def test_pattern_tells_what_the_options_do_not(tmp_path: Path) -> None:
    plain = document({}, reads=600, writes=400)
    del plain["jobs"][0]["job options"]
    place = tmp_path / "in" / "HG6" / "4k_x_randrw60_T2_Q8.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(plain))
    run = import_run(
        tmp_path / "in",
        pattern="{label}/{block_size}*_{access}{read_percent}_T{threads}_Q{queue_depth}.json",
        runs=tmp_path / "runs",
    )
    (step,) = run.steps.to_dict("records")
    assert (step["access"], step["read_percent"]) == ("rnd", 60)
    assert (step["threads"], step["queue_depth"]) == (2, 8)
    assert run.record.target.model == "HG6"


@pytest.mark.parametrize("moment_s", [0, 3 * 10**11], ids=["none", "after-9999"])
def test_time_that_is_none_is_not_known(tmp_path: Path, moment_s: int) -> None:
    path = write_cell(tmp_path / "a.json", READ, reads=1000, ended_s=moment_s)
    run = import_run(path, runs=tmp_path / "runs")
    assert run.steps["ended_s"].isna().all()
    assert run.runs["started_at"].isna().all()


def test_blocks_of_no_size_are_refused(tmp_path: Path) -> None:
    path = write_cell(tmp_path / "a.json", READ, reads=1000)
    path.write_text(path.read_text().replace('"bs": "4k"', '"bs": "0"'))
    refuse(path, "neither its options nor its name specify its block size")

"""Files of one cell become rounds only where nothing speaks against it."""

import json
from pathlib import Path

import pytest

from ssdlab.importers import import_run, read_import
from ssdlab.model.errors import FioOutputError
from tests.departed import words_of
from tests.importers.made import BEGIN_S, document, write_cell

READ = {"rw": "randread", "bs": "4k"}


def write_series(folder: Path, names: list[str], *, begin_s: float = BEGIN_S) -> None:
    for place, name in enumerate(names):
        write_cell(
            folder / name,
            READ,
            reads=1000 * (place + 1),
            ended_s=begin_s + 61 * place,
        )


def refuse(given: list[Path], match: str) -> None:
    runs = given[0].parent / "runs"
    with pytest.raises(FioOutputError, match=match):
        import_run(given, runs=runs)


def test_round_in_a_name_counts_when_there_is_no_pattern(tmp_path: Path) -> None:
    write_series(tmp_path / "in", ["a_round2.json", "a_Round-1.json"])
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    total = run.measurements[run.measurements["direction"] == "total"]
    by_round = dict(zip(total["round"], total["total_ios"], strict=True))
    assert by_round == {1: 2000, 2: 1000}


def test_round_twice_in_two_folders_is_refused_without_a_pattern(
    tmp_path: Path,
) -> None:
    for place, drive in enumerate(("a", "b")):
        names = [f"bs4k_round{number}.json" for number in (1, 2)]
        write_series(tmp_path / "in" / drive, names, begin_s=BEGIN_S + 900 * place)
    refuse([tmp_path / "in"], "b/bs4k_round1.json: it is round 1 of")


@pytest.mark.parametrize("given", [[""], ["a", "b"]], ids=["tree", "paths"])
def test_folders_of_equal_names_are_not_averaged(
    tmp_path: Path, given: list[str]
) -> None:
    for place, drive in enumerate(("a", "b")):
        folder = tmp_path / "in" / drive / "4k"
        write_series(folder, ["randread-1-1.json"], begin_s=BEGIN_S + 900 * place)
    (tmp_path / "in" / "b" / "4k" / "randread-1-1.json").write_text(
        json.dumps(document(READ, reads=9000, ended_s=BEGIN_S + 900))
    )
    paths = [tmp_path / "in" / name for name in given]
    refuse(paths, "the same cell as .*, in another folder or on another host")
    run = import_run(paths, runs=tmp_path / "runs", device_label="one")
    assert len(run.steps) == 2


def test_folders_that_are_named_as_of_rounds_are_rounds(tmp_path: Path) -> None:
    for number in (1, 2):
        write_series(
            tmp_path / "in" / f"run-{number}" / "4k",
            ["randread-1-1.json"],
            begin_s=BEGIN_S + 900 * number,
        )
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    assert run.steps["round"].tolist() == [1, 2]


def test_same_cell_of_two_hosts_is_refused(tmp_path: Path) -> None:
    for place, host in enumerate(("alpha", "beta")):
        whole = document(READ, reads=1000, ended_s=BEGIN_S + 90 * place)
        (job,) = whole.pop("jobs")
        whole["client_stats"] = [job | {"hostname": host, "port": 8765}]
        path = tmp_path / "in" / f"{place}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(whole))
    refuse([tmp_path / "in"], "in another folder or on another host")
    run = import_run(tmp_path / "in", runs=tmp_path / "runs", device_label="one")
    assert run.record.host.platform == "alpha, beta"
    assert "hosts: alpha, beta in one run" in words_of(run.record.departures)


def test_rounds_that_are_named_from_0_are_said_to_be(tmp_path: Path) -> None:
    for size in ("4k", "8k"):
        for number in (0, 1):
            cell = READ | {"bs": size}
            ended_s = BEGIN_S + 70 * number + 200 * (size == "8k")
            name = f"{size}_round{number}.json"
            write_cell(tmp_path / "in" / name, cell, reads=1000, ended_s=ended_s)
    run = import_run(tmp_path / "in", runs=tmp_path / "runs", test="iops")
    line = "rounds of IOPS: numbered from 0, renumbered from 1"
    assert line in words_of(run.record.departures)


def test_writes_of_an_amount_are_cells_when_no_other_ran_for_a_time(
    tmp_path: Path,
) -> None:
    (tmp_path / "in").mkdir()
    for place, mode in enumerate(("write", "read")):
        options = {"rw": mode, "bs": "128k", "size": "1g", "filename": "/dev/sdx"}
        done = {"writes" if mode == "write" else "reads": 8192}
        whole = document(options, **done, ended_s=BEGIN_S + 90 * place)
        (tmp_path / "in" / f"{mode}.json").write_text(json.dumps(whole))
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    assert run.steps["kind"].tolist() == ["cell", "cell"]
    assert (
        "purge, preconditioning and write cache" in words_of(run.record.departures)[0]
    )


def test_result_that_is_called_a_log_is_read_and_a_log_is_not(tmp_path: Path) -> None:
    write_cell(tmp_path / "in" / "out.log", READ, reads=1000)
    (tmp_path / "in" / "x_bw.1.log").write_text("500, 1, 0, 4096\n")
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    assert len(run.steps) == 1
    (entry,) = read_import(run).left_out
    assert entry.file.endswith("x_bw.1.log")


def test_percentiles_of_total_latency_are_not_said_to_be_of_clat(
    tmp_path: Path,
) -> None:
    for kind in ("lat", "clat"):
        whole = document(READ, reads=1000)
        levels = {"percentile": {"99.000000": 150_528}}
        whole["jobs"][0]["read"][f"{kind}_ns"] |= levels
        (tmp_path / f"{kind}.json").write_text(json.dumps(whole))
    said = {
        kind: any(
            departure.subject == "percentiles"
            and departure.done.startswith("those of 1 of 1")
            for departure in import_run(
                tmp_path / f"{kind}.json", runs=tmp_path / "runs"
            ).record.departures
        )
        for kind in ("lat", "clat")
    }
    assert said == {"lat": False, "clat": True}

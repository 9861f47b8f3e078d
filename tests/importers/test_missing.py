"""What cannot be read of an import is missing, is named, and costs nothing else."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ssdlab.cli import import_results
from ssdlab.cli.group import main
from ssdlab.importers import import_run, read_import
from ssdlab.ingest.ingest import ingest_run
from ssdlab.store.run import Run
from tests.departed import words_of
from tests.importers.made import BEGIN_S, IOPS_CELLS, write_cell

COMMAND = import_results.import_results.name or ""
WRITE = {"rw": "randwrite", "bs": "4k", "iodepth": "16"}


def run_command(*words: str) -> Result:
    return CliRunner().invoke(main, words, catch_exceptions=False)


def write_named_rounds(folder: Path, rounds: int) -> None:
    """Write whole rounds of nine cells, named by round and cell."""
    for number in range(rounds):
        for place, cell in enumerate(IOPS_CELLS):
            reads = round(600 * int(cell["rwmixread"]))
            write_cell(
                folder / f"round{number + 1}" / f"c{place}.json",
                cell,
                reads=reads,
                writes=60_000 - reads,
                ended_s=BEGIN_S + 61 * (len(IOPS_CELLS) * number + place),
            )


def write_saturation(folder: Path, rounds: int) -> None:
    for number in range(rounds):
        write_cell(
            folder / f"{number}.json",
            WRITE,
            writes=60_000 + number,
            ended_s=BEGIN_S + 61 * number,
        )


def cut(path: Path) -> None:
    text = path.read_text()
    path.write_text(text[: len(text) * 2 // 3])


def findings(run: Run) -> list[str]:
    found = run.findings
    return found[found["code"] == "import-rounds-missing"]["words"].tolist()


def test_one_cut_file_of_99_costs_its_round_and_no_other(tmp_path: Path) -> None:
    write_named_rounds(tmp_path / "in", 11)
    cut(tmp_path / "in" / "round6" / "c4.json")
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    assert (run.record.tests, len(run.steps)) == (("iops",), 98)
    (gap,) = read_import(run).missing_rounds
    assert (gap.test, gap.round) == ("iops", 6)
    assert gap.cell == "RND 64 KiB 65/35 T2/Q16"
    assert gap.file.endswith("round6/c4.json")
    assert gap.why == "cut short or damaged"
    judged = run.windows[["window_first_round", "window_last_round"]]
    assert {*map(tuple, judged.itertuples(index=False))} == {(1, 5), (7, 11)}
    of_round = run.measurements.query("direction == 'total' and round == 6")
    assert len(of_round) == 8
    assert (run.measurements["iops"] > 0).all()
    (words,) = findings(run)
    assert "round 6 of RND 64 KiB 65/35 T2/Q16" in words
    before = {path.name: path.read_bytes() for path in run.path.glob("tables/*")}
    ingest_run(run.path)
    after = {path.name: path.read_bytes() for path in run.path.glob("tables/*")}
    assert after == before


def test_no_window_of_a_cell_spans_its_missing_round(tmp_path: Path) -> None:
    write_saturation(tmp_path / "in", 9)
    cut(tmp_path / "in" / "4.json")
    run = import_run(tmp_path / "in", runs=tmp_path / "runs", test="iops")
    assert run.steps["round"].tolist() == [1, 2, 3, 4, 6, 7, 8, 9]
    assert run.windows.empty
    assert [gap.round for gap in read_import(run).missing_rounds] == [5]


@pytest.mark.parametrize("content", ["", "{}", "nothing of fio\n"])
def test_file_that_says_nothing_is_placed_by_its_name(
    tmp_path: Path, content: str
) -> None:
    write_saturation(tmp_path / "in", 9)
    (tmp_path / "in" / "4.json").write_text(content)
    run = import_run(tmp_path / "in", runs=tmp_path / "runs", test="iops")
    assert [gap.round for gap in read_import(run).missing_rounds] == [5]


def test_file_that_is_gone_is_a_missing_round_where_names_count(tmp_path: Path) -> None:
    for number in (0, 1, 2, 4, 5, 6, 7, 8):
        name = tmp_path / "in" / f"bs4k_round{number}.json"
        write_cell(name, WRITE, writes=1000 + number, ended_s=BEGIN_S + 61 * number)
    run = import_run(tmp_path / "in", runs=tmp_path / "runs", test="iops")
    assert run.steps["round"].tolist() == [1, 2, 3, 5, 6, 7, 8, 9]
    (gap,) = read_import(run).missing_rounds
    assert (gap.round, gap.file, gap.why) == (4, "", "no file for it")
    assert run.windows["window_first_round"].tolist() == [5]


def test_file_that_nothing_places_is_told_of(tmp_path: Path) -> None:
    """Two cells, names that follow no order, and a file that says nothing."""
    for place, name in enumerate(("b5", "a9", "c1", "a2", "d7", "a1")):
        cell = WRITE | {"bs": ("4k", "8k")[place % 2]}
        ended_s = BEGIN_S + 61 * place
        write_cell(tmp_path / "in" / f"{name}.json", cell, writes=999, ended_s=ended_s)
    (tmp_path / "in" / "a5.json").write_text("")
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    assert len(run.steps) == 6
    assert read_import(run).is_partial
    (words,) = findings(run)
    assert "unknown cell or round: 1;" in words
    assert "a5.json (not fio output)" in words


def test_a_pattern_places_what_its_names_tell(tmp_path: Path) -> None:
    pattern = "bs{block_size}_round{round}.json"
    for number in range(1, 7):
        for size in ("4k", "8k"):
            name = tmp_path / "in" / f"bs{size}_round{number}.json"
            write_cell(name, WRITE | {"bs": size}, writes=1000 + number)
    (tmp_path / "in" / "bs8k_round6.json").write_text("{}")
    run = import_run(tmp_path / "in", runs=tmp_path / "runs", pattern=pattern)
    (gap,) = read_import(run).missing_rounds
    assert (gap.cell.split()[1], gap.round) == ("8", 6)
    assert len(run.steps) == 11


def test_a_good_file_of_a_round_stands_for_a_cut_one(tmp_path: Path) -> None:
    """A run that was stopped and made again, both files kept."""
    for number in range(1, 6):
        name = tmp_path / "in" / f"round{number}.json"
        write_cell(name, WRITE, writes=1000 + number, ended_s=BEGIN_S + 61 * number)
    again = tmp_path / "in" / "round3 (stopped).json"
    write_cell(again, WRITE, writes=500, ended_s=BEGIN_S + 150)
    cut(again)
    run = import_run(tmp_path / "in", runs=tmp_path / "runs", test="iops")
    record = read_import(run)
    assert record.missing_rounds == ()
    assert [entry.is_doubt for entry in record.left_out] == [True]
    assert run.windows["window_last_round"].tolist() == [5]


def test_a_counter_of_the_kernel_that_wrapped_is_named_and_refuses_nothing(
    tmp_path: Path,
) -> None:
    path = write_cell(tmp_path / "a.json", WRITE, writes=1000)
    plain = json.loads(path.read_text())
    plain["disk_util"] = [
        {
            **dict.fromkeys(
                ("read_ios", "write_ios", "read_merges", "write_merges"), 1
            ),
            "name": "sda",
            "read_ticks": 1,
            "write_ticks": 1,
            "in_queue": -27,
            "util": 90.0,
        }
    ]
    path.write_text(json.dumps(plain))
    run = import_run(path, runs=tmp_path / "runs")
    assert not read_import(run).is_partial
    (words,) = (w for w in words_of(run.record.departures) if w.startswith("values: "))
    assert "a.json: disk_util[0].in_queue" in words
    assert "-27" in words
    assert "'sda'" in words


def test_an_output_is_refused_by_the_field_that_cannot_be(tmp_path: Path) -> None:
    good = write_cell(tmp_path / "in" / "a.json", WRITE, writes=1000)
    plain = json.loads(good.read_text())
    plain["jobs"][0]["write"]["iops"] = -1
    (tmp_path / "in" / "b.json").write_text(json.dumps(plain))
    run = import_run(tmp_path / "in", runs=tmp_path / "runs")
    (entry,) = read_import(run).left_out
    assert "jobs[0].write.iops: is -1, which is negative (job 'job')" in entry.why


def test_the_command_says_what_it_lost_and_ends_with_3(tmp_path: Path) -> None:
    write_named_rounds(tmp_path / "in", 5)
    cut(tmp_path / "in" / "round2" / "c0.json")
    for number in range(30):
        (tmp_path / "in" / f"notes{number}.txt").write_text("notes")
    words = [COMMAND, str(tmp_path / "in"), "--runs", str(tmp_path / "runs")]
    done = run_command(*words)
    assert done.exit_code == 3
    said = done.stderr.splitlines()
    assert len(said) == 3
    assert said[0].startswith(f"not read {tmp_path}/in/round2/c0.json: cut short")
    assert said[1].startswith("left out 30 files, such as ")
    assert said[2].startswith("1 round of a cell is missing")
    told = json.loads(run_command(*words, "--json", "--label", "b").stdout)
    assert told["is_partial"]
    assert told["steps"] == 44
    assert told["missing_rounds"][0]["round"] == 2
    assert sum(entry["is_doubt"] for entry in told["left_out"]) == 1


def test_nothing_to_import_ends_with_2_and_makes_no_run(tmp_path: Path) -> None:
    write_saturation(tmp_path / "in", 3)
    for number in range(3):
        cut(tmp_path / "in" / f"{number}.json")
    words = [COMMAND, str(tmp_path / "in"), "--runs", str(tmp_path / "runs")]
    done = run_command(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "none of 3 files" in done.stderr
    assert "0.json: cut short or damaged" in done.stderr
    assert not (tmp_path / "runs").exists()

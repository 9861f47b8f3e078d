"""`ssdlab parse --summary`: logs of any size, in parts, from a shell."""

import csv
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ssdlab.campaign import log_parts
from ssdlab.cli import main
from ssdlab.fio.logs.read import read_fio_log

LINES = "".join(f"{n * 10}, {1000 + n % 7}, {n % 2}, 4096, 0\n" for n in range(500))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "a_lat.1.log"
    path.write_text(LINES)
    return path


def summarise(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["parse", "--summary", *map(str, words)])


def rows(done: Result) -> list[dict[str, str]]:
    assert done.exit_code == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_percentiles_of_a_log_are_those_of_the_library(log: Path) -> None:
    found = rows(summarise(log))
    known = read_fio_log(log).percentiles()
    assert [float(row["lat_ns"]) for row in found] == known["lat_ns"].tolist()
    assert {row["file"] for row in found} == {str(log)}


def test_tables_of_parts_are_those_of_the_whole_log(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    made: set[tuple[Path, int]] = set()
    for table in ("percentiles", "bins", "seconds", "issues"):
        words = ("--table", table, "--parts", "2", "--parts-folder", folder)
        done = summarise(log, *words)
        assert rows(done) == rows(summarise(log, "--table", table))
        there = {(part, part.stat().st_mtime_ns) for part in folder.glob("*.part")}
        assert len(there) == 2
        assert made in (set(), there)  # the first table made them
        made = there


def test_parts_beside_the_output_go_when_it_is_written(
    log: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.csv"
    assert summarise(log, "--parts", "2", "-o", output).exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [log.name, output.name]


def test_a_log_without_latencies_is_told_and_left_out(
    log: Path, tmp_path: Path
) -> None:
    other = tmp_path / "b_iops.1.log"
    other.write_text("1000, 5, 0, 0, 0\n2000, 6, 0, 0, 0\n")
    done = summarise(log, other)
    assert {row["file"] for row in rows(done)} == {str(log)}
    assert "b_iops" in done.stderr
    assert summarise(other).exit_code == 2
    assert rows(summarise(other, "--table", "seconds"))


def test_exit_code_is_1_when_a_part_is_missing(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_parts, "_WORKER", (sys.executable, "-c", "raise OSError"))
    output = tmp_path / "out.csv"
    done = summarise(log, "--parts", "3", "-o", output)
    assert done.exit_code == 1
    assert "1, 2, 3" in done.stderr
    assert not output.exists()


@pytest.mark.parametrize(
    "words",
    [
        ["--summary", "--table", "jobs"],
        ["--table", "seconds"],
        ["--parts", "2"],
        ["--engine", "slurm"],
        ["--summary", "--engine", "slurm"],
        ["--summary", "--parts", "0"],
    ],
)
def test_a_request_that_makes_no_sense_is_refused(words: list[str], log: Path) -> None:
    assert CliRunner().invoke(main, ["parse", str(log), *words]).exit_code == 2


def test_a_stopped_command_goes_on_with_the_parts_that_are_missing(
    log: Path, tmp_path: Path
) -> None:
    with log.open("a") as file:
        for _ in range(600):
            file.write(LINES)
    output = tmp_path / "out.csv"
    words = [sys.executable, "-m", "ssdlab.cli", "parse", "--summary", str(log)]
    words += ["--parts", "8", "-o", str(output)]
    process = subprocess.Popen(words, stderr=subprocess.PIPE)
    parts = tmp_path / "out.csv.parts"
    until = time.monotonic() + 60
    while not list(parts.glob("[!.]*.part")) and time.monotonic() < until:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    done = {path: path.stat().st_mtime_ns for path in parts.glob("[!.]*.part")}
    assert done
    assert not output.exists()
    folder = ("--parts", "8", "--parts-folder", parts)
    resumed = rows(summarise(log, *folder))
    assert resumed == rows(summarise(log))
    assert {path: path.stat().st_mtime_ns for path in done} == done

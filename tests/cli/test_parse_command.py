"""`ssdlab parse`: whatever fio wrote, as a table, from a shell."""

import csv
import fcntl
import gzip
import io
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from ssdlab.cli import main
from ssdlab.fio.read import read_fio
from tests.fio.samples import DATA, captured
from tests.paths import FIO_SAMPLES, ROOT, require_folder
from tests.quick_fio import CLOCK

COMMAND = (sys.executable, "-m", "ssdlab.cli", "parse")


def parse(
    *arguments: str | Path, given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Return how the command ended; it is called here, as a process takes a second."""
    words = ["parse", *map(str, arguments)]
    done = CliRunner().invoke(main, words, input=given)
    return subprocess.CompletedProcess(
        words, done.exit_code, done.stdout_bytes, done.stderr_bytes
    )


def rows_of(
    done: subprocess.CompletedProcess[bytes], code: int = 0
) -> list[dict[str, str]]:
    assert done.returncode == code, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def manifest() -> dict[str, str]:
    """Return the format of each sample that fio wrote, by its path."""
    folder = require_folder(FIO_SAMPLES)
    with (folder / "MANIFEST.csv").open(newline="") as file:
        return {
            str(folder / row["file"]): row["format"]
            for row in csv.DictReader(file)
            if re.search(r"^json|^terse|\blog\b|normal|text prefix", row["format"])
        }


def test_every_output_of_the_manifest_gives_rows() -> None:
    formats = manifest()
    done = parse(FIO_SAMPLES, "--table", "jobs", "--format", "csv")
    read = {row["file"] for row in rows_of(done)}
    wanted = {name for name, form in formats.items() if "log" not in form}
    assert len(wanted) > 450
    assert read == wanted
    assert b": see --table issues" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_every_log_of_the_manifest_gives_rows() -> None:
    formats = manifest()
    hist = {name for name, form in formats.items() if "hist log" in form}
    logs = {name for name, form in formats.items() if "log" in form} - hist
    assert len(logs) == 16
    rows = rows_of(parse(FIO_SAMPLES, "--table", "log"))
    assert {row["file"] for row in rows} == logs
    lines = sum(Path(name).read_bytes().count(b"\n") for name in logs)
    assert len(rows) == lines
    rows = rows_of(parse(FIO_SAMPLES, "--table", "histogram"))
    assert {row["file"] for row in rows} == hist


def test_nothing_of_the_manifest_is_taken_for_foreign() -> None:
    formats = manifest()
    rows = rows_of(parse(FIO_SAMPLES, "--table", "issues"))
    foreign = {row["file"] for row in rows if row["kind"] == "not-fio"}
    assert foreign
    assert not foreign & formats.keys()
    assert {row["is_grave"] for row in rows} == {"false"}


@pytest.mark.parametrize(
    "table", ["documents", "jobs", "percentiles", "bins", "options", "disks", "issues"]
)
def test_all_formats_hold_the_same_values(tmp_path: Path, table: str) -> None:
    path = tmp_path / "table.parquet"
    asked = (DATA, "--table", table)
    as_csv = parse(*asked)
    as_lines = parse(*asked, "--format", "jsonl")
    as_parquet = parse(*asked, "--format", "parquet", "-o", path)
    cut_short = 3  # as the runs of some of the files were
    assert [as_lines.returncode, as_parquet.returncode] == [cut_short] * 2
    lines = [json.loads(line) for line in as_lines.stdout.splitlines()]
    cells = rows_of(as_csv, cut_short)
    columns = pq.read_table(path, partitioning=None).to_pydict()
    values = zip(*columns.values(), strict=True)
    rows = [dict(zip(columns, row, strict=True)) for row in values]
    assert lines == rows
    assert len(cells) == len(rows) > 0
    for cell, row in zip(cells, rows, strict=True):
        assert {name: as_cell(value) for name, value in row.items()} == {
            name: as_number(text, row[name]) for name, text in cell.items()
        }


def as_cell(value: object) -> object:
    return "" if value is None else value


def as_number(text: str, like: object) -> object:
    """Return a cell as the type that its value has elsewhere."""
    if isinstance(like, bool):
        return {"true": True, "false": False}[text]
    if isinstance(like, int | float):
        return type(like)(text)
    return text


def test_whole_numbers_stay_whole_where_some_are_missing() -> None:
    content = json.loads(captured("one_io.json").read_bytes())
    content["jobs"][0]["read"]["io_bytes"] = 2**53 + 1
    del content["jobs"][0]["write"]["io_bytes"]
    rows = rows_of(parse("-", given=json.dumps(content).encode()))
    assert [row["io_bytes"] for row in rows] == ["9007199254740993", "", "0"]


def test_text_with_commas_and_lines_comes_back_as_it_was() -> None:
    content = json.loads(captured("one_io.json").read_bytes())
    name = 'a,b "c"\nd\x1b[31m=1'
    content["jobs"][0]["jobname"] = name
    rows = rows_of(parse("-", given=json.dumps(content).encode()))
    assert {row["job_name"] for row in rows} == {name}


def test_numbers_are_those_of_read_fio() -> None:
    rows = rows_of(parse(captured("randrw.json")))
    jobs = read_fio(captured("randrw.json")).jobs
    assert [float(row["iops"]) for row in rows] == jobs["iops"].tolist()
    assert rows[2]["lat_mean_ns"] == ""


@pytest.mark.parametrize("form", ["plain", "gzip", "zstd", "utf-16"])
def test_standard_input_is_read_in_any_packing(form: str) -> None:
    data = captured("randrw.json").read_bytes()
    given = {
        "plain": data,
        "gzip": gzip.compress(data),
        "zstd": bytes(pa.Codec("zstd").compress(data)),
        "utf-16": data.decode().encode("utf-16"),
    }[form]
    rows = rows_of(parse("-", given=given))
    assert [row["total_ios"] for row in rows] == ["2601", "1401", "0"]
    assert {row["file"] for row in rows} == {"standard input"}


def test_a_log_on_standard_input_is_read() -> None:
    given = captured("randrw_lat.1.log").read_bytes()
    rows = rows_of(parse("-", "--table", "log", given=given))
    assert len(rows) == given.count(b"\n")
    assert {row["kind"] for row in rows} == {"unknown"}


def test_logs_of_several_kinds_share_a_table(tmp_path: Path) -> None:
    path = tmp_path / "logs.parquet"
    done = parse(DATA, "--table", "log", "--format", "parquet", "-o", path)
    assert done.returncode == 0, done.stderr
    table = pd.read_parquet(path)
    assert set(table["kind"]) == {"bw", "iops", "lat"}
    for kind, column in (("bw", "bw_bytes_per_s"), ("iops", "iops"), ("lat", "lat_ns")):
        is_kind = table["kind"] == kind
        assert (table[column].notna() == is_kind).all()


def test_true_intervals_are_a_table() -> None:
    rows = rows_of(parse(captured("status-interval.json.gz"), "--table", "intervals"))
    read = [row for row in rows if row["direction"] == "read"]
    assert sum(int(row["total_ios"]) for row in read) == 6651469


def test_a_foreign_file_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    notes = tmp_path / "notes\x1b[2J.txt"
    notes.write_text("no fio here")
    done = parse(captured("randrw.json"), notes, "--table", "issues")
    (row,) = rows_of(done)
    assert (row["kind"], row["file"]) == ("not-fio", str(notes))
    assert done.stderr == b"read 1 of 2 files; 1 has issues\n"


@pytest.mark.parametrize("is_packed", [False, True])
def test_what_is_whole_of_a_cut_file_is_written_with_an_exit_code_of_its_own(
    tmp_path: Path, *, is_packed: bool
) -> None:
    data = captured("status-interval.json.gz").read_bytes()
    data = data if is_packed else gzip.decompress(data)
    path = tmp_path / "cut.json"
    path.write_bytes(data[: int(len(data) * 0.8)])
    done = parse(path, captured("randrw.json"))
    assert done.returncode == 3
    assert b"1 of 2 files were cut short or damaged" in done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    wholes = {row["file"]: row["is_whole"] for row in rows}
    assert wholes[str(captured("randrw.json"))] == "true"
    of_cut = [row for row in rows if row["file"] == str(path)]
    assert any(row["is_whole"] == "true" for row in of_cut)
    assert parse(path, "--table", "issues").returncode == 3


def test_a_log_that_was_cut_has_the_same_exit_code(tmp_path: Path) -> None:
    path = tmp_path / "cut_lat.1.log.gz"
    packed = gzip.compress(captured("randrw_lat.1.log").read_bytes())
    path.write_bytes(packed[: len(packed) // 2])
    done = parse(path, "--table", "log")
    assert done.returncode == 3
    assert done.stdout.count(b"\n") >= 2


def test_a_table_without_a_row_is_no_success() -> None:
    content = json.loads(captured("one_io.json").read_bytes()) | {"jobs": []}
    done = parse("-", given=json.dumps(content).encode())
    assert done.returncode == 3
    assert b"No job entry" in done.stderr


@pytest.mark.fio
def test_ios_that_failed_stand_in_the_jobs_table(tmp_path: Path) -> None:
    """128 of 256 blocks do not verify; fio counts them among its IOs."""
    job = ("--name=a", f"--filename={tmp_path}/data", "--size=1m", "--bs=4k")
    verify = ("--verify=crc32c", "--continue_on_error=verify")
    fio = ("fio", CLOCK, *job, *verify)
    subprocess.run([*fio, "--rw=write", "--do_verify=0"], check=True, cwd=tmp_path)
    with (tmp_path / "data").open("r+b") as file:
        for block in range(0, 256, 2):
            file.seek(block * 4096 + 100)
            file.write(b"harmed")
    for form in ("json", "normal", "terse"):
        said = subprocess.run(
            [*fio, "--rw=read", f"--output-format={form}", "--eta=never"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        ).stdout
        path = tmp_path / form
        path.write_bytes(said)
        rows = [row for row in rows_of(parse(path)) if row["direction"] == "read"]
        assert [row["failed_ios"] for row in rows] == ["128"]
        assert [row["total_errors"] for row in rows] == ["128"]
        doubts = rows_of(parse(path, "--table", "issues"))
        (doubt,) = [row for row in doubts if row["place"].endswith("total_err")]
        assert doubt["is_grave"] == "true"
        assert doubt["meaning"].startswith("128 ")


def test_good_output_is_read_without_a_word() -> None:
    done = parse(captured("randrw.json"))
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere.json",), "No such file"),
        ((str(DATA / "fio-3.33-randrw_lat.1.log"),), "--table log"),
        ((str(captured("one_io.json")), "--table", "log"), "no bandwidth, IOPS or"),
        ((str(captured("one_io.json")), "--table", "histogram"), "no histogram log"),
        ((str(captured("one_io.json")), "--format", "parquet"), "-o FILE"),
        ((str(captured("one_io.json")), "-o", "/proc/no/file"), "cannot be written"),
        ((str(captured("one_io.json")), "-o", "/dev/full"), "No space left"),
        ((str(Path(__file__)),), "no output of fio"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    arguments: tuple[str, ...], words: str
) -> None:
    done = parse(*arguments)
    assert done.returncode == 2
    assert done.stdout == b""
    said = done.stderr.decode()
    assert said.startswith("ssdlab: ")
    assert said.count("\n") == 1
    assert words in said


def test_names_of_files_do_not_steer_the_terminal(tmp_path: Path) -> None:
    done = parse(tmp_path / "gone\x1b[2J")
    assert done.returncode == 2
    assert b"\x1b" not in done.stderr


def test_a_refused_table_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("before")
    assert parse("nowhere.json", "-o", path).returncode == 2
    assert parse(captured("one_io.json"), "--table", "log", "-o", path).returncode == 2
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]
    assert path.read_text() == "before"


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    assert parse(captured("one_io.json"), "-o", path).stdout == f"{path}\n".encode()
    assert path.read_bytes() == parse(captured("one_io.json")).stdout
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]


def test_the_file_behind_a_link_is_written(tmp_path: Path) -> None:
    path, link = tmp_path / "table.csv", tmp_path / "latest.csv"
    link.symlink_to(path.name)
    assert parse(captured("one_io.json"), "-o", link).returncode == 0
    assert link.is_symlink()
    assert path.read_bytes() == parse(captured("one_io.json")).stdout


def test_what_a_log_does_not_say_can_be_given() -> None:
    given = b"0, 20, 0, 4096\n1, 40, 1, 4096\n"
    options = ("--table", "log", "--log-kind", "lat", "--fio-version", "fio-2.21")
    rows = rows_of(parse("-", *options, given=given))
    assert [row["lat_ns"] for row in rows] == ["20000", "40000"]


@pytest.mark.parametrize("table", ["jobs", "log"])
def test_what_fio_wrote_is_not_written_over(tmp_path: Path, table: str) -> None:
    source = captured("randrw.json" if table == "jobs" else "randrw_lat.1.log")
    raw = tmp_path / source.name
    raw.write_bytes(source.read_bytes())
    (tmp_path / "same").symlink_to(raw)
    for read, written in ((raw, raw), (tmp_path, raw), (raw, tmp_path / "same")):
        done = parse(read, "--table", table, "-o", written)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"is one of the input files" in done.stderr
    assert raw.read_bytes() == source.read_bytes()


def test_a_table_in_the_folder_that_is_read_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(captured("one_io.json").read_bytes())
    table = tmp_path / "table.csv"
    assert parse(tmp_path, "-o", table).returncode == 0
    first = table.read_bytes()
    assert parse(tmp_path, "-o", table).returncode == 0
    assert table.read_bytes() == first


def test_a_dash_is_standard_output(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, str(captured("one_io.json")), "-o", "-"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    assert done.stdout == parse(captured("one_io.json")).stdout
    assert [*tmp_path.iterdir()] == []
    refused = parse(captured("one_io.json"), "--format", "parquet", "-o", "-")
    assert (refused.returncode, refused.stdout) == (2, b"")


def test_a_reader_that_goes_away_is_no_failure() -> None:
    with subprocess.Popen(
        [*COMMAND, str(ROOT / "data/samples/virtual-lat/steps"), "--table", "bins"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        assert started.stdout.readline().startswith(b"file,document")
        started.stdout.close()
        assert started.stderr.read() == b""
        assert started.wait(60) == 0


def test_ctrl_c_ends_it_with_its_own_exit_code(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [*COMMAND, str(pipe), "-o", str(tmp_path / "x")], stderr=subprocess.PIPE
    ) as started:
        with pipe.open("wb"):  # it waits for what is never written
            started.send_signal(signal.SIGINT)
        assert started.stderr is not None
        said = started.stderr.read().decode()
        assert started.wait(60) == 130
    assert said.startswith("ssdlab: Stopped")
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]


def test_a_terminal_gets_no_control_codes_out_of_a_file(tmp_path: Path) -> None:
    content = json.loads(captured("one_io.json").read_bytes())
    content["jobs"][0]["jobname"] = "\x1b[2Jname"
    path = tmp_path / "a.json"
    path.write_text(json.dumps(content))
    ours, theirs = pty.openpty()
    asked = [*COMMAND, str(path), "--format", "csv"]
    with subprocess.Popen(asked, stdout=theirs) as started:
        os.close(theirs)
        shown = b""
        while b"trim" not in shown:
            shown += os.read(ours, 65536)
        assert started.wait(60) == 0
    os.close(ours)
    assert b"?[2Jname" in shown
    assert b"\x1b" not in shown


def shown_on_a_terminal(*asked: str, columns: int, lines: int = 24) -> list[str]:
    """Return what a command writes to a terminal of a size."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", lines, columns, 0, 0))
    sized = {k: v for k, v in os.environ.items() if k not in {"COLUMNS", "LINES"}}
    with subprocess.Popen([*COMMAND, *asked], stdout=theirs, env=sized) as started:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the other end was closed
            while part := os.read(ours, 65536):
                shown += part
        assert started.wait(60) in {0, 3}
    os.close(ours)
    return shown.decode().splitlines()


@pytest.mark.parametrize("columns", [60, 80, 130])
def test_a_terminal_gets_the_columns_and_rows_that_fit(columns: int) -> None:
    steps = str(ROOT / "data" / "samples" / "virtual-lat" / "steps")
    lines = shown_on_a_terminal(steps, columns=columns)
    assert max(map(len, lines)) <= columns
    assert lines[0][0] + lines[0][-1] == "┌┐"
    head = [name.strip() for name in lines[1].strip("│").split("│")]
    assert head[0] == "file"
    assert "iops" in head
    assert ("lat_mean_ns" in head) == (columns == 130)
    assert sum("·" in line.split("│")[1] for line in lines if line[0] == "│") == 1
    last = next(place for place, line in enumerate(lines) if line[0] == "└")
    count = " ".join(lines[last + 1 :])
    assert count.startswith("86 rows (16 shown) and 109 without IOs · 45 columns")
    assert len(lines) <= 24


def test_a_short_table_is_shown_whole(tmp_path: Path) -> None:
    content = json.loads(captured("one_io.json").read_bytes())
    content["jobs"][0]["jobname"] = "\x1b[2Jname"
    path = tmp_path / "a.json"
    path.write_text(json.dumps(content))
    lines = shown_on_a_terminal(str(path), columns=200)
    assert "�[2Jname" in lines[3]
    assert "\x1b" not in "".join(lines)
    assert lines[-1].startswith("1 row and 2 without IOs")

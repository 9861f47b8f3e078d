"""Archives that unpack to far more than they are, on the command line."""

import gzip
import json
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from ssdlab.cli import main
from tests.fio.samples import captured

MIB = 1 << 20
SAMPLE = Path(__file__).parents[2] / "data" / "samples" / "virtual-lat"
BEGIN = b'{\n  "fio version" : "fio-3.33",\n'
HISTOGRAM_LINE = b"1001, 0, 4096" + b", 0" * 29 + b"\n"


def zstd(data: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(data))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
@pytest.mark.parametrize(
    ("table", "name", "begin"),
    [
        ("jobs", "fio.json.gz", BEGIN),
        ("jobs", "fio.json.gz", b""),
        ("log", "x_lat.1.log.gz", b"0, 20500, 0, 4096, 0\n"),
        ("histogram", "x_clat_hist.1.log.gz", HISTOGRAM_LINE),
    ],
)
def test_parse_refuses_what_unpacks_to_more_than_its_bound(
    tmp_path: Path, table: str, name: str, begin: bytes, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / name
    path.write_bytes(pack(begin + b" " * (3 * MIB)))
    result = run("parse", path, "--table", table, "--max-input", "2MiB")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "it holds more than 2 MiB, the limit of --max-input" in result.stderr


def test_a_bound_that_was_raised_lets_the_content_in(tmp_path: Path) -> None:
    path = tmp_path / "fio.json.gz"
    data = captured("randrw.json").read_bytes()
    path.write_bytes(gzip.compress(data + b" " * (3 * MIB)))
    assert run("parse", path, "--max-input", "2MiB").exit_code == 2
    assert run("parse", path, "--max-input", "4MiB").exit_code == 0


@pytest.mark.parametrize("size", ["much", "-1", ""])
def test_a_bound_that_is_no_size_is_the_users_mistake(size: str) -> None:
    result = run("parse", "x", "--max-input", size)
    assert result.exit_code == 2
    assert "is not a valid size" in result.stderr


def test_a_large_file_of_many_costs_only_itself(tmp_path: Path) -> None:
    shutil.copy(captured("randrw.json"), tmp_path / "a.json")
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(BEGIN + b" " * (3 * MIB)))
    result = run("parse", tmp_path, "--table", "issues", "--max-input", "2MiB")
    assert result.exit_code == 0
    assert "too-large" in result.stdout


def test_ingest_refuses_a_step_that_unpacks_to_more_than_its_bound(
    tmp_path: Path,
) -> None:
    run_folder = tmp_path / "run"
    shutil.copytree(SAMPLE, run_folder)
    said = next(run_folder.glob("steps/*/fio.json.gz"))
    said.write_bytes(gzip.compress(gzip.decompress(said.read_bytes()) + b" " * 3 * MIB))
    result = run("ingest", run_folder, "--max-input", "2MiB")
    assert result.exit_code == 2
    assert "fio.json.gz" in result.stderr
    assert "--max-input" in result.stderr
    assert not (run_folder / "tables").exists()
    assert run("ingest", run_folder, "--max-input", "4MiB").exit_code == 0


def test_steady_state_reads_no_more_than_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text("100\n" * 1000)
    assert run("steady-state", path, "--max-input", "1KiB").exit_code == 2
    assert run("steady-state", path).exit_code == 0


def test_import_reads_no_more_than_its_bound(tmp_path: Path) -> None:
    document = json.loads(captured("randrw.json").read_bytes())
    path = tmp_path / "fio.json.gz"
    path.write_bytes(gzip.compress(json.dumps(document).encode() + b" " * 3 * MIB))
    result = run("import", path, "--runs", tmp_path / "runs", "--max-input", "2MiB")
    assert result.exit_code == 2
    assert "limit of --max-input" in result.stderr


def test_a_bomb_is_refused_at_the_bound_that_nobody_named(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    path = tmp_path / "bomb.json.gz"
    begin = packer.compress(BEGIN) + packer.flush(zlib.Z_FULL_FLUSH)
    blank = packer.compress(b" " * MIB) + packer.flush(zlib.Z_FULL_FLUSH)
    path.write_bytes(begin + 600 * blank)  # each is packed without those before it
    assert path.stat().st_size < MIB
    result = run("parse", path)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "512 MiB" in result.stderr

"""What a user named is written: its ending is the format, and nothing else is lost."""

import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from ssdlab.cli import main
from ssdlab.ingest.opening import open_run
from ssdlab.model.errors import ExportError
from ssdlab.report import write_report
from ssdlab.report.images import run_figures
from ssdlab.report.pdf import write_report_pdf
from ssdlab.system.outputs import choose_format, require_replaceable
from tests.fio.samples import captured
from tests.paths import ROOT

SAMPLE = ROOT / "data" / "samples" / "tkperf-intel-s3510"
OTHER = ROOT / "data" / "samples" / "tkperf-crucial-mx200"
OUTPUT = captured("one_io.json")
MINE = b"what somebody wrote, and nobody else has\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("name", "asked", "chosen"),
    [
        (None, None, "html"),
        (None, "pdf", "pdf"),
        ("x.pdf", None, "pdf"),
        ("x.HTML", None, "html"),
        ("x.htm", "html", "html"),
        ("x", None, "html"),
        ("x", "pdf", "pdf"),
        ("run-2.5", "pdf", "pdf"),
    ],
)
def test_the_ending_chooses_the_format(
    name: str | None, asked: str | None, chosen: str
) -> None:
    output = None if name is None else Path(name)
    assert choose_format(output, asked, ("html", "pdf")) == chosen


@pytest.mark.parametrize(
    ("name", "asked"),
    [("x.pdf", "html"), ("x.html", "pdf"), ("x.csv", None), ("x.txt", None)],
)
def test_an_ending_that_contradicts_the_format_is_refused(
    name: str, asked: str | None
) -> None:
    with pytest.raises(ExportError, match=r"ends in \.\w+.*\.html, \.htm, \.pdf"):
        choose_format(Path(name), asked, ("html", "pdf"))


CONTRADICTIONS = (
    ("report", SAMPLE, "--format", "html", "-o", "x.pdf"),
    ("report", SAMPLE, "-o", "x.csv"),
    ("page", "nb.ipynb", "-o", "x.png"),
    ("compare", SAMPLE, OTHER, "-o", "x.pdf"),
    ("classes", SAMPLE, "-o", "x.pdf"),
    ("compare-hosts", SAMPLE, OTHER, "-o", "x.pdf"),
    ("export", SAMPLE, "--format", "csv", "-o", "out.csv"),
    ("export", SAMPLE, "--format", "parquet", "-o", "out.parquet"),
    ("export", SAMPLE, "--format", "csv", "-o", "out.xlsx"),
    ("export", SAMPLE, "--format", "xlsx", "-o", "out.csv"),
    ("figures", SAMPLE, "-o", "figure.svg"),
    ("parse", OUTPUT, "-o", "x.xlsx"),
    ("parse", OUTPUT, "--format", "jsonl", "-o", "x.csv"),
)


@pytest.mark.parametrize("arguments", CONTRADICTIONS, ids=lambda words: words[0])
def test_a_contradiction_is_the_users_mistake(
    arguments: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2
    assert "ends in" in result.stderr
    assert list(tmp_path.iterdir()) == []


TAKEN = (
    (("report", SAMPLE, "-o", "x.html"), "x.html"),
    (("report", SAMPLE, "-o", "x.pdf"), "x.pdf"),
    (("page", "nb.ipynb"), "nb.html"),
    (("page", "nb.ipynb", "-o", "x.html"), "x.html"),
    (("compare", SAMPLE, OTHER, "-o", "x.html"), "x.html"),
    (("classes", SAMPLE, "-o", "x.html"), "x.html"),
    (("compare-hosts", SAMPLE, OTHER, "-o", "x.html"), "x.html"),
    (("export", SAMPLE, "-o", "out"), "out/steps.csv"),
    (("export", SAMPLE, "--format", "parquet", "-o", "out"), "out/steps.parquet"),
    (("export", SAMPLE, "-o", "x.xlsx"), "x.xlsx"),
    (("parse", OUTPUT, "-o", "x.csv"), "x.csv"),
    (("parse", OUTPUT, "-o", "x.jsonl"), "x.jsonl"),
    (("parse", OUTPUT, "-o", "x.parquet"), "x.parquet"),
)


@pytest.mark.parametrize(("arguments", "name"), TAKEN)
def test_a_file_of_somebody_elses_is_not_replaced(
    arguments: tuple[object, ...],
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / name
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(MINE)
    result = run(*arguments)
    assert result.exit_code == 2
    assert "did not write" in result.stderr
    assert "--overwrite" in result.stderr
    assert place.read_bytes() == MINE
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [place]


OWN = (
    (("report", SAMPLE, "-o", "x.html"), "x.html"),
    (("compare", SAMPLE, OTHER, "-o", "x.html"), "x.html"),
    (("classes", SAMPLE, "-o", "x.html"), "x.html"),
    (("export", SAMPLE, "-o", "out"), "out/steps.csv"),
    (("export", SAMPLE, "--format", "parquet", "-o", "out"), "out/steps.parquet"),
    (("export", SAMPLE, "-o", "x.xlsx"), "x.xlsx"),
    (("parse", OUTPUT, "-o", "x.csv"), "x.csv"),
    (("parse", OUTPUT, "-o", "x.jsonl"), "x.jsonl"),
    (("parse", OUTPUT, "-o", "x.parquet"), "x.parquet"),
)


@pytest.mark.parametrize(("arguments", "name"), OWN)
def test_what_ssdlab_wrote_is_written_again_and_all_else_when_told_so(
    arguments: tuple[object, ...],
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / name
    for words in ((), ()):
        result = run(*arguments, *words)
        assert result.exit_code == 0, result.stderr
    place.write_bytes(MINE)
    assert run(*arguments, "--overwrite").exit_code == 0
    assert place.read_bytes() != MINE


def test_the_ending_is_what_is_written(tmp_path: Path) -> None:
    assert run("parse", OUTPUT, "-o", tmp_path / "x.parquet").exit_code == 0
    assert pq.read_table(tmp_path / "x.parquet").num_rows > 0
    assert run("export", SAMPLE, "-o", tmp_path / "x.xlsx").exit_code == 0
    with zipfile.ZipFile(tmp_path / "x.xlsx") as book:
        assert book.testzip() is None


def test_an_empty_file_and_a_device_are_written(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for place in (tmp_path / "empty", tmp_path / "none", Path("/dev/null")):
        require_replaceable(place, overwrite=False)


@pytest.mark.parametrize(
    ("line", "is_ours"),
    [(b"a,b\n1,2\n", True), (b'{"a": 1, "b": 2}\n', True), (b"a,b,c\n", False)],
)
def test_a_table_of_text_is_known_by_its_columns(
    tmp_path: Path, line: bytes, *, is_ours: bool
) -> None:
    place = tmp_path / "table"
    place.write_bytes(line)
    if is_ours:
        require_replaceable(place, overwrite=False, columns=["a", "b"])
        return
    with pytest.raises(ExportError, match="did not write"):
        require_replaceable(place, overwrite=False, columns=["a", "b"])


def test_figures_replace_no_file_of_somebody_elses(tmp_path: Path) -> None:
    opened = open_run(SAMPLE)
    place = tmp_path / f"{list(run_figures(opened))[-1]}.svg"
    place.write_bytes(MINE)
    result = run("figures", SAMPLE, "-o", tmp_path)
    assert result.exit_code == 2
    assert "did not write" in result.stderr
    assert place.read_bytes() == MINE


def test_python_writes_no_page_under_the_ending_of_another_format(
    tmp_path: Path,
) -> None:
    with pytest.raises(ExportError, match=r"ends in \.pdf"):
        write_report(open_run(SAMPLE), tmp_path / "x.pdf")
    with pytest.raises(ExportError, match=r"ends in \.html"):
        write_report_pdf(open_run(SAMPLE), tmp_path / "x.html")
    assert list(tmp_path.iterdir()) == []

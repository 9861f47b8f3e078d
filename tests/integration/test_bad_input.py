"""Bad input: one clear message, exit code 2, nothing written or lost."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ssdlab.model.errors import UnknownNameError
from ssdlab.notebook import execute_notebook, find_notebook
from tests.cli.warm import Ended, Warm, warmed
from tests.integration.lab import Lab, files_below
from tests.paths import ROOT

RUN = ("run", "--target", "virtual", "--runs", "runs")
GOOD = "value\n" + "100\n" * 5


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    with warmed(tmp_path_factory.mktemp("warm")) as worker:
        yield worker


def assert_refused(ended: Ended, *words: str) -> None:
    """Assert one message of one line, and exit code 2."""
    assert ended.exit_code == 2, ended.said
    assert ended.out == ""
    assert ended.err.startswith("ssdlab: "), ended.err
    assert ended.err.count("\n") == 1, ended.err
    assert "Traceback" not in ended.err
    for word in words:
        assert word in ended.err


def assert_nothing_written(lab: Lab, before: dict[str, bytes]) -> None:
    assert files_below(lab.folder) == before
    assert list(lab.runs.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*RUN, "--profile", "nope"), ("profile 'nope'", "pts-2.0-enterprise")),
        ((*RUN, "--tests", "nope"), ("test 'nope'", "iops, tp, lat, wsat")),
        ((*RUN, "--tests", ""), ("test ''", "iops, tp, lat, wsat")),
        ((*RUN, "--tests", "lat,lat"), ("'lat' appears twice", "Name it once")),
        ((*RUN, "--target", "floppy"), ("Unknown target 'floppy'", "virtual")),
        ((*RUN, "--target", "file:"), ("Unknown target 'file:'",)),
        ((*RUN, "--target", "virtual:speed=9"), ("'speed'", "size, op")),
        ((*RUN, "--target", "virtual:size=banana"), ("size=banana",)),
        ((*RUN, "--target", "virtual:size=16MiB"), ("too small for the tests",)),
        ((*RUN, "--target", "virtual:op=-1"), ("op=-1",)),
        ((*RUN, "--target", "file:there/is/none"), ("no size was given",)),
        ((*RUN, "--target", "/dev/null"), ("not a block device",)),
        ((*RUN, "--target", "virtual\n[x]"), ("The target 'virtual\\n[x]' cannot",)),
        ((*RUN, "--label", "\x1b[31mred"), ("The label '\\x1b[31mred' cannot",)),
        ((*RUN, "--label", "two\nlines"), ("The label 'two\\nlines' cannot",)),
        ((*RUN, "--label", "\udcff"), ("The label '\\udcff' cannot",)),
        ((*RUN, "--label", "x" * 1001), ("at most 1000",)),
        ((*RUN, "--runs", "\udcff"), ("The runs '\\udcff' cannot",)),
        ((*RUN, "--runs", "site/sitecustomize.py"), ("cannot be written",)),
        ((*RUN, "--runs", "/proc/none"), ("the folder cannot be written",)),
        (("plan", "--target", "virtual", "--tests", "x"), ("test 'x'",)),
        (("plan", "--target", "virtual:size=16MiB"), ("too small for the tests",)),
        (("plan", "--target", "virtual:size=480GB"), ("virtual:size=480000000000: ",)),
        (("plan", "--target", "file:x,size=1"), ("0 B is too small for the tests",)),
        (
            ("plan", "--target", "file:x,size=9MiB,foo=2"),
            ("option of a file 'foo'",),
        ),
        (("plan", "--target", "file:/etc/passwd"), ("was not made by ssdlab",)),
        ((*RUN, "--target", "file:/etc/passwd"), ("was not made by ssdlab",)),
        (("runs", "--runs", "none"), ("none: ", "No such file", "--runs FOLDER")),
        (("runs", "--runs", "site/sitecustomize.py"), ("Not a directory",)),
        (("resume", "runs/none"), ("it has no run.json",)),
        (("resume", "runs"), ("it has no run.json",)),
        (("report", "runs/none"), ("it has no run.json",)),
        (("ingest", "runs/none"), ("it has no run.json",)),
        (("ingest", "runs"), ("it has no run.json",)),
        (("steady-state", "none.csv"), ("none.csv: cannot be read",)),
        (("steady-state", "runs"), ("runs: cannot be read",)),
    ],
    ids=lambda value: repr(value)[:60] if isinstance(value, tuple) else None,
)
def test_bad_input_is_refused_and_nothing_is_written(
    warm: Warm, lab: Lab, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    before = files_below(lab.folder)
    assert_refused(warm.run(arguments, folder=lab.folder), *words)
    assert_nothing_written(lab, before)


@pytest.mark.parametrize(
    "arguments",
    [
        ("measure",),
        ("run",),
        (*RUN, "--speed", "9"),
        (*RUN, "--seed", "x"),
        ("plan", "--target", "virtual", "--write-speed", "0"),
        ("plan", "--target", "virtual", "--write-speed", "nan"),
        ("resume",),
        ("report", "runs/none", "-o", "runs"),
    ],
)
def test_command_that_click_cannot_read_is_refused(
    warm: Warm, lab: Lab, arguments: tuple[str, ...]
) -> None:
    before = files_below(lab.folder)
    ended = warm.run(arguments, folder=lab.folder)
    assert ended.exit_code == 2
    assert ended.said.startswith("Usage: ")
    assert "Traceback" not in ended.said
    assert_nothing_written(lab, before)


@pytest.mark.parametrize(
    ("content", "options", "word"),
    [
        (GOOD.replace("100\n", "fast\n", 1), (), "line 2"),
        (GOOD + "nan\n", (), "line 7"),
        (GOOD + "\n100\n", (), "line 7"),
        (GOOD[:-4], (), "4 rows of numbers are too few"),
        ("", (), "is empty"),
        (GOOD, ("--column", "speed"), "speed"),
        ("a,b\n" + "1,2\n" * 5, (), "a"),
        (GOOD.replace("100", "1\u00a0000", 1), (), "line 2"),
        (GOOD + "1e999\n", (), "line 7"),
    ],
)
def test_series_that_cannot_be_judged_is_refused(
    warm: Warm, tmp_path: Path, content: str, options: tuple[str, ...], word: str
) -> None:
    (tmp_path / "own.csv").write_text(content, "utf-8")
    for output in ((), ("--json",)):
        words = ("steady-state", "own.csv", *options, *output)
        assert_refused(warm.run(words, folder=tmp_path), "own.csv: ", word)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "run.json is damaged"),
        (b'{"format_version": 1, "run_id"', "run.json is damaged"),
        (b"[]", "run.json is damaged"),
        (b'{"format_version": 1}', "run.json is damaged"),
        (b'{"format_version": 99}', "run.json has format 99; this ssdlab reads 1"),
        (b"\xff\xfe", "run.json is damaged"),
    ],
)
def test_damaged_run_folder_is_refused_and_left_as_it_is(
    warm: Warm, tmp_path: Path, content: bytes, word: str
) -> None:
    run = tmp_path / "runs" / "damaged"
    (run / "steps" / "00001-iops-purge").mkdir(parents=True)
    (run / "run.json").write_bytes(content)
    before = files_below(run)
    for command in ("resume", "report", "ingest"):
        assert_refused(warm.run((command, run)), word)
    listed = warm.run(("runs", "--runs", run.parent))
    assert listed.exit_code == 0
    assert word in listed.said
    assert files_below(run) == before


def test_unknown_parameter_is_refused_before_anything_is_executed(
    tmp_path: Path,
) -> None:
    output = tmp_path / "out.ipynb"
    with pytest.raises(UnknownNameError, match="parameter 'targett'") as caught:
        execute_notebook(find_notebook(), output, {"targett": "virtual"})
    assert "confirm_serial" in caught.value.known
    assert not output.exists()


@pytest.mark.notebook
def test_unknown_parameter_stops_the_notebook_under_papermill(lab: Lab) -> None:
    notebook = ROOT / "notebooks" / "01_run_pts.ipynb"
    output = lab.folder / "out.ipynb"
    asked = ("-p", "targett", "virtual", "-p", "runs", str(lab.runs))
    command = ("-m", "papermill", notebook, output, *asked)
    stopped = lab.start(sys.executable, *command)
    assert stopped.wait() == 1
    message = "Unknown parameter 'targett'. Did you mean 'target'? Choose from: "
    assert message in " ".join(stopped.said.split())
    assert list(lab.runs.iterdir()) == []
    cells = json.loads(output.read_bytes())["cells"]
    assert any("targett" in "".join(cell["source"]) for cell in cells)

"""Every command that a page shows is valid; those that only look are run."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ssdlab.cli import main
from ssdlab.store.records import RunState, write_state
from tests.paths import ROOT
from tests.store.folders import make_run

PAGES = sorted([
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    *(ROOT / "docs" / name for name in ("index.md", "tutorial.md", "first-drive.md")),
    *(ROOT / "docs" / "how-to").glob("*.md"),
])
_BLOCK = re.compile(r"```shell\n(.*?)```", re.DOTALL)
_IN_TABLE = re.compile(r"^\|.*\| `([^`]+)` \|$", re.MULTILINE)
# Commands that read a finished run or a file, and write at most a table, and where.
LOOKING = ("plan", "show", "qos", "parse", "steady-state")
MOUNTED = "/mnt/nvme"  # the file system of the drive, which is not here
LOOKED_AT = (ROOT / "README.md", ROOT / "docs" / "how-to" / "judge-a-series.md")


def commands_of(page: Path) -> list[str]:
    """Return the lines of shell of a page, in order."""
    text = page.read_text("utf-8")
    blocks = "\n".join(_BLOCK.findall(text)).splitlines()
    return [line for line in [*blocks, *_IN_TABLE.findall(text)] if line.strip()]


def ssdlab_calls(line: str) -> Iterator[list[str]]:
    """Yield the arguments of each call of ssdlab in a line of shell."""
    words = list(map(_expanded, shlex.split(line, comments=True)))
    while words:
        end = next((i for i, word in enumerate(words) if word in {"|", "&&"}), None)
        call, words = words[:end], words[end + 1 :] if end is not None else []
        if call[:1] == ["ssdlab"]:
            yield call[1:]


def _expanded(word: str) -> str:
    """Return a word as a shell hands it over: its home folder written in full."""
    return str(Path(word).expanduser()) if word.startswith("~") else word


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with what the pages name: runs, fio output, a series.

    One of the runs is under way, to be watched or resumed as the latest.
    """
    runs = tmp_path / "data" / "runs"
    runs.mkdir(parents=True)
    for name, sample in (("RUN", "virtual-a"), ("OTHER", "virtual-b")):
        (runs / name).symlink_to(ROOT / "data" / "samples" / sample)
    write_state(make_run(runs / "UNDER-WAY"), RunState(status="running"))
    results = tmp_path / "results"
    results.mkdir()
    steps = ROOT / "data" / "samples" / "virtual-a" / "steps"
    output = next(steps.glob("*rnd-4KiB-r0/fio.json*"))
    (results / output.name).write_bytes(output.read_bytes())
    (tmp_path / "rounds.csv").write_text("iops\n100\n101\n99\n100\n100\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_command_of_a_page_is_valid(page: Path) -> None:
    calls = [call for line in commands_of(page) for call in ssdlab_calls(line)]
    for arguments in calls:
        command: click.Command = main
        words = ["." if word == MOUNTED else word for word in arguments]
        while isinstance(command, click.Group) and words:
            name = words.pop(0)
            assert name in command.commands, f"{page.name}: no command {name}"
            command = command.commands[name]
        command.make_context(command.name, words)  # raises if one is wrong


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_make_target_of_a_page_is_there(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for line in commands_of(page):
        if line.startswith("make "):
            assert re.search(rf"^{shlex.split(line)[1]}:", makefile, re.MULTILINE)


LOOKS = [
    call
    for page in LOOKED_AT
    for line in commands_of(page)
    for call in ssdlab_calls(line)
    if call[0] in LOOKING
]


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("arguments", LOOKS, ids=lambda arguments: arguments[0])
def test_command_that_only_looks_works(arguments: list[str]) -> None:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code in {0, 3}, done.output
    assert done.output


def test_commands_are_found_on_the_pages() -> None:
    assert {call[0] for call in LOOKS} == set(LOOKING)
    for name, least in (("tutorial.md", 5), ("first-drive.md", 6)):
        lines = commands_of(ROOT / "docs" / name)
        assert len([call for line in lines for call in ssdlab_calls(line)]) >= least


@pytest.mark.usefixtures("place")
def test_python_of_the_readme_works() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    space: dict[str, object] = {}
    exec(block, space)
    assert "run" in space

"""Every command that a page shows is valid; those that only look are run."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ssdlab.cli import main
from tests.paths import ROOT

PAGES = sorted([
    ROOT / "README.md",
    ROOT / "SECURITY.md",
    *(ROOT / "docs" / name for name in ("index.md", "tutorial.md", "first-drive.md")),
    *(ROOT / "docs" / "how-to").glob("*.md"),
])
_BLOCK = re.compile(r"```shell\n(.*?)```", re.DOTALL)
_IN_TABLE = re.compile(r"^\|.*\| `([^`]+)` \|$", re.MULTILINE)
# Commands of the README that read a finished run or a file, and write at most a table.
LOOKING = ("plan", "qos", "parse", "steady-state")


def commands_of(page: Path) -> list[str]:
    """Return the lines of shell of a page, in order."""
    text = page.read_text("utf-8")
    blocks = "\n".join(_BLOCK.findall(text)).splitlines()
    return [line for line in [*blocks, *_IN_TABLE.findall(text)] if line.strip()]


def ssdlab_calls(line: str) -> Iterator[list[str]]:
    """Yield the arguments of each call of ssdlab in a line of shell."""
    words = shlex.split(line, comments=True)
    while words:
        end = next((i for i, word in enumerate(words) if word in {"|", "&&"}), None)
        call, words = words[:end], words[end + 1 :] if end is not None else []
        if call[:1] == ["ssdlab"]:
            yield call[1:]


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with what the pages name: runs, fio output, a series."""
    runs = tmp_path / "data" / "runs"
    runs.mkdir(parents=True)
    for name, sample in (("RUN", "virtual-a"), ("OTHER", "virtual-b")):
        (runs / name).symlink_to(ROOT / "data" / "samples" / sample)
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
        words = list(arguments)
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
    for line in commands_of(ROOT / "README.md")
    for call in ssdlab_calls(line)
    if call[0] in LOOKING
]


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("arguments", LOOKS, ids=lambda arguments: arguments[0])
def test_command_of_the_readme_that_only_looks_works(arguments: list[str]) -> None:
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

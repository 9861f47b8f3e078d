"""The list of commands that ``ssdlab --help`` prints."""

import click
import pytest
from click.testing import CliRunner

from ssdlab.cli import main


def listed(width: int) -> list[str]:
    answer = CliRunner().invoke(main, ["--help"], terminal_width=width)
    assert answer.exit_code == 0
    return answer.output.partition("--help")[2].splitlines()[1:]


def test_each_command_is_listed_once_in_a_section() -> None:
    lines = [line for line in listed(120) if line.startswith("  ")]
    assert sorted(line.split()[0] for line in lines) == sorted(main.commands)


@pytest.mark.parametrize("group", ["rwsw", "profiles"])
def test_summaries_of_a_group_are_never_cut(group: str) -> None:
    answer = CliRunner().invoke(main, [group, "--help"], terminal_width=60)
    inner = main.commands[group]
    assert isinstance(inner, click.Group)
    words = "".join(answer.output.split())
    for command in inner.commands.values():
        assert "".join(command.get_short_help_str(999).split()) in words


def test_summaries_are_never_cut() -> None:
    lines = listed(60)
    assert max(map(len, lines)) <= 60
    words = "".join("".join(lines).split())
    for command in main.commands.values():
        assert "".join(command.get_short_help_str(999).split()) in words

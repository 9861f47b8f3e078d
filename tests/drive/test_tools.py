"""Which command lets a user run the programs as root."""

import shlex
from pathlib import Path

import pytest

from ssdlab.drive.tools import find_tool, sudoers_command
from ssdlab.model.errors import MissingToolError
from tests.drive.users import as_nobody, only_root


@only_root
def test_sudoers_command_names_who_runs_and_not_who_logged_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "root")
    with as_nobody(tmp_path):
        command = sudoers_command(["blkid", "wipefs"])
    words = shlex.split(command)
    programs = ", ".join(map(find_tool, ("blkid", "wipefs")))
    assert words[:3] == ["echo", f"nobody ALL=(root) NOPASSWD: {programs}", "|"]
    assert words[3:6] == ["sudo", "install", "--mode=0440"]
    assert words[-1] == "/etc/sudoers.d/ssdlab_nobody_blkid"


def test_sudoers_command_is_not_given_for_a_program_that_is_missing() -> None:
    with pytest.raises(MissingToolError, match=r"^no_such_tool is needed"):
        sudoers_command(["no_such_tool"])

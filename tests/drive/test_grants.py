"""Which command gives a right that lacks: by sudo first, else by a capability."""

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ssdlab.drive import tools
from ssdlab.drive.grants import Need, missing_program, refused_step
from ssdlab.system import programs
from tests.drive.recorded import a_drive
from tests.drive.users import NOBODY, only_root, wholly_as_nobody

NVME = Need(tools=("nvme",), capability="CAP_SYS_ADMIN")


def put(folder: Path, *names: str, exit_code: int = 0) -> None:
    for name in names:
        path = folder / name
        path.write_text(f"#!/bin/sh\nexit {exit_code}\n")
        path.chmod(0o755)


@contextmanager
def nobody_with(
    folder: Path, monkeypatch: pytest.MonkeyPatch, sudo: int | None
) -> Iterator[None]:
    """Be a user on a machine with these programs; ``sudo`` is how it answers."""
    tools._may_raise.cache_clear()
    monkeypatch.setattr(programs, "_SYSTEM_FOLDERS", ())
    monkeypatch.setenv("PATH", str(folder))
    put(folder, "nvme", "sdparm")
    if sudo is not None:
        put(folder, "sudo", exit_code=sudo)
    with wholly_as_nobody(folder):
        yield
    tools._may_raise.cache_clear()


@only_root
def test_program_that_sudo_refuses_is_given_by_a_rule_for_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with nobody_with(tmp_path, monkeypatch, sudo=1):
        error = refused_step(a_drive("nvme"), "its log cannot be read", NVME)
    assert error.reason == (
        "its log cannot be read: the user nobody may not run nvme as root"
    )
    command = error.remedy.removeprefix("To allow only that: ")
    rule = shlex.split(command)[1]
    assert rule == f"nobody ALL=(root) NOPASSWD: {tmp_path}/nvme"
    assert "setpriv" not in str(error)


@only_root
def test_without_sudo_root_starts_ssdlab_with_the_capability(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with nobody_with(tmp_path, monkeypatch, sudo=None):
        right = missing_program(NVME)
        other = missing_program(Need(tools=("sdparm",)))
    (command,) = re.findall(r"setpriv .*", right.remedy)
    assert f"--reuid={NOBODY} " in command
    assert "--ambient-caps=+sys_admin" in command
    assert "sudo setpriv" not in right.remedy
    assert other.remedy.startswith("Install sudo")


@only_root
def test_what_root_may_not_either_is_not_given_by_sudo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with nobody_with(tmp_path, monkeypatch, sudo=0):
        right = missing_program(NVME)
    assert right.reason == (
        "this container or service was started without CAP_SYS_ADMIN"
    )
    assert "--cap-add SYS_ADMIN" in right.remedy


@only_root
def test_program_that_lacks_is_to_be_installed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with nobody_with(tmp_path, monkeypatch, sudo=1):
        right = missing_program(Need(tools=("smartctl",)))
    assert right.reason == "smartctl is not installed"
    assert right.remedy == "Install it: apt-get install smartmontools."


@only_root
def test_root_of_a_container_is_told_which_capability_it_lacks() -> None:
    assert "without CAP_SYS_ADMIN" in missing_program(NVME).reason
    assert "container" in missing_program(Need(tools=("sdparm",))).reason

"""The setup script on machines that lack things; the programs it calls are stand-ins.

Really installing takes minutes and changes the machine, so only the decisions are
tested here; `make test` itself begins with the real thing.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.paths import ROOT

COREUTILS = (
    "sh",
    "awk",
    "cat",
    "cksum",
    "cp",
    "cut",
    "dirname",
    "echo",
    "env",
    "grep",
    "mkdir",
    "rm",
    "true",
    "xargs",
)
NOTHING = "exit 0"
# How pip is called for uv, uv for the lock, and pip for ssdlab itself.
LOCK, PACKAGE = ("/uv.txt", "-m uv"), ("--no-build-isolation",)
WHOLE = "requirements.lock"  # for pip alone
# Answers to what the script asks of a Python, an environment and its pip.
PYTHON = """
echo "python $*" >>"$LOG"
case "$*" in
  *version.split*) echo 3.12.0 ;;
  *"-m uv"*) [ ! -e "$LOG.offline" ] && [ ! -e "$LOG.without-uv" ] ;;
  *--require-hashes*) [ ! -e "$LOG.offline" ] ;;
  "-m venv"*) for dir; do :; done; mkdir -p "$dir/bin"; cp "$0" "$dir/bin/python" ;;
esac"""
APT_GET = """
echo "apt-get $*" >>"$LOG"
case "$*" in
  *install*)
    [ -e "$LOG.failed" ] || { echo >"$LOG.failed"; exit 100; }
    cp "$SPARE"/* "$BIN" ;;
esac"""


@dataclass(frozen=True)
class Machine:
    """A checkout, a PATH of its own, and a record of what was called."""

    folder: Path

    @property
    def checkout(self) -> Path:
        return self.folder / "checkout"

    @property
    def log(self) -> list[str]:
        log = self.folder / "log"
        return log.read_text().splitlines() if log.exists() else []

    def add(self, name: str, *, body: str = NOTHING, where: str = "bin") -> None:
        program = self.folder / where / name
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)

    def setup(self, mode: str, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **more,
            "PATH": str(self.folder / "bin"),
            "LOG": str(self.folder / "log"),
            "BIN": str(self.folder / "bin"),
            "SPARE": str(self.folder / "spare"),
        }
        return subprocess.run(
            ["/bin/sh", str(self.checkout / "tools" / "setup.sh"), mode],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    """Return a machine that has nothing but the basic commands, and no rights."""
    machine = Machine(tmp_path)
    for folder in ("bin", "spare", "checkout/tools"):
        (tmp_path / folder).mkdir(parents=True)
    for name in COREUTILS:
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    machine.add("id", body="echo 1000")
    shutil.copy(ROOT / "tools" / "setup.sh", machine.checkout / "tools")
    (machine.checkout / "requirements.lock").write_text("a==1\n")
    (machine.checkout / "pyproject.toml").write_text("[project]\n")
    return machine


@pytest.fixture
def equipped(bare: Machine) -> Machine:
    """Return a machine that has every program, a browser included."""
    for name in ("fio", "nbdkit", "cc", "chromium", "sfdisk"):
        bare.add(name)
    bare.add("python3", body=PYTHON)
    return bare


def test_one_message_names_every_piece_when_nothing_may_be_installed(
    bare: Machine,
) -> None:
    done = bare.setup("run")
    assert done.returncode == 2
    for piece in ("Python 3.11", "fio", "nbdkit", "C compiler", "nbdkit-plugin.h"):
        assert piece in done.stderr
    command = next(line for line in done.stderr.splitlines() if "apt-get" in line)
    assert command.endswith(
        " python3 python3-venv fio nbdkit gcc libc6-dev nbdkit-plugin-dev"
    )
    assert not (bare.checkout / ".venv").exists()


@pytest.mark.parametrize(
    ("missing", "body", "package"),
    [
        ("fio", None, "fio"),
        ("fio", "exit 127", "fio"),
        ("nbdkit", None, "nbdkit"),
        ("cc", None, "gcc libc6-dev nbdkit-plugin-dev"),
        ("cc", "! grep -q nbdkit-plugin.h", "nbdkit-plugin-dev"),
        ("cc", "! grep -q stdio.h", "libc6-dev"),
        ("python3", None, "python3 python3-venv"),
        (
            "python3",
            'case "$*" in *version_info*) exit 1 ;; esac',
            "python3 python3-venv",
        ),
        (
            "python3",
            'case "$*" in *ensurepip*) exit 1 ;; *print*) echo 3.11 ;; esac',
            "python3.11-venv",
        ),
    ],
)
def test_message_names_only_what_is_missing(
    equipped: Machine, missing: str, body: str | None, package: str
) -> None:
    (equipped.folder / "bin" / missing).unlink()
    if body is not None:
        equipped.add(missing, body=body)
    done = equipped.setup("check")
    assert done.returncode == 2
    assert f"--no-install-recommends {package}\n" in done.stderr


def test_check_changes_nothing_even_when_it_might_install(bare: Machine) -> None:
    bare.add("id", body="echo 0")
    bare.add("apt-get", body=APT_GET)
    assert bare.setup("check").returncode == 2
    assert bare.log == []


def test_packages_are_installed_at_the_second_try_when_the_first_fails(
    bare: Machine,
) -> None:
    bare.add("id", body="echo 0")
    bare.add("apt-get", body=APT_GET)
    for name in ("fio", "nbdkit", "cc"):
        bare.add(name, where="spare")
    bare.add("python3", body=PYTHON, where="spare")
    done = bare.setup("run")
    assert done.returncode == 0, done.stderr
    assert "retrying" in done.stdout
    apt = [line for line in bare.log if line.startswith("apt-get")]
    assert ["install" in line for line in apt] == [False, True, False, True]
    assert all(" fio nbdkit " in line for line in apt if "install" in line)


def test_sudo_is_used_only_when_it_asks_no_password(equipped: Machine) -> None:
    (equipped.folder / "bin" / "fio").unlink()
    equipped.add("apt-get", body=APT_GET)
    equipped.add("fio", where="spare")
    equipped.add("sudo", body="exit 1")
    assert equipped.setup("run").returncode == 2
    assert not any("apt-get" in line for line in equipped.log)
    equipped.add("sudo", body='[ "$1" = -n ] && shift && exec "$@"')
    assert equipped.setup("run").returncode == 0
    assert any("apt-get" in line for line in equipped.log)


def test_missing_browser_is_told_and_is_no_failure(equipped: Machine) -> None:
    (equipped.folder / "bin" / "chromium").unlink()
    done = equipped.setup("test")
    assert done.returncode == 0
    assert "Chromium is missing" in done.stdout
    assert "apt-get install -y chromium fonts-dejavu-core\n" in done.stdout


def test_what_only_tests_need_is_installed_for_them_alone(equipped: Machine) -> None:
    (equipped.folder / "bin" / "chromium").unlink()
    equipped.add("id", body="echo 0")
    equipped.add("apt-get", body=APT_GET)
    equipped.add("chromium", where="spare")
    assert equipped.setup("run").returncode == 0
    assert not any("apt-get" in line for line in equipped.log)
    done = equipped.setup("test")
    assert done.returncode == 0
    assert "Chromium" not in done.stdout
    calls = [line for line in equipped.log if "install" in line and "apt-get" in line]
    assert all(line.endswith(" chromium fonts-dejavu-core") for line in calls)


def test_daemons_of_slurm_are_installed_for_tests_in_ci_alone(
    equipped: Machine,
) -> None:
    equipped.add("id", body="echo 0")
    equipped.add("apt-get", body=APT_GET)
    assert equipped.setup("test").returncode == 0
    assert not any("apt-get" in line for line in equipped.log)
    assert equipped.setup("test", CI="true").returncode == 0
    calls = [line for line in equipped.log if "install" in line and "apt-get" in line]
    assert all(" slurm-client" in line for line in calls)
    assert len(calls) == 2


def test_second_setup_does_nothing(equipped: Machine) -> None:
    equipped.setup("run")
    assert pip_calls(equipped) == [*LOCK, *PACKAGE]
    equipped.setup("run")
    assert pip_calls(equipped) == [*LOCK, *PACKAGE]


def change_lock(checkout: Path) -> None:
    (checkout / "requirements.lock").write_text("a==2\n")


def change_project(checkout: Path) -> None:
    (checkout / "pyproject.toml").write_text("[project]\nname = 'x'\n")


def break_python(checkout: Path) -> None:
    (checkout / ".venv" / "bin" / "python").unlink()


@pytest.mark.parametrize(
    ("change", "calls"),
    [
        (change_lock, [*LOCK, *PACKAGE]),
        (change_project, [*PACKAGE]),
        (break_python, [*LOCK, *PACKAGE]),
    ],
)
def test_setup_renews_what_a_change_touches(
    equipped: Machine, change: Callable[[Path], None], calls: list[str]
) -> None:
    equipped.setup("run")
    change(equipped.checkout)
    before = len(pip_calls(equipped))
    assert equipped.setup("run").returncode == 0
    assert pip_calls(equipped)[before:] == calls


def test_interrupted_setup_is_taken_up_again(equipped: Machine) -> None:
    offline = equipped.folder / "log.offline"
    offline.touch()
    assert equipped.setup("run").returncode != 0
    offline.unlink()
    assert equipped.setup("run").returncode == 0
    assert pip_calls(equipped) == ["/uv.txt", WHOLE, *LOCK, *PACKAGE]


def test_pip_installs_the_lock_where_uv_cannot(equipped: Machine) -> None:
    (equipped.folder / "log.without-uv").touch()
    assert equipped.setup("run").returncode == 0
    assert pip_calls(equipped) == [*LOCK, WHOLE, *PACKAGE]


def test_environment_is_created_while_packages_are_installed(equipped: Machine) -> None:
    (equipped.folder / "bin" / "fio").unlink()
    equipped.add("id", body="echo 0")
    equipped.add("apt-get", body=f'until [ -e "$LOG.uv" ]; do :; done\n{APT_GET}')
    equipped.add("python3", body=f"{PYTHON}\ncase $* in *'-m uv'*) : >$LOG.uv ;; esac")
    equipped.add("fio", where="spare")
    assert equipped.setup("run").returncode == 0
    assert pip_calls(equipped) == [*LOCK, *PACKAGE]


def test_environment_is_not_left_half_made_if_a_program_cannot_be_installed(
    equipped: Machine,
) -> None:
    (equipped.folder / "bin" / "fio").unlink()
    equipped.add("id", body="echo 0")
    equipped.add("apt-get", body="exit 100")
    done = equipped.setup("run")
    assert done.returncode == 2
    assert "fio" in done.stderr
    equipped.add("fio")
    assert equipped.setup("run").returncode == 0


def test_guest_tools_are_named_only_where_a_guest_is_wanted(equipped: Machine) -> None:
    done = equipped.setup("vm")
    assert done.returncode == 2
    command = next(line for line in done.stderr.splitlines() if "apt-get" in line)
    packages = command.partition("--no-install-recommends ")[2].split()
    assert {"qemu-system-x86", "busybox-static", "cpio", "udev"} <= set(packages)
    assert {"fio", "nbdkit"}.isdisjoint(packages)
    assert equipped.setup("check").returncode == 0


def test_guest_tools_are_installed_when_that_is_allowed(equipped: Machine) -> None:
    equipped.add("id", body="echo 0")
    equipped.add("apt-get", body=APT_GET)
    script = (equipped.checkout / "tools" / "setup.sh").read_text()
    tools = script.partition("GUEST_TOOLS='")[2].partition("'")[0]
    for line in tools.splitlines():
        equipped.add(line.split()[0], where="spare")
    done = equipped.setup("vm")
    assert done.returncode == 0, done.stderr
    calls = [line for line in equipped.log if "apt-get" in line and "install" in line]
    assert all(" qemu-system-x86 " in call for call in calls)


def test_unknown_mode_is_refused(equipped: Machine) -> None:
    done = equipped.setup("sideways")
    assert done.returncode == 2
    assert "usage:" in done.stderr


@pytest.mark.parametrize("script", ["tools/setup.sh", ".ci/run"])
def test_script_is_executable(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)


def pip_calls(machine: Machine) -> list[str]:
    marks = (*LOCK, WHOLE, *PACKAGE)
    calls = [line for line in machine.log if "-m pip" in line or "-m uv" in line]
    return [next(mark for mark in marks if mark in line) for line in calls]

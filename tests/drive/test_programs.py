"""Programs that do not end, that cannot be started, and that belong to root."""

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ssdlab.drive import tools
from ssdlab.drive.tools import ask_tool, is_raised
from ssdlab.system.programs import NOT_STARTED, TIMED_OUT
from tests.drive.users import only_root, wholly_as_nobody

# What sudo is to the user who called it: a process that has become root's altogether.
ROOTS_OWN = """
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
    if (setresuid(0, 0, 0)) return 9;
    if (count > 2 && !strcmp(words[2], "-l")) return 0;
    sleep(4);
    return 0;
}
"""


def make_tool(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


@pytest.fixture
def sudo_of_root(on_path: Path) -> Iterator[Path]:
    """Put a ``sudo`` on the path that runs on as root and cannot be signalled."""
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    source = on_path / "sudo.c"
    source.write_text(ROOTS_OWN)
    program = on_path / "sudo"
    subprocess.run(["gcc", "-o", program, source], check=True)
    program.chmod(0o4755)
    make_tool(on_path, "sg_format", "#!/bin/sh\n")
    tools._may_raise.cache_clear()
    with wholly_as_nobody(on_path):
        seen = subprocess.Popen([program, "-n", "x"])
        time.sleep(0.2)  # until it has become root's
        try:
            seen.kill()
            is_dead = True
        except PermissionError:
            is_dead = False
    seen.kill()
    seen.wait()
    if is_dead:
        pytest.skip("programs that become root's are not allowed here")
    yield program
    program.unlink()
    tools._may_raise.cache_clear()


def test_program_that_does_not_end_is_stopped_at_its_limit(on_path: Path) -> None:
    made = make_tool(on_path, "slow", '#!/bin/sh\necho $$ > "$1"\nexec sleep 30\n')
    began_s = time.monotonic()
    answer = ask_tool([made.name, str(on_path / "pid")], timeout_s=0.5)
    assert time.monotonic() - began_s < 20  # and not 30
    assert answer.exit_code == TIMED_OUT
    assert answer.stderr == "it did not end within 0.5 s"
    assert not Path(f"/proc/{(on_path / 'pid').read_text().strip()}").exists()


@only_root
def test_program_of_roots_that_does_not_end_is_left_and_told(
    sudo_of_root: Path,
) -> None:
    with wholly_as_nobody(sudo_of_root.parent):
        assert is_raised("sg_format")
        answer = ask_tool(["sg_format", "--format"], timeout_s=0.3)
    assert answer.exit_code == TIMED_OUT
    assert answer.stderr == (
        "it did not end within 0.3 s; it cannot be stopped and still runs"
    )
    assert 0.3 <= answer.took_s < 4


@only_root
def test_interrupt_stays_one_where_root_runs_the_program(sudo_of_root: Path) -> None:
    with wholly_as_nobody(sudo_of_root.parent):
        assert is_raised("sg_format")
        press = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        press.start()
        with pytest.raises(KeyboardInterrupt):
            ask_tool(["sg_format", "--format"], timeout_s=30)
        press.join()


def test_program_that_the_system_cannot_start_is_an_answer(on_path: Path) -> None:
    made = make_tool(on_path, "odd", "\x7fELF of another machine")
    answer = ask_tool([made.name], timeout_s=5)
    assert answer.exit_code == NOT_STARTED
    assert answer.stderr == f"{made} cannot be started (Exec format error)"


@only_root
def test_program_whose_interpreter_may_not_be_run_is_an_answer(on_path: Path) -> None:
    inner = make_tool(on_path, "inner", "#!/bin/sh\n")
    inner.chmod(0o600)
    made = make_tool(on_path, "outer", f"#!{inner}\n")
    answer = ask_tool([made.name], timeout_s=5)
    assert answer.exit_code == NOT_STARTED
    assert "Permission denied" in answer.stderr

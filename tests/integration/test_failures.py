"""Failures of the world: each a named error with its remedy; all measured stays."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import ssdlab
from tests.integration.lab import (
    Lab,
    Started,
    end,
    recorded_steps,
    ssd_of,
    state_of,
    wait_for_steps,
    wait_until,
)

pytestmark = pytest.mark.fio
TMPFS_BYTES = 24 * 1024 * 1024


def assert_failed(started: Started, run: Path, error: str, *words: str) -> None:
    """Assert that a run ended with a named error, once, which the run recorded."""
    assert started.wait() == 1, started.said
    assert started.said.count(f"{error}: Step 0") == 1
    assert "Traceback" not in started.said
    state = state_of(run)
    assert state is not None
    assert (state.status, state.sessions[-1][2]) == ("failed", "failed")
    for word in (*words, f"ssdlab resume {run}"):
        assert word in started.said
        assert word in state.message
    assert len(ssdlab.open_run(run).steps) == len(recorded_steps(run))


def assert_goes_on(lab: Lab, run: Path, kept: dict[str, str]) -> None:
    """Assert that a resumed run ends and has every earlier step as it was."""
    resumed = lab.resume(run)
    assert resumed.wait() == 0, resumed.said
    steps = recorded_steps(run)
    assert {name: steps[name] for name in kept} == kept
    assert ssdlab.open_run(run).state.status == "finished"


def test_run_fails_by_name_when_the_target_is_gone(lab: Lab) -> None:
    run = lab.runs / "gone"
    started = lab.measure(run)
    wait_for_steps(run, 3, started)
    end(ssd_of(run).process.pid, signal.SIGKILL)
    assert_failed(started, run, "TargetGoneError", "its server has ended")
    resumed = lab.resume(run)
    assert resumed.wait() == 2
    assert "content is lost" in resumed.said
    assert "Begin a new run" in resumed.said
    assert len(recorded_steps(run)) >= 3


def test_run_fails_by_name_and_goes_on_when_the_target_answers_with_eio(
    lab: Lab,
) -> None:
    run = lab.runs / "eio"
    started = lab.measure(run)
    wait_for_steps(run, 2, started)
    cable = Cable(lab, run)
    wait_for_steps(run, 4, started)
    cable.cut()
    assert_failed(started, run, "FioFailedError", "Input/output error")
    cable.mend()
    assert_goes_on(lab, run, recorded_steps(run))
    cable.remove()


class Cable:
    """A proxy put between fio and the virtual SSD that can answer with EIO.

    It takes the place of the socket at once: the next fio may connect at any moment.
    """

    def __init__(self, lab: Lab, run: Path) -> None:
        self.socket = ssd_of(run).socket_path
        self.behind = self.socket.with_name("behind")
        self.fault = lab.folder / "fault"
        os.link(self.socket, self.behind)
        front = self.socket.with_name("front")
        command = (
            *("nbdkit", "--foreground", "--threads", "64", "--filter=error"),
            *("--unix", str(front), "nbd", f"socket={self.behind}"),
            *("error=EIO", "error-rate=100%", f"error-file={self.fault}"),
        )
        self.proxy = lab.start(*command)
        wait_until(front.exists, what="the proxy serves")
        front.replace(self.socket)

    def cut(self) -> None:
        self.fault.touch()

    def mend(self) -> None:
        self.fault.unlink()

    def remove(self) -> None:
        end(self.proxy.popen.pid, signal.SIGTERM)
        self.proxy.wait()
        for path in (self.socket, self.behind):
            path.unlink(missing_ok=True)


def test_run_fails_by_name_and_goes_on_when_the_target_hangs(lab: Lab) -> None:
    run = lab.runs / "hung"
    started = lab.measure(run, SSDLAB_TEST_GRACE_S="2")
    wait_for_steps(run, 3, started)
    server = ssd_of(run).process.pid
    end(server, signal.SIGSTOP)
    try:
        assert_failed(started, run, "FioHungError", "did not end within", "was stopped")
        wait_until(lambda: not lab.find_fio(), timeout_s=5, what="no fio left")
    finally:
        end(server, signal.SIGCONT)
    assert_goes_on(lab, run, recorded_steps(run))


@pytest.fixture
def small_disk(lab: Lab) -> Iterator[Path]:
    if os.geteuid():
        pytest.skip("mounting a small disk needs root")
    folder = lab.folder / "small"
    folder.mkdir()
    options = ("-t", "tmpfs", "-o", f"size={TMPFS_BYTES}")
    command: list[str | Path] = ["mount", *options, "small", folder]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("this machine allows no mounts")
    yield folder
    lab.close()
    subprocess.run(["umount", "--lazy", folder], check=True)


def test_run_fails_by_name_and_goes_on_when_the_disk_is_full(
    lab: Lab, small_disk: Path
) -> None:
    run = small_disk / "run"
    started = lab.measure(run)
    wait_for_steps(run, 4, started)
    ballast = small_disk / "ballast"
    free = shutil.disk_usage(small_disk).free
    with pytest.raises(OSError, match="No space"):
        ballast.write_bytes(bytes(free + 4096))
    assert started.wait() == 1
    assert started.said.count("DiskFullError: Step 0") == 1
    assert "ssdlab resume" in started.said
    assert "Traceback" not in started.said
    kept = recorded_steps(run)
    assert len(kept) >= 4
    ballast.unlink()
    assert_goes_on(lab, run, kept)


def put_in_path(lab: Lab, name: str, script: str) -> str:
    """Return a PATH that has a script in front of everything else."""
    folder = lab.folder / "bin"
    folder.mkdir()
    (folder / name).write_text(script, "utf-8")
    (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_run_goes_on_and_keeps_the_words_when_fio_warns(lab: Lab) -> None:
    run = lab.runs / "warned"
    warning = "fio: a warning from <b>afar</b>"
    real = shutil.which("fio")
    script = f'#!/bin/sh\necho "{warning}" >&2\nexec {real} "$@"\n'
    started = lab.measure(run, PATH=put_in_path(lab, "fio", script))
    assert started.wait() == 0, started.said
    steps = ssdlab.open_run(run).steps
    warned = steps[steps["kind"] != "purge"]["warnings"]
    assert len(warned) > 3
    assert warned.str.contains(warning, regex=False).all()


def path_without_fio(lab: Lab) -> str:
    """Return a PATH in which everything but fio is found."""
    folder = lab.folder / "bin"
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("*"):
            link = folder / program.name
            if program.name != "fio" and not link.is_symlink():
                link.symlink_to(program)
    return str(folder)


def test_run_and_resume_refuse_without_fio(lab: Lab) -> None:
    path = path_without_fio(lab)
    asked = ("--target", "virtual", "--runs", lab.runs)
    refused = lab.cli("run", *asked, PATH=path)
    assert refused.wait() == 2
    assert refused.said.count("fio is needed for every measurement") == 1
    assert "apt-get install fio" in refused.said
    assert "Traceback" not in refused.said
    assert not list(lab.runs.glob("[!.]*"))


def test_run_refuses_when_fio_is_too_old(lab: Lab) -> None:
    path = put_in_path(lab, "fio", "#!/bin/sh\necho fio-3.10\n")
    refused = lab.cli("run", "--target", "virtual", "--runs", lab.runs, PATH=path)
    assert refused.wait() == 2
    assert "fio 3.16 or newer" in refused.said
    assert "'fio-3.10'" in refused.said
    assert not list(lab.runs.glob("[!.]*"))

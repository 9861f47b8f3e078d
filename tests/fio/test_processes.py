"""Jobs that are processes: held at the gate like threads, and never left behind."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.fio.process import FioRequest
from ssdlab.fio.watchdog import start_keeper
from ssdlab.model.errors import FioHungError
from ssdlab.model.fio_option import fio_options
from ssdlab.model.spec import Workload
from ssdlab.model.step import Step
from ssdlab.model.units import MIB
from ssdlab.virtual.options import VirtualSsdOptions
from tests.fio.jobs import cell, job_of, new_chain, reach, request_of
from tests.fio.processes import open_files, processes_in, wait_until
from tests.paths import ROOT
from tests.virtual.conftest import Serve

pytestmark = pytest.mark.fio
WORK = Workload(
    access="rnd",
    block_size_bytes=4096,
    read_percent=0,
    threads=3,
    queue_depth=4,
    fio_options=fio_options({
        "rw": "randrw",
        "rwmixread": "0",
        "bs": "4k",
        "numjobs": "3",
        "iodepth": "4",
        "iodepth_batch": "4",
        "iodepth_batch_complete": "4",
        "thread": "0",
        "direct": "1",
        "time_based": "1",
        "norandommap": "1",
        "randrepeat": "0",
        "group_reporting": "1",
    }),
)
KILL_ME = """\
import sys
from pathlib import Path

from tests.fio.jobs import new_chain
from tests.fio.test_processes import at_path, request, step

target, folder = at_path(Path(sys.argv[1])), Path(sys.argv[2])
with new_chain() as chain:
    chain.run(
        request(step(number=1, seconds=60), target, folder),
        request(step(number=2, seconds=60), target, folder),
    )
"""


@pytest.fixture(autouse=True)
def _nothing_is_left_behind(tmp_path: Path) -> Iterator[None]:
    files = open_files()
    yield
    assert wait_until(lambda: not processes_in(tmp_path), patience_s=2)
    assert open_files() <= files


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    path = tmp_path / "drive"
    path.write_bytes(bytes(64 * MIB))
    return path


def at_path(path: Path) -> dict[str, str]:
    return {"ioengine": "libaio", "filename": str(path), "allow_file_create": "0"}


def step(*, number: int, seconds: float = 0.4) -> Step:
    return cell(WORK, number=number, seconds=seconds)


def request(
    asked: Step, target: dict[str, str], folder: Path, *, overdue_s: float = 60
) -> FioRequest:
    made = request_of(asked, target, folder, overdue_s=overdue_s)
    return replace(made, has_processes=True)


@pytest.mark.parametrize("kind", ["file", "virtual"])
def test_processes_wait_at_the_gate_and_follow_at_once(
    tmp_path: Path, drive: Path, serve: Serve, kind: str
) -> None:
    target = at_path(drive)
    if kind == "virtual":
        target = reach(serve(VirtualSsdOptions(size_bytes=64 * MIB, linger_s=60)))
    first, second = (
        request(step(number=number), target, tmp_path) for number in (1, 2)
    )
    with new_chain() as chain:
        chain.run(first, second, hold_following=True)
        assert wait_until(lambda: len(processes_in(tmp_path, "fio")) == 4)
        time.sleep(0.2)
        ended = chain.run(second)
    assert (ended.was_armed, ended.exit_code) == (True, 0)
    assert job_of(ended)["write"]["total_ios"] > 0
    assert ended.done_s - ended.released_s == pytest.approx(0.4, abs=0.35)


def test_no_process_outlives_a_killed_parent(tmp_path: Path, drive: Path) -> None:
    """fio itself dies by the signal of the kernel; its processes would go on."""
    parent = subprocess.Popen(
        [sys.executable, "-c", KILL_ME, str(drive), str(tmp_path)], cwd=ROOT
    )
    try:
        both = 2 * (1 + WORK.threads)
        assert wait_until(lambda: len(processes_in(tmp_path, "fio")) == both)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait(10)
    assert wait_until(lambda: not processes_in(tmp_path), patience_s=2)


def test_no_process_outlives_a_fio_that_was_stopped(
    tmp_path: Path, drive: Path
) -> None:
    endless = request(
        step(number=1, seconds=60), at_path(drive), tmp_path, overdue_s=0.5
    )
    with new_chain() as chain, pytest.raises(FioHungError, match="did not end within"):
        chain.run(endless)
    assert not processes_in(tmp_path, "fio")


def test_keeper_kills_every_fio_in_its_folder_and_nothing_else(tmp_path: Path) -> None:
    folder, other = tmp_path / "step", tmp_path / "step-2"
    folder.mkdir()
    other.mkdir()
    named_fio = tmp_path / "fio"
    shutil.copy("/bin/sleep", named_fio)
    keeper = start_keeper(folder)
    inside, outside, shell = (
        subprocess.Popen([str(program), "60"], cwd=place, start_new_session=True)
        for program, place in (
            (named_fio, folder),
            (named_fio, other),
            ("/bin/sleep", folder),
        )
    )
    keeper.end()
    keeper.end()
    assert inside.wait(5) == -signal.SIGKILL
    for spared in (outside, shell):
        assert spared.poll() is None
        spared.kill()
        spared.wait(5)

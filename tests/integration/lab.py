"""Real runs in processes of their own, on small virtual SSDs, and what they leave.

Every program that a test starts, and whatever those start in turn, carries a mark in
its environment: so a stray fio, kernel or server is found and ended by it.
"""

import hashlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ssdlab
from ssdlab.model.errors import SsdlabError
from ssdlab.store.records import RunState, read_state
from ssdlab.virtual.server import VirtualSsd, attach
from tests.integration.forked import Forked, Place, be_command_line, fork
from tests.paths import ROOT
from tests.quick_fio import CLOCK

TARGET = "virtual:size=48MiB,linger=120"
CELL_S = 0.3
_MARK = "SSDLAB_TEST_LAB"

# Every Python in the lab, kernels included, starts with this: a profile for tests,
# and a watchdog that does not take minutes.
SITE = """\
import os

from ssdlab.fio import process
from ssdlab.pts.profiles import PROFILES
from ssdlab.pts.shared.settings import RND_4K_WRITE

process.FIO_ARGUMENTS = ("CLOCK", *process.FIO_ARGUMENTS)

PROFILES["tiny"] = PROFILES["demo"].having(
    name="tiny", cell_s=0.3, max_rounds=8, wipc_capacity_multiple=1,
    iops_mixes=(65, 0), iops_block_sizes=(65536, 4096), iops_tracking=(RND_4K_WRITE,),
    lat_mixes=(65, 0), lat_block_sizes=(8192, 4096),
    wsat_round_s=0.3, wsat_time_limit_s=4, wsat_sample_every_rounds=1, histogram_s=1,
)
PROFILES["steps"] = PROFILES["tiny"].having(
    name="steps", cell_s=1, max_rounds=2, iops_mixes=(100, 65, 0)
)
if "SSDLAB_TEST_GRACE_S" in os.environ:
    import ssdlab.engine.backend as backend
    import ssdlab.fio.runner as runner

    backend._GRACE_S = float(os.environ["SSDLAB_TEST_GRACE_S"])
    runner.FioChain.__init__.__kwdefaults__["stop_s"] = backend._GRACE_S
if "SSDLAB_TEST_CEILING_S" in os.environ:
    from ssdlab.engine.folders import take_ceiling

    take_ceiling.__kwdefaults__["seconds"] = float(os.environ["SSDLAB_TEST_CEILING_S"])
if "SSDLAB_TEST_NO_DEATH_SIGNAL" in os.environ:
    import ssdlab.fio.runner as runner

    assert runner.find_guard()
    runner.find_guard = lambda: ()
""".replace("CLOCK", CLOCK)


@dataclass(frozen=True, kw_only=True)
class Started:
    """A process under way whose words go to files."""

    popen: "subprocess.Popen[bytes] | Forked"
    out: Path
    err: Path

    @property
    def said(self) -> str:
        """What it wrote so far, standard output first."""
        return f"{self.out.read_text('utf-8')}{self.err.read_text('utf-8')}"

    def wait(self, timeout_s: float = 60.0) -> int:
        """Wait for its end; return its exit code."""
        return self.popen.wait(timeout_s)


@dataclass(frozen=True, kw_only=True)
class Lab:
    """A folder, and the commands of ssdlab in it."""

    folder: Path
    environment: Mapping[str, str]
    started: list[Started] = field(default_factory=list)

    @property
    def mark(self) -> Mapping[str, str]:
        """What the environment of every process of this lab holds."""
        return {_MARK: str(self.folder)}

    @property
    def runs(self) -> Path:
        """The folder of runs."""
        return self.folder / "runs"

    def start(self, *command: str | Path, **environment: str) -> Started:
        """Start a command in the lab's folder."""
        place = self._make_place(environment)
        with place.out.open("wb") as out, place.err.open("wb") as err:
            popen = subprocess.Popen(
                [str(part) for part in command],
                cwd=place.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=place.environment,
                start_new_session=True,
            )
        return self._add(popen, place)

    def measure(
        self,
        run: Path,
        tests: str = "wsat",
        *,
        target: str = TARGET,
        profile: str = "tiny",
        seed: int = 7,
        host_ceiling: bool = False,
        **environment: str,
    ) -> Started:
        """Start `run_suite` in a process of its own: the notebook without a kernel."""
        place = self._make_place(environment)
        popen = fork(
            place,
            ssdlab.run_suite,
            target=target,
            profile=profile,
            tests=tests,
            runs=self.runs,
            run_folder=run,
            seed=seed,
            host_ceiling=host_ceiling,
        )
        return self._add(popen, place)

    def resume(self, run: Path) -> Started:
        """Start `resume_run` in a process of its own."""
        place = self._make_place({})
        return self._add(fork(place, ssdlab.resume_run, run=run), place)

    def cli(self, *arguments: str | Path, **environment: str) -> Started:
        """Start the command line in a process of its own."""
        place = self._make_place(environment)
        words = [str(part) for part in arguments]
        return self._add(fork(place, be_command_line, words=words), place)

    def _make_place(self, environment: Mapping[str, str]) -> Place:
        words = self.folder / f"words-{len(self.started)}"
        place = Place(
            folder=self.folder,
            environment={**self.environment, **environment},
            out=words.with_suffix(".out"),
            err=words.with_suffix(".err"),
        )
        place.out.touch()
        place.err.touch()
        return place

    def _add(self, popen: "subprocess.Popen[bytes] | Forked", place: Place) -> Started:
        self.started.append(Started(popen=popen, out=place.out, err=place.err))
        return self.started[-1]

    def find(self, *words: str) -> list[int]:
        """Return the living programs of this lab whose command holds every word."""
        return [
            pid
            for pid, command in self._processes()
            if all(word in command for word in words)
        ]

    def find_fio(self) -> list[int]:
        """Return every fio of this lab, running or armed."""
        return self.find("armed.fio", "--output=fio.json")

    def close(self) -> None:
        """End every process of this lab, and remove what servers left in /tmp."""
        for record in self.folder.rglob("server.json"):
            try:
                attach(record.parent).stop()
            except SsdlabError:
                continue
        for pid, _ in self._processes():
            end(pid, signal.SIGKILL)
        for started in self.started:  # a forked one has no mark from its beginning
            if started.popen.poll() is None:
                end(started.popen.pid, signal.SIGKILL)
            started.wait(10)

    def _processes(self) -> Iterator[tuple[int, str]]:
        mark = f"{_MARK}={self.folder}".encode()
        for folder in Path("/proc").glob("[1-9]*"):
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    command = (folder / "cmdline").read_bytes()
                    yield int(folder.name), command.replace(b"\0", b" ").decode()
            except OSError:
                continue


def build_lab(folder: Path) -> Lab:
    """Make a lab in an empty folder."""
    site = folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(SITE, "utf-8")
    (folder / "runs").mkdir()
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(site), str(ROOT))),
        "PYTHONWARNINGS": "default",
        "JUPYTER_RUNTIME_DIR": str(folder / "jupyter"),
        "IPYTHONDIR": str(folder / "ipython"),
        _MARK: str(folder),
    }
    return Lab(folder=folder, environment=environment)


def end(pid: int, number: signal.Signals) -> bool:
    """Send a signal; tell whether the process was still there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def wait_until(
    condition: Callable[[], object], *, timeout_s: float = 90.0, what: str = ""
) -> None:
    """Wait until a condition holds; fail the test when it does not."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"after {timeout_s:g} s still not: {what}"
        time.sleep(0.02)


def recorded_steps(run: Path) -> dict[str, str]:
    """Return each recorded step with a digest of every byte in its folder."""
    return {
        folder.name: hashlib.sha256(
            b"".join(
                f"{path.name}\n".encode() + path.read_bytes()
                for path in sorted(folder.iterdir())
            )
        ).hexdigest()
        for folder in sorted((run / "steps").glob("[!.]*"))
    }


def wait_for_steps(run: Path, count: int, started: Started) -> None:
    """Wait until a run has recorded so many steps; its process must still live."""

    def has_come() -> bool:
        is_there = len(list((run / "steps").glob("[!.]*"))) >= count
        assert is_there or started.popen.poll() is None, started.said
        return is_there

    wait_until(has_come, what=f"{count} steps recorded")


def state_of(run: Path) -> RunState | None:
    """Return the state of a run, if it has one yet."""
    return read_state(run) if (run / "state.json").exists() else None


def ssd_of(run: Path) -> VirtualSsd:
    """Return the virtual SSD of a run."""
    return attach(run / "target")


def files_below(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its content, Python's caches left out."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def read_json(path: Path) -> Any:
    """Return what a JSON file holds."""
    return json.loads(path.read_bytes())

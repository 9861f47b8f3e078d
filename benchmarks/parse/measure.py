"""Run one reader in its own process: time, memory, answer."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile

_ROOT = Path(__file__).parents[2]
_SAMPLE_S = 0.002
# Users have their modules compiled; here that must not be paid for anew each time.
_USUAL_ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name != "PYTHONDONTWRITEBYTECODE"
}


@dataclass(frozen=True, kw_only=True)
class Run:
    """Times of one process: in total [s], and of the work in each pass [s].

    ``peak_kib`` includes file pages, ``anonymous_kib`` excludes them; both are known
    only for a monitored process.
    """

    process_s: float
    passes_s: Sequence[float] = ()
    peak_kib: int = 0
    anonymous_kib: int = 0
    failure: str = ""


@dataclass(kw_only=True)
class _Memory:
    peak_kib: int = 0
    anonymous_kib: int = 0
    is_over: threading.Event = field(default_factory=threading.Event)

    def watch(self, pid: int) -> None:
        path = Path(f"/proc/{pid}/status")
        while not self.is_over.wait(_SAMPLE_S):
            try:
                lines = path.read_text().splitlines()
            except OSError:
                return
            facts = dict(line.split(":", 1) for line in lines if ":" in line)
            self.peak_kib = max(self.peak_kib, _kib(facts, "VmHWM"))
            self.anonymous_kib = max(self.anonymous_kib, _kib(facts, "RssAnon"))


def _kib(facts: Mapping[str, str], name: str) -> int:
    return int(facts.get(name, "0").split()[0])


def worker_command(reader: str, folder: Path, *options: str) -> list[str]:
    """Return the command that runs a reader, named ``module:function``."""
    worker = [sys.executable, "-m", "benchmarks.parse.worker", reader, str(folder)]
    return [*worker, *options]


def run(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    limit_s: float,
    is_watched: bool = False,
) -> Run:
    """Run a command to its end, or to the time limit [s]."""
    memory = _Memory()
    with TemporaryFile() as said, TemporaryFile() as complained:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=_ROOT,
            env=_USUAL_ENVIRONMENT | dict(environment),
            stdout=said,
            stderr=complained,
        )
        watcher = threading.Thread(target=memory.watch, args=(process.pid,))
        if is_watched:
            watcher.start()
        failure = _wait(process, limit_s)
        process_s = time.perf_counter() - start
        memory.is_over.set()
        if is_watched:
            watcher.join()
        said.seek(0)
        complained.seek(0)
        if process.returncode and not failure:
            failure = _last_line(complained.read()) or f"exit {process.returncode}"
        return Run(
            process_s=process_s,
            passes_s=_passes(said.read()),
            peak_kib=memory.peak_kib,
            anonymous_kib=memory.anonymous_kib,
            failure=failure,
        )


def _wait(process: subprocess.Popen[bytes], limit_s: float) -> str:
    try:
        process.wait(limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return f"not done after {limit_s:.0f} s"
    return ""


def _last_line(text: bytes) -> str:
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""


def _passes(text: bytes) -> Sequence[float]:
    """Return the times of a worker's passes; other commands report none."""
    try:
        return tuple(json.loads(_last_line(text))["passes_s"])
    except (ValueError, TypeError, KeyError):
        return ()

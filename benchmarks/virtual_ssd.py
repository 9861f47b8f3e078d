"""Compare the virtual SSD with the memory plugin of nbdkit, which models nothing.

Run from the root of the checkout: python -m benchmarks.virtual_ssd

fio does the same IO on both, in turn, over and over, with the same threads in both
servers. Ratios of one turn are compared, and the median of the turns counts: other load
on the machine meets both. Processor time is that of the server; it says more than IOPS
where the machine is shared.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ssdlab.model.units import MIB
from ssdlab.virtual.options import VirtualSsdOptions
from ssdlab.virtual.server import THREADS, socket_uri, start_server

TARGET: Final = 0.8  # of the IOPS of the memory plugin
UNTIMED: Final = VirtualSsdOptions(
    size_bytes=256 * MIB,
    read_us=0,
    program_us=0,
    erase_us=0,
    command_us=0,
    link_mb_per_s=0,
    idle_ms=0,
    linger_s=600,
)
MODELS: Final = {
    "untimed": UNTIMED,
    "fast": replace(
        UNTIMED,
        dies=64,
        read_us=10,
        program_us=20,
        erase_us=300,
        command_us=2,
        link_mb_per_s=7000,
    ),
}
CASES: Final = (("randread", 1), ("randread", 32), ("randwrite", 1), ("randwrite", 32))
_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """What one run of fio was served, and at what cost."""

    iops: float
    server_cpu_us_per_io: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Server:
    """A server of NBD: its socket and process."""

    uri: str
    pid: int

    def serve(self, pattern: str, *, queue_depth: int, seconds: float) -> Rate:
        """Serve 4 KiB requests of one fio job for a time."""
        before_s = self._cpu_s()
        job = run_fio(
            *(f"--uri={self.uri}", f"--rw={pattern}", f"--iodepth={queue_depth}"),
            *("--bs=4k", "--norandommap", "--time_based"),
            f"--runtime={1000 * seconds:.0f}ms",
        )
        done = job["read" if pattern == "randread" else "write"]
        cpu_us = 1e6 * (self._cpu_s() - before_s)
        return Rate(iops=done["iops"], server_cpu_us_per_io=cpu_us / done["total_ios"])

    def fill(self) -> None:
        """Write all of it once, so that no later write finds new memory."""
        run_fio(f"--uri={self.uri}", "--rw=write", "--bs=1m", "--iodepth=4")

    def _cpu_s(self) -> float:
        stat = Path(f"/proc/{self.pid}/stat").read_text("utf-8")
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / _TICKS_PER_S


def run_fio(*arguments: str) -> dict[str, dict[str, float]]:
    """Return the one job of fio's JSON."""
    command = ("fio", "--name=bench", "--ioengine=nbd", "--thread=1", *arguments)
    done = subprocess.run(
        (*command, "--output-format=json"), stdout=subprocess.PIPE, check=True
    )
    said = done.stdout[done.stdout.index(b"{") :]
    (job,) = json.loads(said)["jobs"]
    return dict(job)


@contextmanager
def memory_server(folder: Path) -> Iterator[Server]:
    """Serve nbdkit's memory plugin."""
    socket = folder / "memory"
    command = ["nbdkit", "--foreground", "--unix", str(socket)]
    size = str(UNTIMED.size_bytes)
    process = subprocess.Popen([*command, "--threads", str(THREADS), "memory", size])
    try:
        while not socket.exists() and process.poll() is None:
            time.sleep(0.01)
        yield Server(uri=socket_uri(str(socket)), pid=process.pid)
    finally:
        process.terminate()
        process.wait()


@contextmanager
def virtual_server(options: VirtualSsdOptions, folder: Path) -> Iterator[Server]:
    """Serve a virtual SSD."""
    ssd = start_server(options, folder / "virtual")
    try:
        yield Server(uri=ssd.uri, pid=ssd.process.pid)
    finally:
        ssd.stop()


@dataclass(frozen=True, kw_only=True, slots=True)
class Ratio:
    """The virtual SSD over the memory plugin: medians of all turns."""

    pattern: str
    queue_depth: int
    iops: float
    server_cpu: float


def compare(
    options: VirtualSsdOptions, *, turns: int, seconds: float
) -> Iterator[Ratio]:
    """Let both servers serve each case in turn, and yield the ratios of each case."""
    with (
        tempfile.TemporaryDirectory(prefix="ssdlab-bench-") as folder,
        memory_server(Path(folder)) as memory,
        virtual_server(options, Path(folder)) as virtual,
    ):
        memory.fill()
        virtual.fill()
        for pattern, depth in CASES:
            pairs = [
                [
                    server.serve(pattern, queue_depth=depth, seconds=seconds)
                    for server in (memory, virtual)
                ]
                for _ in range(turns)
            ]
            yield Ratio(
                pattern=pattern,
                queue_depth=depth,
                iops=statistics.median(b.iops / a.iops for a, b in pairs),
                server_cpu=statistics.median(
                    b.server_cpu_us_per_io / a.server_cpu_us_per_io for a, b in pairs
                ),
            )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", choices=[*MODELS, []], default=[])
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1.0)
    asked = parser.parse_args(arguments)
    print("virtual SSD over nbdkit's memory plugin, 4 KiB; the target is of IOPS")
    print(f"{'model':<10}{'IO':<11}{'QD':>4}{'IOPS':>8}{'server CPU per IO':>20}")
    for name in asked.models or MODELS:
        for r in compare(MODELS[name], turns=asked.turns, seconds=asked.seconds):
            mark = "" if r.iops >= TARGET else f"  NOT MET: {TARGET:g}"
            print(
                f"{name:<10}{r.pattern:<11}{r.queue_depth:>4}{r.iops:>8.2f}"
                f"{r.server_cpu:>20.2f}{mark}",
                flush=True,
            )


if __name__ == "__main__":
    main()

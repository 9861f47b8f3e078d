"""Real fio against a virtual SSD, and what the greedy-collection theory says of it."""

import json
import math
import subprocess
from dataclasses import dataclass
from typing import Any

from ssdlab.model.units import MIB
from ssdlab.virtual.options import VirtualSsdOptions
from ssdlab.virtual.server import VirtualSsd
from tests.quick_fio import CLOCK

UNTIMED = VirtualSsdOptions(
    size_bytes=32 * MIB,
    dies=2,
    read_us=0,
    program_us=0,
    erase_us=0,
    command_us=0,
    link_mb_per_s=0,
    idle_ms=0,
    linger_s=120,
)
"""A drive as fast as the host, for what does not depend on time."""


def run_fio(ssd: VirtualSsd, *arguments: str) -> dict[str, Any]:
    """Return the one job of fio's JSON; fio must have succeeded."""
    command = [
        "fio",
        CLOCK,
        "--name=test",
        "--ioengine=nbd",
        f"--uri={ssd.uri}",
        "--thread=1",
        "--group_reporting",
        "--randrepeat=1",
        "--output-format=json",
        *arguments,
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ssd.folder
    )
    assert done.returncode == 0, done.stderr + done.stdout[:2000]
    job: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]
    assert job["error"] == 0
    return job


def random_writes(
    ssd: VirtualSsd, *, queue_depth: int = 32, **options: str
) -> dict[str, Any]:
    """Run 4 KiB random writes, such as ``runtime="2"`` or ``io_size="64m"``."""
    timed = ("--time_based",) if "runtime" in options else ()
    return run_fio(
        ssd,
        "--rw=randwrite",
        "--bs=4k",
        f"--iodepth={queue_depth}",
        "--norandommap",
        *timed,
        *(f"--{name}={value}" for name, value in options.items()),
    )


def greedy_write_amplification(valid_ratio: float, pages_per_block: int) -> float:
    r"""Return the write amplification of greedy collection, uniform random writes.

    In the mean-field limit a share f_i of the blocks holds i valid pages. Each valid
    page is overwritten at rate 1, blocks are filled and collected at rate F, so
    i f_i = F for m < i <= b, and the level m, the lowest that exists, is left both by
    overwriting (a share phi) and by collection: m f_m = phi F. From sum f_i = 1 and
    sum i f_i = rho b follow

        F (H_b - H_m + phi / m) = 1   and   F (b - m + phi) = rho b,

    which fix m and phi in [0, 1]; a victim holds m - phi valid pages on average, and
    the write amplification is b / (b - m + phi).

    This is the greedy limit (d to infinity) of Van Houdt, "A mean field model for a
    class of garbage collection algorithms in flash-based solid state drives",
    SIGMETRICS 2013, and the large-drive limit of Bux and Iliadis, "Performance of
    greedy garbage collection in flash-based solid-state drives", Performance
    Evaluation 67 (2010).

    Raises
    ------
    ValueError
        If the blocks cannot hold so many valid pages.
    """
    b, rho, harmonic = pages_per_block, valid_ratio, 0.0
    for m in range(b - 1, 0, -1):
        harmonic += 1 / (m + 1)
        slope = rho * b / m - 1
        phi = (b - m - harmonic * rho * b) / slope if slope else math.inf
        if 0 <= phi <= 1:
            return b / (b - m + phi)
    msg = f"no level fits a valid ratio of {rho}"
    raise ValueError(msg)


def large_block_write_amplification(valid_ratio: float) -> float:
    """Return the limit for large blocks: 1 / (1 - u) with u = exp(-(1 - u) / rho).

    Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012: there greedy
    and least-recently-written collection meet.
    """
    u = 0.5
    for _ in range(1000):
        u = math.exp(-(1 - u) / valid_ratio)
    return 1 / (1 - u)


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """The rates that the timing model promises; docs/virtual-ssd.md derives them."""

    options: VirtualSsdOptions

    def controller_iops(self, request_bytes: int) -> float:
        link_us = request_bytes / self.options.link_mb_per_s
        return 1e6 / (self.options.command_us + link_us)

    def fresh_write_pages_per_s(self) -> float:
        return self.options.dies * 1e6 / self.options.program_us

    def steady_write_pages_per_s(self, write_amplification: float) -> float:
        o, moves = self.options, write_amplification - 1
        program_us = write_amplification * (
            o.program_us + o.erase_us / o.pages_per_block
        )
        return o.dies * 1e6 / (program_us + moves * o.read_us)

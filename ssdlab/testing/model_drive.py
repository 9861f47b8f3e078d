"""A model of a drive with known properties: none of its numbers was measured."""

import math
from dataclasses import dataclass, field, replace
from zlib import crc32

import numpy as np

from ssdlab.model.spec import Workload
from ssdlab.model.step import Step
from ssdlab.model.units import KIB
from ssdlab.testing.answer import Answer, Latency
from ssdlab.testing.fio_output import mean_block_bytes, read_ratio

_PAGE_BYTES = 4 * KIB
_FINE, _COARSE = 50, 8  # how well the latencies of a histogram are told, and others
_SATURATION = "saturation"  # phases of it begin on a purged drive


@dataclass(frozen=True, kw_only=True, slots=True)
class Settling:
    """How a drive settles from its fresh state to its steady one, by rounds.

    Attributes
    ----------
    fresh_ratio : float
        How many times as fast writes are on a fresh drive as at steady state.
    cliff_round : float
        The round at which half of that is gone.
    fall_rounds : float
        How steep the drop is: so many rounds reduce the remainder to a third.

    Examples
    --------
    >>> from ssdlab.testing import Settling
    >>> fall = Settling(fresh_ratio=3, cliff_round=10, fall_rounds=1)
    >>> [round(fall.ratio(number), 2) for number in (1, 9, 10, 11, 20)]
    [3.0, 2.46, 2.0, 1.54, 1.0]
    """

    fresh_ratio: float
    cliff_round: float
    fall_rounds: float

    def ratio(self, round_number: float) -> float:
        """Return how many times as fast as at steady state writes are in a round."""
        late = (round_number - self.cliff_round) / self.fall_rounds
        return 1 + (self.fresh_ratio - 1) * 0.5 * (1 - math.tanh(late / 2))


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelDrive:
    """A drive of a few numbers, which fully determine what it does in a step.

    With n IOs outstanding each takes the time of a single one, plus n times its busy
    time: so few IOs are limited by latency, and many by IOPS or data rate. In a mix
    each IO is a read or a write by its share. Writes are faster on a fresh drive and
    fall, round by round.

    Attributes
    ----------
    read_ns, write_ns : float
        What a single IO takes, besides its busy time [ns].
    read_iops, write_iops : float
        The most IOs per second, for blocks too small for the data rate to limit them.
    read_bytes_per_s, write_bytes_per_s : float
        The highest data rates; for writes, that of random ones.
    sequential_write_bytes_per_s : float
        The highest data rate of sequential writes.
    small_write_times : float
        How many times as costly writes of less than 4 KiB are.
    settling : Settling
        How preconditioned drives become steady.
    saturating : Settling
        The same for phases that begin on a purged drive: write saturation.
    spread, late_ratio, late_times : float
        How latencies lie around their mean: see `Latency`.
    noise_ratio : float
        Standard deviation of the rates of equal steps; with 0 there is no noise.
    seed : int
        The seed of the noise.

    Examples
    --------
    >>> from ssdlab.model.spec import Workload
    >>> from ssdlab.testing import ModelDrive
    >>> drive = ModelDrive(write_ns=20_000, write_iops=100_000, write_bytes_per_s=1e9)
    >>> load = {"threads": 1, "queue_depth": 1}
    >>> write = Workload(access="rnd", block_size_bytes=4096, read_percent=0, **load)
    >>> round(drive.steady_iops(write))  # 20 us alone, 10 of an IO, 4.096 of its data
    29329
    """

    read_ns: float = 80_000
    write_ns: float = 25_000
    read_iops: float = 450_000
    write_iops: float = 90_000
    read_bytes_per_s: float = 3.2e9
    write_bytes_per_s: float = 0.5e9
    sequential_write_bytes_per_s: float = 2e9
    small_write_times: float = 2.5
    settling: Settling = field(
        default=Settling(fresh_ratio=3.8, cliff_round=1, fall_rounds=0.3)
    )
    saturating: Settling = field(
        default=Settling(fresh_ratio=4.4, cliff_round=12, fall_rounds=2)
    )
    spread: float = 0.25
    late_ratio: float = 0.001
    late_times: float = 8.0
    noise_ratio: float = 0.0
    seed: int = 7

    def faster(self, ratio: float) -> "ModelDrive":
        """Return a drive that does everything so many times as fast."""
        return replace(
            self,
            read_ns=self.read_ns / ratio,
            write_ns=self.write_ns / ratio,
            read_iops=self.read_iops * ratio,
            write_iops=self.write_iops * ratio,
            read_bytes_per_s=self.read_bytes_per_s * ratio,
            write_bytes_per_s=self.write_bytes_per_s * ratio,
            sequential_write_bytes_per_s=self.sequential_write_bytes_per_s * ratio,
        )

    def steady_iops(self, workload: Workload) -> float:
        """Return the IOPS of a workload at steady state."""
        outstanding = workload.threads * workload.queue_depth
        alone_s, busy_s = self._times_s(workload)
        return outstanding / (alone_s + outstanding * busy_s)

    def iops(self, step: Step) -> float:
        """Return the IOPS of a step.

        Raises
        ------
        ValueError
            If it does no IO.
        """
        if step.workload is None:
            msg = f"step {step.step_id} does no IO"
            raise ValueError(msg)
        writes = 1 - read_ratio(step.workload)
        gain = (self._fresh_ratio(step) - 1) * writes
        return self.steady_iops(step.workload) * (1 + gain) * self._noise(step)

    def answer(self, step: Step) -> Answer:
        """Return what the drive does in a step; its mean latency is by Little's law."""
        iops, work = self.iops(step), step.workload
        outstanding = work.threads * work.queue_depth if work is not None else 0
        latency = Latency(
            mean_ns=outstanding / iops * 1e9,
            spread=self.spread,
            late_ratio=self.late_ratio,
            late_times=self.late_times,
            points=_FINE if step.kind == "histogram" else _COARSE,
        )
        return Answer(iops=iops, latency=latency)

    def _times_s(self, workload: Workload) -> tuple[float, float]:
        """Return the time of a single IO, and its busy time [s]."""
        size, reads = mean_block_bytes(workload), read_ratio(workload)
        is_stream = workload.access == "seq"
        rate = (
            self.sequential_write_bytes_per_s if is_stream else self.write_bytes_per_s
        )
        times = self.small_write_times if size < _PAGE_BYTES else 1.0
        read_s = 1 / self.read_iops + size / self.read_bytes_per_s
        write_s = (1 / self.write_iops + size / rate) * times
        alone_ns = reads * self.read_ns + (1 - reads) * self.write_ns
        return alone_ns * 1e-9, reads * read_s + (1 - reads) * write_s

    def _fresh_ratio(self, step: Step) -> float:
        if step.round is None or step.kind != "cell":
            return 1.0
        is_from_fresh = step.phase_id == _SATURATION
        fall = self.saturating if is_from_fresh else self.settling
        return fall.ratio(step.round)

    def _noise(self, step: Step) -> float:
        if not self.noise_ratio:
            return 1.0
        rng = np.random.default_rng([self.seed, crc32(step.step_id.encode())])
        return math.exp(self.noise_ratio * rng.standard_normal())

"""What a simulated drive does in a step: its IOPS, and how long each IO takes."""

import math
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ssdlab.model.step import Step
from ssdlab.store.raw import HostCpu

_LEAST, _MOST = -3.5, 5.5  # standard deviations that a distribution spans
_LATE_SPREADS = 2.0  # late IOs are spread so many times as wide as the others

Counts = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Latency:
    """How long IOs take: log-normal around a mean, a few of them late.

    Attributes
    ----------
    mean_ns : float
        The mean of all.
    spread : float, default 0.0
        Standard deviation of the natural logarithm; with 0 all take the same time.
    late_ratio : float, default 0.0
        The share of IOs that are late.
    late_times : float, default 8.0
        How many times as long as the others these take.
    points : int, default 8
        At how many points per standard deviation there are IOs: with few, fio's output
        is small; with 40 and more, there are IOs in each of its bins.
    """

    mean_ns: float
    spread: float = 0.0
    late_ratio: float = 0.0
    late_times: float = 8.0
    points: int = 8

    def count(self, ios: int) -> Counts:
        """Return the ascending latencies of so many IOs [ns], and the count of each.

        Nothing is random: each latency is that of its share of the IOs.
        """
        shares, ratios = _shape(
            self.spread, self.late_ratio, self.late_times, points=self.points
        )
        reached = np.rint(shares * ios).astype(np.int64)
        counts = reached - np.concatenate([np.zeros(1, np.int64), reached[:-1]])
        lat_ns = np.rint(ratios * self.mean_ns).astype(np.int64)
        return lat_ns[counts > 0], counts[counts > 0]


@cache
def _shape(
    spread: float, late_ratio: float, late_times: float, *, points: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the share of IOs that take at most so long, in means, ascending."""
    if not spread:
        prompt, sigmas = np.ones(1), np.zeros(1)
    else:
        sigmas = np.arange(_LEAST, _MOST, 1 / points)
        ends = [0.5 * math.erfc(-(at + 0.5 / points) / math.sqrt(2)) for at in sigmas]
        prompt = np.diff(np.array([*ends[:-1], 1.0]), prepend=0.0)
    weights = np.concatenate([(1 - late_ratio) * prompt, late_ratio * prompt])
    late = late_times * np.exp(_LATE_SPREADS * spread * sigmas)
    times = np.concatenate([np.exp(spread * sigmas), late])
    order = np.argsort(times, kind="stable")
    shares = np.cumsum(weights[order])
    shares[-1] = 1.0
    return shares, times[order] / float(weights @ times)


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a drive does in a step.

    Attributes
    ----------
    iops : float
        IOs per second, reads and writes together.
    latency : Latency
        How long they take.
    write_latency : Latency, optional
        How long writes take, if that differs.
    host_cpu : HostCpu, optional
        How busy the host was meanwhile.
    idle_s : float, optional
        How long the host was idle before, besides the planned wait; by default that of
        the backend.
    said : str, default ""
        What fio and the target printed besides the results.
    """

    iops: float
    latency: Latency
    write_latency: Latency | None = None
    host_cpu: HostCpu | None = None
    idle_s: float | None = None
    said: str = ""

    def latency_of(self, direction: str) -> Latency:
        """Return how long the IOs of a direction take."""
        is_other = direction == "write" and self.write_latency is not None
        return self.write_latency or self.latency if is_other else self.latency


class Drive(Protocol):
    """Stands in for a drive; it is called for each step that does IO."""

    def answer(self, step: Step) -> Answer:
        """Return what the drive does in a step."""
        ...

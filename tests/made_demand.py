"""A run of CBW and DIRTH whose truth is known: no number in it is measured.

Its drive serves one IO in not much more than ``SERVICE_S`` and nears ``CEILING`` IOPS
when many are outstanding. The last round is ``LAST_ROUND`` as fast as the others.
"""

from dataclasses import dataclass
from pathlib import Path

from ssdlab.model.spec import Workload
from ssdlab.model.step import Step
from ssdlab.pts import find_profile
from ssdlab.pts.profile import Profile
from ssdlab.store.raw import HostCpu
from ssdlab.store.run import Run
from ssdlab.testing import Answer, Latency, make_run
from ssdlab.testing.fio_output import mean_block_bytes
from ssdlab.testing.made import make_record

FILL_BYTES_PER_S = 200e6
SERVICE_S = 100e-6
CEILING = 50_000.0
LAST_ROUND = 0.95
WRITES = 19_500.0
PROFILE = find_profile("pts-2.0-enterprise").having(
    wdpc_sample_every_rounds=3,
    demand_threads=(32, 4, 1),
    demand_queue_depths=(32, 4, 1),
    point_pre_write_s=180.0,
)


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What run to make.

    ``service_s`` may be so long that no point is fast enough; ``has_host_cpu`` tells
    whether the host was watched, and ``steps`` how many of all were finished.
    """

    profile: Profile = PROFILE
    tests: tuple[str, ...] = ("cbw", "dirth")
    steady: bool = True
    service_s: float = SERVICE_S
    has_host_cpu: bool = True
    steps: int | None = None


def make_demand(folder: Path, recipe: Demand = Demand()) -> Run:
    """Make a run folder and open it."""
    record = make_record(recipe.profile, tests=recipe.tests)
    return make_run(folder, record, drive=DemandDrive(recipe), steps=recipe.steps)


def true_iops(workload: Workload, service_s: float = SERVICE_S) -> float:
    """Return what the drive does: with n outstanding IOs ceiling x n / (n + 5)."""
    if workload.read_percent == 0:
        return WRITES
    outstanding = workload.threads * workload.queue_depth
    return CEILING * outstanding / (outstanding + CEILING * service_s)


@dataclass(frozen=True)
class DemandDrive:
    """The drive of a recipe."""

    recipe: Demand

    def answer(self, step: Step) -> Answer:
        work = step.workload
        assert work is not None
        if step.runtime_s is None:
            return _answer(work, FILL_BYTES_PER_S / mean_block_bytes(work))
        iops = true_iops(work, self.recipe.service_s)
        if step.phase_id == "demand" and step.round == 5:
            iops *= LAST_ROUND
        if step.phase_id == "demand" and not self.recipe.steady:
            iops *= 2.0 ** ((step.round or 0) % 7)
        cpu = HostCpu(user_percent=1.0, system_percent=true_cpu(work))
        return _answer(work, iops, cpu if self.recipe.has_host_cpu else None)


def _answer(work: Workload, iops: float, cpu: HostCpu | None = None) -> Answer:
    mean_ns = work.threads * work.queue_depth / iops * 1e9
    return Answer(iops=iops, latency=Latency(mean_ns=mean_ns), host_cpu=cpu)


def true_cpu(workload: Workload) -> float:
    return workload.threads + workload.queue_depth / 4

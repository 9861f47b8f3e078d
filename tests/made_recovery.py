"""A run of HIR and XSR whose truth is known: no number in it is measured.

After a wait the model writes ``WAIT_GAIN`` faster.
"""

from dataclasses import dataclass
from pathlib import Path

from ssdlab.model.step import Step
from ssdlab.pts import find_profile
from ssdlab.pts.profile import Profile
from ssdlab.store.run import Run
from ssdlab.testing import Answer, Latency, make_run
from ssdlab.testing.made import make_record

BREAK_S = 7200.0
IOPS = 1000.0
WAIT_GAIN = {1: 1.25, 10: 1.5}
OVERHEAD_S = 0.25
PROFILE = find_profile("pts-2.0-enterprise").having(
    wdpc_sample_every_rounds=3,
    hir_wait_states=(1, 10),
    hir_cycles=3,
    hir_baseline_cycles=2,
    xsr_group_s=(180.0, 120.0, 180.0),
)


@dataclass(frozen=True, kw_only=True)
class Recovery:
    """What run to make.

    ``throughput`` is that of the rounds of each group of XSR [MB/s]. In
    ``broken_phase`` the run was taken up again before the second round. ``steps`` is
    how many were finished.
    """

    profile: Profile = PROFILE
    tests: tuple[str, ...] = ("hir", "xsr")
    steady: bool = True
    throughput: tuple[tuple[float, ...], ...] = (
        (600.0, 500.0, 400.0),
        (100.0, 80.0),
        (250.0, 499.0, 500.0),
    )
    broken_phase: str = ""
    steps: int | None = None


def make_recovery(folder: Path, recipe: Recovery = Recovery()) -> Run:
    """Make a run folder and open it."""
    record = make_record(recipe.profile, tests=recipe.tests)
    return make_run(folder, record, drive=RecoveryDrive(recipe), steps=recipe.steps)


@dataclass(frozen=True)
class RecoveryDrive:
    """The drive of a recipe."""

    recipe: Recovery

    def answer(self, step: Step) -> Answer:
        assert step.workload is not None
        phase, _, number = step.phase_id.partition("-")
        iops = IOPS
        if phase == "group":
            values = self.recipe.throughput[int(number) - 1]
            iops = values[(step.round or 1) - 1] * 1e6 / step.workload.block_size_bytes
        elif phase == "wait":
            iops *= WAIT_GAIN[int(number)]
        elif phase == "wdpc" and not self.recipe.steady:
            iops *= 2.0 ** ((step.round or 0) % 7)
        return Answer(
            iops=iops,
            latency=Latency(mean_ns=1e9 / iops),
            idle_s=self._idle_s(step),
        )

    def _idle_s(self, step: Step) -> float:
        if step.phase_id == self.recipe.broken_phase and step.round == 2:
            return BREAK_S
        return OVERHEAD_S if step.wait_s else 0.0

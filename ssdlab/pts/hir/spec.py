"""HIR: how much write performance host idle time brings back."""

from dataclasses import dataclass
from typing import ClassVar

from ssdlab.model.spec import Phase, Purge, Stimulus, Workload
from ssdlab.model.units import KIB
from ssdlab.pts.profile import Profile
from ssdlab.pts.settings import Settings, setting
from ssdlab.pts.shared.phases import precondition_by_workload
from ssdlab.pts.shared.settings import RND_4K_WRITE, Load, Wdpc
from ssdlab.pts.suite_test import SuiteTest


@dataclass(frozen=True, kw_only=True)
class Hir(Settings):
    """Values of HIR."""

    group: ClassVar[str] = "hir"
    prefix: ClassVar[str] = "hir_"
    changes: ClassVar = {"demo": {"access_s": 0.5, "cycles": 12, "baseline_cycles": 12}}

    access_s: float = setting(5, "time of an access of HIR", "11", "seconds")
    wait_states: tuple[int, ...] = setting(
        (1, 2, 3, 5, 10),
        "wait states of HIR",
        "11",
        "count",
        limits=(1, 1000),
        is_list=True,
    )
    cycles: int = setting(
        360, "accesses of a wait state of HIR", "11", "count", code="time-scaled"
    )
    baseline_cycles: int = setting(
        360, "accesses of a baseline of HIR", "11", "count", code="time-scaled"
    )


def _phases(profile: Profile) -> tuple[Phase, ...]:
    """Return the phases: PTS 2.0.2, section 11.

    After each wait state the drive returns to its baseline. A phase of accesses is
    made of rounds: one access each, ``access_s`` long.
    """
    workload = Workload(
        access="rnd",
        block_size_bytes=4 * KIB,
        read_percent=0,
        threads=profile[Load].threads,
        queue_depth=profile[Load].queue_depth,
    )
    wdpc = precondition_by_workload(
        profile[Wdpc],
        workload,
        RND_4K_WRITE,
        first_sample_round=profile[Wdpc].sample_every_rounds,
    )
    states = (
        phase
        for k in profile[Hir].wait_states
        for phase in _wait_state(profile[Hir], workload, k)
    )
    return (Purge(), wdpc, *states)


def _wait_state(values: Hir, workload: Workload, k: int) -> tuple[Phase, ...]:
    """Return accesses A, each with a wait B after it, then the baseline, access C."""
    access_s = values.access_s
    waits = Stimulus(
        phase_id=f"wait-{k}",
        workload=workload,
        round_seconds=access_s,
        time_limit_s=values.cycles * access_s,
        wait_s=k * access_s,
    )
    baseline = Stimulus(
        phase_id=f"baseline-{k}",
        workload=workload,
        round_seconds=access_s,
        time_limit_s=values.baseline_cycles * access_s,
        first_wait_s=k * access_s,
    )
    return waits, baseline


HIR = SuiteTest(
    test_id="hir",
    title="Host idle recovery",
    section="11",
    words="How much write performance a drive regains while the host is idle.",
    uses=(Load, Wdpc, Hir),
    build=_phases,
    view="ssdlab.pts.hir.pages:VIEW",
    has_fixed_blocks=True,
)

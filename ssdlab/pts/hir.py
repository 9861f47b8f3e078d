"""HIR: how much write performance host idle time brings back."""

from ssdlab.model.spec import Phase, PtsTest, Purge, Stimulus, Workload
from ssdlab.model.units import KIB
from ssdlab.pts.profiles import RND_4K_WRITE, Profile
from ssdlab.pts.wdpc import precondition_by_workload


def hir(profile: Profile) -> PtsTest:
    """Return the host idle recovery test: PTS 2.0.2, section 11; pts.md 10.

    After each wait state the drive goes back to its baseline. A phase of accesses is
    made of rounds: one access each, ``hir_access_s`` long.
    """
    workload = Workload(
        access="rnd",
        block_size_bytes=4 * KIB,
        read_percent=0,
        threads=profile.threads,
        queue_depth=profile.queue_depth,
    )
    wdpc = precondition_by_workload(
        profile,
        workload,
        RND_4K_WRITE,
        first_sample_round=profile.wdpc_sample_every_rounds,
    )
    states = tuple(
        phase
        for k in profile.hir_wait_states
        for phase in _wait_state(profile, workload, k)
    )
    return PtsTest(
        test_id="hir",
        title="Host idle recovery",
        pts_section="11",
        phases=(Purge(), wdpc, *states),
    )


def _wait_state(profile: Profile, workload: Workload, k: int) -> tuple[Phase, ...]:
    """Return accesses A, each with a wait B after it, then the baseline, access C."""
    access_s = profile.hir_access_s
    waits = Stimulus(
        phase_id=f"wait-{k}",
        workload=workload,
        round_seconds=access_s,
        time_limit_s=profile.hir_cycles * access_s,
        wait_s=k * access_s,
    )
    baseline = Stimulus(
        phase_id=f"baseline-{k}",
        workload=workload,
        round_seconds=access_s,
        time_limit_s=profile.hir_baseline_cycles * access_s,
        first_wait_s=k * access_s,
    )
    return waits, baseline

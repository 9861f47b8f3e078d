"""Workload-dependent preconditioning: the test's own writes until they are steady."""

from ssdlab.model.spec import Stimulus, Tracking, Workload
from ssdlab.pts.profiles import Profile


def precondition_by_workload(
    profile: Profile,
    workload: Workload,
    tracking: Tracking,
    *,
    first_sample_round: int,
) -> Stimulus:
    """Return rounds of a workload, judged on samples 30 minutes apart: pts.md 10, 12.2.

    Parameters
    ----------
    first_sample_round : int
        The first of at most ``wdpc_max_samples`` samples: the last minute of the
        first 30 in HIR, its first minute in CBW and DIRTH.
    """
    later = (profile.wdpc_max_samples - 1) * profile.wdpc_sample_every_rounds
    return Stimulus(
        phase_id="wdpc",
        workload=workload,
        round_seconds=profile.wdpc_round_s,
        time_limit_s=(first_sample_round + later) * profile.wdpc_round_s,
        sample_every_rounds=profile.wdpc_sample_every_rounds,
        first_sample_round=first_sample_round,
        tracking=tracking,
    )

"""Workload-dependent preconditioning: the test's own writes until they are steady."""

from ssdlab.model.spec import Stimulus, Tracking, Workload
from ssdlab.pts.shared import Wdpc

WDPC = "wdpc"  # the phase


def precondition_by_workload(
    values: Wdpc,
    workload: Workload,
    tracking: Tracking,
    *,
    first_sample_round: int,
) -> Stimulus:
    """Return rounds of a workload, judged on samples 30 minutes apart: pts.md 10, 12.2.

    ``first_sample_round`` is the first of at most ``max_samples`` samples: the last
    minute of the first 30 in HIR, its first minute in CBW and DIRTH.
    """
    later = (values.max_samples - 1) * values.sample_every_rounds
    return Stimulus(
        phase_id=WDPC,
        workload=workload,
        round_seconds=values.round_s,
        time_limit_s=(first_sample_round + later) * values.round_s,
        sample_every_rounds=values.sample_every_rounds,
        first_sample_round=first_sample_round,
        tracking=tracking,
    )

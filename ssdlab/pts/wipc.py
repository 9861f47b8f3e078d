"""Workload-independent preconditioning, the same in IOPS and LAT."""

from ssdlab.model.spec import Precondition
from ssdlab.pts.profiles import Profile


def precondition(profile: Profile) -> Precondition:
    """Return the sequential fill of a profile: PTS 2.0.2, 3.3; pts.md 4.3."""
    threads = profile.wipc_threads or profile.threads
    return Precondition(
        phase_id="wipc",
        block_size_bytes=profile.wipc_block_size_bytes,
        threads=threads,
        is_divided=profile.wipc_is_divided,
        queue_depth=profile.queue_depth,
        capacity_multiple=profile.wipc_capacity_multiple,
    )

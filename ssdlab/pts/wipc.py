"""Workload-independent preconditioning, the same in IOPS and LAT."""

from ssdlab.model.spec import Precondition
from ssdlab.pts.profile import Profile
from ssdlab.pts.shared import Load, Wipc


def precondition(profile: Profile) -> Precondition:
    """Return the sequential fill of a profile: PTS 2.0.2, 3.3; pts.md 4.3."""
    fill, load = profile[Wipc], profile[Load]
    return Precondition(
        phase_id="wipc",
        block_size_bytes=fill.block_size_bytes,
        threads=fill.threads or load.threads,
        is_divided=fill.is_divided,
        queue_depth=load.queue_depth,
        capacity_multiple=fill.capacity_multiple,
    )

"""IOPS: random IOPS at steady state over R/W mixes and block sizes."""

from ssdlab.model.spec import PtsTest, Purge, Rounds, Workload
from ssdlab.pts.profiles import Profile
from ssdlab.pts.wipc import precondition


def iops(profile: Profile) -> PtsTest:
    """Return the IOPS test: PTS 2.0.2, section 7."""
    cells = tuple(
        Workload(
            access="rnd",
            block_size_bytes=block_size,
            read_percent=read_percent,
            threads=profile.threads,
            queue_depth=profile.queue_depth,
        )
        for read_percent in profile.iops_mixes
        for block_size in profile.iops_block_sizes
    )
    return PtsTest(
        test_id="iops",
        title="IOPS",
        pts_section="7",
        phases=(
            Purge(),
            precondition(profile),
            Rounds(
                phase_id="rounds",
                cells=cells,
                cell_seconds=profile.cell_s,
                tracking=profile.iops_tracking,
                max_rounds=profile.max_rounds,
            ),
        ),
    )

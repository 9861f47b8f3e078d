"""LAT: response times at one outstanding IO."""

from ssdlab.model.spec import Histogram, PtsTest, Purge, Rounds, Tracking, Workload
from ssdlab.model.units import KIB
from ssdlab.pts.profiles import Profile
from ssdlab.pts.wipc import precondition


def latency(profile: Profile) -> PtsTest:
    """Return the latency test: PTS 2.0.2, section 9."""
    cells = tuple(
        _one_outstanding(block_size, read_percent)
        for read_percent in profile.lat_mixes
        for block_size in profile.lat_block_sizes
    )
    tracking = Tracking(
        access="rnd", block_size_bytes=4 * KIB, read_percent=0, metric="lat_mean_ns"
    )
    rounds = Rounds(
        phase_id="rounds",
        cells=cells,
        cell_seconds=profile.cell_s,
        tracking=(tracking,),
        max_rounds=profile.max_rounds,
    )
    phases = (Purge(), precondition(profile), rounds)
    if profile.histogram_s is None:
        return PtsTest(test_id="lat", title="Latency", pts_section="9", phases=phases)
    histogram = Histogram(
        phase_id="histogram",
        workload=_one_outstanding(4 * KIB, 0),
        seconds=profile.histogram_s,
    )
    return PtsTest(
        test_id="lat", title="Latency", pts_section="9", phases=(*phases, histogram)
    )


def _one_outstanding(block_size: int, read_percent: int) -> Workload:
    return Workload(
        access="rnd",
        block_size_bytes=block_size,
        read_percent=read_percent,
        threads=1,
        queue_depth=1,
    )

"""WSAT: continuous writes from FOB to steady state."""

from ssdlab.model.spec import Histogram, PtsTest, Purge, Stimulus, Workload
from ssdlab.model.units import KIB
from ssdlab.pts.profiles import RND_4K_WRITE, Profile


def wsat(profile: Profile) -> PtsTest:
    """Return the write saturation test: PTS 2.0.2, section 10.

    There is no preconditioning: the writes begin on the purged device.
    """
    workload = Workload(
        access="rnd",
        block_size_bytes=4 * KIB,
        read_percent=0,
        threads=profile.threads,
        queue_depth=profile.queue_depth,
    )
    saturation = Stimulus(
        phase_id="saturation",
        workload=workload,
        round_seconds=profile.wsat_round_s,
        capacity_multiple=profile.wsat_capacity_multiple,
        time_limit_s=profile.wsat_time_limit_s,
        sample_every_rounds=profile.wsat_sample_every_rounds,
        tracking=RND_4K_WRITE,
    )
    title = "Write saturation"
    phases = (Purge(), saturation)
    if profile.histogram_s is None:
        return PtsTest(test_id="wsat", title=title, pts_section="10", phases=phases)
    histogram = Histogram(
        phase_id="histogram", workload=workload, seconds=profile.histogram_s
    )
    return PtsTest(
        test_id="wsat", title=title, pts_section="10", phases=(*phases, histogram)
    )

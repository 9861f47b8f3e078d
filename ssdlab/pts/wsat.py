"""WSAT: one stimulus from FOB to steady state, and the optional stimuli of PTS 2.0."""

from ssdlab.model.spec import (
    Access,
    Composite,
    Histogram,
    PtsTest,
    Purge,
    Stimulus,
    Tracking,
    Workload,
)
from ssdlab.model.units import KIB
from ssdlab.pts.demand import BLOCK_SHARES, ZONES
from ssdlab.pts.profiles import Profile

_TITLE = "Write saturation"


def wsat(profile: Profile) -> PtsTest:
    """Return the write saturation test: PTS 2.0.2, section 10.

    There is no preconditioning: the writes begin on the purged device.
    """
    workload = _workload(profile, "rnd", block_size_bytes=4 * KIB, read_percent=0)
    return _saturate(profile, workload, test_id="wsat", title=_TITLE)


def wsat_oltp(profile: Profile) -> PtsTest:
    """Return the optional mixed or OLTP stimulus of write saturation: pts.md 9."""
    workload = _workload(profile, "rnd", block_size_bytes=8 * KIB, read_percent=65)
    return _saturate(profile, workload, test_id="wsat-oltp", title=f"{_TITLE}, OLTP")


def wsat_vod(profile: Profile) -> PtsTest:
    """Return the optional video on demand stimulus of write saturation: pts.md 9."""
    workload = _workload(profile, "seq", block_size_bytes=128 * KIB, read_percent=90)
    title = f"{_TITLE}, video on demand"
    return _saturate(profile, workload, test_id="wsat-vod", title=title)


def wsat_metadata(profile: Profile) -> PtsTest:
    """Return the optional metadata stimulus of write saturation: pts.md 9."""
    workload = _workload(profile, "seq", block_size_bytes=KIB // 2, read_percent=50)
    title = f"{_TITLE}, metadata"
    return _saturate(profile, workload, test_id="wsat-metadata", title=title)


def wsat_composite(profile: Profile) -> PtsTest:
    """Return the optional composite stimulus: all writes, sizes and zones of CBW."""
    composite = Composite(
        block_shares=BLOCK_SHARES,
        zones=ZONES,
        alignment_bytes=profile.cbw_alignment_bytes,
    )
    workload = Workload(
        access="rnd",
        block_size_bytes=0,
        read_percent=0,
        threads=profile.threads,
        queue_depth=profile.queue_depth,
        composite=composite,
    )
    title = f"{_TITLE}, composite"
    return _saturate(profile, workload, test_id="wsat-composite", title=title)


def _workload(
    profile: Profile, access: Access, *, block_size_bytes: int, read_percent: int
) -> Workload:
    return Workload(
        access=access,
        block_size_bytes=block_size_bytes,
        read_percent=read_percent,
        threads=profile.threads,
        queue_depth=profile.queue_depth,
    )


def _saturate(
    profile: Profile, workload: Workload, *, test_id: str, title: str
) -> PtsTest:
    """Return the test of a stimulus; stop rules and histogram are those of all."""
    saturation = Stimulus(
        phase_id="saturation",
        workload=workload,
        round_seconds=profile.wsat_round_s,
        capacity_multiple=profile.wsat_capacity_multiple,
        time_limit_s=profile.wsat_time_limit_s,
        sample_every_rounds=profile.wsat_sample_every_rounds,
        tracking=Tracking(
            access=workload.access,
            block_size_bytes=workload.block_size_bytes,
            read_percent=workload.read_percent,
            metric="iops",
        ),
    )
    histogram = (
        ()
        if profile.histogram_s is None
        else (
            Histogram(
                phase_id="histogram", workload=workload, seconds=profile.histogram_s
            ),
        )
    )
    return PtsTest(
        test_id=test_id,
        title=title,
        pts_section="10",
        phases=(Purge(), saturation, *histogram),
    )

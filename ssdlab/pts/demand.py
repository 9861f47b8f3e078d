"""CBW and DIRTH: demand variation over TC and QD, then three points measured long."""

from dataclasses import replace
from typing import get_args

from ssdlab.model.spec import (
    Composite,
    OperatingPoint,
    PointName,
    PreWrite,
    PtsTest,
    Purge,
    Rounds,
    Tracking,
    Workload,
)
from ssdlab.model.units import KIB
from ssdlab.pts.profiles import Profile
from ssdlab.pts.wdpc import precondition_by_workload

BLOCK_SHARES = tuple(  # pts.md 12.1: size and its share of IOs [%]
    (round(kib * KIB), share)
    for kib, share in (
        (0.5, 4),
        *((half / 2, 1) for half in range(2, 8)),
        (4, 67),
        (8, 10),
        (16, 7),
        (32, 3),
        (64, 3),
    )
)
ZONES = ((50, 5), (30, 15), (20, 80))  # share of IOs and of the range [%]


def cbw(profile: Profile) -> PtsTest:
    """Return the composite block size workload: PTS 2.0.2, section 13; ECW in 1.1."""
    composite = Composite(
        block_shares=BLOCK_SHARES,
        zones=ZONES,
        alignment_bytes=profile.cbw_alignment_bytes,
    )
    is_1_1 = profile.spec_version.startswith("PTS-E 1")
    title = "Enterprise composite workload" if is_1_1 else "Composite block size"
    return _demand_test(
        profile,
        Workload(
            access="rnd",
            block_size_bytes=0,
            read_percent=profile.cbw_read_percent,
            threads=1,
            queue_depth=1,
            composite=composite,
        ),
        PtsTest(test_id="cbw", title=title, pts_section="13", phases=()),
    )


def dirth(profile: Profile) -> PtsTest:
    """Return the demand intensity test: PTS 2.0.2, section 14; the operator's mix."""
    return _demand_test(
        profile,
        Workload(
            access="rnd",
            block_size_bytes=profile.dirth_block_size_bytes,
            read_percent=profile.dirth_read_percent,
            threads=1,
            queue_depth=1,
        ),
        PtsTest(
            test_id="dirth",
            title="Demand intensity and response time histogram",
            pts_section="14",
            phases=(),
        ),
    )


def _demand_test(profile: Profile, measured: Workload, test: PtsTest) -> PtsTest:
    """Return a test of the flow of pts.md 12.2; only the workload differs."""
    threads, depth = profile.demand_threads[0], profile.demand_queue_depths[0]
    most = replace(measured, threads=threads, queue_depth=depth)
    writes = replace(most, read_percent=0)
    wdpc = precondition_by_workload(
        profile, writes, _tracking(writes), first_sample_round=1
    )
    rounds = Rounds(
        phase_id="demand",
        cells=tuple(
            replace(measured, threads=tc, queue_depth=qd)
            for tc in profile.demand_threads
            for qd in profile.demand_queue_depths
        ),
        cell_seconds=profile.cell_s,
        tracking=(_tracking(most),),
        max_rounds=profile.max_rounds,
        pre_write=PreWrite(
            workload=writes,
            seconds=profile.demand_pre_write_s,
            capacity_multiple=profile.demand_pre_write_capacity_multiple,
        ),
    )
    points = tuple(
        OperatingPoint(
            phase_id=f"{name}-iops",
            point=name,
            demand_phase=rounds.phase_id,
            max_lat_ns=profile.demand_max_lat_ms * 1e6,
            pre_write=writes,
            pre_write_s=profile.point_pre_write_s,
            round_seconds=profile.point_round_s,
            workload=measured,
            histogram_s=profile.point_histogram_s,
        )
        for name in get_args(PointName)
    )
    return replace(test, phases=(Purge(), wdpc, rounds, *points))


def _tracking(workload: Workload) -> Tracking:
    return Tracking(
        access=workload.access,
        block_size_bytes=workload.block_size_bytes,
        read_percent=workload.read_percent,
        metric="iops",
        threads=workload.threads,
        queue_depth=workload.queue_depth,
    )

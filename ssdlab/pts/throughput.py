"""TP: sequential throughput at steady state, each block size from its own purge."""

from ssdlab.model.spec import (
    Phase,
    Precondition,
    PtsTest,
    Purge,
    Rounds,
    Tracking,
    Workload,
)
from ssdlab.model.units import KIB
from ssdlab.pts.profiles import Profile


def throughput(profile: Profile) -> PtsTest:
    """Return the throughput test: PTS 2.0.2, section 8."""
    return PtsTest(
        test_id="tp",
        title="Throughput",
        pts_section="8",
        phases=tuple(
            phase
            for block_size in profile.tp_block_sizes
            for phase in _one_block_size(profile, block_size)
        ),
    )


def _name(block_size: int) -> str:
    return f"{block_size / KIB:g}KiB"


def _one_block_size(profile: Profile, block_size: int) -> tuple[Phase, ...]:
    name = _name(block_size)
    fill = Precondition(  # at the tested block size: pts.md 4.3, WIPC-2
        phase_id=f"wipc-{name}",
        block_size_bytes=block_size,
        threads=profile.wipc_threads or profile.tp_threads,
        is_divided=profile.wipc_is_divided,
        queue_depth=profile.tp_queue_depth,
        capacity_multiple=profile.wipc_capacity_multiple,
    )
    cells = tuple(
        Workload(
            access="seq",
            block_size_bytes=block_size,
            read_percent=read_percent,
            threads=profile.tp_threads,
            queue_depth=profile.tp_queue_depth,
        )
        for read_percent in (100, 0)
    )
    written = Tracking(
        access="seq",
        block_size_bytes=block_size,
        read_percent=0,
        metric="bw_bytes_per_s",
    )
    tracked = profile.tp_tracked_sizes
    is_tracked = tracked is None or block_size in tracked
    rounds = Rounds(
        phase_id=f"rounds-{name}",
        cells=cells,
        cell_seconds=profile.cell_s,
        tracking=(written,) if is_tracked else (),
        max_rounds=profile.max_rounds,
        carries_on=profile.tp_carries_on,
        same_rounds_as="" if is_tracked else f"rounds-{_name((tracked or (0,))[0])}",
    )
    purge = Purge(phase_id=f"purge-{name}")
    return (purge, fill, rounds) if profile.tp_has_wipc else (purge, rounds)

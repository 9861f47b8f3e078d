"""XSR: large sequential writes, small random ones, and large sequential again."""

from ssdlab.model.spec import Access, PtsTest, Purge, Stimulus, Workload
from ssdlab.model.units import KIB, MIB
from ssdlab.pts.profiles import Profile

_GROUPS: tuple[tuple[Access, int], ...] = (
    ("seq", MIB),
    ("rnd", 8 * KIB),
    ("seq", MIB),
)


def xsr(profile: Profile) -> PtsTest:
    """Return the cross stimulus recovery test: PTS 2.0.2, section 12; pts.md 11.

    There is no preconditioning; the three access groups follow one another at once.
    """
    groups = tuple(
        Stimulus(
            phase_id=f"group-{number}",
            workload=Workload(
                access=access,
                block_size_bytes=block_size,
                read_percent=0,
                threads=threads,
                queue_depth=profile.xsr_queue_depth,
            ),
            round_seconds=profile.xsr_round_s,
            time_limit_s=seconds,
        )
        for number, ((access, block_size), seconds, threads) in enumerate(
            zip(_GROUPS, profile.xsr_group_s, profile.xsr_threads, strict=True), start=1
        )
    )
    return PtsTest(
        test_id="xsr",
        title="Cross stimulus recovery",
        pts_section="12",
        phases=(Purge(), *groups),
    )

"""IOPS: random IOPS at steady state over R/W mixes and block sizes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ssdlab.model.spec import Phase, Purge, Rounds, Tracking, Workload
from ssdlab.model.units import KIB, MIB
from ssdlab.pts.compared import BY_IOPS
from ssdlab.pts.profile import Profile
from ssdlab.pts.settings import Fault, Settings, setting
from ssdlab.pts.shared.phases import precondition
from ssdlab.pts.shared.settings import RND_4K_WRITE, Load, MatrixRounds, Ranges, Wipc
from ssdlab.pts.suite_test import SuiteTest

THREE_TRACKING = (  # PTS 2.0.x tracks three cells in the same window
    RND_4K_WRITE,
    Tracking(access="rnd", block_size_bytes=64 * KIB, read_percent=65, metric="iops"),
    Tracking(access="rnd", block_size_bytes=MIB, read_percent=100, metric="iops"),
)


@dataclass(frozen=True, kw_only=True)
class Iops(Settings):
    """Values of IOPS: PTS 2.0.2, section 7, outer and inner loop."""

    group: ClassVar[str] = "iops"
    prefix: ClassVar[str] = "iops_"
    changes: ClassVar = {
        "pts-e-1.1": {"tracking": (RND_4K_WRITE,)},
        "pts-c-1.1": {"tracking": (RND_4K_WRITE,)},
        "demo": {"mixes": (100, 65, 0), "block_sizes": (MIB, 64 * KIB, 4 * KIB, 512)},
    }

    mixes: tuple[int, ...] = setting(
        (100, 95, 65, 50, 35, 5, 0), "R/W mixes of IOPS", "7", "mix", is_list=True
    )
    block_sizes: tuple[int, ...] = setting(
        tuple(round(kib * KIB) for kib in (1024, 128, 64, 32, 16, 8, 4, 0.5)),
        "block sizes of IOPS",
        "7",
        "size",
        is_list=True,
    )
    tracking: tuple[Tracking, ...] = setting(
        THREE_TRACKING, "tracking variables of IOPS", "7", "tracking", is_list=True
    )

    def faults(self) -> Iterator[Fault]:
        """Yield tracking variables that are no cells."""
        for tracking in self.tracking:
            if (
                tracking.block_size_bytes not in self.block_sizes
                or tracking.read_percent not in self.mixes
            ):
                yield (
                    "tracking",
                    f"{tracking.label} is not in iops_mixes and iops_block_sizes",
                    "Add its mix and block size there, or track another cell.",
                )


def _phases(profile: Profile) -> tuple[Phase, ...]:
    """Return the phases: PTS 2.0.2, section 7."""
    load, rounds, values = profile[Load], profile[MatrixRounds], profile[Iops]
    cells = tuple(
        Workload(
            access="rnd",
            block_size_bytes=block_size,
            read_percent=read_percent,
            threads=load.threads,
            queue_depth=load.queue_depth,
        )
        for read_percent in values.mixes
        for block_size in values.block_sizes
    )
    return (
        Purge(),
        precondition(profile),
        Rounds(
            phase_id="rounds",
            cells=cells,
            cell_seconds=rounds.cell_s,
            tracking=values.tracking,
            max_rounds=rounds.max_rounds,
        ),
    )


IOPS = SuiteTest(
    test_id="iops",
    title="IOPS",
    section="7",
    words="Random IOPS over R/W mixes and block sizes, in rounds until the tracking "
    "variables are steady in the same window.",
    uses=(Ranges, Load, Wipc, MatrixRounds, Iops),
    build=_phases,
    view="ssdlab.pts.iops.pages:VIEW",
    compared=BY_IOPS,
    tracks=lambda size, mix: (
        (size, mix)
        in {(one.block_size_bytes, one.read_percent) for one in THREE_TRACKING}
    ),
    is_basic=True,
)

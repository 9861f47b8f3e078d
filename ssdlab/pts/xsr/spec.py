"""XSR: large sequential writes, small random ones, and large sequential again."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ssdlab.model.spec import Access, Phase, Purge, Stimulus, Workload
from ssdlab.model.units import KIB, MIB
from ssdlab.pts.profile import Profile
from ssdlab.pts.settings import DEPTH, THREADS, Fault, Settings, setting
from ssdlab.pts.shared.settings import too_many_rounds
from ssdlab.pts.suite_test import SuiteTest

_GROUPS: tuple[tuple[Access, int], ...] = (
    ("seq", MIB),
    ("rnd", 8 * KIB),
    ("seq", MIB),
)


@dataclass(frozen=True, kw_only=True)
class Xsr(Settings):
    """Values of XSR."""

    group: ClassVar[str] = "xsr"
    prefix: ClassVar[str] = "xsr_"
    changes: ClassVar = {"demo": {"group_s": (40, 30, 40), "round_s": 1}}

    group_s: tuple[float, float, float] = setting(
        (8 * 3600, 6 * 3600, 8 * 3600),
        "times of the access groups of XSR",
        "12",
        "seconds",
        is_list=True,
        may_repeat=True,
        length=3,
    )
    round_s: float = setting(60, "time of an XSR round", "12", "seconds")
    threads: tuple[int, int, int] = setting(
        (1, 1, 1),
        "thread counts of the access groups of XSR",
        "12",
        "count",
        limits=THREADS,
        is_list=True,
        may_repeat=True,
        length=3,
    )
    queue_depth: int = setting(32, "queue depth of XSR", "12", "count", limits=DEPTH)

    def faults(self) -> Iterator[Fault]:
        """Yield too many rounds."""
        yield from too_many_rounds("round_s", max(self.group_s) / self.round_s)


def _phases(profile: Profile) -> tuple[Phase, ...]:
    """Return the phases: PTS 2.0.2, section 12.

    There is no preconditioning; the three access groups follow one another at once.
    """
    values = profile[Xsr]
    groups = (
        Stimulus(
            phase_id=f"group-{number}",
            workload=Workload(
                access=access,
                block_size_bytes=block_size,
                read_percent=0,
                threads=threads,
                queue_depth=values.queue_depth,
            ),
            round_seconds=values.round_s,
            time_limit_s=seconds,
        )
        for number, ((access, block_size), seconds, threads) in enumerate(
            zip(_GROUPS, values.group_s, values.threads, strict=True), start=1
        )
    )
    return (Purge(), *groups)


XSR = SuiteTest(
    test_id="xsr",
    title="Cross stimulus recovery",
    section="12",
    words="Large sequential writes, small random writes, then large sequential writes "
    "again: how long until throughput recovers.",
    uses=(Xsr,),
    build=_phases,
    view="ssdlab.pts.xsr.pages:VIEW",
    has_fixed_blocks=True,
)

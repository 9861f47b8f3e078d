"""WSAT: one stimulus from FOB to steady state, and the optional stimuli of PTS 2.0."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from ssdlab.model.spec import (
    Access,
    Composite,
    Histogram,
    Phase,
    Purge,
    Stimulus,
    Tracking,
    Workload,
)
from ssdlab.model.units import KIB
from ssdlab.pts.compared import BY_IOPS
from ssdlab.pts.profile import Profile
from ssdlab.pts.settings import Fault, Settings, setting
from ssdlab.pts.shared.composite import BLOCK_SHARES, ZONES, Cbw
from ssdlab.pts.shared.settings import HistogramRun, Load, too_many_rounds
from ssdlab.pts.suite_test import SuiteTest

_TITLE = "Write saturation"
_LONGEST_S = 24 * 3600  # the operator may choose 6 to 24 h


@dataclass(frozen=True, kw_only=True)
class Wsat(Settings):
    """Values of write saturation.

    Without ``sample_every_rounds`` it has no steady-state stop.
    """

    group: ClassVar[str] = "wsat"
    prefix: ClassVar[str] = "wsat_"
    changes: ClassVar = {
        "pts-e-1.1": {"time_limit_s": _LONGEST_S},
        "pts-c-1.1": {"time_limit_s": _LONGEST_S},
        "tkperf": {"sample_every_rounds": None},
        "demo": {
            "round_s": 1,
            "capacity_multiple": 40,
            "time_limit_s": 75,
            "sample_every_rounds": 10,
        },
    }

    round_s: float = setting(60, "time of a WSAT round", "10", "seconds")
    capacity_multiple: float = setting(
        4, "WSAT limit in user capacities", "10", "number", code="time-scaled"
    )
    time_limit_s: float = setting(
        6 * 3600, "WSAT time limit", "10", "seconds", allowed_to=_LONGEST_S
    )
    sample_every_rounds: int | None = setting(
        31,
        "rounds from one WSAT sample to the next",
        "10",
        "count",
        absent="none",
        code="time-scaled",
    )

    def faults(self) -> Iterator[Fault]:
        """Yield too many rounds."""
        yield from too_many_rounds("round_s", self.time_limit_s / self.round_s)


def _random_write(profile: Profile) -> Workload:
    return _workload(profile, "rnd", block_size_bytes=4 * KIB, read_percent=0)


def _oltp(profile: Profile) -> Workload:
    return _workload(profile, "rnd", block_size_bytes=8 * KIB, read_percent=65)


def _video_on_demand(profile: Profile) -> Workload:
    return _workload(profile, "seq", block_size_bytes=128 * KIB, read_percent=90)


def _metadata(profile: Profile) -> Workload:
    return _workload(profile, "seq", block_size_bytes=KIB // 2, read_percent=50)


def _composite(profile: Profile) -> Workload:
    """Return all writes, in the sizes and zones of CBW."""
    composite = Composite(
        block_shares=BLOCK_SHARES,
        zones=ZONES,
        alignment_bytes=profile[Cbw].alignment_bytes,
    )
    return Workload(
        access="rnd",
        block_size_bytes=0,
        read_percent=0,
        threads=profile[Load].threads,
        queue_depth=profile[Load].queue_depth,
        composite=composite,
    )


def _workload(
    profile: Profile, access: Access, *, block_size_bytes: int, read_percent: int
) -> Workload:
    return Workload(
        access=access,
        block_size_bytes=block_size_bytes,
        read_percent=read_percent,
        threads=profile[Load].threads,
        queue_depth=profile[Load].queue_depth,
    )


def _saturate(
    stimulus: Callable[[Profile], Workload],
) -> Callable[[Profile], tuple[Phase, ...]]:
    """Return what builds the phases of a stimulus: PTS 2.0.2, section 10.

    Stop rules and histogram are those of all. There is no preconditioning: the writes
    begin on the purged device.
    """

    def phases(profile: Profile) -> tuple[Phase, ...]:
        values, workload = profile[Wsat], stimulus(profile)
        saturation = Stimulus(
            phase_id="saturation",
            workload=workload,
            round_seconds=values.round_s,
            capacity_multiple=values.capacity_multiple,
            time_limit_s=values.time_limit_s,
            sample_every_rounds=values.sample_every_rounds,
            tracking=Tracking(
                access=workload.access,
                block_size_bytes=workload.block_size_bytes,
                read_percent=workload.read_percent,
                metric="iops",
            ),
        )
        if (seconds := profile[HistogramRun].histogram_s) is None:
            return (Purge(), saturation)
        long_run = Histogram(phase_id="histogram", workload=workload, seconds=seconds)
        return (Purge(), saturation, long_run)

    return phases


WSAT = SuiteTest(
    test_id="wsat",
    title=_TITLE,
    section="10",
    words="One stimulus without pause, starting on the purged drive: the decline from "
    "its fresh-out-of-box peak to steady state.",
    uses=(Load, Wsat, HistogramRun),
    build=_saturate(_random_write),
    view="ssdlab.pts.wsat.pages:VIEW",
    compared=BY_IOPS,
    is_basic=True,
    has_fixed_blocks=True,
)


def _optional(
    name: str,
    title: str,
    stimulus: Callable[[Profile], Workload],
    *,
    uses: tuple[type[Settings], ...] = (),
    has_fixed_blocks: bool = True,
) -> SuiteTest:
    """Return the test of one of the stimuli of PTS 2.0.2, section 10."""
    return replace(
        WSAT,
        test_id=f"wsat-{name}",
        title=f"{_TITLE}, {title}",
        uses=(*WSAT.uses, *uses),
        build=_saturate(stimulus),
        is_basic=False,
        is_optional=True,
        has_fixed_blocks=has_fixed_blocks,
    )


WSAT_OLTP = _optional("oltp", "OLTP", _oltp)
WSAT_VOD = _optional("vod", "video on demand", _video_on_demand)
WSAT_METADATA = _optional("metadata", "metadata", _metadata)
WSAT_COMPOSITE = _optional(
    "composite", "composite", _composite, uses=(Cbw,), has_fixed_blocks=False
)

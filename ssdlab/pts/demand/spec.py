"""CBW and DIRTH: demand variation over TC and QD, then three points measured long."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, get_args

from ssdlab.model.editions import PTS_E_1
from ssdlab.model.spec import (
    Composite,
    OperatingPoint,
    Phase,
    PointName,
    PreWrite,
    Purge,
    Rounds,
    Tracking,
    Workload,
)
from ssdlab.model.units import KIB
from ssdlab.pts.compared import BY_IOPS_OF_WORKERS
from ssdlab.pts.profile import Profile
from ssdlab.pts.settings import DEPTH, THREADS, Fault, Settings, setting
from ssdlab.pts.shared.composite import BLOCK_SHARES, ZONES, Cbw
from ssdlab.pts.shared.phases import precondition_by_workload
from ssdlab.pts.shared.settings import MatrixRounds, Wdpc, too_many_rounds
from ssdlab.pts.suite_test import SuiteTest

_VALUES = (32, 16, 8, 6, 4, 2, 1)  # TC outer, QD inner: PTS 2.0.2, section 13, 3b


@dataclass(frozen=True, kw_only=True)
class Demand(Settings):
    """Values of the demand variation."""

    group: ClassVar[str] = "demand"
    prefix: ClassVar[str] = "demand_"
    changes: ClassVar = {
        "demo": {
            "threads": (32, 8, 2, 1),
            "queue_depths": (32, 8, 2, 1),
            "pre_write_s": 3,
        }
    }

    threads: tuple[int, ...] = setting(
        _VALUES,
        "thread counts of the demand variation",
        "13",
        "count",
        limits=THREADS,
        is_list=True,
    )
    queue_depths: tuple[int, ...] = setting(
        _VALUES,
        "queue depths of the demand variation",
        "13",
        "count",
        limits=DEPTH,
        is_list=True,
    )
    pre_write_s: float = setting(
        300,
        "time of the pre-writes between rounds",
        "13",
        "seconds",
        allowed_to=30 * 60,  # step 3a
    )
    pre_write_capacity_multiple: float | None = setting(
        0.1,
        "limit of the pre-writes between rounds in user capacities",
        "13",
        "number",
        absent="none",
        code="time-scaled",
        before=None,
    )
    max_lat_ms: float = setting(
        5,
        "limit of the mean response time of a chosen point [ms]",
        "13",
        "milliseconds",
    )

    def faults(self) -> Iterator[Fault]:
        """Yield loops that do not begin with the greatest demand."""
        for name in ("threads", "queue_depths"):
            values = getattr(self, name)
            if list(values) != sorted(values, reverse=True):
                yield (
                    name,
                    "it is not descending, and the first pair is tracked",
                    "Put the largest first.",
                )


@dataclass(frozen=True, kw_only=True)
class Point(Settings):
    """Values of the three points that are measured long."""

    group: ClassVar[str] = "point"
    prefix: ClassVar[str] = "point_"
    changes: ClassVar = {"demo": {"pre_write_s": 8, "round_s": 1, "histogram_s": 8}}

    pre_write_s: float = setting(
        3600, "time of the pre-writes of a point", "13", "seconds"
    )
    round_s: float = setting(
        60, "time of a round of the pre-writes of a point", "13", "seconds"
    )
    histogram_s: float = setting(
        600, "time of the histogram run of a point", "13", "seconds"
    )

    def faults(self) -> Iterator[Fault]:
        """Yield too many rounds."""
        yield from too_many_rounds("round_s", self.pre_write_s / self.round_s)


@dataclass(frozen=True, kw_only=True)
class Dirth(Settings):
    """Values of DIRTH; the standard leaves them to the operator."""

    group: ClassVar[str] = "dirth"
    prefix: ClassVar[str] = "dirth_"

    block_size_bytes: int = setting(
        8 * KIB, "block size of DIRTH", "14", "size", is_choice=True
    )
    read_percent: int = setting(65, "R/W mix of DIRTH", "14", "mix", is_choice=True)


def _cbw(profile: Profile) -> tuple[Phase, ...]:
    """Return the phases: PTS 2.0.2, section 13; ECW in PTS-E 1.1."""
    composite = Composite(
        block_shares=BLOCK_SHARES,
        zones=ZONES,
        alignment_bytes=profile[Cbw].alignment_bytes,
    )
    measured = Workload(
        access="rnd",
        block_size_bytes=0,
        read_percent=profile[Cbw].read_percent,
        threads=1,
        queue_depth=1,
        composite=composite,
    )
    return _phases(profile, measured)


def _dirth(profile: Profile) -> tuple[Phase, ...]:
    """Return the phases: PTS 2.0.2, section 14; the operator's mix."""
    measured = Workload(
        access="rnd",
        block_size_bytes=profile[Dirth].block_size_bytes,
        read_percent=profile[Dirth].read_percent,
        threads=1,
        queue_depth=1,
    )
    return _phases(profile, measured)


def _phases(profile: Profile, measured: Workload) -> tuple[Phase, ...]:
    """Return the flow of PTS 2.0.2, section 13; only the workload differs."""
    demand, point, matrix = profile[Demand], profile[Point], profile[MatrixRounds]
    most = replace(
        measured, threads=demand.threads[0], queue_depth=demand.queue_depths[0]
    )
    writes = replace(most, read_percent=0)
    wdpc = precondition_by_workload(
        profile[Wdpc], writes, _tracking(writes), first_sample_round=1
    )
    rounds = Rounds(
        phase_id="demand",
        cells=tuple(
            replace(measured, threads=tc, queue_depth=qd)
            for tc in demand.threads
            for qd in demand.queue_depths
        ),
        cell_seconds=matrix.cell_s,
        tracking=(_tracking(most),),
        max_rounds=matrix.max_rounds,
        pre_write=PreWrite(
            workload=writes,
            seconds=demand.pre_write_s,
            capacity_multiple=demand.pre_write_capacity_multiple,
        ),
    )
    points = (
        OperatingPoint(
            phase_id=f"{name}-iops",
            point=name,
            demand_phase=rounds.phase_id,
            max_lat_ns=demand.max_lat_ms * 1e6,
            pre_write=writes,
            pre_write_s=point.pre_write_s,
            round_seconds=point.round_s,
            workload=measured,
            histogram_s=point.histogram_s,
        )
        for name in get_args(PointName)
    )
    return (Purge(), wdpc, rounds, *points)


def _tracking(workload: Workload) -> Tracking:
    return Tracking(
        access=workload.access,
        block_size_bytes=workload.block_size_bytes,
        read_percent=workload.read_percent,
        metric="iops",
        threads=workload.threads,
        queue_depth=workload.queue_depth,
    )


CBW = SuiteTest(
    test_id="cbw",
    title="Composite block size workload",
    titles={PTS_E_1: "Enterprise composite workload"},
    section="13",
    words="Twelve block sizes in three access zones over threads and queue depths, "
    "then three operating points with every response time.",
    uses=(MatrixRounds, Wdpc, Demand, Point, Cbw),
    build=_cbw,
    view="ssdlab.pts.demand.pages:CBW_VIEW",
    compared=BY_IOPS_OF_WORKERS,
)
DIRTH = SuiteTest(
    test_id="dirth",
    title="Demand intensity",
    section="14",
    words="One workload over threads and queue depths: where more outstanding IOs no "
    "longer raise IOPS; then three operating points with every response time.",
    uses=(MatrixRounds, Wdpc, Demand, Point, Dirth),
    build=_dirth,
    view="ssdlab.pts.demand.pages:DIRTH_VIEW",
    compared=BY_IOPS_OF_WORKERS,
)

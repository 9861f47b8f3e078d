"""LAT: response times at one outstanding IO."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ssdlab.model.spec import Histogram, Phase, Purge, Rounds, Tracking, Workload
from ssdlab.model.units import KIB
from ssdlab.pts.compared import BY_LATENCY
from ssdlab.pts.profile import Profile
from ssdlab.pts.settings import Fault, Settings, setting
from ssdlab.pts.shared.phases import precondition
from ssdlab.pts.shared.settings import HistogramRun, Load, MatrixRounds, Ranges, Wipc
from ssdlab.pts.suite_test import SuiteTest


@dataclass(frozen=True, kw_only=True)
class Lat(Settings):
    """Values of LAT: PTS 2.0.2, section 9, outer and inner loop."""

    group: ClassVar[str] = "lat"
    prefix: ClassVar[str] = "lat_"

    mixes: tuple[int, ...] = setting(
        (100, 65, 0), "R/W mixes of LAT", "9", "mix", is_list=True
    )
    block_sizes: tuple[int, ...] = setting(
        tuple(round(kib * KIB) for kib in (8, 4, 0.5)),
        "block sizes of LAT",
        "9",
        "size",
        is_list=True,
    )

    def faults(self) -> Iterator[Fault]:
        """Yield that the tracking variable, RND 4 KiB writes, is not a cell."""
        if 4 * KIB not in self.block_sizes:
            yield (
                "block_sizes",
                "4 KiB is missing, and its writes are the tracking variable",
                "Add it.",
            )
        if 0 not in self.mixes:
            yield (
                "mixes",
                "0 is missing, and writes are the tracking variable",
                "Add it.",
            )


def _phases(profile: Profile) -> tuple[Phase, ...]:
    """Return the phases: PTS 2.0.2, section 9."""
    values, rounds = profile[Lat], profile[MatrixRounds]
    matrix = Rounds(
        phase_id="rounds",
        cells=tuple(
            _one_outstanding(block_size, read_percent)
            for read_percent in values.mixes
            for block_size in values.block_sizes
        ),
        cell_seconds=rounds.cell_s,
        tracking=(
            Tracking(
                access="rnd",
                block_size_bytes=4 * KIB,
                read_percent=0,
                metric="lat_mean_ns",
            ),
        ),
        max_rounds=rounds.max_rounds,
    )
    phases = (Purge(), precondition(profile), matrix)
    if (seconds := profile[HistogramRun].histogram_s) is None:
        return phases
    long_run = Histogram(
        phase_id="histogram", workload=_one_outstanding(4 * KIB, 0), seconds=seconds
    )
    return (*phases, long_run)


def _one_outstanding(block_size: int, read_percent: int) -> Workload:
    return Workload(
        access="rnd",
        block_size_bytes=block_size,
        read_percent=read_percent,
        threads=1,
        queue_depth=1,
    )


LAT = SuiteTest(
    test_id="lat",
    title="Latency",
    section="9",
    words="Response times at one outstanding IO, and their distribution.",
    uses=(Ranges, Load, Wipc, MatrixRounds, Lat, HistogramRun),
    build=_phases,
    view="ssdlab.pts.lat.pages:VIEW",
    compared=BY_LATENCY,
    tracks=lambda size, mix: (size, mix) == (4 * KIB, 0),
    is_basic=True,
)

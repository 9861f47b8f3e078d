"""Values that several tests share: flow, load, rounds, preconditioning, histogram."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ssdlab.model.drive import WriteCacheState
from ssdlab.model.io_engine import AUTO_ENGINE
from ssdlab.model.spec import PTS_CRITERIA, ActiveRange, Tracking
from ssdlab.model.units import GIB, KIB
from ssdlab.pts.settings import DEPTH, THREADS, Fault, Settings, setting

MOST_ROUNDS = 100_000
RND_4K_WRITE = Tracking(
    access="rnd", block_size_bytes=4 * KIB, read_percent=0, metric="iops"
)


@dataclass(frozen=True, kw_only=True)
class Flow(Settings):
    """What holds for every test; ``max_idle_s`` is ours.

    A longer gap starts the measurement window afresh.
    """

    group: ClassVar[str] = "flow"
    prefix: ClassVar[str] = ""
    changes: ClassVar = {
        "pts-2.0-client": {"write_cache": "enabled", "active_range_percent": 75},
        "pts-c-1.1": {"active_range_percent": 100},
        "tkperf": {"write_cache": "as found", "uses_random_map": True},
    }

    write_cache: WriteCacheState = setting(
        "disabled", "write cache", "3", "write cache", code="write-cache"
    )
    active_range_percent: float = setting(100, "active range", "2", "percent")
    uses_random_map: bool = setting(
        False,  # noqa: FBT003 - a value of the field
        "fio's random map (no block twice in a cell)",
        "",
        "flag",
    )
    io_engine: str = setting(
        AUTO_ENGINE,
        "IO engine of fio, with its flags; auto is that of the target",
        "",
        "io engine",
        is_choice=True,
        before=AUTO_ENGINE,
    )
    max_idle_s: float = setting(
        5,
        "longest idle time that a window may span (ours)",
        "",
        "seconds",
        may_be_less=True,
    )


@dataclass(frozen=True, kw_only=True)
class Ranges(Settings):
    """The loops of PTS-C 1.x; without them the active range of the flow holds."""

    group: ClassVar[str] = "ranges"
    prefix: ClassVar[str] = ""
    changes: ClassVar = {
        "pts-c-1.1": {
            "active_ranges": tuple(  # outer loops: PTS 2.0.2, section 7
                ActiveRange(percent=percent, amount_bytes=amount, segments=100)
                for percent in (100, 75)
                for amount in (8 * GIB, 16 * GIB)
            )
        }
    }

    active_ranges: tuple[ActiveRange, ...] = setting(
        (),
        "active ranges and amounts of IOPS, TP and LAT",
        "7",
        "active range",
        is_list=True,
        absent="none",
        before=(),
    )

    def faults(self) -> Iterator[Fault]:
        """Yield ranges of one name."""
        names = [active.name for active in self.active_ranges]
        if len(set(names)) < len(names):
            yield "active_ranges", "two are equal", "Leave one out."


@dataclass(frozen=True, kw_only=True)
class Load(Settings):
    """TC and QD; the standard leaves them to the operator."""

    group: ClassVar[str] = "load"
    prefix: ClassVar[str] = ""
    changes: ClassVar = {
        name: {"threads": 2, "queue_depth": 16}
        for name in ("pts-2.0-client", "tkperf", "demo")
    }  # in the demo less than the virtual SSD's size in flight

    threads: int = setting(
        4, "thread count TC", "7", "count", limits=THREADS, is_choice=True
    )
    queue_depth: int = setting(
        32, "queue depth QD", "7", "count", limits=DEPTH, is_choice=True
    )


@dataclass(frozen=True, kw_only=True)
class MatrixRounds(Settings):
    """Rounds over a matrix of cells."""

    group: ClassVar[str] = "rounds"
    prefix: ClassVar[str] = ""
    changes: ClassVar = {"demo": {"cell_s": 1, "max_rounds": 10}}

    cell_s: float = setting(60, "time of a cell", "7, 8, 9, 13", "seconds")
    max_rounds: int = setting(
        25,
        "maximum rounds",
        "2.1.24",
        "count",
        limits=(5, 1000),
        code="rounds-allowed",
        allowed_to=float("inf"),  # the operator may continue: PTS 2.1.24
    )


@dataclass(frozen=True, kw_only=True)
class Wipc(Settings):
    """Workload-independent preconditioning; without ``threads`` it has the loop's."""

    group: ClassVar[str] = "wipc"
    prefix: ClassVar[str] = "wipc_"
    changes: ClassVar = {"tkperf": {"is_divided": False}}
    clause: ClassVar[str] = "3.3"

    capacity_multiple: float = setting(
        2,
        "preconditioning amount in user capacities",
        "3.3",
        "number",
        code_below="fill-short",
    )
    block_size_bytes: int = setting(
        128 * KIB, "preconditioning block size", "3.3", "size"
    )
    threads: int | None = setting(
        None,
        "threads of the preconditioning",
        "3.3",
        "count",
        limits=THREADS,
        absent="those of the loop",
        code="wipc-threads",
    )
    is_divided: bool = setting(
        True,  # noqa: FBT003 - a value of the field
        "own part of the range for each preconditioning thread",
        "3.3",
        "flag",
        before=False,
    )


@dataclass(frozen=True, kw_only=True)
class HistogramRun(Settings):
    """The long run that counts every response time; it can be left out."""

    group: ClassVar[str] = "histogram"
    prefix: ClassVar[str] = ""
    changes: ClassVar = {
        "pts-e-1.1": {"histogram_s": None},
        "pts-c-1.1": {"histogram_s": None},
        "demo": {"histogram_s": 8},
    }

    histogram_s: float | None = setting(
        1200, "time of the histogram run", "9, 10", "seconds", absent="none"
    )


@dataclass(frozen=True, kw_only=True)
class Wdpc(Settings):
    """Workload-dependent preconditioning."""

    group: ClassVar[str] = "wdpc"
    prefix: ClassVar[str] = "wdpc_"
    changes: ClassVar = {
        "demo": {"round_s": 1, "sample_every_rounds": 5, "max_samples": 12}
    }

    round_s: float = setting(
        60,
        "time of a round of workload-dependent preconditioning",
        "11, 13",
        "seconds",
    )
    sample_every_rounds: int = setting(
        30,
        "rounds from one preconditioning sample to the next",
        "11, 13",
        "count",
        code="time-scaled",
    )
    max_samples: int = setting(
        25,
        "preconditioning samples at most",
        "11, 13",
        "count",
        limits=(1, 1000),
        code="rounds-allowed",
    )

    def faults(self) -> Iterator[Fault]:
        """Yield too few samples for a window, and too many rounds."""
        window = PTS_CRITERIA.window_rounds
        if self.max_samples < window:
            yield (
                "max_samples",
                f"a steady state is judged on {window} samples",
                f"Choose {window} or more.",
            )
        rounds = self.sample_every_rounds * self.max_samples
        yield from too_many_rounds("sample_every_rounds", rounds)


def too_many_rounds(field: str, rounds: float) -> Iterator[Fault]:
    """Yield the fault of a phase that no run could finish."""
    if rounds > MOST_ROUNDS:
        yield (
            field,
            f"that makes {rounds:.0f} rounds in a phase",
            f"Choose values of at most {MOST_ROUNDS} rounds.",
        )

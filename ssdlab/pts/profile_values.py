"""What each value of a profile means: words, section of pts.md, kind, limits."""

from dataclasses import dataclass
from functools import partial
from typing import Literal

from ssdlab.model.units import MIB

Kind = Literal[
    "seconds",
    "milliseconds",
    "size",
    "percent",
    "mix",
    "count",
    "number",
    "flag",
    "write cache",
    "test",
    "tracking",
    "active range",
]
UNITS: dict[Kind, str] = {
    "seconds": "s",
    "milliseconds": "ms",
    "size": "B, or with a unit",
    "percent": "% of the user capacity",
    "mix": "% reads",
}
_LIMITS: dict[Kind, tuple[float, float]] = {
    "seconds": (0.1, 30 * 24 * 3600),
    "milliseconds": (0.001, 1e6),
    "size": (512, MIB),
    "percent": (1, 100),
    "mix": (0, 100),
    "count": (1, 100_000),
    "number": (0.01, 1000),
}
_NO_LIMITS = (0.0, 0.0)
_THREADS, _DEPTH = (1, 256), (1, 1024)


@dataclass(frozen=True, kw_only=True, slots=True)
class Value:
    """One value of a profile: what it is, and what it may be.

    ``limits`` hold for each number of it. ``is_list`` says that it holds several, no
    two alike; a ``length`` of 0 is any but none. ``absent`` is the word that a file has
    where there is none.
    """

    words: str
    section: str
    kind: Kind
    limits: tuple[float, float]
    is_list: bool = False
    may_repeat: bool = False
    length: int = 0
    absent: str = ""

    @property
    def unit(self) -> str:
        """The unit in words, or nothing."""
        return UNITS.get(self.kind, "")


def _one(
    words: str,
    section: str,
    kind: Kind,
    *,
    limits: tuple[float, float] | None = None,
    absent: str = "",
    is_list: bool = False,
) -> Value:
    return Value(
        words=words,
        section=section,
        kind=kind,
        limits=limits or _LIMITS.get(kind, _NO_LIMITS),
        is_list=is_list,
        absent=absent,
    )


_many = partial(_one, is_list=True)


VALUES: dict[str, Value] = {
    "tests": _many("tests of the profile", "15, 16", "test"),
    "write_cache": _one("write cache", "0.3, 4.6", "write cache"),
    "active_range_percent": _one("active range", "0.3, 2", "percent"),
    "active_ranges": _many(
        "active ranges and amounts of IOPS, TP and LAT",
        "6, 15",
        "active range",
        absent="none",
    ),
    "threads": _one("thread count TC", "0.3, 6", "count", limits=_THREADS),
    "queue_depth": _one("queue depth QD", "0.3, 6", "count", limits=_DEPTH),
    "wipc_capacity_multiple": _one(
        "preconditioning amount in user capacities", "4.3", "number"
    ),
    "wipc_block_size_bytes": _one("preconditioning block size", "4.3", "size"),
    "wipc_threads": _one(
        "threads of the preconditioning",
        "4.3",
        "count",
        limits=_THREADS,
        absent="those of the loop",
    ),
    "wipc_is_divided": _one(
        "a part of the range for each preconditioning thread",
        "4.3",
        "flag",
    ),
    "uses_random_map": _one(
        "fio's random map (no block twice in a cell)", "16, 20", "flag"
    ),
    "cell_s": _one("time of a cell", "6, 7, 8, 12.2", "seconds"),
    "max_rounds": _one("rounds at most", "3.1", "count", limits=(5, 1000)),
    "iops_mixes": _many("R/W mixes of IOPS", "6", "mix"),
    "iops_block_sizes": _many("block sizes of IOPS", "6", "size"),
    "iops_tracking": _many("tracking variables of IOPS", "6", "tracking"),
    "tp_block_sizes": _many("block sizes of TP", "7", "size"),
    "tp_threads": _one("thread count of TP", "7", "count", limits=_THREADS),
    "tp_queue_depth": _one("queue depth of TP", "7", "count", limits=_DEPTH),
    "tp_has_wipc": _one("preconditioning of TP", "7, 16", "flag"),
    "tp_tracked_sizes": _many(
        "block sizes of TP with a steady state of their own",
        "7, 16",
        "size",
        absent="all",
    ),
    "tp_carries_on": _one(
        "cells of TP go on where the last one ended", "7, 23", "flag"
    ),
    "lat_mixes": _many("R/W mixes of LAT", "8", "mix"),
    "lat_block_sizes": _many("block sizes of LAT", "8", "size"),
    "wsat_round_s": _one("time of a WSAT round", "9", "seconds"),
    "wsat_capacity_multiple": _one("WSAT limit in user capacities", "9", "number"),
    "wsat_time_limit_s": _one("WSAT time limit", "9, 15", "seconds"),
    "wsat_sample_every_rounds": _one(
        "rounds from one WSAT sample to the next", "9, 16", "count", absent="none"
    ),
    "histogram_s": _one("time of the histogram run", "8, 9", "seconds", absent="none"),
    "wdpc_round_s": _one(
        "time of a round of workload-dependent preconditioning", "10, 12.2", "seconds"
    ),
    "wdpc_sample_every_rounds": _one(
        "rounds from one preconditioning sample to the next", "10, 12.2", "count"
    ),
    "wdpc_max_samples": _one(
        "preconditioning samples at most", "10, 12.2", "count", limits=(1, 1000)
    ),
    "hir_access_s": _one("time of an access of HIR", "10", "seconds"),
    "hir_wait_states": _many("wait states of HIR", "10", "count", limits=(1, 1000)),
    "hir_cycles": _one("accesses of a wait state of HIR", "10", "count"),
    "hir_baseline_cycles": _one("accesses of a baseline of HIR", "10", "count"),
    "xsr_group_s": Value(
        words="times of the access groups of XSR",
        section="11",
        kind="seconds",
        limits=_LIMITS["seconds"],
        is_list=True,
        may_repeat=True,
        length=3,
    ),
    "xsr_round_s": _one("time of an XSR round", "11", "seconds"),
    "xsr_threads": Value(
        words="thread counts of the access groups of XSR",
        section="11",
        kind="count",
        limits=_THREADS,
        is_list=True,
        may_repeat=True,
        length=3,
    ),
    "xsr_queue_depth": _one("queue depth of XSR", "11", "count", limits=_DEPTH),
    "demand_threads": _many(
        "thread counts of the demand variation", "12.2", "count", limits=_THREADS
    ),
    "demand_queue_depths": _many(
        "queue depths of the demand variation", "12.2", "count", limits=_DEPTH
    ),
    "demand_pre_write_s": _one(
        "time of the pre-writes between rounds", "12.2", "seconds"
    ),
    "demand_pre_write_capacity_multiple": _one(
        "limit of the pre-writes between rounds in user capacities",
        "12.2",
        "number",
        absent="none",
    ),
    "demand_max_lat_ms": _one(
        "mean response time [ms] that a chosen point stays below",
        "12.2",
        "milliseconds",
    ),
    "point_pre_write_s": _one("time of the pre-writes of a point", "12.2", "seconds"),
    "point_round_s": _one(
        "time of a round of the pre-writes of a point", "12.2", "seconds"
    ),
    "point_histogram_s": _one(
        "time of the histogram run of a point", "12.2", "seconds"
    ),
    "cbw_read_percent": _one("R/W mix of CBW", "12.1", "mix"),
    "cbw_alignment_bytes": _one(
        "alignment of the composite blocks; 0 is the smallest block",
        "12.1",
        "size",
        limits=(0, MIB),
    ),
    "dirth_block_size_bytes": _one("block size of DIRTH", "13", "size"),
    "dirth_read_percent": _one("R/W mix of DIRTH", "13", "mix"),
    "max_idle_s": _one(
        "idle time that a window may span at most (ours)", "4.1", "seconds"
    ),
}
WRITE_CACHES = ("disabled", "enabled", "as found")

"""How the nine storage classes were measured, and how a run differs from that.

The numbers stand in the units of the published table: IOPS, MB/s and ms.
"""

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import pandas as pd

from ssdlab.model.editions import PTS_E_1
from ssdlab.model.spec import stimulus_label
from ssdlab.model.units import KIB, MIB, capacity_label, duration_label

RunFacts = Mapping[Hashable, Any]
ROUND_S = 60.0  # one minute a cell and a WSAT round in PTS-E 1.1
SPEC_VERSION = PTS_E_1

_TIME_TOLERANCE = 0.05
_UNKNOWN_TEXTS = frozenset({"", "none", "nan", "<na>", "not known", "not recorded"})
_DECIMAL_DOUBT = MIB / 1e6  # what is printed as MB/s may be MiB/s


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassMetric:
    """One column of the published table.

    ``factor`` makes its unit of the stored one. ``half_step`` is half of its last
    printed digit, and ``unit_doubt`` by how much its unit may be greater than it says.
    ``workers`` are the TC/QD of the source; IOPS has those of two groups of rows.
    """

    name: str
    title: str
    unit: str
    test: str
    column: str
    access: Literal["rnd", "seq"]
    block_size_bytes: int
    read_percent: int
    workers: tuple[tuple[int, int], ...]
    factor: float = 1.0
    half_step: float = 0.5
    unit_doubt: float = 1.0

    @property
    def is_more_better(self) -> bool:
        """Whether the greater of two values is the better one."""
        return self.unit != "ms"

    @property
    def stimulus(self) -> str:
        """The cell in the words of the PTS."""
        return stimulus_label(self.access, self.block_size_bytes, self.read_percent)

    def printed_bounds(self, value: float) -> tuple[float, float]:
        """Return the range in which the true value of a printed one may lie."""
        return value - self.half_step, (value + self.half_step) * self.unit_doubt


def _iops(name: str, title: str, read_percent: int) -> ClassMetric:
    is_fob = name == "fob_iops"
    return ClassMetric(
        name=name,
        title=title,
        unit="IOPS",
        test="wsat" if is_fob else "iops",
        column="iops",
        access="rnd",
        block_size_bytes=4 * KIB,
        read_percent=read_percent,
        workers=((4, 32),) if is_fob else ((2, 16), (4, 32)),
    )


def _throughput(name: str, title: str, read_percent: int) -> ClassMetric:
    return ClassMetric(
        name=name,
        title=title,
        unit="MB/s",
        test="tp",
        column="bw_bytes_per_s",
        access="seq",
        block_size_bytes=MIB,
        read_percent=read_percent,
        workers=((1, 32),),
        factor=1e-6,
        unit_doubt=_DECIMAL_DOUBT,
    )


def _latency(name: str, title: str, column: str) -> ClassMetric:
    return ClassMetric(
        name=name,
        title=title,
        unit="ms",
        test="lat",
        column=column,
        access="rnd",
        block_size_bytes=4 * KIB,
        read_percent=0,
        workers=((1, 1),),
        factor=1e-6,
        half_step=0.005,
    )


CLASS_METRICS = (
    _iops("fob_iops", "FOB", 0),
    _iops("write_iops", "RND 4 KiB 0/100", 0),
    _iops("mixed_iops", "RND 4 KiB 65/35", 65),
    _iops("read_iops", "RND 4 KiB 100/0", 100),
    _throughput("tp_write_mb_per_s", "SEQ 1024 KiB 0/100", 0),
    _throughput("tp_read_mb_per_s", "SEQ 1024 KiB 100/0", 100),
    _latency("lat_mean_ms", "Average latency", "lat_mean_ns"),
    _latency("lat_max_ms", "Maximum latency", "lat_max_ns"),
)


def _responses(kind: str, columns: str, cells: str) -> tuple[ClassMetric, ...]:
    """Return response times (ART or MRT) of the cells of other metrics."""
    return tuple(
        replace(
            of,
            name=f"{of.name.removesuffix('_iops').removesuffix('_mb_per_s')}_{kind}_ms",
            title=f"{kind.upper()}, {of.stimulus}",
            unit="ms",
            column=columns,
            factor=1e-6,
        )
        for of in CLASS_METRICS
        if of.name in cells.split()
    )


# What the plots show beside IOPS and throughput: of the same cells, and not ranked.
RESPONSE_METRICS = (
    *_responses("art", "lat_mean_ns", "write_iops mixed_iops read_iops"),
    *_responses("art", "lat_mean_ns", "tp_write_mb_per_s tp_read_mb_per_s"),
    *_responses("mrt", "lat_max_ns", "tp_write_mb_per_s tp_read_mb_per_s"),
)
METRICS_BY_NAME = {metric.name: metric for metric in CLASS_METRICS}
DRAWN_BY_NAME = METRICS_BY_NAME | {metric.name: metric for metric in RESPONSE_METRICS}


def add_class_responses(classes: pd.DataFrame) -> pd.DataFrame:
    """Return the storage classes with the average response times of IOPS and TP [ms].

    They are not in the source. By Little's law a device that holds N IOs outstanding
    and completes X of them per second takes N / X on average.

    >>> from ssdlab.reference.storage_classes import read_storage_classes
    >>> classes = add_class_responses(read_storage_classes())
    >>> float(classes["write_art_ms"].iloc[1].round(2))  # 32 IOs, 340 IOPS
    94.12
    """
    outstanding = classes["iops_threads"] * classes["iops_queue_depth"]
    responses = {
        f"{name}_art_ms": 1e3 * outstanding / classes[f"{name}_iops"]
        for name in ("write", "mixed", "read")
    }
    for name in ("tp_write", "tp_read"):
        metric = METRICS_BY_NAME[f"{name}_mb_per_s"]
        ((threads, depth),) = metric.workers
        ios_per_s = classes[metric.name] / (metric.factor * metric.block_size_bytes)
        responses[f"{name}_art_ms"] = 1e3 * threads * depth / ios_per_s
    return classes.assign(**responses)


def run_kind(run: RunFacts) -> str:
    """Return what was measured: virtual, file, imported or drive."""
    if bool(run["is_virtual"]):
        return "file" if str(run["target"]).startswith("file:") else "virtual"
    return "imported" if run["profile"] == "imported" else "drive"


def find_run_conditions(
    run: RunFacts, classes: pd.DataFrame, *, is_cache_left: bool
) -> tuple[str, ...]:
    """Return what differs from the source in all values of a run.

    One condition an entry; what is not known counts as different.
    """
    return (
        *_of_target(run),
        *_of_capacity(run["capacity_bytes"], classes["capacity_gb"]),
        *_of_profile(run, is_cache_left=is_cache_left),
        *_of_state(run),
    )


def _number(value: Any) -> float:
    """Return a value of a frame; NaN where it is missing."""
    return math.nan if str(value) in {"None", "<NA>", "nan"} else float(value)


def _of_target(run: RunFacts) -> Iterator[str]:
    match run_kind(run):
        case "virtual":
            yield "virtual SSD: a model, not a drive"
        case "file":
            yield "a file, not a drive: its file system is measured as well"
        case "imported":
            words = "imported: not measured by ssdlab"
            unknown = ", ".join(_unknown_of_import(run))
            yield f"{words}; not known: {unknown}" if unknown else words
        case _:
            pass


def _unknown_of_import(run: RunFacts) -> Iterator[str]:
    """Yield what an import lacks and no other condition names."""
    for column, words in (("purge_method", "purge"), ("device_model", "device")):
        if str(run[column]).strip().lower() in _UNKNOWN_TEXTS:
            yield words
    if math.isnan(_number(run["active_range_percent"])):
        yield "active range"


def _of_capacity(capacity_bytes: Any, capacities_gb: "pd.Series[int]") -> Iterator[str]:
    size_bytes = _number(capacity_bytes)
    if not size_bytes > 0:
        yield "user capacity: not known"
        return
    least, most = int(capacities_gb.min()), int(capacities_gb.max())
    if not least <= size_bytes / 1e9 <= most:
        words = capacity_label(size_bytes)
        yield f"user capacity: {words}, and the nine have {least:,} to {most:,} GB"


def _of_profile(run: RunFacts, *, is_cache_left: bool) -> Iterator[str]:
    version = str(run["spec_version"])
    if version != SPEC_VERSION:
        yield f"method: {version}, profile {run['profile']}, instead of {SPEC_VERSION}"
    percent = _number(run["active_range_percent"])
    if not math.isnan(percent) and percent != 100:
        yield f"active range: {percent:g} % of user capacity instead of 100 %"
    cache = str(run["write_cache"])
    left = f"left as found (profile: {cache})"
    asked = left if is_cache_left else cache
    yield f"write cache: {asked}; unknown in the source"


def _of_state(run: RunFacts) -> Iterator[str]:
    if run["status"] != "finished":
        yield f"the run is {run['status']}, not finished"
    count = _number(run["interruptions"])
    if count > 0:
        yield f"the run was resumed {count:g} times"


def find_value_conditions(metric: ClassMetric, rounds: pd.DataFrame) -> tuple[str, ...]:
    """Return what differs from the source in the rounds of one value."""
    return (*_of_workers(metric, rounds), *_of_times(rounds))


def _of_workers(metric: ClassMetric, rounds: pd.DataFrame) -> Iterator[str]:
    names = [f"T{threads}/Q{depth}" for threads, depth in metric.workers]
    pairs = rounds[["threads", "queue_depth"]].drop_duplicates()
    if pairs.isna().to_numpy().any() or (pairs == 0).to_numpy().any():
        yield f"TC/QD: unknown; {' or '.join(names)} in the source"
        return
    used = {(int(pair[0]), int(pair[1])) for pair in pairs.to_numpy().tolist()}
    texts = ", ".join(f"T{threads}/Q{depth}" for threads, depth in sorted(used))
    if used - set(metric.workers):
        yield f"TC/QD: {texts} instead of {' or '.join(names)}"
    elif len(names) > 1:
        yield f"TC/QD: {texts}; rows 1 to 5 have {names[0]}, rows 6 to 9 {names[1]}"


def _of_times(rounds: pd.DataFrame) -> Iterator[str]:
    seconds = float(rounds["runtime_s"].astype(float).median())
    if math.isnan(seconds):
        yield "time of a round: unknown"
    elif abs(seconds / ROUND_S - 1) > _TIME_TOLERANCE:
        words = duration_label(seconds)
        yield f"time of a round: {words} instead of {duration_label(ROUND_S)}"

"""What the cells of a test are compared by, and which direction is better."""

from dataclasses import dataclass

LEVEL_METRICS = {
    99.9: "lat_three_nines_ns",
    99.99: "lat_four_nines_ns",
    99.999: "lat_five_nines_ns",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class CellMetric:
    """One metric of the cells of a test.

    ``name`` is the column that holds it, ``words`` what it is called. ``level_percent``
    is that of a percentile, 0 of all others.
    """

    name: str
    words: str
    is_more_better: bool
    level_percent: float = 0.0


IOPS = CellMetric(name="iops", words="IOPS", is_more_better=True)
THROUGHPUT = CellMetric(name="bw_bytes_per_s", words="throughput", is_more_better=True)
MEAN_LATENCY = CellMetric(
    name="lat_mean_ns", words="mean latency", is_more_better=False
)
LATENCY_LEVELS = tuple(
    CellMetric(
        name=name,
        words=f"{level:g} % latency",
        is_more_better=False,
        level_percent=level,
    )
    for level, name in LEVEL_METRICS.items()
)
METRICS = {
    metric.name: metric for metric in (IOPS, THROUGHPUT, MEAN_LATENCY, *LATENCY_LEVELS)
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """What the cells of a test are compared by; TC and QD tell some apart."""

    metrics: tuple[CellMetric, ...] = ()
    by_workers: bool = False


NOT_COMPARED = Compared()
BY_IOPS = Compared(metrics=(IOPS,))
BY_THROUGHPUT = Compared(metrics=(THROUGHPUT,))
BY_LATENCY = Compared(metrics=(MEAN_LATENCY, *LATENCY_LEVELS))
BY_IOPS_AND_LATENCY = Compared(metrics=(IOPS, MEAN_LATENCY, *LATENCY_LEVELS))
BY_IOPS_OF_WORKERS = Compared(metrics=(IOPS,), by_workers=True)

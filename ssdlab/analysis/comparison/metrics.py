"""What runs are compared by: which metric of which test, and which way is better."""

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


def metrics_of(test: str) -> tuple[CellMetric, ...]:
    """Return what the cells of a test are compared by; nothing of other tests."""
    if test == "tp":
        return (THROUGHPUT,)
    if test == "lat":
        return (MEAN_LATENCY, *LATENCY_LEVELS)
    if test in {"iops", "cbw", "dirth"} or test.startswith("wsat"):
        return (IOPS,)
    return ()


def is_by_workers(test: str) -> bool:
    """Tell whether TC and QD tell the cells of a test apart."""
    return test in {"cbw", "dirth"}

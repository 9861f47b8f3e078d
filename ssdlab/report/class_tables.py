"""The tables of a page of storage classes."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ssdlab.analysis.classes.metrics import CLASS_METRICS, METRICS_BY_NAME, ClassMetric
from ssdlab.figures.labels import number_text
from ssdlab.report.blocks import Table
from ssdlab.report.class_runs import ClassRun
from ssdlab.report.text import NOT_MEASURED, is_missing

_SHORT = {
    "fob_iops": "FOB",
    "write_iops": "IOPS W",
    "mixed_iops": "65/35",
    "read_iops": "IOPS R",
    "tp_write_mb_per_s": "MB/s W",
    "tp_read_mb_per_s": "MB/s R",
    "lat_mean_ms": "Avg [ms]",
    "lat_max_ms": "Max [ms]",
}
_RATIO_DIGITS = 3


def classes_table(classes: pd.DataFrame, runs: Sequence[ClassRun]) -> Table:
    """Return the nine classes as printed, and the runs in the same columns."""
    rows = [
        (
            f"{row['row']}. {row['storage_class']}",
            *(_printed(row, metric) for metric in CLASS_METRICS),
        )
        for _, row in classes.iterrows()
    ]
    rows += [_run_row(run) for run in runs]
    return Table(
        caption="IOPS of RND 4 KiB, MB/s of SEQ 1024 KiB, latency of RND 4 KiB writes",
        corner="Class or run" if runs else "Class",
        head=tuple(_SHORT.values()),
        rows=tuple(rows),
        note="W is R/W 0/100 and R is 100/0. FOB: first minute of WSAT. IOPS at "
        "T2/Q16 (rows 1 to 5) or T4/Q32 (rows 6 to 9), FOB at T4/Q32, MB/s at T1/Q32, "
        "latency at T1/Q1. * cannot be right, see below; it takes no part in any "
        "placing.",
    )


def _printed(row: "pd.Series[Any]", metric: ClassMetric) -> str:
    """Return a published value with the digits that were printed."""
    value = float(row[metric.name])
    text = f"{value:,.2f}" if metric.unit == "ms" else f"{value:,.0f}"
    return f"{text} *" if metric.name in str(row["doubtful"]).split() else text


def _run_row(run: ClassRun) -> tuple[str, ...]:
    known = run.measured.set_index("metric")["value"]
    texts = (_number(known[metric.name]) for metric in CLASS_METRICS)
    return (run.name, *texts)


def _number(value: Any) -> str:
    return NOT_MEASURED if is_missing(value) else number_text(float(value))


def devices_table(classes: pd.DataFrame) -> Table:
    """Return what the nine devices are, and what is to be said of their numbers."""
    rows = tuple(
        (
            f"{row['row']}. {row['storage_class']}",
            str(row["group"]),
            str(row["device"]),
            f"{row['capacity_gb']:,} GB",
            f"T{row['iops_threads']}/Q{row['iops_queue_depth']}",
            str(row["note"]),
        )
        for _, row in classes.iterrows()
    )
    return Table(
        caption="The nine devices",
        corner="Class",
        head=("Group", "Device", "Capacity", "IOPS at", "Note"),
        rows=rows,
        words=(1, 2, 5),
        is_folded=True,
    )


def values_table(run: ClassRun) -> Table:
    """Return each value of a run, where it is from and what differs from the source."""
    rows = tuple(
        (
            metric.title,
            _with_unit(row["value"], metric),
            str(row["source"]),
            "; ".join(str(row["conditions"]).splitlines()),
        )
        for _, row in run.measured.iterrows()
        for metric in (METRICS_BY_NAME[str(row["metric"])],)
    )
    return Table(
        caption=f"{run.name}: values, and how they differ from the source",
        corner="Column",
        head=("Value", "From", "Differs"),
        rows=rows,
        words=(2, 3),
    )


def _with_unit(value: Any, metric: ClassMetric) -> str:
    return NOT_MEASURED if is_missing(value) else f"{_number(value)} {metric.unit}"


def places_table(run: ClassRun) -> Table:
    """Return where each value of a run falls among the nine."""
    rows = tuple(
        (
            METRICS_BY_NAME[str(row["metric"])].title,
            _with_unit(row["value"], METRICS_BY_NAME[str(row["metric"])]),
            _place_text(row),
            _between_text(row),
            f"{ratio_text(float(row['ratio']))} times {row['nearest']}",
        )
        for _, row in run.places.iterrows()
    )
    return Table(
        caption=f"{run.name}: place among the classes, column by column",
        corner="Column",
        head=("Value", "Place", "Between", "Nearest"),
        rows=rows,
        words=(3, 4),
        note="Latency is of RND 4 KiB 0/100. Place 1 is before all classes. A class is "
        "better or worse only beyond what its printed digits, and MB or MiB, leave "
        "open.",
    )


def _place_text(row: "pd.Series[Any]") -> str:
    return f"{int(row['rank'])} of {int(row['n_compared']) + 1}"


def _between_text(row: "pd.Series[Any]") -> str:
    better, worse = str(row["better"]), str(row["worse"])
    words = f"{better} (better) and {worse} (worse)"
    if not better:
        words = f"before {worse}, the best of them" if worse else ""
    elif not worse:
        words = f"behind {better}, the last of them"
    equal = str(row["equal"])
    return "; ".join(part for part in (f"as {equal}" if equal else "", words) if part)


def nearest_table(run: ClassRun) -> Table:
    """Return how far each class is over all columns, with the parts it is made of."""
    parts = {
        (int(part["row"]), str(part["metric"])): float(part["ratio"])
        for _, part in run.distances.iterrows()
    }
    rows = tuple(
        (
            str(row["storage_class"]),
            ratio_text(float(row["mean_factor"])),
            str(row["n_metrics"]),
            *(_part(parts[int(row["row"]), name]) for name in _SHORT),
        )
        for _, row in run.nearest.iterrows()
    )
    return Table(
        caption=f"{run.name}: how far from each class, nearest first",
        corner="Class",
        head=("Factor", "Columns", *_SHORT.values()),
        rows=rows,
        note="Each column: the run by the class, so 1 is equal. Factor: the geometric "
        "mean of the columns, each turned to 1 or more and less what printed digits "
        "leave open. It counts every column alike and is no score: the columns say "
        "where a run is near. A column that one of the two lacks takes no part.",
    )


def _part(ratio: float) -> str:
    return NOT_MEASURED if is_missing(ratio) else f"{ratio_text(ratio)}x"


def ratio_text(ratio: float) -> str:
    """Return a ratio with three significant digits, thousands separated.

    >>> ratio_text(0.0011372), ratio_text(23.64), ratio_text(6609.0)
    ('0.00114', '23.6', '6,610')
    """
    rounded = float(f"{ratio:.{_RATIO_DIGITS}g}")
    if not (math.isfinite(rounded) and rounded > 0):
        return number_text(ratio)
    digits = _RATIO_DIGITS - 1 - math.floor(math.log10(rounded))
    return f"{rounded:,.{max(0, digits)}f}"

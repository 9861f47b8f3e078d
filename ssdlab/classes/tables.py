"""The tables of a page of storage classes."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from ssdlab.classes.metrics import CLASS_METRICS, METRICS_BY_NAME, ClassMetric
from ssdlab.classes.runs import ClassRun
from ssdlab.text.numbers import NOT_MEASURED, number_text, rounded_text
from ssdlab.text.quantities import is_missing
from ssdlab.text.table import Column, Table, column, tabulate

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


def classes_table(classes: pd.DataFrame, runs: Sequence[ClassRun]) -> Table:
    """Return the nine classes as printed, and the runs in the same columns."""
    rows = [
        {
            "name": f"{row['row']}. {row['storage_class']}",
            **{metric.name: _printed(row, metric) for metric in CLASS_METRICS},
        }
        for row in classes.to_dict("records")
    ]
    for run in runs:
        known = run.measured.set_index("metric")["value"]
        texts = {metric.name: _number(known[metric.name]) for metric in CLASS_METRICS}
        rows.append({"name": run.name, **texts})
    return tabulate(
        rows,
        (
            column("Class or run" if runs else "Class", "name"),
            *(column(head, name) for name, head in _SHORT.items()),
        ),
        caption="IOPS of RND 4 KiB, MB/s of SEQ 1024 KiB, latency of RND 4 KiB writes",
        note="W is R/W 0/100 and R is 100/0. FOB: first minute of WSAT. IOPS at T2/Q16 "
        "(rows 1 to 5) or T4/Q32 (rows 6 to 9), FOB at T4/Q32, MB/s at T1/Q32, "
        "latency at T1/Q1. * cannot be right, see below; it is not ranked.",
    )


def _printed(row: Mapping[Hashable, Any], metric: ClassMetric) -> str:
    """Return a published value with the digits that were printed."""
    value = float(row[metric.name])
    text = f"{value:,.2f}" if metric.unit == "ms" else f"{value:,.0f}"
    return f"{text} *" if metric.name in str(row["doubtful"]).split() else text


def _number(value: Any) -> str:
    return NOT_MEASURED if is_missing(value) else number_text(float(value))


def devices_table(classes: pd.DataFrame) -> Table:
    """Return the nine devices, with notes on their numbers."""
    return tabulate(
        classes,
        (
            column("Class", lambda row: f"{row['row']}. {row['storage_class']}"),
            column("Group", "group", is_words=True),
            column("Device", "device", is_words=True),
            column("Capacity", "capacity_gb", "{:,} GB".format),
            column(
                "IOPS at",
                lambda row: f"T{row['iops_threads']}/Q{row['iops_queue_depth']}",
            ),
            column("Note", "note", is_words=True),
        ),
        caption="The nine devices",
        is_folded=True,
    )


_METRIC = column("Column", lambda row: METRICS_BY_NAME[row["metric"]].title)


def _value(row: Mapping[str, Any]) -> str | None:
    unit = METRICS_BY_NAME[row["metric"]].unit
    return None if is_missing(row["value"]) else f"{_number(row['value'])} {unit}"


def values_table(run: ClassRun) -> Table:
    """Return each value of a run, its origin and its differences from the source."""
    return tabulate(
        run.measured,
        (
            _METRIC,
            column("Value", _value),
            column("From", "source", is_words=True),
            column("Differs", "conditions", _on_one_line, is_words=True),
        ),
        caption=f"{run.name}: values, and differences from the source",
    )


def _on_one_line(text: str) -> str:
    return "; ".join(text.splitlines())


def places_table(run: ClassRun) -> Table:
    """Return the rank of each value of a run among the nine."""
    return tabulate(
        run.places,
        (
            _METRIC,
            column("Value", _value),
            column("Place", _place_text),
            column("Between", _between_text, is_words=True),
            column("Nearest", _nearest_text, is_words=True),
        ),
        caption=f"{run.name}: place among the classes, column by column",
        note="Latency is of RND 4 KiB 0/100. Place 1 is better than all classes. A "
        "class is better or worse only beyond the uncertainty of its printed "
        "digits and of MB or MiB.",
    )


def _place_text(row: Mapping[str, Any]) -> str:
    return f"{int(row['rank'])} of {int(row['n_compared']) + 1}"


def _nearest_text(row: Mapping[str, Any]) -> str:
    return f"{rounded_text(float(row['ratio']))} times {row['nearest']}"


def _between_text(row: Mapping[str, Any]) -> str:
    better, worse = str(row["better"]), str(row["worse"])
    words = f"{better} (better) and {worse} (worse)"
    if not better:
        words = f"ahead of {worse}, the best of them" if worse else ""
    elif not worse:
        words = f"behind {better}, the last of them"
    equal = str(row["equal"])
    return "; ".join(
        part for part in (f"equal to {equal}" if equal else "", words) if part
    )


def nearest_table(run: ClassRun) -> Table:
    """Return the distance of each class over all columns, with its parts."""
    parts = {
        (part["row"], part["metric"]): part["ratio"]
        for part in run.distances.to_dict("records")
    }

    def part(name: str) -> Column:
        return column(
            _SHORT[name],
            lambda row: parts[row["row"], name],
            lambda ratio: f"{rounded_text(float(ratio))}x",
        )

    return tabulate(
        run.nearest,
        (
            column("Class", "storage_class"),
            column("Factor", "mean_factor", rounded_text),
            column("Columns", "n_metrics"),
            *map(part, _SHORT),
        ),
        caption=f"{run.name}: distance from each class, nearest first",
        note="Each column: run / class, so 1 is equal. Factor: the geometric mean of "
        "the columns, each inverted to 1 or more, less the uncertainty of printed "
        "digits. It weights every column equally and is not a score: see the "
        "columns. A column that either lacks is left out.",
    )

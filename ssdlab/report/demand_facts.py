"""The head of a page of CBW or DIRTH: preconditioning, stimulus, chosen points."""

from typing import Any

import pandas as pd

from ssdlab.analysis.demand import (
    DEMAND_PHASE,
    MAX_LAT_NS,
    POINT_NAMES,
    summarise_points,
)
from ssdlab.figures.labels import number_text
from ssdlab.model.spec import (
    Composite,
    OperatingPoint,
    Rounds,
    Stimulus,
    stimulus_label,
)
from ssdlab.model.units import block_size_label, duration_label
from ssdlab.pts.wdpc import WDPC
from ssdlab.report.context import Context
from ssdlab.report.head_facts import Facts, common_facts
from ssdlab.report.text import NOT_RECORDED, is_missing, workers_text


def limit_ns(context: Context, test: str) -> float:
    """Return the mean response time that a chosen point must be below [ns]."""
    points = (
        phase
        for phase in context.test(test).phases
        if isinstance(phase, OperatingPoint)
    )
    return min((point.max_lat_ns for point in points), default=MAX_LAT_NS)


def composite_of(context: Context, test: str) -> Composite | None:
    """Return the composite stimulus of a test, if it has one."""
    for phase in context.test(test).phases:
        if isinstance(phase, Rounds):
            return phase.cells[0].composite
        if isinstance(phase, Stimulus) and phase.workload.composite:
            return phase.workload.composite
    return None


def alignment_text(composite: Composite) -> str:
    """Say how the composite was aligned; the PTS does not say how it is to be."""
    if composite.alignment_bytes:
        size = block_size_label(composite.alignment_bytes)
        return f"aligned to {size}, small blocks too"
    least = block_size_label(min(size for size, _ in composite.block_shares))
    return f"aligned to the smallest block, {least}, whatever their size"


def set_up_facts(context: Context, test: str) -> Facts:
    """Return the preconditioning by the workload, and the writes between rounds."""
    steps = context.steps_of(test)
    facts = common_facts(context, test)
    before = steps[steps["phase"] == WDPC]
    if before.empty:
        facts.append(("Pre-condition 1", "none"))
    else:
        words = f"{_stimulus(before.iloc[0])}; {_steady(context, test, WDPC)}"
        facts.append(("Pre-condition 1", words))
    between = steps[(steps["phase"] == DEMAND_PHASE) & (steps["kind"] == "pre_write")]
    if not between.empty:
        parts = [_stimulus(between.iloc[0]), _time(between["duration_s"].median())]
        capacity = context.record.target.capacity_bytes
        if capacity and between["written_bytes"].notna().all():
            percent = 100 * float(between["written_bytes"].median()) / capacity
            parts.append(f"{percent:.2g} % of the user capacity")
        facts.append(("Inter-round pre-write", ", ".join(parts)))
    return facts


def stimulus_facts(context: Context, test: str) -> Facts:
    """Return the loop of the demand variation, its window and the chosen points."""
    steps = context.steps_of(test)
    cells = steps[(steps["phase"] == DEMAND_PHASE) & (steps["kind"] == "cell")]
    facts = common_facts(context, test)
    if cells.empty:
        return [*facts, ("Test stimulus 1", "not begun")]
    facts += [
        ("Test stimulus 1", _name(cells.iloc[0])),
        ("TC (outer loop)", _values(cells["threads"])),
        ("QD (inner loop)", _values(cells["queue_depth"])),
        ("Each point, median", _time(cells["duration_s"].median())),
        ("Steady state", _steady(context, test, DEMAND_PHASE)),
    ]
    if composite := composite_of(context, test):
        facts.append(("IOs", alignment_text(composite)))
    return [*facts, *_point_facts(context, test)]


def _point_facts(context: Context, test: str) -> Facts:
    limit = limit_ns(context, test)
    points = summarise_points(context.totals, test=test, max_lat_ns=limit)
    long_runs = context.steps_of(test)
    long_runs = long_runs[long_runs["kind"] == "histogram"]
    facts: Facts = []
    for row in points.itertuples():
        words = f"{workers_text(row.threads, row.queue_depth)}, "
        words += f"{number_text(float(str(row.iops)))} IOPS"
        times = long_runs[long_runs["phase"] == row.phase]["duration_s"]
        if len(times):
            words += f"; histogram of {_time(times.iloc[0])}"
        facts.append((f"{str(row.point).capitalize()}IOPS point", words))
    return facts or [(f"{POINT_NAMES[0].capitalize()}IOPS point", "not chosen yet")]


def _name(row: "pd.Series[Any]") -> str:
    """Return a stimulus of a row, whose missing block size is a composite's."""
    size = row["block_size_bytes"]
    known = 0 if is_missing(size) else int(size)
    return stimulus_label(str(row["access"]), known, int(row["read_percent"]))


def _stimulus(row: "pd.Series[Any]") -> str:
    threads, depth = int(row["threads"]), int(row["queue_depth"])
    return f"{_name(row)}, TOIO {threads * depth:,} (TC {threads} / QD {depth})"


def _values(column: "pd.Series[Any]") -> str:
    """Return the values of a loop in the order in which they were run."""
    return ", ".join(str(int(value)) for value in column.drop_duplicates())


def _steady(context: Context, test: str, phase: str) -> str:
    finals = context.final_windows(test, phase)
    if not finals:
        return "SS NOT ACHIEVED: no full window"
    rounds = f"SS rounds {finals[0].rounds_text}"
    return rounds if finals[0].is_round_steady else f"{rounds}: SS NOT ACHIEVED"


def _time(seconds: Any) -> str:
    if pd.isna(seconds):
        return NOT_RECORDED
    return duration_label(seconds) if seconds >= 60 else f"{seconds:.3g} s"

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
from ssdlab.model.spec import Composite, stimulus_label
from ssdlab.model.units import block_size_label, duration_label
from ssdlab.pts.demand import BLOCK_SHARES, ZONES, Cbw, Demand
from ssdlab.pts.fitting import fit_composite
from ssdlab.report.context import Context
from ssdlab.report.text import NOT_RECORDED, is_missing, workers_text
from ssdlab.report.verdict import WDPC

Facts = list[tuple[str, str]]

DEMAND_TESTS = ("cbw", "dirth")


def limit_ns(context: Context) -> float:
    """Return the mean response time that a chosen point must be below [ns]."""
    return context.profile[Demand].max_lat_ms * 1e6 if context.profile else MAX_LAT_NS


def composite_of(context: Context) -> Composite:
    """Return the composite stimulus as it fits the sectors of the device."""
    whole = Composite(
        block_shares=BLOCK_SHARES,
        zones=ZONES,
        alignment_bytes=context.profile[Cbw].alignment_bytes if context.profile else 0,
    )
    return fit_composite(whole, context.record.target.sector_bytes or 1)


def alignment_text(context: Context) -> str:
    """Say how the composite was aligned; the PTS does not say how it is to be."""
    if context.profile is None:
        return f"aligned as the profile asks, which is {NOT_RECORDED}"
    composite = composite_of(context)
    if composite.alignment_bytes:
        size = block_size_label(composite.alignment_bytes)
        return f"aligned to {size}, small blocks too"
    least = block_size_label(min(size for size, _ in composite.block_shares))
    return f"aligned to the smallest block, {least}, whatever their size"


def set_up_facts(context: Context, test: str) -> Facts:
    """Return what was written before the demand variation and between its rounds."""
    steps = context.steps_of(test)
    facts: Facts = []
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
    if cells.empty:
        return [("Test stimulus 1", "not begun")]
    facts: Facts = [
        ("Test stimulus 1", _name(cells.iloc[0])),
        ("TC (outer loop)", _values(cells["threads"])),
        ("QD (inner loop)", _values(cells["queue_depth"])),
        ("Each point, median", _time(cells["duration_s"].median())),
        ("Steady state", _steady(context, test, DEMAND_PHASE)),
    ]
    if test == "cbw":
        facts.append(("IOs", alignment_text(context)))
    return [*facts, *_point_facts(context, test)]


def _point_facts(context: Context, test: str) -> Facts:
    points = summarise_points(context.totals, test=test, max_lat_ns=limit_ns(context))
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
    if finals.empty:
        return "SS NOT ACHIEVED: no full window"
    final = finals.iloc[0]
    rounds = f"SS rounds {final['window_first_round']} - {final['window_last_round']}"
    return rounds if final["is_round_steady"] else f"{rounds}: SS NOT ACHIEVED"


def _time(seconds: Any) -> str:
    if pd.isna(seconds):
        return NOT_RECORDED
    return duration_label(seconds) if seconds >= 60 else f"{seconds:.3g} s"

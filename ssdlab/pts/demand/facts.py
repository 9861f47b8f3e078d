"""The head of a page of CBW or DIRTH: preconditioning, stimulus, chosen points."""

from typing import Any

import pandas as pd

from ssdlab.model.spec import (
    OperatingPoint,
)
from ssdlab.paper.context import Context
from ssdlab.pts.demand.summary import (
    DEMAND_PHASE,
    MAX_LAT_NS,
    POINT_NAMES,
    summarise_points,
)
from ssdlab.pts.shared.composite_tables import alignment_text, composite_of
from ssdlab.pts.shared.head_facts import Facts, common_facts
from ssdlab.pts.shared.preconditioning import (
    preconditioning_facts,
    steady_text,
    stimulus_name,
    stimulus_text,
    time_text,
)
from ssdlab.text.numbers import number_text, workers_text


def limit_ns(context: Context, test: str) -> float:
    """Return the limit of the mean response time of a chosen point [ns]."""
    points = (
        phase
        for phase in context.test(test).phases
        if isinstance(phase, OperatingPoint)
    )
    return min((point.max_lat_ns for point in points), default=MAX_LAT_NS)


def set_up_facts(context: Context, test: str) -> Facts:
    """Return the preconditioning by the workload, and the writes between rounds."""
    steps = context.steps_of(test)
    facts = preconditioning_facts(context, test)
    between = steps[(steps["phase"] == DEMAND_PHASE) & (steps["kind"] == "pre_write")]
    if not between.empty:
        took = time_text(between["duration_s"].median())
        parts = [stimulus_text(between.iloc[0]), took]
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
        return [*facts, ("Test stimulus 1", "not started")]
    facts += [
        ("Test stimulus 1", stimulus_name(cells.iloc[0])),
        ("TC (outer loop)", _values(cells["threads"])),
        ("QD (inner loop)", _values(cells["queue_depth"])),
        ("Each point, median", time_text(cells["duration_s"].median())),
        ("Steady state", steady_text(context, test, DEMAND_PHASE)),
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
            words += f"; histogram of {time_text(times.iloc[0])}"
        facts.append((f"{str(row.point).capitalize()}IOPS point", words))
    return facts or [(f"{POINT_NAMES[0].capitalize()}IOPS point", "not yet chosen")]


def _values(column: "pd.Series[Any]") -> str:
    """Return the values of a loop in the order in which they were run."""
    return ", ".join(str(int(value)) for value in column.drop_duplicates())

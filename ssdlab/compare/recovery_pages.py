"""The page of recovery from idle time and from another stimulus."""

from typing import Any

import pandas as pd

from ssdlab.compare.cells import rows_of
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.curve_figures import (
    plot_compared_cross_stimulus,
    plot_compared_idle_recovery,
)
from ssdlab.compare.missing import missing_notes
from ssdlab.compare.rest_gains import summarise_rest_gains
from ssdlab.paper.blocks import Page, Plot
from ssdlab.pts.hir.summary import summarise_idle_recovery, summarise_wait_states
from ssdlab.pts.xsr.summary import (
    recovery_text,
    summarise_access_groups,
    summarise_cross_stimulus,
)
from ssdlab.text.numbers import NOT_MEASURED, number_text
from ssdlab.text.quantities import is_missing
from ssdlab.text.table import Table


def recovery_page(comparison: Comparison) -> Page:
    """Return recovery from idle time and from another stimulus."""
    blocks = missing_notes(comparison, "hir")
    looks = comparison.looks_by_run
    accesses = summarise_idle_recovery(comparison.totals, comparison.steps)
    states = summarise_wait_states(accesses).merge(
        summarise_rest_gains(accesses), on=["run_id", "wait_state"], how="left"
    )
    if not states.empty:
        figure = plot_compared_idle_recovery(states, looks=looks)
        blocks += [Plot(figure=figure), _idle_table(states, comparison)]
    blocks += missing_notes(comparison, "xsr")
    rounds = summarise_cross_stimulus(comparison.totals, comparison.steps)
    if not rounds.empty:
        figure = plot_compared_cross_stimulus(rounds, looks=looks)
        blocks += [Plot(figure=figure), _cross_table(rounds, comparison)]
    return Page(title="Recovery", blocks=tuple(blocks))


def _idle_table(states: pd.DataFrame, comparison: Comparison) -> Table:
    waits = sorted(float(value) for value in states["wait_s"].dropna().unique())
    rows = []
    for look in comparison.run_looks:
        own = states[states["run_id"] == look.run_id]
        by_wait = {
            float(row.wait_s): row for row in rows_of(own.dropna(subset="wait_s"))
        }
        if by_wait:
            texts = (_ratio_text(by_wait.get(wait)) for wait in waits)
            rows.append((look.name, *texts))
    return Table(
        caption="HIR: IOPS after rest over IOPS without",
        head=("Run", *(f"{wait:g} s" for wait in waits)),
        rows=tuple(rows),
        words=tuple(range(len(waits) + 1)),
        note="With 95 % intervals, for this run only: successive accesses of a wait "
        "state are correlated, and the interval allows for that.",
    )


def _ratio_text(row: Any) -> str:
    if row is None or is_missing(row.iops_ratio):
        return NOT_MEASURED
    if not row.iops_ratio_low > 0:
        return f"{row.iops_ratio:.3f} (no interval: single accesses)"
    low, high = row.iops_ratio_low, row.iops_ratio_high
    return f"{row.iops_ratio:.3f} ({low:.3f} to {high:.3f})"


def _cross_table(rounds: pd.DataFrame, comparison: Comparison) -> Table:
    rows = []
    for look in comparison.run_looks:
        own = rounds[rounds["run_id"] == look.run_id]
        if len(own):
            groups = summarise_access_groups(own)
            means = groups.set_index("group")["bw_mean_bytes_per_s"]
            texts = [_throughput_text(means.get(number)) for number in (1, 2, 3)]
            rows.append((look.name, *texts, recovery_text(groups)))
    return Table(
        caption="XSR: throughput of the access groups, and when it was back",
        head=("Run", "Group 1", "Group 2", "Group 3", "Recovery"),
        rows=tuple(rows),
        words=(0, 4),
        note="Without intervals: a run recovers once, which is known to one round. A "
        "group is a transition from one state to another: its mean describes this "
        "run, and is not an estimate.",
    )


def _throughput_text(value: object) -> str:
    if value is None or is_missing(value):
        return NOT_MEASURED
    return f"{number_text(float(str(value)) / 1e6)} MB/s"

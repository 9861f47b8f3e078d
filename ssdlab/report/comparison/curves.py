"""Pages of curves: confidence levels, IOPS v response time, demand, recovery."""

import pandas as pd

from ssdlab.analysis.demand import summarise_demand
from ssdlab.analysis.recovery import (
    recovery_text,
    summarise_access_groups,
    summarise_cross_stimulus,
    summarise_idle_recovery,
    summarise_wait_states,
)
from ssdlab.figures.classes.latency import plot_class_confidence
from ssdlab.figures.comparison.curves import (
    plot_compared_cross_stimulus,
    plot_compared_demand,
    plot_compared_idle_recovery,
    plot_iops_response,
)
from ssdlab.figures.labels import number_text
from ssdlab.report.blocks import Block, Note, Page, Plot, Table
from ssdlab.report.class_histograms import (
    HISTOGRAM_TESTS,
    find_histogram_differences,
    levels_table,
)
from ssdlab.report.comparison.missing import missing_notes
from ssdlab.report.comparison.read import Comparison
from ssdlab.report.text import NOT_MEASURED, TEST_TITLES, is_missing

DEMAND_TESTS = ("cbw", "dirth")


def confidence_page(comparison: Comparison) -> Page:
    """Return the confidence levels of all histograms: CLPC."""
    blocks: list[Block] = []
    looks = comparison.run_looks
    for test in HISTOGRAM_TESTS:
        found = {
            run.run_id: run.histograms[test]
            for run in comparison.class_runs
            if test in run.histograms
        }
        names = {look.run_id: look.name for look in looks}
        absent = [name for run_id, name in names.items() if run_id not in found]
        if not found:
            continue
        if absent:
            title = f"The histogram of {test.upper()}"
            words = f"{title} was not measured: {', '.join(absent)}."
            blocks.append(Note(text=words, tone="warning"))
        differing = " and ".join(find_histogram_differences(found.values()))
        if differing:
            words = f"These histograms differ in {differing}: their levels say little "
            blocks.append(Note(text=f"{words}about each other.", tone="warning"))
        levels = pd.concat([
            one.levels.assign(run_id=run_id, taken_with=one.words)
            for run_id, one in found.items()
        ])
        title = f"Confidence levels of the {test.upper()} histogram"
        figure = plot_class_confidence(levels, looks=looks, title=title)
        named = {names[run_id]: one for run_id, one in found.items()}
        blocks += [Plot(figure=figure), levels_table(named, test)]
    if not blocks:
        blocks.append(Note(text="No run has a histogram of LAT or WSAT."))
    return Page(title="Confidence levels", blocks=tuple(blocks))


def response_page(comparison: Comparison) -> Page:
    """Return IOPS v response time, and demand intensity."""
    blocks: list[Block] = []
    for test in DEMAND_TESTS:
        blocks += missing_notes(comparison, test)
        points = summarise_demand(
            comparison.totals, comparison.windows, steps=comparison.steps, test=test
        )
        if points.empty:
            continue
        title, looks = TEST_TITLES[test], comparison.looks_by_run
        blocks += [
            Plot(
                figure=plot_iops_response(
                    points, looks=looks, title=f"IOPS v response time: {title}"
                )
            ),
            Plot(
                figure=plot_compared_demand(
                    points, looks=looks, title=f"IOPS v outstanding IOs: {title}"
                )
            ),
        ]
    return Page(title="IOPS and response time", blocks=tuple(blocks))


def recovery_page(comparison: Comparison) -> Page:
    """Return recovery from idle time and from another stimulus."""
    blocks = missing_notes(comparison, "hir")
    looks = comparison.looks_by_run
    accesses = summarise_idle_recovery(comparison.totals, comparison.steps)
    states = summarise_wait_states(accesses)
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
        own = states[states["run_id"] == look.run_id].set_index("wait_s")["iops_ratio"]
        if len(own):
            rows.append((look.name, *(_ratio_text(own.get(wait)) for wait in waits)))
    return Table(
        caption="HIR: IOPS after rest by IOPS without",
        corner="Run",
        head=tuple(f"{number_text(wait)} s" for wait in waits),
        rows=tuple(rows),
        words=(0,),
        note="Without an interval: accesses of a wait state follow each other.",
    )


def _ratio_text(value: object) -> str:
    return NOT_MEASURED if is_missing(value) else f"{value:.3f}"


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
        corner="Run",
        head=("Group 1", "Group 2", "Group 3", "Recovery"),
        rows=tuple(rows),
        words=(0, 4),
    )


def _throughput_text(value: object) -> str:
    if value is None or is_missing(value):
        return NOT_MEASURED
    return f"{number_text(float(str(value)) / 1e6)} MB/s"

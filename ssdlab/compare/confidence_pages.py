"""The page of confidence levels: the histograms of all runs."""

import pandas as pd

from ssdlab.classes.histograms import (
    HISTOGRAM_TESTS,
    find_histogram_differences,
)
from ssdlab.classes.latency_figures import plot_class_confidence
from ssdlab.compare.cells import rows_of
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.level_tables import EXTREME_LEVELS_PERCENT
from ssdlab.compare.texts import latency_text
from ssdlab.model.spec import label_of_test
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.text.numbers import number_text
from ssdlab.text.table import UNSUPPORTED_NOTE, Table

_INDEPENDENT = (
    "as if its IOs were independent; bursts of slow IOs, and differences between "
    "runs, may exceed them"
)


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
            title = f"The histogram of {label_of_test(test)}"
            words = f"{title}: not measured by {', '.join(absent)}."
            blocks.append(Note(text=words, tone="warning"))
        differing = " and ".join(find_histogram_differences(found.values()))
        if differing:
            words = f"These histograms differ in {differing}: their levels are hardly "
            blocks.append(Note(text=f"{words}comparable.", tone="warning"))
        levels = pd.concat([
            one.levels.assign(run_id=run_id, taken_with=one.words, iops=one.iops)
            for run_id, one in found.items()
        ])
        title = f"Confidence levels of the {label_of_test(test)} histogram"
        figure = plot_class_confidence(levels, looks=looks, title=title)
        blocks += [Plot(figure=figure), intervals_table(comparison, test)]
    return Page(title="Confidence levels", blocks=tuple(blocks))


def intervals_table(comparison: Comparison, test: str) -> Table:
    """Return the confidence levels of the histograms of a test, with intervals."""
    table = comparison.merged_levels(test, "histogram", EXTREME_LEVELS_PERCENT)
    rows = []
    for look in comparison.run_looks:
        own = table[table["run_id"] == look.run_id]
        for workload, levels in own.groupby("workload", sort=False):
            first = levels.iloc[0]
            rows.append((
                look.name,
                str(workload),
                f"{first['total_ios']:,}",
                number_text(float(first["lat_mean_ns"]) / 1e6),
                *(latency_text(row) for row in rows_of(levels)),
                number_text(float(first["lat_max_ns"]) / 1e6),
            ))
    is_of_rounds = bool(table["is_of_rounds"].any())
    of_what = "between its rounds" if is_of_rounds else _INDEPENDENT
    return Table(
        caption=f"Response times of the {label_of_test(test)} histogram [ms]",
        head=(
            "Run",
            "Load",
            "IOs",
            "Mean",
            *(f"{n:g} %" for n in EXTREME_LEVELS_PERCENT),
            "Maximum",
        ),
        rows=tuple(rows),
        words=(0, 1, 4, 5, 6, 7),
        note=f"From merged bins, with 95 % intervals {of_what}; a question mark is "
        f"an unbounded end. The maximum is that of these IOs and has no interval. "
        f"{UNSUPPORTED_NOTE}",
    )

"""Numbers of a comparison that have no interval: ends, maxima, merged percentiles."""

import pandas as pd

from ssdlab.analysis.comparison.cells import rows_of
from ssdlab.analysis.matrix import summarise_latency_table
from ssdlab.figures.labels import number_text
from ssdlab.model.spec import stimulus_label
from ssdlab.report.blocks import Table
from ssdlab.report.class_tables import ratio_text
from ssdlab.report.comparison.read import Comparison
from ssdlab.report.comparison.tables import value_text


def saturation_table(rounds: pd.DataFrame, comparison: Comparison) -> Table:
    """Return where each write saturation began and ended."""
    rows = []
    for look in comparison.run_looks:
        own = rounds[rounds["run_id"] == look.run_id].sort_values("round")
        own = own[own["iops"].notna()]
        if own.empty:
            continue
        first, last = own.iloc[0], own.iloc[-1]
        rows.append((
            look.name,
            number_text(float(first["iops"])),
            number_text(float(last["iops"])),
            ratio_text(float(last["iops"]) / float(first["iops"])),
            number_text(float(last["minutes"])),
            number_text(float(last["tgbw"])),
            number_text(float(last["drive_fills"])),
            f"{len(own)}",
        ))
    head = ("IOPS, FOB", "IOPS, last round", "Last / FOB", "Minutes", "TGBW [GB]")
    return Table(
        caption="Where write saturation began and ended",
        corner="Run",
        head=(*head, "Drive fills", "Rounds"),
        rows=tuple(rows),
        words=(0,),
        note="Single rounds, without an interval: the mean of the measurement window "
        "stands among the verdicts.",
    )


def latency_extremes_table(comparison: Comparison) -> Table:
    """Return maximum and 99.999 % latency of all IOs of the window, run by run."""
    table = summarise_latency_table(
        comparison.totals,
        comparison.windows,
        percentiles=comparison.percentiles,
        bins=comparison.frame("bins"),
    )
    rows = []
    for look in comparison.run_looks:
        for row in rows_of(table[table["run_id"] == look.run_id]):
            is_weak = str(row.is_five_nines_supported) == "False"
            nines = value_text(row.lat_five_nines_ns, "lat_five_nines_ns")
            size, mix = int(row.block_size_bytes), int(row.read_percent)
            rows.append((
                stimulus_label(str(row.access), size, mix),
                look.name,
                value_text(row.lat_mean_ns, "lat_mean_ns"),
                f"{nines} *" if is_weak else nines,
                value_text(row.lat_max_ns, "lat_max_ns"),
            ))
    return Table(
        caption="Mean, 99.999 % and maximum of the window",
        corner="Cell",
        head=("Run", "Mean", "99.999 %", "Maximum"),
        rows=tuple(sorted(rows, key=lambda row: row[0])),
        words=(0, 1),
        note="99.999 % is of all IOs of the window, from merged bins; * fewer IOs "
        "stand behind it than the level asks for. A maximum grows with the number of "
        "IOs and has no interval: it is shown, and no verdict rests on it.",
    )

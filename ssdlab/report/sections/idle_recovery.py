"""Host idle recovery: PTS 2.0.2, section 11, plots 1 to 4; 1 to 3 in PTS-E 1.1."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from ssdlab.analysis.idle_recovery import summarise_idle_recovery, summarise_wait_states
from ssdlab.figures.labels import number_text, span_s, time_quantity
from ssdlab.figures.recovery import plot_idle_recovery, plot_idle_recovery_latency
from ssdlab.pts.wdpc import WDPC
from ssdlab.report.blocks import Note, Page, Plot, Table
from ssdlab.report.context import Context
from ssdlab.report.demand_facts import set_up_facts
from ssdlab.report.drive_strip import plot_with_rests
from ssdlab.report.head_facts import (
    Facts,
    common_facts,
    loop_facts,
    measured_cells,
    seconds_text,
)
from ssdlab.report.outcome import Outcome, rounds_outcome
from ssdlab.report.sections.preconditioning import preconditioning_page
from ssdlab.report.sections.steady import window_pages
from ssdlab.report.text import NOT_MEASURED, exact_text
from ssdlab.report.view import View
from ssdlab.store.run import Run

_TITLE = "IOPS vs time, all wait states"
_STATE_HEAD = (
    "Accesses",
    "Left out",
    "Idle wanted [s]",
    "Measured [s]",
    "Error [ms]",
    "IOPS",
    "Baseline IOPS",
    "Ratio",
    "Gap [ms]",
)
_STATE_NOTE = (
    "Accesses are those after the idle time of the state, and those of the baseline "
    "after no idle time; IOPS are their means, and the ratio is that of the means. The "
    "first access of a state comes from the baseline and counts in neither. The idle "
    "time measured is a median, its error the greatest difference from what was "
    "wanted; it goes from the last IO before an access to its first IO, so all that "
    "starting fio adds is part of it. The gap is the greatest of the baseline. Left "
    "out is what came after a break or rested wrongly by over a tenth of an access."
)
_ACCESS_HEAD = (
    "Series",
    "Time [{unit}]",
    "IOPS",
    "Average [ms]",
    "Max [ms]",
    "Idle wanted [s]",
    "Idle measured [s]",
)


def hir_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of the host idle recovery test."""
    before = (
        preconditioning_page(context, test, "HIR 1"),
        *window_pages(context, test, "HIR 2", phase=WDPC),
    )
    accesses = summarise_idle_recovery(context.totals, context.steps)
    if accesses.empty:
        note = Note(
            text="No access after preconditioning was finished.", tone="warning"
        )
        return (*before, Page(plot_id="HIR 3", title=_TITLE, blocks=(note,)))
    third = Page(
        plot_id="HIR 3",
        title=_TITLE,
        blocks=(
            plot_with_rests(
                context,
                plot_idle_recovery(accesses),
                accesses,
                test=test,
                unit=time_quantity(span_s(accesses)),
            ),
            *_breaks(accesses),
            _states_table(summarise_wait_states(accesses)),
            _accesses_table(accesses),
        ),
    )
    if context.is_edition_1:
        return (*before, third)
    fourth = Page(
        plot_id="HIR 4",
        title="Response times vs time",
        blocks=(Plot(figure=plot_idle_recovery_latency(accesses)),),
    )
    return (*before, third, fourth)


def _breaks(accesses: pd.DataFrame) -> tuple[Note, ...]:
    count = int((~accesses["is_contiguous"]).sum())
    if not count:
        return ()
    text = (
        f"Before {count} of {len(accesses)} accesses the drive rested otherwise than "
        "it was to: the run was taken up again, or was late. Time on the axis goes on "
        "as if it had rested as wanted; the table has the measured times."
    )
    return (Note(text=text, tone="warning"),)


def _states_table(states: pd.DataFrame) -> Table:
    """Return what each idle time brought, and how well it was kept."""
    rows = tuple(
        (
            f"Wait state {row['wait_state']}",
            f"{row['n_accesses']} + {row['n_baseline']}",
            str(row["n_left_out"]),
            _number(row["wait_s"]),
            _number(row["wait_median_s"]),
            _number(row["wait_error_max_s"], 1e-3),
            _number(row["iops"]),
            _number(row["iops_baseline"]),
            _number(row["iops_ratio"]),
            _number(row["gap_max_s"], 1e-3),
        )
        for _, row in states.iterrows()
    )
    return Table(
        caption="Each wait state and the baseline after it",
        corner="State",
        head=_STATE_HEAD,
        rows=rows,
        note=_STATE_NOTE,
    )


def _number(value: Any, divisor: float = 1.0) -> str:
    return NOT_MEASURED if pd.isna(value) else number_text(float(value) / divisor)


def _accesses_table(accesses: pd.DataFrame) -> Table:
    """Return what each access recorded (pts.md section 10)."""
    unit = time_quantity(span_s(accesses))
    rows = tuple(
        (
            str(place),
            f"{'baseline' if row['is_baseline'] else 'wait'} {row['wait_state']}",
            _exact(row["minutes"] * 60 / unit.divisor),
            _number(row["iops"]),
            _exact(row["lat_mean_ns"] / 1e6),
            _exact(row["lat_max_ns"] / 1e6),
            _number(row["wait_s"]),
            _exact(row["idle_before_s"]),
        )
        for place, (_, row) in enumerate(accesses.iterrows(), start=1)
    )
    return Table(
        caption=f"Each of {len(accesses)} accesses",
        corner="Access",
        head=tuple(text.format(unit=unit.unit) for text in _ACCESS_HEAD),
        rows=rows,
        words=(1,),
        is_folded=True,
    )


def _exact(value: Any) -> str:
    return NOT_MEASURED if pd.isna(value) else exact_text(float(value))


def _stimulus(context: Context, test: str) -> Facts:
    """Return the accesses, and how long the host is idle after each."""
    steps = context.steps_of(test)
    cells = measured_cells(steps)
    cells = cells[cells["phase"] != WDPC]
    facts = common_facts(context, test)
    facts += [] if cells.empty else loop_facts(cells, steps)
    waits = cells.loc[cells["wait_s"] > 0, "wait_s"].unique()
    if len(waits):
        facts.append(("Host idle after each", ", ".join(map(seconds_text, waits))))
    return facts


def _outcome(run: Run, test: str) -> Iterator[Outcome]:
    """Yield the preconditioning, and the IOPS after each wait by those of baseline."""
    yield from rounds_outcome(run, test)
    accesses = summarise_idle_recovery(run.measurements, run.steps)
    states = summarise_wait_states(accesses).dropna(subset=["iops_ratio"])
    ratios = ", ".join(
        f"{row.iops_ratio:.3f} after {row.wait_s:g} s" for row in states.itertuples()
    )
    none = "no wait state was measured with its baseline"
    yield test, f"IOPS by those of the baseline: {ratios}" if ratios else none


VIEW = View(pages=hir_pages, set_up=set_up_facts, stimulus=_stimulus, outcome=_outcome)

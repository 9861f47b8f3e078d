"""Host idle recovery: PTS 2.0.2, section 11, plots 1 to 4; 1 to 3 in PTS-E 1.1."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from ssdlab.paper.blocks import Note, Page, Plot
from ssdlab.paper.context import Context
from ssdlab.pts.hir.figures import plot_idle_recovery, plot_idle_recovery_latency
from ssdlab.pts.hir.summary import summarise_idle_recovery, summarise_wait_states
from ssdlab.pts.shared.head_facts import (
    Facts,
    common_facts,
    loop_facts,
    measured_cells,
    seconds_text,
)
from ssdlab.pts.shared.outcome import Outcome, rounds_outcome
from ssdlab.pts.shared.phases import WDPC
from ssdlab.pts.shared.preconditioning import (
    preconditioning_facts,
    preconditioning_page,
)
from ssdlab.pts.shared.steady import window_pages
from ssdlab.pts.shared.view import View
from ssdlab.store.run import Run
from ssdlab.telemetry.strip import strip_with_rests
from ssdlab.text.numbers import exact_text, number_text
from ssdlab.text.quantities import MILLISECONDS, span_s, time_quantity
from ssdlab.text.table import Table, column, quantities, quantity, tabulate

_TITLE = "IOPS vs time, all wait states"
_STATE_COLUMNS = (
    column("State", "wait_state", "Wait state {}".format),
    column("Accesses", lambda row: f"{row['n_accesses']} + {row['n_baseline']}"),
    column("Left out", "n_left_out"),
    column("Idle set [s]", "wait_s", number_text),
    column("Measured [s]", "wait_median_s", number_text),
    quantity("wait_error_max_s", "Error [ms]", unit=MILLISECONDS),
    quantity("iops"),
    quantity("iops", "Baseline IOPS", of="iops_baseline"),
    column("Ratio", "iops_ratio", number_text),
    quantity("gap_max_s", "Gap [ms]", unit=MILLISECONDS),
)
_STATE_NOTE = (
    "Accesses: those after the idle time of the state, and those of the baseline, "
    "which has none; IOPS are their means, and the ratio is that of the means. The "
    "first access of a state follows the baseline and counts in neither. The measured "
    "idle time is a median, its error the greatest difference from the requested time; "
    "it runs from the last IO before an access to its first IO, so it includes the "
    "start of fio. The gap is the greatest of the baseline. Left out: accesses after a "
    "break, or whose idle time was off by over a tenth of an access."
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
            strip_with_rests(
                context,
                plot_idle_recovery(accesses),
                accesses,
                test=test,
                unit=time_quantity(span_s(accesses)),
            ),
            *_breaks(accesses),
            tabulate(
                summarise_wait_states(accesses),
                _STATE_COLUMNS,
                caption="Each wait state and the baseline after it",
                note=_STATE_NOTE,
            ),
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
        f"Before {count} of {len(accesses)} accesses the idle time was not as "
        "requested: the run was resumed, or was late. The time axis assumes the "
        "requested idle times; the table has the measured ones."
    )
    return (Note(text=text, tone="warning"),)


def _accesses_table(accesses: pd.DataFrame) -> Table:
    """Return what each access recorded (PTS 2.0.2, section 11)."""
    return tabulate(
        accesses.assign(
            access=range(1, len(accesses) + 1), time_s=accesses["minutes"] * 60
        ),
        (
            column("Access", "access"),
            column("Series", _series, is_words=True),
            quantity("time_s", unit=time_quantity(span_s(accesses)), number=exact_text),
            quantity("iops"),
            *quantities("lat_mean_ns", "lat_max_ns", number=exact_text),
            column("Idle set [s]", "wait_s", number_text),
            column("Idle measured [s]", "idle_before_s", exact_text),
        ),
        caption=f"Each of {len(accesses)} accesses",
        is_folded=True,
    )


def _series(row: Mapping[str, Any]) -> str:
    return f"{'baseline' if row['is_baseline'] else 'wait'} {row['wait_state']}"


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
    none = "no wait state has a measured baseline"
    yield test, f"IOPS by those of the baseline: {ratios}" if ratios else none


VIEW = View(
    pages=hir_pages, set_up=preconditioning_facts, stimulus=_stimulus, outcome=_outcome
)

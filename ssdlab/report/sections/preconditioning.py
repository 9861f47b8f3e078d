"""Workload-dependent preconditioning: IOPS of each round, and the rounds judged."""

import pandas as pd

from ssdlab.analysis.matrix import select_cells
from ssdlab.figures.recovery import plot_preconditioning
from ssdlab.model.spec import Stimulus
from ssdlab.pts.wdpc import WDPC
from ssdlab.report.blocks import Note, Page, Plot, Table
from ssdlab.report.context import Context
from ssdlab.report.sections.steady import reported_window
from ssdlab.report.text import exact_text

_TITLE = "Preconditioning IOPS"


def preconditioning_page(context: Context, test: str, plot_id: str) -> Page:
    """Draw the preconditioning of a test, whatever the sizes of its blocks are."""
    cells = select_cells(context.totals, test)
    frame = cells[cells["phase"] == WDPC].sort_values("round")
    if frame.empty:
        note = Note(text="No round was finished.", tone="warning")
        return Page(plot_id=plot_id, title=_TITLE, blocks=(note,))
    samples = _sampled_rounds(context, test, frame)
    marked = frame.assign(is_sample=frame["round"].isin(samples))
    window = reported_window(context, test, WDPC)
    figure = plot_preconditioning(marked, window=window)
    table = _rounds_table(marked)
    return Page(plot_id=plot_id, title=_TITLE, blocks=(Plot(figure=figure), table))


def _sampled_rounds(context: Context, test: str, frame: pd.DataFrame) -> list[int]:
    """Return the rounds that are judged."""
    rounds = [int(number) for number in frame["round"]]
    return [
        number
        for phase in context.test(test).phases
        if isinstance(phase, Stimulus) and phase.phase_id == WDPC
        for number in rounds
        if phase.sample_of(number) is not None
    ]


def _rounds_table(frame: pd.DataFrame) -> Table:
    rows = tuple(
        (
            str(row["round"]),
            exact_text(float(row["iops"])),
            "sample" if row["is_sample"] else "",
        )
        for _, row in frame.iterrows()
    )
    return Table(
        caption="IOPS of each round",
        corner="Round",
        head=("IOPS", "Judged"),
        rows=rows,
        words=(2,),
        is_folded=True,
    )

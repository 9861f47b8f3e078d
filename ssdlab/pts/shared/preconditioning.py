"""Workload-dependent preconditioning: IOPS of each round, and the rounds judged."""

from dataclasses import replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from ssdlab.model.spec import Stimulus, stimulus_label
from ssdlab.model.units import duration_label
from ssdlab.paper.blocks import Note, Page, Plot
from ssdlab.paper.context import Context
from ssdlab.plots.labels import DIRECTION_COLORS, linear_axis, new_figure
from ssdlab.plots.lines import Across, Line, draw_lines, shade
from ssdlab.pts.shared.head_facts import Facts, common_facts
from ssdlab.pts.shared.phases import WDPC
from ssdlab.pts.shared.steady import reported_window
from ssdlab.stats.matrix import select_cells
from ssdlab.text.numbers import NOT_RECORDED, exact_text
from ssdlab.text.quantities import is_missing
from ssdlab.text.table import Table, column, quantity, tabulate

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
    return tabulate(
        frame,
        (
            column("Round", "round"),
            quantity("iops", number=exact_text),
            column("Judged", lambda row: row["is_sample"] * "sample", is_words=True),
        ),
        caption="IOPS of each round",
        is_folded=True,
    )


def preconditioning_facts(context: Context, test: str) -> Facts:
    """Return the preconditioning by the workload, after what all tests state."""
    steps = context.steps_of(test)
    facts = common_facts(context, test)
    before = steps[steps["phase"] == WDPC]
    if before.empty:
        return [*facts, ("Pre-condition 1", "none")]
    words = f"{stimulus_text(before.iloc[0])}; {steady_text(context, test, WDPC)}"
    return [*facts, ("Pre-condition 1", words)]


def stimulus_name(row: "pd.Series[Any]") -> str:
    """Return a stimulus of a row, whose missing block size is a composite's."""
    size = row["block_size_bytes"]
    known = 0 if is_missing(size) else int(size)
    return stimulus_label(str(row["access"]), known, int(row["read_percent"]))


def stimulus_text(row: "pd.Series[Any]") -> str:
    """Return a stimulus with its total outstanding IOs."""
    threads, depth = int(row["threads"]), int(row["queue_depth"])
    return f"{stimulus_name(row)}, TOIO {threads * depth:,} (TC {threads} / QD {depth})"


def steady_text(context: Context, test: str, phase: str) -> str:
    """Return the rounds of the last window, and whether they are steady."""
    finals = context.final_windows(test, phase)
    if not finals:
        return "SS NOT ACHIEVED: no full window"
    rounds = f"SS rounds {finals[0].rounds_text}"
    return rounds if finals[0].is_round_steady else f"{rounds}: SS NOT ACHIEVED"


def time_text(seconds: Any) -> str:
    """Return how long something took, or that it is not recorded."""
    if pd.isna(seconds):
        return NOT_RECORDED
    return duration_label(seconds) if seconds >= 60 else f"{seconds:.3g} s"


def plot_preconditioning(
    frame: "pd.DataFrame", *, window: tuple[int, int] | None = None
) -> go.Figure:
    """Draw IOPS of workload-dependent preconditioning, and the rounds that are judged.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, section 11.

    >>> import pandas as pd
    >>> rounds = pd.DataFrame({"round": [1, 2], "iops": [900.0, 500.0]})
    >>> plot_preconditioning(rounds.assign(is_sample=[False, True])).data[1].x
    (2,)
    """
    figure = new_figure("Preconditioning: IOPS by round")
    across = replace(Across.rounds(frame), axis=linear_axis("Round"))
    every = Line(
        rows=[frame], column="iops", name="every round", color="#9fb3c8", width=1.2
    )
    samples = Line(
        rows=[frame[frame["is_sample"].astype(bool)]], column="iops", width=0, size=8,
        name="samples judged for steady state", color=DIRECTION_COLORS["write"],
    )  # fmt: skip
    draw_lines(figure, across, [every, samples], showlegend=True)
    if window:
        shade(figure, *window, name="measurement window")
    return figure

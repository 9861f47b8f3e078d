"""The run in words: its notes, and its rows on the front page."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from ssdlab.model.asked import Procedure
from ssdlab.model.spec import Stimulus
from ssdlab.paper.blocks import Note, Plot
from ssdlab.paper.context import Context
from ssdlab.pts.shared.own_windows import tracked_cells
from ssdlab.pts.shared.phases import WDPC
from ssdlab.stats.judged import JudgedWindow
from ssdlab.stats.phases import is_cell_by_cell, range_name
from ssdlab.steadiness.advice import find_advice
from ssdlab.steadiness.convergence_figures import plot_sparkline
from ssdlab.steadiness.series import series_of_window
from ssdlab.text.numbers import NOT_MEASURED, metric_text

NOT_ACHIEVED = "steady state NOT achieved"
NOT_ASKED = "not judged: the profile requires none"

_IMPORTED = (
    "Imported results: they were not measured by ssdlab. What their files lack is "
    "unknown, and steady state is judged here, by the PTS rule."
)
_STATUS = {
    "running": "The run stopped unexpectedly; results up to that point are shown.",
    "failed": "The run ended with an error; results up to that point are shown.",
    "interrupted": "The run was interrupted; results up to that point are shown.",
}
_NEVER_INGESTED = (
    "This run has no tables; the results were read from its raw output. Write the "
    "tables with ssdlab ingest."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryRow:
    """One tracking variable on the front page.

    ``is_steady`` is None where no steady state was asked for. ``advice`` is what casts
    doubt on a steady verdict, beyond the rule of the PTS.
    """

    test: str
    tracked: str
    first: str
    steady: str
    rounds: str
    verdict: str
    is_steady: bool | None
    spark: Plot | None
    advice: str = ""


def status_notes(context: Context) -> tuple[Note, ...]:
    """Return what a reader must know before any number."""
    notes = []
    run = context.run
    if run.is_going_on:
        text = f"{run.standing} Results so far are shown."
        notes.append(Note(text=text, tone="warning"))
    elif run.state.status in _STATUS:
        text = f"{_STATUS[run.state.status]} {run.state.message}".strip()
        notes.append(Note(text=text, tone="warning"))
    elif run.make is not None:
        notes.append(Note(text=_NEVER_INGESTED))
    if context.is_imported:
        notes.append(Note(text=_IMPORTED))
    if isinstance(context.record.asked, Procedure):
        notes += [Note(text=note) for note in context.record.asked.notes]
    if context.record.target.is_virtual:
        what = "a model" if context.record.target.kind == "virtual" else "a file"
        notes.append(Note(text=_banner(what), tone="warning"))
    return tuple(notes)


def _banner(what: str) -> str:
    if what == "a model":
        return "A virtual SSD, not a drive: its numbers say nothing about any product."
    return "A file, not a drive: its numbers include the file system."


def rounds_summary(context: Context, test: str) -> list[SummaryRow]:
    """Return one row per tracking variable, and one per phase without a window yet."""
    finals = context.final_windows(test)
    if is_cell_by_cell(test, (one.phase for one in finals)):
        return _rows_of_cells(context, test, finals)
    judged = {one.phase for one in finals}
    begun = context.begun_rounds(test) or [""]
    return [
        *(_summary(context, one) for one in finals),
        *(_unjudged(context, test, phase) for phase in begun if phase not in judged),
    ]


def windows_summary(context: Context, test: str) -> list[SummaryRow]:
    """Return one row per tracking variable: a procedure requires nothing else."""
    return [_summary(context, one) for one in context.final_windows(test)]


def _rows_of_cells(
    context: Context, test: str, finals: Sequence[JudgedWindow]
) -> list[SummaryRow]:
    """Return the tracking variables of cells measured one by one, and a row for all."""
    judged = {one.phase for one in finals}
    phases = context.begun_rounds(test) or [""]
    short = sum(phase not in judged for phase in phases)
    failed = sum(not one.is_steady for one in finals)
    is_steady = not (failed or short)
    words = [f"not in {failed} of {len(phases)} cells"] if failed else []
    words += [f"{short} have too few rounds"] if short else []
    verdict = f"{NOT_ACHIEVED}: {', '.join(words)}"
    all_cells = SummaryRow(
        test=context.title_of(test),
        tracked=f"all {len(phases)} cells, each judged alone",
        first=NOT_MEASURED,
        steady=NOT_MEASURED,
        rounds="own",
        verdict="steady" if is_steady else verdict,
        is_steady=is_steady,
        spark=None,
    )
    return [*(_summary(context, one) for one in tracked_cells(test, finals)), all_cells]


def _summary(context: Context, window: JudgedWindow) -> SummaryRow:
    title, metric = context.title_of(window.test), window.metric
    frame = context.rounds_of(window)
    series = frame.set_index("round")[metric].astype(float)  # oldest first
    begins = (frame["round"] == 1).any()  # a window may not
    first = metric_text(float(series.iloc[0]), metric) if begins else NOT_MEASURED
    if begins and context.is_first(window.test, window.phase):
        first += " (FOB)"
    return SummaryRow(
        test=title,
        tracked=window.tracking,
        first=first,
        steady=metric_text(window.average, metric),
        rounds=window.rounds_text,
        verdict=_verdict_text(window),
        is_steady=window.is_round_steady,
        spark=sparkline(
            series,
            f"{title} {window.tracking}",
            window=(window.window_first_round, window.window_last_round),
        ),
        advice=_advice(frame, window) if window.is_round_steady else "",
    )


def _advice(frame: pd.DataFrame, window: JudgedWindow) -> str:
    """Return what casts doubt on a verdict that a tracking variable is steady."""
    words = find_advice(series_of_window(frame, window)).words
    return f"Beyond the PTS: {words}" if words else ""


def _verdict_text(window: JudgedWindow) -> str:
    """Return the verdict, and after a colon its phase and the reason if not steady."""
    part = "preconditioning" if window.phase == WDPC else range_name(window.phase)
    notes = [part] if part else []
    if window.is_round_steady:
        return ": ".join(["steady", *notes])
    reason = window.reason
    if window.is_steady:
        reason = "another tracking variable is not steady"
    return ": ".join(filter(None, [NOT_ACHIEVED, *notes, reason]))


def _unjudged(context: Context, test: str, phase: str) -> SummaryRow:
    cells = context.totals_of(test, phase)
    rounds = cells["round"].dropna().nunique()
    needed = context.criteria.window_rounds
    words = f"{rounds} of {needed} rounds" if rounds else "no round was finished"
    planned = context.test(test).judged_phases
    if rounds and isinstance(
        next((p for p in planned if p.phase_id == phase), None), Stimulus
    ):
        words = f"{rounds} rounds hold fewer than {needed} samples"
    is_asked = context.asks_steady_state(test)
    verdict = f"{NOT_ACHIEVED if is_asked else 'not judged'}: {words}"
    if rounds and not is_asked and not context.is_imported:
        verdict = NOT_ASKED
    return SummaryRow(
        test=context.title_of(test),
        tracked=phase.partition("-")[2] or NOT_MEASURED,
        first=NOT_MEASURED,
        steady=NOT_MEASURED,
        rounds=NOT_MEASURED,
        verdict=verdict,
        is_steady=False if is_asked or context.is_imported else None,
        spark=None,
    )


def sparkline(
    series: "pd.Series[float]", name: str, *, window: tuple[int, int] | None = None
) -> Plot | None:
    """Draw a metric by round, and the window if it has one, if there are two rounds."""
    if len(series) < 2:
        return None
    return Plot(figure=plot_sparkline(series, name=name, window=window))

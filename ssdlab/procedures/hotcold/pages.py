"""Hot and cold data: what rewriting the hot part alone does, against all of it."""

import math
from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from ssdlab.model.units import capacity_label
from ssdlab.paper.blocks import Block, Note, Page
from ssdlab.paper.context import Context
from ssdlab.procedures.facts import procedure_view
from ssdlab.procedures.hotcold.spec import ALL, HOT
from ssdlab.procedures.saturate.curve import StimulusCurve, read_curve
from ssdlab.procedures.saturate.figures import plot_single_stimulus
from ssdlab.procedures.saturate.pages import rounds_table
from ssdlab.procedures.sequence.summary import CONFIDENCE_PERCENT, estimate_ratio
from ssdlab.pts.shared.steady import reported_window, window_pages
from ssdlab.telemetry.strip import strip_under_io
from ssdlab.text.numbers import NOT_MEASURED, interval_texts, rounded_text
from ssdlab.text.quantities import QUANTITIES, span_s, time_quantity
from ssdlab.text.table import column, quantities, tabulate

_WINDOW = 5  # PTS 2.1.24
_STEADY = "steady"
_PARTS = {HOT: "the hot part alone", ALL: "all that is filled"}
_RATES = ("iops", "bw_bytes_per_s", "lat_mean_ns", "lat_max_ns")
_INTERVAL_NOTE = (
    f"Means of the last {_WINDOW} rounds. The interval is a {CONFIDENCE_PERCENT:g} % "
    "t-interval of the ratio of two means; it assumes independent rounds, and is too "
    "narrow for a drive that still drifts."
)


def hot_cold_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the comparison of both stages, and the pages of each."""
    curves = {
        phase: curve
        for phase in (HOT, ALL)
        if (curve := read_curve(context, test=test, phase=phase))
    }
    if not curves:
        note = Note(text="No round was finished.", tone="warning")
        return (Page(title="Hot part and all data", blocks=(note,)),)
    stages = (page for one in curves.values() for page in _stage_pages(context, one))
    return (_both_page(context, curves), *stages)


def _both_page(context: Context, curves: dict[str, StimulusCurve]) -> Page:
    rows = [
        {
            "part": f"{_PARTS[phase][0].upper()}{_PARTS[phase][1:]}",
            "range": _range_text(context, curve),
            "rounds": len(curve.rounds),
            "end": _end_text(context, curve),
            **curve.rounds[list(_RATES)].tail(_WINDOW).astype("Float64").mean(),
            "lat_max_ns": curve.rounds["lat_max_ns"].tail(_WINDOW).max(),
        }
        for phase, curve in curves.items()
    ]
    table = tabulate(
        pd.DataFrame(rows),
        (
            column("Rewritten", "part", is_words=True),
            column("Range", "range"),
            column("Rounds", "rounds"),
            *quantities(*_RATES, number=rounded_text),
            column("At its end", "end", is_words=True),
        ),
        caption=f"Last {_WINDOW} rounds of each stage",
        note=_INTERVAL_NOTE,
    )
    is_steady = len(rows) == len(_PARTS) and all(row["end"] == _STEADY for row in rows)
    note = Note(text=gain_text(curves), tone="plain" if is_steady else "warning")
    return Page(title="Hot part and all data", blocks=(note, table))


def gain_text(curves: dict[str, StimulusCurve]) -> str:
    """Say how many times faster the hot part alone was rewritten."""
    if set(curves) != set(_PARTS):
        return "The second stage has no finished round, so there is nothing to compare."
    hot, all_of = (curves[phase].rates.tail(_WINDOW) for phase in (HOT, ALL))
    found = estimate_ratio(hot, all_of)
    if not math.isfinite(found.ratio):
        return "A stage has too few rounds with a rate, so there is nothing to compare."
    ratio, low, high = interval_texts(found.ratio, low=found.low, high=found.high)
    rate = QUANTITIES[curves[HOT].metric].name
    return (
        f"Rewriting the hot part alone has {ratio} times the {rate} of rewriting all "
        f"that is filled ({CONFIDENCE_PERCENT:g} % interval {low} to {high})."
    )


def _range_text(context: Context, curve: StimulusCurve) -> str:
    steps = context.steps_of(curve.test)
    spans = steps[steps["phase"] == curve.phase]["range_bytes"].dropna()
    return capacity_label(float(spans.max())) if len(spans) else NOT_MEASURED


def _end_text(context: Context, curve: StimulusCurve) -> str:
    finals = context.final_windows(curve.test, curve.phase)
    if not finals:
        return f"fewer than {_WINDOW} rounds"
    is_steady = all(one.is_round_steady for one in finals)
    return _STEADY if is_steady else "NOT steady"


def _stage_pages(context: Context, curve: StimulusCurve) -> Iterator[Page]:
    figure = plot_single_stimulus(
        curve.rounds,
        metric=curve.metric,
        window=reported_window(context, curve.test, curve.phase),
        title=f"{curve.name}, {_PARTS[curve.phase]}",
    )
    unit = time_quantity(span_s(curve.rounds))
    blocks: tuple[Block, ...] = (
        strip_under_io(context, figure, test=curve.test, phase=curve.phase, unit=unit),
        rounds_table(curve),
    )
    yield Page(title=f"Rewriting {_PARTS[curve.phase]}", blocks=blocks)
    for page in window_pages(context, curve.test, phase=curve.phase):
        yield replace(page, title=f"{page.title}: {_PARTS[curve.phase]}")


VIEW = procedure_view(hot_cold_pages)

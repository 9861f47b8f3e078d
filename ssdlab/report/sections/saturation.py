"""Write saturation: PTS 2.0.2, section 10, plots 1 to 7; 3 and 4 in PTS-E 1.1."""

import math
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pandas as pd

from ssdlab.analysis.saturation import summarise_saturation, summarise_wsat_ends
from ssdlab.figures.convergence import RoundMetric
from ssdlab.figures.labels import QUANTITIES, number_text
from ssdlab.figures.saturation import plot_saturation, plot_saturation_latency
from ssdlab.model.spec import Stimulus
from ssdlab.model.units import duration_label
from ssdlab.pts.profiles import profile_from_dict
from ssdlab.pts.wsat import wsat
from ssdlab.report.blocks import Block, Note, Page, Plot, Table
from ssdlab.report.context import Context
from ssdlab.report.sections.histogram import histogram_page
from ssdlab.report.sections.steady import (
    convergence_page,
    determination_table,
    verdict_note,
)
from ssdlab.report.text import NOT_MEASURED, exact_text

_LATENCIES = MappingProxyType({
    "lat_mean_ns": "",
    "lat_three_nines_ns": "is_three_nines_supported",
    "lat_four_nines_ns": "is_four_nines_supported",
    "lat_five_nines_ns": "is_five_nines_supported",
    "lat_max_ns": "",
})
_ROUND_HEAD = (
    "Minutes",
    "IOPS",
    "Average [ms]",
    "99.9 % [ms]",
    "99.99 % [ms]",
    "99.999 % [ms]",
    "Max [ms]",
    "TGBW [GB]",
    "Drive fills",
)
_UNSUPPORTED = (
    "* not supported: fewer IOs stand behind the value than its level asks for, 1,000 "
    "for 99.9 %, 10,000 for 99.99 % and 100,000 for 99.999 %. Such a 99.999 % is not "
    "drawn."
)


def saturation_pages(context: Context) -> tuple[Page, ...]:
    """Return the pages of the write saturation test."""
    frame = summarise_saturation(
        context.totals, context.steps, percentiles=context.percentiles
    )
    if frame.empty:
        note = Note(text="No round was finished.", tone="warning")
        return (Page(plot_id="WSAT 1", title="IOPS vs time", blocks=(note,)),)
    if context.is_imported:
        return _pages_of_import(context, frame)
    first = Page(
        plot_id="WSAT 1",
        title="IOPS vs time",
        blocks=(
            Plot(figure=plot_saturation(frame, x="time_s")),
            *_ends(context, frame),
        ),
    )
    second = _page("WSAT 2", "IOPS vs TGBW", frame, x="total_written_bytes")
    rest = _pages_1_1 if context.is_edition_1 else _pages_2_0
    return (first, second, *rest(context, frame))


def _pages_of_import(context: Context, frame: pd.DataFrame) -> tuple[Page, ...]:
    """Draw what the results of others tell: at least the rounds, maybe times, bytes."""
    ends, last = _ends(context, frame), (rounds_table(frame), *_judgements(context))
    pages: list[Page] = []
    if frame["time_s"].notna().all():
        pages.append(_page("WSAT 1", "IOPS vs time", frame, x="time_s"))
    else:
        pages.append(_by_round(context, "WSAT 1", "iops"))
    if frame["total_written_bytes"].notna().all():
        pages.append(_page("WSAT 2", "IOPS vs TGBW", frame, x="total_written_bytes"))
    pages.append(_by_round(context, "WSAT 6", "lat_mean_ns"))
    pages[0] = replace(pages[0], blocks=(*pages[0].blocks, *ends))
    pages[-1] = replace(pages[-1], blocks=(*pages[-1].blocks, *last))
    return tuple(pages)


def _by_round(context: Context, plot_id: str, metric: RoundMetric) -> Page:
    title = f"{QUANTITIES[metric].name} by round"
    return convergence_page(
        context, plot_id, title=title, metric=metric, phase="saturation"
    )


def _pages_1_1(context: Context, frame: pd.DataFrame) -> tuple[Page, ...]:
    time = plot_saturation(frame, x="time_s", iops_scale="log")
    written = plot_saturation(frame, x="total_written_bytes", iops_scale="log")
    return (
        Page(
            plot_id="WSAT 3",
            title="IOPS vs time, log IOPS",
            blocks=(Plot(figure=time),),
        ),
        Page(
            plot_id="WSAT 4",
            title="IOPS vs TGBW, log IOPS",
            blocks=(Plot(figure=written), *_judgements(context)),
        ),
    )


def _pages_2_0(context: Context, frame: pd.DataFrame) -> tuple[Page, ...]:
    times = Plot(figure=plot_saturation_latency(frame, x="drive_fills"))
    return (
        _page("WSAT 5", "IOPS vs normalised capacity", frame, x="drive_fills"),
        Page(
            plot_id="WSAT 6",
            title="Response times and IOPS vs drive fills",
            blocks=(times, rounds_table(frame), *_judgements(context)),
        ),
        histogram_page(context, "WSAT 7"),
    )


def _page(plot_id: str, title: str, frame: pd.DataFrame, *, x: str) -> Page:
    figure = plot_saturation(frame, x=x)  # type: ignore[arg-type] # one of the three
    return Page(plot_id=plot_id, title=title, blocks=(Plot(figure=figure),))


def _ends(context: Context, frame: pd.DataFrame) -> tuple[Block, ...]:
    """Return where the drive began and ended, as tables of WSAT customarily do."""
    fob, end = frame.iloc[0], frame.iloc[-1]
    first = "First round" if context.is_imported else "FOB, first round"
    rows = tuple(
        (name, *(_cell(row, column) for column in ("iops", "tgbw", "drive_fills")))
        for name, row in ((first, fob), ("Last round", end))
    )
    time_s = float(end["time_s"])
    words = "" if math.isnan(time_s) else f" in {duration_label(time_s)} under IO"
    table = Table(
        caption=f"Begin and end of {len(frame)} rounds{words}",
        corner="Round",
        head=("IOPS", "TGBW [GB]", "Drive fills"),
        rows=rows,
    )
    blocks: tuple[Block, ...] = (table, *_stop_note(context, frame))
    if context.final_windows("wsat").empty:
        words = "No steady state was judged: the samples did not fill a window."
        return (*blocks, Note(text=words, tone="warning"))
    return blocks


def _stop_note(context: Context, frame: pd.DataFrame) -> tuple[Note, ...]:
    """Say why the writes stopped; a run whose profile is not whole cannot tell."""
    try:
        profile = profile_from_dict(dict(context.record.profile))
    except (KeyError, TypeError):
        return ()
    (phase,) = (p for p in wsat(profile).phases if isinstance(p, Stimulus))
    ends = summarise_wsat_ends(frame, context.windows, phase=phase)
    return (Note(text=f"Why it stopped: {ends['stop_reason'].iloc[0]}."),)


def _cell(row: "pd.Series[Any]", column: str) -> str:
    value = row[column]
    return NOT_MEASURED if pd.isna(value) else number_text(float(value))


def rounds_table(frame: pd.DataFrame) -> Table:
    """Return what each round recorded (pts.md section 9)."""
    rows = tuple(
        (
            str(row["round"]),
            exact_text(float(row["minutes"])),
            _cell(row, "iops"),
            *(_latency(row, name) for name in _LATENCIES),
            _cell(row, "tgbw"),
            _cell(row, "drive_fills"),
        )
        for _, row in frame.iterrows()
    )
    is_marked = any(text.endswith("*") for row in rows for text in row)
    return Table(
        caption="Each round",
        corner="Round",
        head=_ROUND_HEAD,
        rows=rows,
        note=_UNSUPPORTED if is_marked else "",
        is_folded=True,
    )


def _latency(row: "pd.Series[Any]", column: str) -> str:
    """Return a response time [ms]; a percentile of too few IOs gets a star."""
    value, supported = row[column], row.get(_LATENCIES[column])
    if pd.isna(value):
        return NOT_MEASURED
    text = exact_text(float(value) / 1e6)
    return text if pd.isna(supported) or supported else f"{text} *"


def _judgements(context: Context) -> tuple[Block, ...]:
    """Return the data behind the steady-state stop rule, if it was ever asked."""
    blocks: list[Block] = []
    for _, verdict in context.final_windows("wsat").iterrows():
        blocks += [determination_table(context, verdict), verdict_note(verdict)]
    return tuple(blocks)

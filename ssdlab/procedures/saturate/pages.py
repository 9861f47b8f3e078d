"""Single-stimulus saturation: from FOB to steady state, attempt by attempt."""

from collections.abc import Iterator
from dataclasses import replace

from ssdlab.model.units import duration_label
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.context import Context
from ssdlab.procedures.facts import procedure_view
from ssdlab.procedures.saturate.curve import StimulusCurve, read_attempts
from ssdlab.procedures.saturate.figures import plot_single_stimulus
from ssdlab.procedures.saturate.precondition_pages import precondition_page
from ssdlab.procedures.saturate.spec import ATTEMPTS
from ssdlab.procedures.saturate.summary import find_first_steady
from ssdlab.pts.shared.histogram import levels_table
from ssdlab.pts.shared.steady import reported_window, window_pages
from ssdlab.qos.confidence import summarise_confidence, summarise_histogram
from ssdlab.qos.histogram_figures import plot_confidence
from ssdlab.stats.bottleneck import find_bottleneck_warning
from ssdlab.telemetry.strip import strip_under_io
from ssdlab.text.numbers import (
    number_text,
    rate_text,
    rounded_text,
    share_text,
)
from ssdlab.text.quantities import QUANTITIES, span_s, time_quantity
from ssdlab.text.table import Table, column, quantities, quantity, tabulate

_ORDER = {ATTEMPTS[0]: "First attempt", ATTEMPTS[1]: "Second attempt"}
_AGAIN = (
    "The first attempt was not steady in its last rounds, so it was repeated from the "
    "purge on, and this attempt has twice the iterations."
)
_LEVELS_ORIGIN = "From the merged histograms of the last window."
_MEASURED = quantities(
    "iops", "bw_bytes_per_s", "lat_mean_ns", "lat_max_ns", number=rounded_text
)


def single_stimulus_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of a single-stimulus saturation."""
    attempts = tuple(read_attempts(context, test))
    if not attempts:
        note = Note(text="No round was finished.", tone="warning")
        return (Page(title="From FOB to steady state", blocks=(note,)),)
    pages = [page for curve in attempts for page in _attempt_pages(context, curve)]
    page = precondition_page(context, test)
    return (*pages, *((page,) if page else ()))


def _attempt_pages(context: Context, curve: StimulusCurve) -> Iterator[Page]:
    order = _ORDER[curve.phase]
    yield _curve_page(context, curve)
    for page in window_pages(context, curve.test, phase=curve.phase):
        title = f"{order}: {page.title[0].lower()}{page.title[1:]}"
        yield replace(page, title=title)
    yield from _levels_pages(context, curve)


def _curve_page(context: Context, curve: StimulusCurve) -> Page:
    first = find_first_steady(
        curve.rounds, metric=curve.metric, criteria=context.criteria
    )
    figure = plot_single_stimulus(
        curve.rounds,
        metric=curve.metric,
        window=reported_window(context, curve.test, curve.phase),
        first_steady=first,
        title=f"{curve.name}: {QUANTITIES[curve.metric].name} vs time",
    )
    rate = QUANTITIES[curve.metric].name
    return Page(
        title=f"{_ORDER[curve.phase]}: {rate} from FOB to steady state",
        blocks=(
            *((Note(text=_AGAIN),) if curve.phase == ATTEMPTS[1] else ()),
            strip_under_io(
                context,
                figure,
                test=curve.test,
                phase=curve.phase,
                unit=time_quantity(span_s(curve.rounds)),
            ),
            _ends_table(context, curve),
            *_notes(context, curve, first=first),
            rounds_table(curve),
        ),
    )


def _ends_table(context: Context, curve: StimulusCurve) -> Table:
    """Return where the stimulus began and where it ended."""
    first, last = curve.rounds.iloc[0], curve.rounds.iloc[-1]
    time_s = float(curve.rounds["time_s"].iloc[-1])
    is_filled = (context.steps_of(curve.test)["kind"] == "precondition").any()
    included = ", including the two fills before the first round" if is_filled else ""
    return tabulate(
        ({"end": "FOB, first round", **first}, {"end": "Last round", **last}),
        (
            column("Round", "end"),
            column("Minutes", "minutes", number_text),
            *_MEASURED,
            quantity("drive_fills"),
        ),
        caption=f"First and last of {len(curve.rounds)} rounds "
        f"({duration_label(time_s)} of IO)",
        note=f"Drive fills count from the purge{included}.",
    )


def _notes(
    context: Context, curve: StimulusCurve, *, first: int | None
) -> Iterator[Block]:
    values = curve.rates
    yield Note(text=_steady_text(context, curve, first=first))
    begin, end = float(values.iloc[0]), float(values.tail(5).mean())
    if begin > 0 and len(values) >= 5:
        yield Note(
            text=f"The mean of the last five rounds, {rate_text(end, curve.metric)}, "
            f"is {share_text(end / begin)} of the first round."
        )
    if not curve.is_random_write:
        return
    warning = find_bottleneck_warning(values, written_fills=curve.written_fills)
    if warning:
        yield Note(text=warning, tone="warning")


def _steady_text(context: Context, curve: StimulusCurve, *, first: int | None) -> str:
    """Say when the stimulus was first steady, and whether it stayed so."""
    took = len(curve.rounds)
    if first is None:
        return f"No five rounds in a row were steady in {took} rounds."
    time_s = float(curve.rounds.set_index("round")["time_s"][first])
    text = f"First steady after {duration_label(time_s)}, in round {first} of {took}"
    finals = context.final_windows(curve.test, curve.phase)
    if all(one.is_round_steady for one in finals):
        return f"{text}. The rounds continued as planned."
    return f"{text}, but not in the last five rounds, which are judged."


def rounds_table(curve: StimulusCurve) -> Table:
    """Return what each round of a stimulus measured, folded."""
    return tabulate(
        curve.rounds,
        (
            column("Round", "round"),
            quantity("time_s", unit=time_quantity(span_s(curve.rounds))),
            *_MEASURED,
            *quantities("tgbw", "drive_fills"),
        ),
        caption=f"Each of {len(curve.rounds)} rounds",
        is_folded=True,
    )


def _levels_pages(context: Context, curve: StimulusCurve) -> Iterator[Page]:
    """Yield the response times of the last window, if fio's histograms are there."""
    window = reported_window(context, curve.test, curve.phase)
    if window is None:
        return
    runs = context.totals_of(curve.test, curve.phase)
    runs = runs[(runs["kind"] == "cell") & runs["round"].between(*window)]
    runs = runs.assign(kind="histogram")  # every response time of them was counted
    frame = summarise_histogram(context.bins, runs, test=curve.test)
    if frame.empty:
        return
    markers = summarise_confidence(context.bins, runs, test=curve.test)
    total = int(frame["count"].sum())
    measured = {
        "iops": float(runs["iops"].mean()),
        "bw_bytes_per_s": float(runs["bw_bytes_per_s"].mean()),
        "lat_max_ns": float(runs["lat_max_ns"].max()),
        "total_ios": total,
    }
    title = f"Response times in rounds {window[0]} - {window[1]}, {curve.name}"
    yield Page(
        title=f"{_ORDER[curve.phase]}: response times of the last window",
        blocks=(
            Plot(figure=plot_confidence(frame, markers, measured, title=title)),
            levels_table(markers, total, origin=_LEVELS_ORIGIN, number=rounded_text),
        ),
    )


VIEW = procedure_view(single_stimulus_pages)

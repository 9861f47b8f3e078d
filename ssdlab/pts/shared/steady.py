"""The measurement window and its determination data, the same in every test."""

import math
from dataclasses import replace
from operator import itemgetter

import pandas as pd
import plotly.graph_objects as go

from ssdlab.model.spec import Stimulus
from ssdlab.model.units import block_size_label
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.context import Context, is_of_phase
from ssdlab.plots.labels import lay_out
from ssdlab.pts.shared.own_windows import tracked_cells, windows_table
from ssdlab.pts.shared.phases import WDPC
from ssdlab.pts.shared.verdict import NOT_ACHIEVED
from ssdlab.stats.judged import JudgedWindow
from ssdlab.stats.matrix import summarise_convergence
from ssdlab.stats.phases import is_cell_by_cell
from ssdlab.steadiness.convergence_figures import (
    RoundMetric,
    plot_convergence,
    plot_steady_state_window,
)
from ssdlab.text.numbers import exact_text, percent_text
from ssdlab.text.quantities import suited_quantity
from ssdlab.text.table import Table, column, quantity, tabulate

_PERCENT = "\N{NO-BREAK SPACE}%"


def convergence_page(  # noqa: PLR0913 - what is drawn and where, by name
    context: Context,
    test: str,
    plot_id: str,
    *,
    title: str,
    metric: RoundMetric,
    read_percent: int = 0,
    phase: str = "rounds",
) -> Page:
    """Draw a metric over the rounds of one R/W mix, all block sizes of a phase."""
    frame = summarise_convergence(
        context.totals, test, metric=metric, read_percent=read_percent
    )
    frame = frame[is_of_phase(frame["phase"], phase)]
    blocks: tuple[Block, ...] = (Note(text="No round was finished.", tone="warning"),)
    if not frame.empty:
        window = reported_window(context, test, phase)
        figure = plot_convergence(frame, metric=metric, window=window, title=title)
        blocks = (Plot(figure=figure), rounds_table(frame, metric))
    return Page(plot_id=plot_id, title=title, blocks=blocks)


def reported_window(context: Context, test: str, phase: str) -> tuple[int, int] | None:
    """Return first and last round of the reported window of a phase, if it has one.

    Cells that were measured one by one each have their own window, not a common one.
    """
    finals = context.final_windows(test, phase)
    if not finals or is_cell_by_cell(test, (one.phase for one in finals)):
        return None
    first = min(one.window_first_round for one in finals)
    return first, max(one.window_last_round for one in finals)


def rounds_table(frame: pd.DataFrame, metric: RoundMetric) -> Table:
    """Return the values behind a convergence plot."""
    grid = frame.pivot_table(index="round", columns="block_size_bytes", values=metric)
    unit = suited_quantity(metric, frame[metric].dropna())
    return tabulate(
        grid.reset_index(),
        (
            column("Round", "round", "{:.0f}".format),
            *(
                quantity(
                    metric,
                    block_size_label(int(size)),
                    of=itemgetter(size),
                    number=exact_text,
                    unit=unit,
                )
                for size in grid.columns
            ),
        ),
        caption=f"{unit.title} of each round",
        is_folded=True,
    )


def window_pages(
    context: Context, test: str, plot_id: str = "", *, phase: str
) -> tuple[Page, ...]:
    """Return one page per tracking variable: its window and its verdict."""
    finals = context.final_windows(test, phase)
    if not finals:
        return (_no_window_page(context, test, plot_id, phase=phase),)
    if not is_cell_by_cell(test, (one.phase for one in finals)):
        if len(finals) == 1:
            return (_window_page(context, plot_id, finals[0]),)
        return tuple(
            _window_page(context, _id_of_cell(plot_id, one.tracking), one)
            for one in finals
        )
    table = windows_table(finals, context.totals_of(test, phase))
    title = "Steady state of each cell"
    return (
        Page(plot_id=plot_id, title=title, blocks=(table,)),
        *(_window_page(context, plot_id, one) for one in tracked_cells(test, finals)),
    )


def _no_window_page(context: Context, test: str, plot_id: str, *, phase: str) -> Page:
    rounds = int(context.totals_of(test, phase)["round"].dropna().nunique())
    needed = str(context.criteria.window_rounds)
    if phase == WDPC:
        needed += " samples, some rounds apart"
    text = (
        f"{NOT_ACHIEVED}: {rounds} rounds were finished, and a measurement window has "
        f"{needed}."
    )
    return Page(
        plot_id=plot_id,
        title="Steady state measurement window",
        blocks=(Note(text=sentence(text), tone="warning"),),
    )


def _id_of_cell(plot_id: str, tracking: str) -> str:
    """Return the plot id of one of several cells.

    >>> _id_of_cell("IOPS 2", "RND 4 KiB 0/100"), _id_of_cell("", "RND 4 KiB 0/100")
    ('IOPS 2 · 4 KiB 0/100', '')
    >>> _id_of_cell("TP 3 128 KiB", "SEQ 128 KiB 0/100")
    'TP 3 128 KiB · 0/100'
    """
    cell = tracking.partition(" ")[2]
    size, _, mix = cell.rpartition(" ")
    own = mix if size and plot_id.endswith(size) else cell
    return f"{plot_id} · {own}" if plot_id else ""


def _window_page(context: Context, plot_id: str, window: JudgedWindow) -> Page:
    frame = context.rounds_of(window)
    stride = _stride(context, window)
    if stride > 1:
        figure = _plot_samples(context, frame, window, stride=stride)
    else:
        figure = plot_steady_state_window(frame, window, criteria=context.criteria)
    before = "Preconditioning: steady" if window.phase == WDPC else "Steady"
    return Page(
        plot_id=plot_id,
        title=f"{before} state measurement window, {window.tracking}",
        blocks=(
            Plot(figure=figure),
            determination_table(context, window),
            verdict_note(window),
        ),
    )


def _stride(context: Context, window: JudgedWindow) -> int:
    """Return how many rounds apart the values of a window are: samples more than 1."""
    span = window.window_last_round - window.window_first_round
    return span // max(1, context.criteria.window_rounds - 1)


def _plot_samples(
    context: Context,
    frame: pd.DataFrame,
    window: JudgedWindow,
    *,
    stride: int,
) -> go.Figure:
    """Draw a window of samples at their rounds; the stored fit counts samples.

    A least-squares line passes through the average in the middle of its window.
    """
    first, last = window.window_first_round, window.window_last_round
    slope = window.slope_per_round / stride
    middle = (first + last) / 2
    by_round = replace(
        window, slope_per_round=slope, intercept=window.average - slope * middle
    )
    samples = frame[(frame["round"] - first) % stride == 0]
    figure = plot_steady_state_window(samples, by_round, criteria=context.criteria)
    outcome = "steady state" if window.is_steady else "NOT steady"
    words = f"Samples {stride} rounds apart, rounds {first} - {last}: {outcome}"
    across = {
        "tickmode": "array",
        "tickvals": list(range(first, last + 1, stride)),
        "range": [first - 0.1 * stride, last + 0.1 * stride],
    }
    lay_out(figure, title={"subtitle": {"text": words}}, xaxis=across)
    return figure


def verdict_note(window: JudgedWindow) -> Note:
    """Say whether a tracking variable, and all of its test together, are steady."""
    where = f"{NOT_ACHIEVED} in rounds {window.rounds_text}"
    if window.is_round_steady:
        text = f"Steady state achieved in rounds {window.rounds_text}."
        return Note(text=text, tone="good")
    if window.is_steady:
        text = f"{where}: this variable is steady, another is not."
        return Note(text=sentence(text), tone="warning")
    text = f"{where}: {window.reason}."
    return Note(text=sentence(text), tone="warning")


def sentence(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return text[:1].upper() + text[1:]


def determination_table(context: Context, window: JudgedWindow) -> Table:
    """Return the steady-state determination data (PTS 2.1.24)."""
    criteria = context.criteria
    shown = suited_quantity(window.metric, [window.maximum])
    average, least, greatest, slope, intercept = (
        value / shown.divisor
        for value in (
            window.average,
            window.minimum,
            window.maximum,
            window.slope_per_round,
            window.intercept,
        )
    )
    span = criteria.window_rounds - 1
    fit = _fit_text(slope, intercept, unit=_counted(context, window))
    rows: list[tuple[str, ...]] = [
        ("Measurement window", "", _rounds_text(context, window), ""),
        ("Average value", "", exact_text(average), ""),
        *_extremes(average, (least, greatest), criteria.max_range_ratio),
        _limit_row(
            "Data excursion (max - min)",
            (criteria.max_range_ratio, average),
            (greatest - least, window.range_ratio),
            is_ok=window.is_range_ok,
        ),
        _limit_row(
            f"Slope excursion ({span} x |slope|)",
            (criteria.max_slope_ratio, average),
            (span * abs(slope), window.slope_ratio),
            is_ok=window.is_slope_ok,
        ),
        ("Least squares fit", "", fit, ""),
        ("Correlation coefficient", "", _correlation(window), ""),
    ]
    return Table(
        caption=f"Steady state determination data, {window.tracking} "
        f"[{shown.unit_or_name}]",
        head=("Quantity", "Allowed", "Measured", "Result"),
        rows=tuple(rows),
        note=f"{_band_note(criteria.max_range_ratio)}Percentages refer to the average; "
        "verdicts use unrounded values.",
    )


def _band_note(max_range_ratio: float | None) -> str:
    """Return why a value outside the drawn band may pass; nothing without a rule."""
    if max_range_ratio is None:
        return ""
    return (
        "The rule limits max \N{MINUS SIGN} min, so single values may fall outside the "
        f"±{50 * max_range_ratio:g} % band. "
    )


def _counted(context: Context, window: JudgedWindow) -> str:
    """Return the rounds of the window; a stimulus is judged by samples of them."""
    is_sampled = any(
        isinstance(phase, Stimulus) and (phase.sample_every_rounds or 1) > 1
        for phase in context.test(window.test).phases
        if phase.phase_id == window.phase
    )
    return "sample" if is_sampled or _stride(context, window) > 1 else "round"


def _rounds_text(context: Context, window: JudgedWindow) -> str:
    stride = _stride(context, window)
    apart = f", samples {stride} apart" if stride > 1 else ""
    return f"rounds {window.rounds_text}{apart}"


def _extremes(
    average: float, ends: tuple[float, float], ratio: float | None
) -> tuple[tuple[str, ...], ...]:
    least, greatest = map(exact_text, ends)
    if ratio is None:
        return (("Greatest value", "", greatest, ""), ("Least value", "", least, ""))
    half = ratio / 2
    above, below = (
        f"{100 * share:g}{_PERCENT} of average: {exact_text(average * share)}"
        for share in (1 + half, 1 - half)
    )
    return (
        ("Greatest value", above, greatest, ""),
        ("Least value", below, least, ""),
    )


def _limit_row(
    name: str,
    allowed: tuple[float | None, float],
    measured: tuple[float, float],
    *,
    is_ok: bool,
) -> tuple[str, ...]:
    ratio, average = allowed
    value, share = measured
    limit = "no limit"
    if ratio is not None:
        limit = f"{exact_text(average * ratio)} ({100 * ratio:g}{_PERCENT})"
    found = f"{exact_text(value)} ({percent_text(share).replace(' %', _PERCENT)})"
    return (name, limit, found, "pass" if is_ok else "FAIL")


def _fit_text(slope: float, intercept: float, *, unit: str) -> str:
    sign = "-" if intercept < 0 else "+"
    return f"{exact_text(slope)} x {unit} {sign} {exact_text(abs(intercept))}"


def _correlation(window: JudgedWindow) -> str:
    value = window.correlation
    return "n/a" if math.isnan(value) else f"{value:.3f}"

"""The first screen of a report: key results, the shape of the drive, one sentence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from ssdlab.model.spec import is_saturation, label_of_test
from ssdlab.paper.blocks import Plot
from ssdlab.paper.context import Context, is_of_phase
from ssdlab.plots.labels import COLORS, axis, lay_out, linear_axis, new_figure
from ssdlab.plots.lines import Across, Line, add_lines
from ssdlab.pts.shared.headlines import Headline
from ssdlab.pts.shared.matrix_figures import plot_matrix_heat
from ssdlab.pts.wsat.figures import mark_fresh, shade_window
from ssdlab.pts.wsat.summary import summarise_saturation
from ssdlab.stats.matrix import summarise_iops_matrix
from ssdlab.text.numbers import number_text, share_text
from ssdlab.text.quantities import QUANTITIES, metric_quantity

_MOST_TILES = 8
_HEIGHT = 156
_NUMBERS = {"height": _HEIGHT, "showlegend": False}


@dataclass(frozen=True, kw_only=True, slots=True)
class Tile:
    """A key result as the first screen shows it; the number is apart from its unit."""

    name: str
    load: str
    number: str
    unit: str
    interval: str
    fresh: str
    standing: str


def front_tiles(headlines: Sequence[Headline]) -> tuple[Tile, ...]:
    """Return the first key results, as many as fit."""
    return tuple(map(_tile, headlines[:_MOST_TILES]))


def _tile(one: Headline) -> Tile:
    number, _, unit = one.value_text.rpartition(" ")
    standings = {True: "steady", False: "not steady", None: ""}
    fresh = "" if one.fresh is None else f"fresh {number_text(one.fresh)}"
    return Tile(
        name=one.name,
        load=one.load,
        number=number,
        unit=unit,
        interval=one.interval_text,
        fresh=fresh,
        standing=standings[one.is_steady],
    )


def front_sentence(context: Context, headlines: Sequence[Headline]) -> str:
    """Return what the run shows, as one would say it; empty if nothing is shown."""
    parts = [*_fall(context, headlines), *_steadiness(context)]
    words = "; ".join(parts)
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _fall(context: Context, headlines: Sequence[Headline]) -> Iterator[str]:
    fallen = [one for one in headlines if one.change_ratio is not None]
    for one in fallen[:1]:
        change = one.change_ratio or 0.0
        name = f"{one.name.lower()}s" if one.read_percent in {0, 100} else one.name
        if not one.is_steady:
            yield f"{name} did not reach steady state within write saturation"
        elif not one.is_change_shown:
            yield f"{name} are not shown to change from fresh to steady"
        else:
            verb = "fall" if change < 0 else "rise"
            fills = _fills_until_steady(context, one)
            after = f", after {fills:.2g} drive fills" if fills else ""
            share = share_text(abs(change))
            yield f"{name} {verb} {share} from fresh to steady{after}"


def _fills_until_steady(context: Context, one: Headline) -> float | None:
    frame = _saturation(context, one.test)
    known = frame[frame["round"] == (one.rounds or (0, 0))[0]]["drive_fills"].dropna()
    return float(known.iloc[0]) if len(known) else None


def _steadiness(context: Context) -> Iterator[str]:
    answers = context.run.answers
    missed = [
        label_of_test(test)
        for test, how in answers.steadiness.items()
        if how == "not reached"
    ]
    if missed:
        yield f"no steady state in {', '.join(missed)}"
    elif answers.is_steady:
        count = sum(how == "reached" for how in answers.steadiness.values())
        yield (
            "the test reached steady state"
            if count == 1
            else f"all {count} judged tests reached steady state"
        )


def front_pictures(context: Context, headlines: Sequence[Headline]) -> tuple[Plot, ...]:
    """Return the shape of the drive: its write saturation, and its IOPS matrix.

    Without either, the rounds of the first key result.
    """
    found = [*_curves(context, headlines), *_heat(context)]
    return tuple(Plot(figure=figure) for figure in found[:2] or _rounds(headlines))


def _saturation(context: Context, test: str) -> pd.DataFrame:
    own = context.of_test(test)
    return summarise_saturation(
        own.totals, own.steps, percentiles=own.percentiles, test=test
    )


def _curves(context: Context, headlines: Sequence[Headline]) -> Iterator[go.Figure]:
    """Yield IOPS over drive fills, with the steady window shaded."""
    for one in [line for line in headlines if is_saturation(line.test)][:1]:
        frame = _saturation(context, one.test)
        if len(frame) < 2 or frame["drive_fills"].isna().any():
            return
        figure = new_figure(f"{one.name}s from fresh to steady, {one.load}")
        across = Across.of("drive_fills")
        line = Line(
            rows=[frame], column="iops", name="IOPS", color=COLORS["measured"],
            width=1.8,
        )  # fmt: skip
        add_lines(figure, across, [line])
        if one.fresh is not None:
            mark_fresh(figure, across, frame)
        if one.is_steady and one.rounds:
            inside = frame[frame["round"].between(*one.rounds)]
            shade_window(figure, across, inside)
        lay_out(
            figure,
            xaxis=axis("Drive fills", rangemode="tozero", fixedrange=True),
            yaxis=linear_axis(QUANTITIES["iops"].title, fixedrange=True, nticks=4),
            **_NUMBERS,
        )
        yield figure


def _heat(context: Context) -> Iterator[go.Figure]:
    if "iops" not in context.record.tests:
        return
    own = context.of_test("iops")
    frame = summarise_iops_matrix(own.totals, own.windows)
    frame = frame[is_of_phase(frame["phase"], context.round_groups("iops")[0])]
    if len(frame):
        figure = plot_matrix_heat(frame, title="IOPS by block size and R/W mix")
        sizes = frame["block_size_bytes"].nunique()
        lay_out(figure, height=max(_HEIGHT, 76 + 17 * sizes))
        yield figure


def _rounds(headlines: Sequence[Headline]) -> Iterator[go.Figure]:
    for one in [line for line in headlines if len(line.series) > 1][:1]:
        quantity = metric_quantity(one.metric)
        figure = new_figure(f"{one.name} by round, {one.load}")
        rows = {"round": list(range(1, len(one.series) + 1)), one.metric: one.series}
        across = Across.rounds(rows)
        line = Line(
            rows=[rows], column=one.metric, name=one.name, color=COLORS["measured"],
            size=6,
        )  # fmt: skip
        add_lines(figure, across, [line])
        tall = linear_axis(quantity.unit_or_name, fixedrange=True, nticks=4)
        lay_out(figure, xaxis=across.axis, yaxis=tall, **_NUMBERS)
        yield figure

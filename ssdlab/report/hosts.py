"""The same drive on two hosts: a page with both curves, and which is the bottleneck."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import pandas as pd
import plotly.graph_objects as go

from ssdlab.model.finding import SEVERITY_NAMES, SharedFinding, count_text
from ssdlab.paper.blocks import Note, Page, Plot, Tone
from ssdlab.paper.context import Context
from ssdlab.paper.document import Document, write_document
from ssdlab.plots.labels import new_figure
from ssdlab.plots.lines import Across, Line, draw_lines
from ssdlab.plots.names import figure_text, shortened
from ssdlab.procedures.saturate.curve import StimulusCurve
from ssdlab.procedures.saturate.figures import Rate
from ssdlab.report.header import device_facts, platform_facts
from ssdlab.report.host_pair import HOSTS, HostPair
from ssdlab.stats.bottleneck import FLAT_DECLINE_RATIO, LEAST_FILLS, LOWER_RATIO
from ssdlab.text.numbers import NOT_MEASURED, or_unknown, rate_text, share_text
from ssdlab.text.quantities import QUANTITIES, Quantity
from ssdlab.text.table import Table, column, tabulate

_LONGEST_NAME = 60
_RULE = (
    "A bottleneck is a curve that is flat and begins lower than the other. Flat: never "
    f"more than {FLAT_DECLINE_RATIO:.0%} below the best of its first five rounds, by "
    f"the median of five neighbouring rounds, though {LEAST_FILLS:g} user capacity or "
    f"more was written. Lower: by more than {LOWER_RATIO:.0%}. The source names the "
    "sign, a flat and lower curve without a fall from FOB, but gives no numbers."
)
_SHAPES = {"falls": "falls", "flat": "FLAT", "unknown": "unknown"}
HostProgress = Literal["time_s", "stimulus_fills"]

# Okabe and Ito (2008); the marker tells the hosts apart as well.
_LOOKS = (("#D55E00", "circle"), ("#0072B2", "diamond"))
_LONGEST_NAME_DRAWN = 44
_FILLS = Quantity(
    name="Drive fills by this stimulus (bytes written / user capacity)",
    unit="",
    divisor=1.0,
    counted="drive fills",
)
_NAMES = {"time_s": "time", "stimulus_fills": "drive fills"}


def write_hosts(pairs: Sequence[HostPair], path: Path) -> Path:
    """Write the page of a comparison; return its path."""
    return write_document(hosts_document(*pairs), path)


def hosts_document(pair: HostPair, *others: HostPair) -> Document:
    """Return the page of a comparison, by one stimulus or several of the same runs."""
    pairs = (pair, *others)
    return Document(
        title="The same drive on two hosts",
        subtitle=f"{', '.join(one.title for one in pairs)}; {_drive(pair)}",
        notes=tuple(_notes(pairs)),
        pages=(
            *map(_curves_page, pairs),
            _findings_page(pair),
            _conditions_page(pair),
        ),
    )


def _drive(pair: HostPair) -> str:
    target = pair.contexts[0].record.target
    return f"{or_unknown(target.model)}, serial {or_unknown(target.serial)}"


def _notes(pairs: Sequence[HostPair]) -> Iterator[Note]:
    pair = pairs[0]
    if any(context.record.target.is_virtual for context in pair.contexts):
        text = (
            "A target is a model or a file, not a drive: this says nothing about a "
            "drive."
        )
        yield Note(text=text, tone="warning")
    differences = dict.fromkeys(words for one in pairs for words in one.differences)
    if differences:
        text = (
            "More than the host differs, so the host may not explain the curves: "
            f"{'; '.join(differences)}."
        )
        yield Note(text=text, tone="warning")
    if _is_same_host(pair):
        text = (
            "Both runs name the same platform, processor and kernel: they may come "
            "from one host. Ports and adapters are not recorded."
        )
        yield Note(text=text)
    yield _findings_note(pair)
    for one in pairs:
        stimulus = f"{one.title}: " if len(pairs) > 1 else ""
        yield from _unsteady_notes(one, stimulus)
        tone: Tone = "warning" if one.comparison.suspect else "plain"
        yield Note(text=stimulus + one.comparison.text, tone=tone)


def _unsteady_notes(pair: HostPair, stimulus: str) -> Iterator[Note]:
    """Yield that the ends of the curves are not both steady."""
    unsteady = [
        f"host {name}: {end}"
        for name, end in zip(HOSTS, pair.ends, strict=True)
        if end != "steady"
    ]
    if unsteady:
        text = (
            "The two ends compared are not both steady, and may differ for that reason "
            f"alone ({'; '.join(unsteady)})."
        )
        yield Note(text=stimulus + text, tone="warning")


def _findings_note(pair: HostPair) -> Note:
    """Return the doubts that the runs themselves raise about their numbers."""
    counts = "; ".join(_counts(pair))
    has_grave = any(
        finding.severity == "grave"
        for context in pair.contexts
        for finding in context.run.answers.findings
    )
    tone: Tone = "warning" if has_grave else "plain"
    return Note(text=f"Findings of the runs, listed below: {counts}.", tone=tone)


def _counts(pair: HostPair) -> list[str]:
    """Return the number of findings of each run."""
    return [
        f"host {name}: {count_text(context.run.answers.findings)}"
        for name, context in zip(HOSTS, pair.contexts, strict=True)
    ]


def _is_same_host(pair: HostPair) -> bool:
    first, second = (context.record.host for context in pair.contexts)
    names = ("platform", "cpu", "kernel")
    return all(getattr(first, name) == getattr(second, name) for name in names)


def _curves_page(pair: HostPair) -> Page:
    metric = pair.curves[0].metric
    names = [_host_name(pair, at) for at in (0, 1)]
    frames = {
        name: curve.rounds.assign(stimulus_fills=_fills(curve))
        for name, curve in zip(names, pair.curves, strict=True)
    }
    plots = [plot_hosts(frames, metric=metric, title=pair.title)]
    if all((curve.written_fills or 0) > 0 for curve in pair.curves):
        plots.append(
            plot_hosts(frames, metric=metric, x="stimulus_fills", title=pair.title)
        )
    return Page(
        title=f"Both curves, {pair.title}",
        blocks=(*(Plot(figure=figure) for figure in plots), _shapes_table(pair)),
    )


def _fills(curve: StimulusCurve) -> "pd.Series[float]":
    """Return what was written up to each round, in user capacities."""
    written = curve.rounds["written_bytes"].astype("Float64").astype(float)
    if not curve.written_fills:
        return written * float("nan")
    return written / float(written.iloc[-1]) * curve.written_fills


def _host_name(pair: HostPair, at: int) -> str:
    """Return a host as the legend names it: its letter and the label of its run."""
    record = pair.contexts[at].record
    name = shortened(record.label or record.run_id, longest=_LONGEST_NAME)
    return f"Host {HOSTS[at]}: {name}"


def _shapes_table(pair: HostPair) -> Table:
    metric = pair.curves[0].metric
    has_reasons = any(shape.reason for shape in pair.shapes)
    rows: list[tuple[str, ...]] = [
        (
            _host_name(pair, at),
            rate_text(shape.first, metric),
            rate_text(shape.end, metric),
            _ratio(shape.end, shape.first),
            _or_dash(shape.decline_ratio),
            _SHAPES[shape.shape],
            pair.ends[at],
            *((shape.reason,) if has_reasons else ()),
        )
        for at, shape in enumerate(pair.shapes)
    ]
    first, second = pair.shapes
    rows.append((
        "A / B",
        _ratio(first.first, second.first),
        _ratio(first.end, second.end),
        *("",) * (4 + has_reasons),
    ))
    return Table(
        caption=f"{QUANTITIES[metric].name} at the beginning and at the end",
        head=(
            "Host",
            "FOB, first round",
            "End, last 5 rounds",
            "End / FOB",
            "Greatest decline",
            "Shape",
            "Last window",
            *(("Why unknown",) if has_reasons else ()),
        ),
        rows=tuple(rows),
        words=(0, 5, 6, 7),
        note=_RULE,
    )


def _ratio(value: float, other: float) -> str:
    return _or_dash(value / other) if other > 0 else NOT_MEASURED


def _or_dash(ratio: float) -> str:
    return NOT_MEASURED if math.isnan(ratio) else share_text(ratio)


def _findings_page(pair: HostPair) -> Page:
    """Return the findings of each run: they may explain the curves."""
    tables = tuple(
        _findings_table(name, context)
        for name, context in zip(HOSTS, pair.contexts, strict=True)
    )
    return Page(title="Findings of both runs", blocks=tables)


def _findings_table(name: str, context: Context) -> Table:
    def tests(found: SharedFinding) -> str:
        return ", ".join(map(context.title_of, found.tests)) or "all"

    shared = context.run.answers.findings
    return tabulate(
        shared,
        (
            column("Finding", "code", is_words=True),
            column("Severity", "severity", SEVERITY_NAMES.__getitem__, is_words=True),
            column("Tests", tests, is_words=True),
            column("In words", "words", is_words=True),
        ),
        caption=f"Host {name}: {count_text(shared)}",
    )


def _conditions_page(pair: HostPair) -> Page:
    """Return what is known of both hosts and of the drive on each."""
    facts = [
        {"Label": or_unknown(context.record.label)}
        | dict([*platform_facts(context), *device_facts(context)])
        for context in pair.contexts
    ]
    names = dict.fromkeys([*facts[0], *facts[1]])
    rows = tuple(
        (name, *(one.get(name, NOT_MEASURED) for one in facts)) for name in names
    )
    table = Table(
        caption="Hosts and device as recorded",
        head=("Fact", *(f"Host {name}" for name in HOSTS)),
        rows=rows,
        words=(1, 2),
    )
    return Page(title="Conditions", blocks=(table,))


def host_lines(pair: HostPair, *others: HostPair) -> list[str]:
    """Describe a comparison in lines of text."""
    pairs = (pair, *others)
    names = [f"{one.title}: " if others else "" for one in pairs]
    named = list(zip(names, pairs, strict=True))
    differences = dict.fromkeys(words for one in pairs for words in one.differences)
    return [
        *(f"{name}{line}" for name, one in named for line in _shape_lines(one)),
        *(f"more than the host differs: {words}" for words in differences),
        *(f"findings of {count}" for count in _counts(pair)),
        *(f"{name}{one.comparison.text}" for name, one in named),
    ]


def _shape_lines(pair: HostPair) -> Iterator[str]:
    """Yield where each curve begins and ends."""
    metric = pair.curves[0].metric
    for at, shape in enumerate(pair.shapes):
        yield (
            f"{_host_name(pair, at)}: FOB {rate_text(shape.first, metric)}, "
            f"end {rate_text(shape.end, metric)}, {_SHAPES[shape.shape].lower()}, "
            f"last window {pair.ends[at]}"
        )


def plot_hosts(
    curves: "Mapping[str, pd.DataFrame]",
    *,
    metric: Rate = "iops",
    x: HostProgress = "time_s",
    title: str = "The same drive on two hosts",
) -> go.Figure:
    """Draw the rates of a drive on two hosts on the same axes.

    >>> import pandas as pd
    >>> curve = pd.DataFrame({"time_s": [60.0, 120.0], "iops": [9e4, 2e4]})
    >>> [line.name for line in plot_hosts({"A": curve, "B": curve}).data]
    ['A', 'B']
    """
    figure = new_figure(f"{title}: {QUANTITIES[metric].name} vs {_NAMES[x]}")
    across = Across.time(*curves.values()) if x == "time_s" else Across.of(x, _FILLS)
    lines = [
        Line(
            rows=[rounds], column=metric, color=color, symbol=symbol, size=6,
            name=(own := figure_text(name, longest=_LONGEST_NAME_DRAWN)),
            hover=f"{own}, {across.hover}: ",
        )
        for (name, rounds), (color, symbol) in zip(curves.items(), _LOOKS, strict=True)
    ]  # fmt: skip
    draw_lines(figure, across, lines, showlegend=True)
    return figure

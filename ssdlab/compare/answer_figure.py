"""The picture of a comparison: how many times as fast drives are, cell by cell."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from ssdlab.compare.answer import lead_of
from ssdlab.compare.cells import CELL, rows_of
from ssdlab.compare.pair_tables import Pair, pairs_to_show
from ssdlab.model.spec import label_of_test
from ssdlab.model.units import block_size_label, mix_label
from ssdlab.plots.axes import add_right_names, named_axis
from ssdlab.plots.labels import COLORS, axis, lay_out, new_figure
from ssdlab.plots.lines import add_points, add_tie
from ssdlab.plots.looks import RunLook
from ssdlab.plots.names import brief_texts, distinct_texts, full_text
from ssdlab.pts.compared import METRICS
from ssdlab.pts.suite import CATALOG, title_of
from ssdlab.text.numbers import rounded_text
from ssdlab.text.quantities import QUANTITIES, is_missing

if TYPE_CHECKING:
    import pandas as pd

_LEAST_REACH = 1.05  # least span of the axis: noise must not look like a difference
_SHOWN_BEYOND = 0.15  # of the span of the ratios: an interval may be infinite
_OUT_OF_SIGHT = 1e9  # up to here an interval without an end is drawn
_MOST_ROWS = 48  # with more, percentiles are left to the figures of the pairs
_LONGEST_SIDE = 22  # letters of a drive's name beside the axis
_LONGEST_HEAD = 12  # likewise above its values
_ONE_LINE = 30  # letters of both names, which then stand in one line
_TOP_PX, _LINE_OF_TITLE_PX = 112, 18  # above the rows: title, axis and its title
_ROW_PX, _LINE_PX = 16, 11  # of a row with one mark, and of each mark of several
_READS = {0: "write", 100: "read"}
_CLAIMS = {
    "drives": ("shown for the drives", "circle"),
    "runs": ("shown only for these runs", "diamond"),
    "same": ("shown to be the same", "square"),
    "": ("not shown, or not judged", "circle-open"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Mark:
    """One ratio with its interval: where it stands, and how it looks."""

    place: float
    ends: tuple[float, float, float]
    group: str
    color: str
    line: str
    symbol: str
    text: str


def plot_answer(
    differences: "pd.DataFrame",
    cells: "pd.DataFrame",
    *,
    looks: Mapping[str, RunLook],
) -> go.Figure:
    """Draw how many times as fast drives are in each cell, by test.

    Two drives: to the right of 1 the first is faster, to the left the second, in the
    colour of the faster one. More: each is drawn over the first that is comparable with
    any, in its own colour. A mark is open where nothing is shown. The values stand at
    the right edge: those of both drives, or of the one that others are drawn over.
    """
    pairs = pairs_to_show(differences)
    sides = [name for name in looks if any(name in (p.a, p.b) for p in pairs)]
    base = sides[0]
    own = [pair for pair in pairs if base in (pair.a, pair.b)]
    names = brief_texts((looks[name].name for name in sides), longest=_LONGEST_SIDE)
    brief = {name: escape(names[looks[name].name], quote=False) for name in sides}
    short = distinct_texts(names.values(), longest=_LONGEST_HEAD)
    heads = {name: short[names[looks[name].name]] for name in sides}
    rows = _rows(own, cells, heads)
    is_pair = len(own) == 1
    marks = list(_pair_marks(rows, looks) if is_pair else _marks(rows, looks))
    count = max((row.side for row in rows), default=0) + 1
    height = _ROW_PX if is_pair else max(_ROW_PX, _LINE_PX * count)
    figure = new_figure(
        "How many times as fast",
        subtitle="95 % interval of each cell, grey if not that of the claim"
        if is_pair
        else "95 % interval of each cell; filled: shown, open: not shown",
        height=170 + height * (1 + rows[-1].place if rows else 1),
    )
    _draw(figure, marks, is_pair=is_pair, looks=looks)
    _add_axes(figure, rows, marks, sides=sides, brief=brief, looks=looks)
    return figure


@dataclass(frozen=True, kw_only=True, slots=True)
class _Row:
    """A cell of the table, from the top: a test's heading where it has no ``row``."""

    place: int
    side: int
    label: str
    numbers: str
    row: Any = None


def _rows(
    pairs: Sequence[Pair], cells: "pd.DataFrame", names: Mapping[str, str]
) -> list[_Row]:
    """Return the cells in the order of the tests, each test below its heading.

    Those of a test are in the order in which they are drawn, from right to left.
    """
    known = {
        (row.test, row.metric, row.cell): row
        for row in rows_of(cells.drop_duplicates(CELL))
    }
    by_cell: dict[tuple[str, str, str], list[tuple[int, Any]]] = {}
    for side, pair in enumerate(pairs):
        for row in rows_of(pair.rows[pair.rows["ratio"] > 0]):
            place = (str(row.test), str(row.metric), str(row.cell))
            by_cell.setdefault(place, []).append((side, row))
    if len(by_cell) > _MOST_ROWS:
        by_cell = {
            place: own
            for place, own in by_cell.items()
            if not METRICS[place[1]].level_percent
        }
    shown = [pairs[0].a, pairs[0].b][: 2 if len(pairs) == 1 else 1]
    heads = escape(" | ".join(names[side] for side in shown), quote=False)
    found = [_Row(place=0, side=0, label="", numbers=heads)]
    line = 1
    order = [*CATALOG, *dict.fromkeys(place[0] for place in by_cell)]
    groups = sorted(
        {place[:2]: None for place in by_cell}, key=lambda g: order.index(g[0])
    )
    for group in groups:
        test, metric = group
        level = METRICS[metric].level_percent
        title = f"{title_of(test)} {level:g} %" if level else title_of(test)
        unit = QUANTITIES[metric].unit_or_name
        found.append(
            _Row(
                place=line,
                side=0,
                label=f"<b>{escape(title, quote=False)}</b>",
                numbers=f"<b>{escape(unit, quote=False)}</b>",
            )
        )
        line += 1
        own = [place for place in by_cell if place[:2] == group]
        leads = {place: lead_of(by_cell[place][0][1]) for place in own}
        for place in sorted(own, key=leads.__getitem__, reverse=len(pairs) == 1):
            rows = by_cell[place]
            label = cell_label(known[place])
            numbers = _numbers_text([row for _, row in rows], is_pair=len(pairs) == 1)
            found += [
                _Row(place=line, side=side, label=label, numbers=numbers, row=row)
                for side, row in rows
            ]
            line += 1
    return found


def cell_label(row: Any) -> str:
    """Return what a cell is, short enough to stand beside an axis.

    >>> from types import SimpleNamespace as Row
    >>> known = {"cell": "RND 4 KiB 65/35", "metric": "iops", "block_size_bytes": 4096}
    >>> cell_label(Row(**known, read_percent=65, threads=2, queue_depth=16))
    '4 KiB 65/35'
    >>> cell_label(Row(**known, read_percent=100, threads=2, queue_depth=16))
    '4 KiB read'
    """
    if is_missing(row.read_percent) or is_missing(row.block_size_bytes):
        return full_text(str(row.cell))
    mix = int(row.read_percent)
    size = block_size_label(int(row.block_size_bytes))
    words = f"{size} {_READS.get(mix) or mix_label(mix)}"
    # What tells cells apart beside size and mix: workers, or a part of the drive.
    more = str(row.cell).partition(f"{mix_label(mix)}")[2].strip()
    return full_text(" ".join(filter(None, (words, more))))


def _numbers_text(rows: Sequence[Any], *, is_pair: bool) -> str:
    first = rows[0]
    divisor = QUANTITIES[str(first.metric)].divisor
    values = (first.value_a, first.value_b) if is_pair else (first.value_a,)
    return " | ".join(rounded_text(float(value) / divisor) for value in values)


def _pair_marks(rows: Sequence[_Row], looks: Mapping[str, RunLook]) -> Iterator[_Mark]:
    """Yield the marks of two drives: the first over the second."""
    for one in rows:
        row = one.row
        if row is None:
            continue
        claim = row.claim or "same" * bool(row.same)
        color = looks[str(row.better)].color if row.better else COLORS["axis"]
        is_of_claim = claim != "runs" or row.unit == "rounds"
        yield _Mark(
            place=one.place,
            ends=_ends(row),
            group=claim,
            color=color,
            line=color if is_of_claim else COLORS["axis"],
            symbol=_CLAIMS[claim][1],
            text=hover_text(row),
        )


def _marks(rows: Sequence[_Row], looks: Mapping[str, RunLook]) -> Iterator[_Mark]:
    """Yield the marks of several drives, each over the first."""
    count = max((one.side for one in rows), default=0) + 1
    for one in rows:
        row = one.row
        if row is None:
            continue
        value, low, high = _ends(row)
        look = looks[str(row.b)]
        is_shown = bool(row.better or row.same)
        yield _Mark(
            place=one.place + (one.side - (count - 1) / 2) * 0.7 / count,
            ends=(1 / value, 1 / high, 1 / low),
            group=str(row.b),
            color=look.color,
            line=look.color,
            symbol=look.symbol if is_shown else f"{look.symbol}-open",
            text=hover_text(row),
        )


def _ends(row: Any) -> tuple[float, float, float]:
    """Return how many times as fast the first drive is, with its interval."""
    value = lead_of(row)
    if not row.high > 0:
        return value, value, value
    low, high = max(row.low, 1 / _OUT_OF_SIGHT), min(row.high, _OUT_OF_SIGHT)
    if not METRICS[str(row.metric)].is_more_better:
        low, high = 1 / high, 1 / low
    return value, float(low), float(high)


def hover_text(row: Any) -> str:
    """Return what is known of a difference: verdict, ratio, interval, repetitions."""
    verdict = full_text(str(row.verdict))
    reason = full_text(str(row.reason)) if row.reason else ""
    level = METRICS[str(row.metric)]
    tail = f" {level.words}" if not level.is_more_better else ""
    return (
        f"{label_of_test(row.test)} {full_text(str(row.cell))}{tail}"
        f"<br>{verdict}{'<br>' + reason if reason else ''}<br>ratio {row.ratio:.4g} "
        f"({_interval_text(row)})<br>n = {row.n_a} and {row.n_b} {row.unit}"
    )


def _interval_text(row: Any) -> str:
    if not row.high > 0:
        return "no interval"
    if not row.low > 0:
        return f"at most {row.high:.4g}"
    if math.isinf(row.high):
        return f"at least {row.low:.4g}"
    return f"{row.low:.4g} to {row.high:.4g}"


def _draw(
    figure: go.Figure,
    marks: Sequence[_Mark],
    *,
    is_pair: bool,
    looks: Mapping[str, RunLook],
) -> None:
    """Draw the intervals, and above them the marks, each kind of them once."""
    for mark in marks:
        line = {"color": mark.line, "width": 1.5}
        add_tie(figure, mark.ends[1:], [mark.place, mark.place], line=line)
    order = _CLAIMS if is_pair else looks
    for group in order:
        own = [mark for mark in marks if mark.group == group]
        if not own:
            continue
        look = looks.get(group)
        add_points(
            figure, [one.ends[0] for one in own], [one.place for one in own],
            name=look.text if look else _CLAIMS[group][0],
            text=[one.text for one in own],
            marker={
                "symbol": [one.symbol for one in own],
                "size": 8,
                "color": [one.color for one in own],
            },
        )  # fmt: skip
    figure.add_vline(x=1, line={"color": COLORS["axis"], "width": 1.5})


def _add_axes(
    figure: go.Figure,
    rows: Sequence[_Row],
    marks: Sequence[_Mark],
    *,
    sides: Sequence[str],
    brief: Mapping[str, str],
    looks: Mapping[str, RunLook],
) -> None:
    """Add the axis of ratios, the cells to the left, and their values to the right."""
    ratios = [mark.ends[0] for mark in marks]
    least, most = min([1 / _LEAST_REACH, *ratios]), max([_LEAST_REACH, *ratios])
    pad = (most / least) ** _SHOWN_BEYOND
    lines = {one.place: one for one in rows}
    labels = [lines[place].label for place in sorted(lines)]
    numbers = [lines[place].numbers for place in sorted(lines)]
    down = [len(labels) - 0.3, -0.7]
    small: dict[str, Any] = {"tickfont": {"size": 11}, "ticks": "", "showgrid": False}
    left = named_axis("", labels, range=down, **small)
    title = _ratio_title(sides, brief, looks)
    lay_out(
        figure,
        xaxis=_ratio_axis(title, least / pad, most * pad),
        title={"y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 16}},
        margin={"t": _TOP_PX + _LINE_OF_TITLE_PX * title.count("<br>")},
        yaxis=left,
        showlegend=True,
    )
    add_right_names(figure, numbers, range=down)


def _ratio_axis(title: str, low: float, high: float) -> dict[str, Any]:
    """Return a logarithmic axis of ratios on top, its ticks few enough for a phone."""
    ends = [math.log10(low), math.log10(high)]
    ticks = next(
        (
            shown
            for ticks in _TICKS
            if len(shown := [tick for tick in ticks if low <= tick <= high]) >= _FEWEST
        ),
        [1.0],
    )
    texts = [f"{tick:g}" for tick in ticks]
    more = {"tickvals": ticks, "ticktext": texts, "tickangle": 0, "side": "top"}
    return axis(title, type="log", range=ends, **more)


_FEWEST = 3  # ticks
_TICKS = (
    [10.0**power for power in range(-6, 7)],
    [part * 10.0**power for power in range(-6, 7) for part in (1.0, 3.0)],
    [part * 10.0**power for power in range(-6, 7) for part in (1.0, 2.0, 5.0)],
    [0.25, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0],
    [0.8, 0.9, 1.0, 1.1, 1.25],
    [0.95, 0.97, 1.0, 1.03, 1.05],
)


def _ratio_title(
    sides: Sequence[str], brief: Mapping[str, str], looks: Mapping[str, RunLook]
) -> str:
    """Return which direction is whose, and which colour."""
    if len(sides) == 2:
        second, first = (
            f'<span style="color:{looks[name].color}">{words}</span>'
            for name, words in (
                (sides[1], f"← {brief[sides[1]]} faster"),
                (sides[0], f"{brief[sides[0]]} faster →"),
            )
        )
        is_short = sum(len(brief[name]) for name in sides) <= _ONE_LINE
        return f"{second} | {first}" if is_short else f"{second}<br>{first}"
    lines = [f"← slower | faster than {brief[sides[0]]} →"]
    room = 0
    for name in sides[1:]:
        words = f'<span style="color:{looks[name].color}">■ {brief[name]}</span>'
        if room < len(brief[name]):
            lines.append(words)
            room = _ONE_LINE
        else:
            lines[-1] += f"  {words}"
        room -= len(brief[name]) + 3
    return "<br>".join(lines)

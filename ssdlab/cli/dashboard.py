"""Where a run is, drawn for a terminal of any size, or as a line of a log."""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from rich.console import Group
from rich.style import Style
from rich.text import Text

from ssdlab.engine.progress import CellProgress, Progress, ProgressOfTest, value_text
from ssdlab.model.errors import RunFolderError
from ssdlab.model.plain import from_plain
from ssdlab.model.records import RunRecord
from ssdlab.model.units import (
    block_size_label,
    capacity_label,
    duration_label,
    mix_label,
)
from ssdlab.plan.endurance import Endurance
from ssdlab.store.records import read_record
from ssdlab.system.folders import Folder
from ssdlab.text.terminal import printable

PROGRESS: Final = "progress.json"
_NS: Final = 1e9
_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(days=7)
_MOST_S: Final = 100 * 365 * 86_400.0  # of any time that is shown
_NOTE_COLUMNS: Final = 24
_GAUGE_COLUMNS: Final = 21
_BARS: Final = "▁▂▃▄▅▆▇█"
_FEWEST_CELLS: Final = 4  # fewer are no matrix
_MOST_CELLS: Final = 400
_GOOD, _BAD, _QUIET = Style(color="green"), Style(color="red"), Style(dim=True)
_BOLD, _NOW = Style(bold=True), Style(reverse=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """What is known of a run under way.

    ``age_s`` is how long ago the run said where it is.
    """

    title: str
    progress: Progress
    age_s: float
    now: datetime
    temperature_limit_celsius: float | None = None
    endurance: tuple[Endurance, ...] = ()

    @property
    def left_s(self) -> tuple[float, float]:
        """The least and the most time left."""
        progress = self.progress
        least, most = (
            min(max(0.0, left - self.age_s), _MOST_S)
            for left in (progress.left_min_s, progress.left_max_s)
        )
        return least, most

    @property
    def share(self) -> float:
        """The part of the longest time that is over."""
        longest = sum(one.longest_s for one in self.progress.tests)
        return _share(self.left_s[1], longest)


def read_view(
    run: Path, *, now_s: float, endurance: Sequence[Endurance] = ()
) -> View | None:
    """Return what a run says of itself; ``None`` if it said nothing yet."""
    folder = Folder(run)
    try:
        said = json.loads(folder.read(PROGRESS))
        said.pop("line", None)
        progress = from_plain(Progress, said)
        written_s = folder.changed_ns(PROGRESS) / _NS
        record = read_record(run)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    except RunFolderError:  # a link, or too large
        return None
    return View(
        title=_title(record),
        progress=progress,
        age_s=max(0.0, now_s - written_s),
        now=datetime.fromtimestamp(now_s).astimezone(),
        temperature_limit_celsius=record.temperature_limit_celsius,
        endurance=tuple(endurance),
    )


def _title(record: RunRecord) -> str:
    target = record.target
    parts = (f"{target.model} {target.serial}".strip(), record.asked.name, record.label)
    return printable(" · ".join(filter(None, parts)))


def log_line(view: View) -> str:
    """Return where a run is as a line of a log, with the time of day."""
    time = view.now.strftime("%H:%M:%S")
    words = printable(replace(view.progress, tests=(), matrix=()).line)
    return f"{time} {100 * view.share:3.0f} % | {words} | finish {_finish(view)}"


def draw(view: View, *, width: int, height: int) -> Group:
    """Return the picture of a run, in at most ``height`` lines.

    The time left is always in it; what has no room is left out, the matrix first.
    """
    tests = [_test_line(view, one, width) for one in view.progress.tests]
    where = list(_where_lines(view, width))
    matrix = list(_matrix_lines(view.progress, width))
    if len(tests) + len(where) >= height:
        named = (one.test for one in view.progress.tests)
        now = view.progress.test
        tests = [line for line, test in zip(tests, named, strict=True) if test == now]
    blocks = {
        "title": [Text(view.title, style=_BOLD)],
        "tests": tests,
        "where": where,
        "matrix": [Text(), *matrix, Text()] if matrix else [],
        "left": [_left_line(view)],
    }
    room = height
    for name in ("left", "tests", "where", "title", "matrix"):
        if len(blocks[name]) > room:
            blocks[name] = []
        room -= len(blocks[name])
    lines = [line for block in blocks.values() for line in block]
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return Group(*lines)


def _share(left_s: float, longest_s: float) -> float:
    if not longest_s or not math.isfinite(longest_s):
        return 0.0 if left_s else 1.0
    return min(1.0, max(0.0, 1 - left_s / longest_s))


def _left_line(view: View) -> Text:
    if view.progress.phase == "finished":
        return Text("100 %  writing tables, report and notebook", style=_BOLD)
    least, most = map(duration_label, view.left_s)
    left = least if least == most else f"{least} to {most}"
    purge = "purging, then " if view.progress.purge else ""
    words = f"{100 * view.share:.0f} %  {purge}{left} left  finish {_finish(view)}"
    return Text(words, style=_BOLD)


def _finish(view: View) -> str:
    """Return the time of day at which a run will finish, at the earliest and latest."""
    ends = [_time_of_day(view.now + timedelta(seconds=s), view) for s in view.left_s]
    return " to ".join(dict.fromkeys(ends))


def _time_of_day(then: datetime, view: View) -> str:
    days = abs(then - view.now)
    if then.date() == view.now.date():
        return f"{then:%H:%M}"
    return f"{then:%a %H:%M}" if days < _WEEK else f"{then:%d %b %H:%M}"


def _test_line(view: View, test: ProgressOfTest, width: int) -> Text:
    """Return the bar of a test: done, under way, or still to come."""
    is_now = test.test == view.progress.test
    left_s = max(0.0, test.left_max_s - (view.age_s if is_now else 0.0))
    share = _share(left_s, test.longest_s)
    names = max(len(one.test) for one in view.progress.tests)
    names = min(max(names, 4), 14)
    size = max(4, min(60, width - names - 9 - _NOTE_COLUMNS))
    full = round(share * size)
    is_over = not is_now and share >= 1
    name = printable(test.test)[:names].ljust(names)
    return Text.assemble(
        (f"{name}  ", _BOLD if is_now else ""),
        ("━" * full, _GOOD if is_over else Style(color="cyan")),
        ("─" * (size - full), _QUIET),
        f" {100 * share:3.0f} %  ",
        _test_note(test, is_now=is_now, is_over=is_over),
    )


def _test_note(test: ProgressOfTest, *, is_now: bool, is_over: bool) -> Text:
    rounds = f"{test.rounds} round{'s' if test.rounds != 1 else ''}"
    if test.is_steady is True and not is_now:
        return Text(f"✓ steady, {rounds}", style=_GOOD)
    if is_over and test.is_steady is False:
        return Text(f"✗ not steady, {rounds}", style=_BAD)
    if is_now and test.rounds:
        return Text(f"round {test.rounds}")
    return Text("done" if is_over else "", style=_QUIET)


def _where_lines(view: View, width: int) -> Iterator[Text]:
    """Yield the step under way, the tracking variable, and the state of the drive."""
    progress = view.progress
    if progress.phase == "finished":
        return
    parts = [progress.phase]
    if progress.round:
        parts.append(f"round {progress.round} of at most {progress.rounds_max}")
    if progress.cells > 1:
        parts.append(f"cell {progress.cell}/{progress.cells}")
    parts.append(progress.purge or progress.workload)
    if progress.step_percent is not None and progress.step_extent:
        parts.append(f"{progress.step_percent:.0f} % of {progress.step_extent}")
    yield Text(printable(" · ".join(filter(None, parts))))
    if progress.live is not None:
        yield Text(progress.live.words, style=Style(color="cyan"))
    yield from _tracked_lines(progress, width)
    state = list(_state(view))
    if state:
        yield Text(" · ".join(state), style=_QUIET)


def _tracked_lines(progress: Progress, width: int) -> Iterator[Text]:
    """Yield the last value, its place in the band of the window, and the verdict."""
    tracked = progress.tracked
    if tracked is None or not tracked.values or not tracked.average > 0:
        return
    last = tracked.values[-1]
    deviation = last / tracked.average - 1
    shown = Text.assemble(
        f"{printable(progress.tracking)}  ",
        (value_text(last, tracked.metric), _BOLD),
        " IOPS" if tracked.metric == "iops" else "",
        (_sparkline(tracked.values[-16:]), Style(color="cyan")),
    )
    yield shown
    limit = None if tracked.range_ratio is None else tracked.range_ratio / 2
    if limit:
        is_inside = abs(deviation) <= limit
        style = _GOOD if is_inside else _BAD
        low, high = (
            value_text(tracked.average * (1 + sign * limit), tracked.metric)
            for sign in (-1, 1)
        )
        line = Text.assemble(
            f"  {low} ",
            (_gauge(deviation, limit), style),
            f" {high}  ",
            (f"{100 * deviation:+.1f} % of the window's average", style),
        )
        if len(line) <= width:
            yield line
    if progress.verdict:
        yield Text(f"  {printable(progress.verdict)}", style=_QUIET)


def _gauge(deviation: float, limit: float) -> str:
    """Return the band as a line with the value on it, at its edge if beyond.

    >>> _gauge(0.05, 0.1)
    '├──────────────●────┤'
    """
    span = _GAUGE_COLUMNS - 1
    place = round((deviation / limit + 1) / 2 * span)
    band = ["├", *"─" * (span - 1), "┤"]
    if place < 0:
        band[0] = "◀"
    elif place > span:
        band[-1] = "▶"
    else:
        band[place] = "●"
    return "".join(band)


def _sparkline(values: Sequence[float]) -> str:
    """Return values as bars of eight heights.

    >>> _sparkline([8.0, 6.0, 4.0, 4.0])
    '  █▅▁▁'
    """
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    step = (high - low) / (len(_BARS) - 1)
    if not step:
        return "  " + _BARS[3] * len(values)
    return "  " + "".join(_BARS[round((value - low) / step)] for value in values)


def _state(view: View) -> Iterator[str]:
    yield from view.progress.drive_state
    written = view.progress.written_bytes
    if not written:
        return
    yield f"{capacity_label(written)} written"
    for own in view.endurance:
        percent = 100 * written / own.most_bytes
        yield f"{percent:.2g} % of {own.words}"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Axis:
    """What the rows or columns of a matrix are: their order and their names."""

    key: Callable[[CellProgress], int]
    label: Callable[[int], str]


_AXES: Final = (
    (
        _Axis(key=lambda cell: cell.block_size_bytes, label=block_size_label),
        _Axis(key=lambda cell: -cell.read_percent, label=lambda key: mix_label(-key)),
    ),
    (
        _Axis(key=lambda cell: cell.threads, label="T{}".format),
        _Axis(key=lambda cell: cell.queue_depth, label="Q{}".format),
    ),
)


def _matrix_lines(progress: Progress, width: int) -> Iterator[Text]:
    """Yield the loop's cells as a grid: of this round, of an earlier one, or empty."""
    cells = progress.matrix
    if not _FEWEST_CELLS <= len(cells) <= _MOST_CELLS:
        return
    metric = progress.tracked.metric if progress.tracked else "iops"
    places: dict[tuple[int, int], tuple[int, CellProgress]] = {}
    for down, across in _AXES:
        places = {
            (down.key(cell), across.key(cell)): (number, cell)
            for number, cell in enumerate(cells, start=1)
        }
        if len(places) == len(cells):
            break
    else:
        return
    rows, columns = (sorted({place[end] for place in places}) for end in (0, 1))
    names = {row: down.label(row) for row in rows}
    heads = {column: across.label(column) for column in columns}
    texts = {
        place: "·" if cell.value is None else value_text(cell.value, metric)
        for place, (_, cell) in places.items()
    }
    first = max(map(len, names.values()))
    size = max(map(len, (*texts.values(), *heads.values()))) + 2
    if first + size * len(columns) > width:
        return
    unit = "" if metric != "iops" else "IOPS"
    shown = "".join(heads[column].rjust(size) for column in columns)
    yield Text(f"{unit:<{first}}{shown}", _QUIET)
    for row in rows:
        line = Text(names[row].rjust(first))
        for column in columns:
            text = texts.get((row, column), "")
            line.append(" " * (size - len(text)))
            line.append(text, _cell_style(progress, places.get((row, column))))
        yield line


def _cell_style(progress: Progress, place: tuple[int, CellProgress] | None) -> Style:
    if place is None:
        return _QUIET
    number, cell = place
    if number == progress.cell:
        return _NOW
    return _BOLD if cell.round == progress.round and cell.round else _QUIET

"""The tables of a published report of TKperf's, each checked against its window."""

import datetime as dt
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ssdlab.model.spec import PTS_CRITERIA
from ssdlab.model.units import KIB, MIB, mix_label
from ssdlab.reference.tkperf_form import PrintedWindow, Setup, TkperfReport

_SIZE = re.compile(r"([1-9]\d{0,8})(k?)")
_MOST_SIZE = 1 << 30
_MOST_COUNT = 10**9
_MOST_ROUND = 10_000
_MOST = 1e15

Cells = Mapping[tuple[int, int], float]


@dataclass(frozen=True, kw_only=True, slots=True)
class PrintedTest:
    """One test of a report as numbers by block size [B] and percent of reads.

    ``averages`` and ``maxima`` are as printed: IOPS, MiB/s, or ms; one that was typed
    without a fraction is an int. ``tracked`` is the cell of the tracking variable.
    """

    test_id: str
    tracked: tuple[int, int]
    window: PrintedWindow
    averages: Cells
    maxima: Cells


@dataclass(frozen=True, kw_only=True, slots=True)
class _Shape:
    """Where the tables of a test stand, and how its window relates to them.

    ``per_unit`` is how many units of the window are one of the table, ``slack`` how
    far the table's number may be from the mean of the window: half a unit of its last
    digit. ``may_drop`` says that the window holds the table's own whole numbers: of
    their mean TKperf on Python 2 drops the fraction.
    """

    test_id: str
    name: str
    average: str
    maximum: str
    tracked: tuple[int, int]
    per_unit: float
    slack: float
    may_drop: bool = False


_SHAPES = (
    _Shape(
        test_id="iops",
        name="iops",
        average="average",
        maximum="",
        tracked=(4 * KIB, 0),
        per_unit=1.0,
        slack=0.05,
        may_drop=True,
    ),
    _Shape(
        test_id="tp",
        name="throughput",
        average="mib_per_s",
        maximum="",
        tracked=(MIB, 0),
        per_unit=KIB,
        slack=0.0005,
    ),
    _Shape(
        test_id="lat",
        name="latency",
        average="average_ms",
        maximum="maximum_ms",
        tracked=(4 * KIB, 0),
        per_unit=1000.0,
        slack=0.0005,
    ),
)


def printed_tests(report: TkperfReport) -> tuple[PrintedTest, ...]:
    """Return the tests of a report, in the order of TKperf's report."""
    return tuple(
        _test(report, shape)
        for shape in _SHAPES
        if getattr(report, shape.name) is not None
    )


def require_sane(setup: Setup) -> None:
    """Require counts that a machine can have, and a date without a time."""
    if isinstance(setup.test_date, dt.datetime):
        msg = f"setup.test_date: {setup.test_date} has a time; give a date only"
        raise ValueError(msg)  # noqa: TRY004 - a date is right, this one is not
    for name in (
        "capacity_mb",
        "numjobs",
        "iodepth",
        "measurement_window",
        "max_rounds",
    ):
        if not 0 <= getattr(setup, name) <= _MOST_COUNT:
            msg = f"setup.{name}: {getattr(setup, name)} is not a valid count"
            raise ValueError(msg)


def size_label(block_size_bytes: int) -> str:
    """Return a block size as TKperf prints it: ``512`` or ``4k``.

    >>> size_label(512), size_label(1048576)
    ('512', '1024k')
    """
    if block_size_bytes % KIB:
        return str(block_size_bytes)
    return f"{block_size_bytes // KIB}k"


def _test(report: TkperfReport, shape: _Shape) -> PrintedTest:
    """Return one test."""
    table = getattr(report, shape.name)
    window = _require_window(shape.name, getattr(report.windows, shape.name))
    _require_reach(shape.name, window, report.setup.max_rounds)
    averages = _cells(shape.name, table.read_percent, getattr(table, shape.average))
    maxima: Cells = {}
    if shape.maximum:
        maxima = _cells(shape.name, table.read_percent, getattr(table, shape.maximum))
        _require_greater(shape.name, averages, maxima)
    _require_agreement(shape, averages, window)
    return PrintedTest(
        test_id=shape.test_id,
        tracked=shape.tracked,
        window=window,
        averages=averages,
        maxima=maxima,
    )


def _require_window(name: str, window: PrintedWindow | None) -> PrintedWindow:
    """Return the window of a table."""
    width = PTS_CRITERIA.window_rounds
    if window is None:
        msg = f"windows.{name} is missing: the rounds and values of its window"
        raise ValueError(msg)
    first = window.rounds[0] if window.rounds else 0
    is_round = 0 <= first <= _MOST_ROUND
    if not is_round or window.rounds != tuple(range(first, first + width)):
        msg = f"windows.{name}.rounds are not {width} consecutive rounds"
        raise ValueError(msg)
    if len(window.values) != width or not all(map(_is_amount, window.values)):
        msg = f"windows.{name}.values are not {width} numbers above 0"
        raise ValueError(msg)
    return window


def _require_reach(name: str, window: PrintedWindow, max_rounds: int) -> None:
    """Require that the test was allowed as many rounds as its window reaches."""
    needed = window.rounds[-1] + 1  # the report counts from 0
    if max_rounds < needed:
        msg = (
            f"setup.max_rounds: {max_rounds} do not reach round {window.rounds[-1]} of "
            f"windows.{name}, which counts from 0: it is at least {needed}"
        )
        raise ValueError(msg)


def _is_amount(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 < value < _MOST


def _cells(name: str, mixes: tuple[int, ...], rows: Mapping[str, Any]) -> Cells:
    """Return the numbers of a table by block size and mix."""
    if not mixes or len(set(mixes)) < len(mixes) or not set(mixes) <= set(range(101)):
        msg = f"{name}.read_percent are not distinct percentages"
        raise ValueError(msg)
    cells: dict[tuple[int, int], float] = {}
    for label, values in rows.items():
        size = _size(name, label)
        is_row = isinstance(values, list) and len(values) == len(mixes)
        if not is_row or not all(map(_is_amount, values)):
            msg = f"{name}: row {label!r} does not have {len(mixes)} numbers above 0"
            raise ValueError(msg)
        if (size, mixes[0]) in cells:
            msg = f"{name}: row {label!r} repeats a block size"
            raise ValueError(msg)
        cells |= {(size, mix): value for mix, value in zip(mixes, values, strict=True)}
    return cells


def _size(name: str, label: str) -> int:
    """Return the block size that a row is named for."""
    match = _SIZE.fullmatch(label)
    size = int(match[1]) * (KIB if match[2] else 1) if match else 0
    if not 0 < size <= _MOST_SIZE:
        msg = f"{name}: {label!r} is not a block size such as 512 or 4k"
        raise ValueError(msg)
    return size


def _require_greater(name: str, averages: Cells, maxima: Cells) -> None:
    """Require a maximum of each average, and no less."""
    if averages.keys() != maxima.keys():
        msg = f"{name}: its averages and maxima are not of the same cells"
        raise ValueError(msg)
    for cell, average in averages.items():
        if maxima[cell] < average:
            msg = f"{name}: the maximum of {_words(cell)} is less than its average"
            raise ValueError(msg)


def _require_agreement(shape: _Shape, averages: Cells, window: PrintedWindow) -> None:
    """Require that the cell of the tracking variable is the mean of its window."""
    printed = averages.get(shape.tracked)
    if printed is None:
        msg = f"{shape.name}: the cell {_words(shape.tracked)} is missing"
        raise ValueError(msg)
    mean = math.fsum(window.values) / len(window.values) / shape.per_unit
    if not _is_mean(printed, mean, shape):
        msg = (
            f"{shape.name}: {_words(shape.tracked)} is printed as {printed:.10g}, but "
            f"the mean of its window is {mean:.10g}"
        )
        raise ValueError(msg)


def _is_mean(printed: float, mean: float, shape: _Shape) -> bool:
    noise = 4 * math.ulp(mean)
    if shape.may_drop and isinstance(printed, int):
        return -noise <= mean - printed < 1
    return abs(mean - printed) <= shape.slack + noise


def _words(cell: tuple[int, int]) -> str:
    return f"{size_label(cell[0])} R/W {mix_label(cell[1])}"

"""The steady-state block of TKperf's report, as it prints it, beside ours."""

import math
from collections.abc import Iterator

from ssdlab.analysis.tkperf import TkperfWindow
from ssdlab.report.blocks import Table
from ssdlab.report.text import NOT_MEASURED

_DIGITS = 7
_DIGITS_OF_FIO = 6  # behind the point of a mean in fio's terse output
_NOTE = (
    "The window of 4 and rounds that count from 0 are TKperf's; the names of the other "
    "lines are ours. TKperf keeps five rounds, judges from the fifth on, and is not "
    "steady only where a limit is passed by more than the limit: the rule is ours."
)
_WHY_FOUR = "TKperf prints the steps between rounds, which its slope is multiplied by"
_WHY_ZERO = "TKperf counts rounds from 0, the PTS from 1"
_WHY_VALUES = {
    "iops": "TKperf takes whole IOPS from fio's terse output",
    "tp": "TKperf takes whole KiB/s from fio's terse output",
}
_WHY_FLOOR = "TKperf 2.0 on Python 2 drops the fraction of a mean of whole numbers"
_WHY_FIT = "it follows from the values"
_Line = tuple[str, str, str, str]


_TRACKED = {  # the name of the tracking variable, and its unit
    "iops": ("RND 4KiB R/W 0/100", "IOPS"),
    "tp": ("SEQ 1024KiB write", "KiB/s"),
    "lat": ("RND 4KiB R/W 0/100 mean", "us"),
}


def python_text(value: float, digits: int) -> str:
    """Return a number as Python writes it when it is rounded.

    >>> python_text(299.6100001, 3), python_text(5490.0, 1)
    ('299.61', '5490.0')
    """
    return repr(round(float(value), digits)) if math.isfinite(value) else NOT_MEASURED


def steady_table(window: TkperfWindow) -> Table:
    """Return the lines of TKperf's steady state, ours, and why they differ."""
    name, unit = _TRACKED[window.test]
    rows = tuple(
        (line, theirs, ours, why if theirs != ours else "")
        for line, theirs, ours, why in (*_value_lines(window), *_fit_lines(window))
    )
    return Table(
        caption=f"TKperf: steady state of {name} [{unit}]",
        corner="Line",
        head=("TKperf", "Ours", "Why they differ"),
        rows=rows,
        words=(1, 2, 3),
        note=_NOTE,
    )


def _value_lines(window: TkperfWindow) -> Iterator[_Line]:
    width = len(window.rounds)
    yield "Measurement Window", str(width - 1), f"{width} rounds", _WHY_FOUR
    from_zero = ", ".join(str(number - 1) for number in window.rounds)
    yield "Rounds", from_zero, ", ".join(map(str, window.rounds)), _WHY_ZERO
    theirs, ours = (
        ", ".join(_number(value, _DIGITS_OF_FIO) for value in values)
        for values in (window.series, window.own_series)
    )
    yield "Values", theirs, ours, _WHY_VALUES.get(window.test, "")
    average = _number(window.own_verdict.average, _DIGITS)
    yield "Average", _number(window.printed_average, _DIGITS), average, _WHY_FLOOR


def _fit_lines(window: TkperfWindow) -> Iterator[_Line]:
    verdict, own = window.verdict, window.own_verdict
    theirs, ours = (python_text(v.slope_per_round, _DIGITS) for v in (verdict, own))
    yield "Slope of the fit", theirs, ours, _WHY_FIT
    theirs, ours = (python_text(v, _DIGITS) for v in (window.intercept, own.intercept))
    yield "Intercept of the fit", theirs, ours, _WHY_ZERO
    yield "Steady state reached", str(verdict.is_steady), str(own.is_steady), _WHY_FIT


def _number(value: float, digits: int) -> str:
    """Return a whole number without a point, another with the digits that it has."""
    if math.isfinite(value) and value == math.floor(value):
        return str(int(value))
    return python_text(value, digits)

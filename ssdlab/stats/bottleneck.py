"""Does a curve show the drive or the host? Flat and low is the host (Micron).

Random writes to flash slow down once there are no free blocks left. A curve that does
not fall, although enough was written, was limited by something in front of the flash:
port, link, driver, processor. It may also be a drive that does not slow down, so a flat
curve is a warning, not a verdict.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

FLAT_DECLINE_RATIO = 0.20  # what the PTS lets a steady value vary: 2.1.24 a
BEGIN_ROUNDS = 5  # the peak need not be in the first round
LEVEL_ROUNDS = 5  # the median of so many neighbours: one slow round is not a level
LEAST_FILLS = 1.0  # user capacities written: less need not exhaust the free blocks
LOWER_RATIO = 0.10  # of the other curve: as far as a flat one may stay behind

Shape = Literal["falls", "flat", "unknown"]


@dataclass(frozen=True, kw_only=True, slots=True)
class CurveShape:
    """The shape of a curve from beginning to end, in the unit of its values.

    ``begin`` is the greatest of the first five rounds, ``level`` the least median of
    five neighbours, ``end`` the mean of the last five. ``decline_ratio`` is the drop
    from begin to level over begin. ``reason`` says why a shape is unknown.
    """

    shape: Shape
    first: float
    begin: float
    level: float
    end: float
    decline_ratio: float
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class HostComparison:
    """Two curves of the same drive on two hosts.

    ``suspect`` is the host that looks like a bottleneck, if any. ``end_ratio`` is the
    end of the first curve over that of the second.
    """

    suspect: Literal["", "A", "B"]
    end_ratio: float
    text: str


def assess_decline(values: npt.ArrayLike, *, written_fills: float | None) -> CurveShape:
    """Assess whether a curve declines from its beginning.

    ``flat`` if it never falls further below its beginning than `FLAT_DECLINE_RATIO` and
    at least `LEAST_FILLS` were written.

    References
    ----------
    .. [1] Micron, "Best Practices for SSD Performance Measurement", Rev. B, 4/17.

    >>> assess_decline([900, 900, 500, 300, 200] + [200] * 5, written_fills=3).shape
    'falls'
    >>> assess_decline([200] * 10, written_fills=3).shape
    'flat'
    """
    series = np.asarray(values, dtype=np.float64)
    series = series[np.isfinite(series)]
    least = BEGIN_ROUNDS + LEVEL_ROUNDS
    if len(series) < least:
        return _untold(series, f"{len(series)} rounds; {least} are needed")
    begin = float(series[:BEGIN_ROUNDS].max())
    if begin <= 0:
        return _untold(series, "there was no IO at its beginning")
    level = _least_level(series)
    decline = 1 - level / begin
    shape: Shape = "falls" if decline > FLAT_DECLINE_RATIO else "flat"
    reason = "" if shape == "falls" else _why_untold(written_fills)
    return CurveShape(
        shape="unknown" if reason else shape,
        first=float(series[0]),
        begin=begin,
        level=level,
        end=float(series[-LEVEL_ROUNDS:].mean()),
        decline_ratio=decline,
        reason=reason,
    )


def find_bottleneck_warning(
    values: npt.ArrayLike, *, written_fills: float | None
) -> str:
    """Return the warning that a curve of random writes does not decline, if it applies.

    Two sentences, or an empty text if the curve declines or cannot be judged.

    References
    ----------
    .. [1] Micron, "Best Practices for SSD Performance Measurement", Rev. B, 4/17.

    >>> find_bottleneck_warning([900] * 5 + [200] * 5, written_fills=3)
    ''
    """
    curve = assess_decline(values, written_fills=written_fills)
    if curve.shape != "flat":
        return ""
    return (
        f"The curve does not decline: its lowest level is {_below(curve)} its "
        f"beginning, though {written_fills:.3g} user capacities were written. If the "
        "drive is slower here than expected, the host may be the bottleneck (port, "
        "link, driver or processor): measure it on another host, and see "
        "ssdlab compare-hosts."
    )


def compare_hosts(
    first: CurveShape, second: CurveShape, *, is_random_write: bool
) -> HostComparison:
    """Assess which of two hosts, A or B, looks like a bottleneck of the same drive.

    ``suspect`` is a host whose curve is flat and begins more than `LOWER_RATIO`
    below the other one.

    References
    ----------
    .. [1] Micron, "Best Practices for SSD Performance Measurement", Rev. B, 4/17.
    """
    ratio = first.end / second.end if second.end > 0 else float("nan")
    suspect: Literal["", "A", "B"] = ""
    if _is_held_down(first, second):
        suspect, text = "A", _suspicion("A", first, second)
    elif _is_held_down(second, first):
        suspect, text = "B", _suspicion("B", second, first)
    else:
        text = _without_suspect(first, second, is_random_write=is_random_write)
    return HostComparison(suspect=suspect, end_ratio=ratio, text=text)


def _is_held_down(curve: CurveShape, other: CurveShape) -> bool:
    """Return whether a curve is flat, and lower than the other from its beginning."""
    return curve.shape == "flat" and curve.begin < (1 - LOWER_RATIO) * other.begin


def _suspicion(name: str, low: CurveShape, high: CurveShape) -> str:
    falls = "does not fall either"
    if high.shape == "falls":
        falls = f"falls by {high.decline_ratio:.0%}"
    end = "it ends lower too, so its steady values are those of the host, not the drive"
    if low.end >= (1 - LOWER_RATIO) * high.end:
        end = "it ends where the other one does, so the host only cut off the peak"
    return (
        f"Host {name} looks like a bottleneck: its curve is flat (lowest level "
        f"{_below(low)} its beginning) and begins {1 - low.begin / high.begin:.0%} "
        f"lower than that of the other host, which {falls}; {end}."
    )


def _without_suspect(
    first: CurveShape, second: CurveShape, *, is_random_write: bool
) -> str:
    untold = [
        f"host {name}: {curve.reason}"
        for name, curve in (("A", first), ("B", second))
        if curve.shape == "unknown"
    ]
    if untold:
        return f"It is unknown whether a host is the bottleneck: {'; '.join(untold)}."
    if first.shape == second.shape == "flat":
        if not is_random_write:
            return (
                "Neither curve falls, and with this stimulus flash need not slow "
                "down: that says nothing about the hosts."
            )
        return (
            "Neither curve falls: either both hosts are a bottleneck, or this drive "
            "does not slow down from its beginning."
        )
    return "No host looks like a bottleneck: no curve is both flat and lower."


def _below(curve: CurveShape) -> str:
    if curve.decline_ratio <= 0:
        return "not below"
    return f"{curve.decline_ratio:.1%} below"


def _least_level(series: npt.NDArray[np.float64]) -> float:
    windows = np.lib.stride_tricks.sliding_window_view(series, LEVEL_ROUNDS)
    return float(np.median(windows, axis=1).min())


def _why_untold(written_fills: float | None) -> str:
    if written_fills is None or not np.isfinite(written_fills):
        return "it does not fall, and the amount written is unknown"
    if written_fills < LEAST_FILLS:
        return (
            f"it does not fall, and only {written_fills:.2g} user capacities were "
            f"written: flash may have free blocks up to {LEAST_FILLS:g} and more"
        )
    return ""


def _untold(series: npt.NDArray[np.float64], reason: str) -> CurveShape:
    nan = float("nan")
    return CurveShape(
        shape="unknown",
        first=float(series[0]) if len(series) else nan,
        begin=nan,
        level=nan,
        end=float(series[-LEVEL_ROUNDS:].mean()) if len(series) else nan,
        decline_ratio=nan,
        reason=reason,
    )

"""The latencies of fio's normal text: four numbers and percentiles of each kind."""

import math
import re
from collections.abc import Sequence

from ssdlab.analysis.latency import LatencySummary
from ssdlab.fio.document import Doubt, FioLatency
from ssdlab.fio.from_text.normal_lines import Line
from ssdlab.fio.from_text.text_numbers import NS_PER, parse_amount, parse_real

PrintedLatency = tuple[tuple[float, float, float, float] | None, dict[float, float]]

_PERCENTILE = re.compile(r"([0-9.]+)th=\[\s*([0-9]+)\]", re.ASCII)


def parse_latencies(
    lines: Sequence[Line],
) -> tuple[dict[str, PrintedLatency], list[Doubt]]:
    """Return the four numbers and the percentiles of each kind, in ns."""
    found: dict[str, PrintedLatency] = {}
    doubts: list[Doubt] = []
    target: dict[float, float] | None = None
    scale = 1.0
    for line in lines:
        if line.kind is None or line.parts[:1] == ("percentiles",):
            continue  # a line of others, or a damaged one, is no end of the percentiles
        if line.kind == "percentiles":
            percentiles = _percentiles(line.parts[0], scale)
            if max(percentiles, default=0) > 100:
                doubts.append(unreadable_line(line))
            elif target is not None:
                target |= percentiles
            continue
        target = None
        if line.kind == "latency":
            numbers = _four_numbers(line.parts)
            found[line.parts[0]] = (numbers, {})
            doubts += [] if numbers else [unreadable_line(line)]
        elif line.kind == "heading":
            kind, unit = line.parts
            scale = NS_PER[unit]
            target = found.setdefault(kind, (None, {}))[1]
    return found, doubts


def _four_numbers(
    parts: Sequence[str],
) -> tuple[float, float, float, float] | None:
    _, unit, *texts = parts
    low, high = parse_amount(texts[0]), parse_amount(texts[1])
    mean, stddev = parse_real(texts[2]), parse_real(texts[3])
    if low is None or high is None or mean is None or stddev is None:
        return None
    if not math.isfinite(mean) or not math.isfinite(stddev):
        return None
    ns = NS_PER[unit]
    return low.value * ns, high.value * ns, mean * ns, stddev * ns


def _percentiles(text: str, scale: float) -> dict[float, float]:
    levels = [
        (parse_real(level), float(value) * scale)
        for level, value in _PERCENTILE.findall(text)
    ]
    return {level: lat_ns for level, lat_ns in levels if level}


def build_latency(
    printed: PrintedLatency | None, count: int | None
) -> FioLatency | None:
    """Return a kind of latency; ``None`` without its four numbers."""
    numbers, percentiles = printed or (None, {})
    if numbers is None:
        return None
    low, high, mean, stddev = numbers
    summary = LatencySummary(
        min_ns=low, mean_ns=mean, stddev_ns=stddev, max_ns=high, count=count
    )
    return FioLatency(summary=summary, bins=None, percentiles=percentiles)


def unreadable_line(line: Line, *, is_grave: bool = True) -> Doubt:
    """Return the doubt that a line begins like one of fio's and cannot be read."""
    return Doubt(
        kind="unreadable-line",
        place=f"line {line.number}",
        meaning=f"not read, its numbers cannot be: {line.text.strip()[:80]!r}",
        is_grave=is_grave,
    )

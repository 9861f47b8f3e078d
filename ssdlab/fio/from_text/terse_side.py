"""The block of one direction in a line of fio's terse output."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from ssdlab.fio.document import (
    LATENCY_KINDS,
    Direction,
    Doubt,
    FioLatency,
    FioSide,
    LatencyKind,
    RateSummary,
)
from ssdlab.fio.from_text.text_numbers import parse_count, parse_real
from ssdlab.stats.latency import LatencySummary

PERCENTILE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,9})?)%=([0-9]{1,18})", re.ASCII)
_KIB = 1024
_FEW_KIB = 1000
_NS_PER_US = 1000.0
_MS_PER_S = 1000.0

# Positions in the block of a direction; version 5 adds two counts and sampled IOPS.
_LATENCIES: Mapping[LatencyKind, slice] = {
    "slat": slice(4, 8),
    "clat": slice(8, 12),
    "lat": slice(32, 36),
}
FIELDS_BEFORE_PERCENTILES = 12
PERCENTILES = 20  # FIO_IO_U_LIST_MAX_LEN
_PERCENTILES = slice(FIELDS_BEFORE_PERCENTILES, FIELDS_BEFORE_PERCENTILES + PERCENTILES)
_SAMPLED_BW = slice(36, 41)
_SAMPLED_IOPS = slice(42, 46)
BLOCK = 41
BLOCK_V5 = 47


class UnreadableLineError(ValueError):
    """A line of fio's terse output that is truncated or damaged."""


def take_count(text: str) -> int:
    """Return a whole number, 0 or more."""
    count = parse_count(text)
    if count is None:
        msg = f"{text[:20]!r} is not a count"
        raise UnreadableLineError(msg)
    return count


def take_integer(text: str) -> int:
    """Return a whole number."""
    return -take_count(text[1:]) if text.startswith("-") else take_count(text)


def take_real(text: str) -> float:
    """Return a decimal number."""
    number = parse_real(text)
    if number is None:
        msg = f"{text[:20]!r} is not a number"
        raise UnreadableLineError(msg)
    return number


def take_percent(text: str) -> float:
    """Return a percentage."""
    if not text.endswith("%"):
        msg = f"{text[:20]!r} is not a percentage"
        raise UnreadableLineError(msg)
    return take_real(text[:-1])


def build_side(direction: Direction, block: Sequence[str]) -> FioSide:
    """Return a direction from the fields of its block."""
    kib, _bw, iops, runtime_ms = (take_count(field) for field in block[:4])
    latencies = _latencies(block)
    io_bytes = kib * _KIB if kib or not latencies else None
    return FioSide(
        direction=direction,
        io_bytes=io_bytes,
        total_ios=None,
        short_ios=None,
        dropped_ios=None,
        runtime_ms=runtime_ms,
        iops=float(iops) if runtime_ms or not io_bytes else math.nan,
        bw_bytes_per_s=_bytes_per_s(io_bytes, runtime_ms),
        latencies=latencies,
        sampled_iops=_sampled_iops(block),
        sampled_bw=_sampled_bw(block),
    )


def _bytes_per_s(io_bytes: int | None, runtime_ms: int) -> float:
    """Return the rate [B/s] from the bytes, which are truncated less than it."""
    if io_bytes == 0:
        return 0.0
    if io_bytes is None or not runtime_ms:
        return math.nan
    return float(io_bytes * 1000 // runtime_ms)


def _latencies(block: Sequence[str]) -> dict[LatencyKind, FioLatency]:
    """Return the kinds that were measured; the percentiles are of clat, or of lat.

    fio prints zeros for a kind that it did not measure.
    """
    summaries: dict[LatencyKind, LatencySummary] = {}
    for kind in LATENCY_KINDS:
        summary = _summary(block[_LATENCIES[kind]])
        if summary is not None:
            summaries[kind] = summary
    of_kind = "clat" if "clat" in summaries else "lat"
    percentiles = _percentiles(block[_PERCENTILES])
    return {
        kind: FioLatency(
            summary=summary,
            bins=None,
            percentiles=percentiles if kind == of_kind else {},
        )
        for kind, summary in summaries.items()
    }


def _summary(fields: Sequence[str]) -> LatencySummary | None:
    low, high = take_count(fields[0]), take_count(fields[1])
    mean, stddev = take_real(fields[2]), take_real(fields[3])
    if high == 0 and mean == 0:
        return None
    return LatencySummary(
        min_ns=low * _NS_PER_US,
        mean_ns=mean * _NS_PER_US,
        stddev_ns=stddev * _NS_PER_US,
        max_ns=high * _NS_PER_US,
        count=None,
    )


def _percentiles(fields: Sequence[str]) -> dict[float, float]:
    """Return levels and latencies; fio pads the list with ``0%=0``."""
    percentiles: dict[float, float] = {}
    for field in fields:
        match = PERCENTILE.fullmatch(field)
        level = float(match[1]) if match else math.inf
        if match is None or level > 100:
            msg = f"{field[:20]!r} is not a percentile"
            raise UnreadableLineError(msg)
        if level:
            percentiles[level] = int(match[2]) * _NS_PER_US
    return percentiles


def _sampled_bw(block: Sequence[str]) -> RateSummary | None:
    low, high, _share, mean, stddev = block[_SAMPLED_BW]
    take_percent(_share)
    return _rate([low, high, mean, stddev], scale=float(_KIB))


def _sampled_iops(block: Sequence[str]) -> RateSummary | None:
    return _rate(block[_SAMPLED_IOPS], scale=1.0) if len(block) > BLOCK else None


def _rate(fields: Sequence[str], *, scale: float) -> RateSummary | None:
    low, high, mean, stddev = (take_real(field) * scale for field in fields)
    if high == 0 and mean == 0:
        return None
    return RateSummary(minimum=low, maximum=high, mean=mean, stddev=stddev)


def find_side_doubts(side: FioSide, block: Sequence[str]) -> Iterator[Doubt]:
    """Yield doubts about one direction: values impossible or too small to print."""
    place = side.direction
    if side.io_bytes is None:
        meaning = "latencies are printed with 0 KiB: the bytes were not counted yet"
        yield Doubt(kind="no-bytes", place=place, meaning=meaning, is_grave=True)
    elif side.runtime_ms:
        per_ms = _MS_PER_S / side.runtime_ms
        expected = side.io_bytes / _KIB * per_ms
        if abs(take_count(block[1]) - expected) > 1 + per_ms:
            meaning = "the printed data rate is not bytes by runtime"
            yield Doubt(
                kind="rates-differ",
                place=f"{place}.bw",
                meaning=meaning,
                is_grave=True,
            )
        if 0 < side.io_bytes < _FEW_KIB * _KIB:
            share = 100 * _KIB / side.io_bytes
            meaning = f"up to {share:.2g} % of the few bytes were truncated"
            yield Doubt(kind="rounded", place=f"{place}.io_bytes", meaning=meaning)
    for kind, latency in side.latencies.items():
        if not math.isfinite(latency.summary.mean_ns + latency.summary.stddev_ns):
            meaning = "fio printed no number for the mean or the deviation"
            yield Doubt(
                kind="no-number",
                place=f"{place}.{kind}",
                meaning=meaning,
                is_grave=True,
            )

"""One direction of one job entry of fio's normal text.

fio rounds here what it prints exactly elsewhere. Values that follow from whole numbers
are computed from them: IOPS are IOs by ``runtime``, as in fio; bytes are IOs times the
block size, if the job's definition names one and the printed bytes agree. The rest is
as printed, and a doubt says how far it was rounded.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ssdlab.fio.document import (
    Direction,
    Doubt,
    FioLatency,
    FioSide,
    LatencyKind,
    RateSummary,
)
from ssdlab.fio.from_text.normal_lines import Line
from ssdlab.fio.from_text.text_numbers import Amount, parse_amount, parse_real

_KIB = 1024.0
_MS_PER_S = 1000.0
_BITS_PER_BYTE = 8
_POWERS = {"k": 0, "m": 1, "g": 2}
_DIRECTIONS: Mapping[str, Direction] = {
    "read": "read",
    "write": "write",
    "trim": "trim",
    "mixed": "mixed",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """The number of IOs of a direction that fio issued, and of those that failed.

    ``is_interim``: the run was in progress, and some have not added their bytes yet.
    """

    total: int
    short: int
    dropped: int | None
    is_interim: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class PrintedRate:
    """The line that begins a direction. ``kilo`` is the base of its KB.

    ``bw_again`` is the data rate in other units. What fio did not print is ``None``.
    """

    direction: Direction
    io: Amount | None
    bw: Amount | None
    bw_again: Amount | None
    iops: Amount | None
    runtime_ms: int
    kilo: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """The content below that line."""

    latencies: Mapping[LatencyKind, FioLatency]
    sampled_iops: RateSummary | None
    sampled_bw: RateSummary | None


def parse_rate(line: Line) -> PrintedRate | None:
    """Return the parts of ``read: IOPS=…`` (3.x) or ``read : io=…`` (2.x)."""
    again: Amount | None = None
    if line.kind == "old-side":
        name, io_text, bw_text, iops_text, runtime = line.parts
        io, bw = (
            parse_amount(text, kilo=1024, is_old=True) for text in (io_text, bw_text)
        )
    else:
        name, iops_text, bw_text, again_text, io_text, runtime = line.parts
        io, bw = parse_amount(io_text), parse_amount(bw_text)
        again = parse_amount(again_text)
    iops = parse_amount(iops_text, is_old=line.kind == "old-side")
    if io is None or bw is None or iops is None:
        return None
    return PrintedRate(
        direction=_DIRECTIONS[name],
        io=io,
        bw=bw,
        bw_again=again,
        iops=iops,
        runtime_ms=int(runtime),
        kilo=bw.kilo or io.kilo or 1024,
    )


def parse_sampled_iops(parts: Sequence[str]) -> RateSummary | None:
    """Parse ``iops : min=…``."""
    return _rate_summary([*parts[:2], *parts[-2:]], scale=1.0)


def parse_sampled_bw(parts: Sequence[str], *, kilo: int) -> RateSummary | None:
    """Parse ``bw (KiB/s): min=…``, in B/s.

    fio samples in KiB/s whatever it calls them; from a million on it divides by the
    job's base of KB, ``kilo``, and writes MiB.
    """
    unit = parts[0].lower()
    power = _POWERS.get(unit[:1])
    if power is None:
        return None
    scale = _KIB * kilo**power / (_BITS_PER_BYTE if "bit" in unit else 1)
    return _rate_summary([*parts[1:3], *parts[-2:]], scale=scale)


def _rate_summary(texts: Sequence[str], *, scale: float) -> RateSummary | None:
    numbers = [parse_real(text) for text in texts]
    known = [number * scale for number in numbers if number is not None]
    if len(known) < len(numbers) or not all(map(math.isfinite, known)):
        return None
    low, high, mean, stddev = known
    return RateSummary(minimum=low, maximum=high, mean=mean, stddev=stddev)


def complete_mixed(
    rate: PrintedRate, parts: Sequence[FioSide], *, step: float
) -> PrintedRate:
    """Return fio's sum of the other directions, corrected.

    With its parts (``unified_rw_reporting=both``) fio 3.33 prints it with rates and
    bytes of 0; its bytes are those of the parts, which are known to within ``step``.
    """
    if not parts or (rate.io is not None and rate.io.value):
        return rate
    known = [side.io_bytes for side in parts if side.io_bytes is not None]
    whole = Amount(value=float(sum(known)), step=step, kilo=None)
    is_known = len(known) == len(parts)
    return replace(rate, io=whole if is_known else None, bw=None, iops=None)


def build_side(
    rate: PrintedRate,
    measured: Measured,
    counts: Counts,
    *,
    block_bytes: int | None,
    place: str,
) -> tuple[FioSide, tuple[Doubt, ...]]:
    """Return a direction of a job entry, and the doubts about it."""
    io = _bytes(rate, counts, block_bytes)
    iops, bw = _iops(rate, counts), _bw(rate, io)
    side = FioSide(
        direction=rate.direction,
        io_bytes=None if io is None else round(io.value),
        total_ios=counts.total,
        short_ios=counts.short,
        dropped_ios=counts.dropped,
        runtime_ms=rate.runtime_ms,
        iops=iops,
        bw_bytes_per_s=bw,
        latencies=measured.latencies,
        sampled_iops=measured.sampled_iops,
        sampled_bw=measured.sampled_bw,
    )
    doubts = [*_doubts_of_bytes(io), *_doubts_of_rates(side, rate, io)]
    if io is not None and rate.io is not None:
        doubts += _doubts_of_reading("io_bytes", rate.io, (io.value, io.step))
    return side, tuple(
        replace(doubt, place=f"{place}.{doubt.place}") for doubt in doubts
    )


def _bytes(rate: PrintedRate, counts: Counts, block_bytes: int | None) -> Amount | None:
    if rate.io is None or not rate.io.step:
        return rate.io
    if not block_bytes:
        return _reading_by_rate(rate.io, rate)
    issued = float(counts.total * block_bytes)
    if not rate.io.is_near(issued):
        return _reading_by_rate(rate.io, rate)
    if counts.is_interim:  # no more than was issued, or bytes would seem to decrease
        return replace(rate.io, value=min(rate.io.value, issued))
    return replace(rate.io, value=issued, step=0.0)


def _reading_by_rate(io: Amount, rate: PrintedRate) -> Amount:
    """Return the value of printed bytes, by the data rate printed next to them."""
    printed = [bw for bw in (rate.bw, rate.bw_again) if bw is not None]
    if not rate.runtime_ms:
        return io
    scale = _MS_PER_S / rate.runtime_ms
    for reading in io.readings:
        expected, slack = reading.value * scale, 1.0 + reading.step * scale
        if all(bw.is_near(expected, slack=slack) for bw in printed):
            return reading
    return io


def _iops(rate: PrintedRate, counts: Counts) -> float:
    if not rate.runtime_ms:
        return rate.iops.value if rate.iops else math.nan
    computed = counts.total * _MS_PER_S / rate.runtime_ms
    if rate.iops is None or rate.iops.is_near(computed, slack=1.0):
        return computed
    return rate.iops.value


def _bw(rate: PrintedRate, io: Amount | None) -> float:
    """Return the rate [B/s]; computed like fio if the bytes are exact."""
    computed = _per_second(io, rate.runtime_ms)
    if rate.bw is not None and (computed is None or not rate.bw.step):
        return rate.bw.value
    if io is None or computed is None:
        return math.nan
    if rate.bw is None or (not io.step and rate.bw.is_near(computed, slack=1.0)):
        return computed
    slack = 1.0 + io.step * _MS_PER_S / rate.runtime_ms
    return rate.bw.reading_near(computed, slack=slack).value


def _per_second(io: Amount | None, runtime_ms: int) -> float | None:
    if io is None or not runtime_ms:
        return None
    return float(int(io.value) * 1000 // runtime_ms)


def _doubts_of_bytes(io: Amount | None) -> Iterator[Doubt]:
    if io is None:
        meaning = "fio printed no bytes, and those of its parts are unknown"
        yield Doubt(kind="no-bytes", place="io_bytes", meaning=meaning, is_grave=True)
    elif io.step:
        meaning = f"the bytes were printed rounded, to {io.step:.0f} B"
        yield Doubt(kind="rounded", place="io_bytes", meaning=meaning)


def _doubts_of_rates(
    side: FioSide, rate: PrintedRate, io: Amount | None
) -> Iterator[Doubt]:
    """Yield the doubt that printed rates are wrong."""
    if not rate.runtime_ms:
        return
    scale = _MS_PER_S / rate.runtime_ms
    if io is not None and rate.bw is not None:
        expected, slack = io.value * scale, 1.0 + io.step * scale
        if not rate.bw.is_near(expected, slack=slack):
            yield _rates_differ("bw", "the printed data rate is not bytes by runtime")
        yield from _doubts_of_reading("bw", rate.bw, (expected, slack))
    expected = (side.total_ios or 0) * scale
    if rate.iops is not None and not rate.iops.is_near(expected, slack=1.0):
        yield _rates_differ("iops", "the printed IOPS are not IOs by runtime")
    if rate.iops is not None:
        yield from _doubts_of_reading("iops", rate.iops, (expected, 1.0))


def _doubts_of_reading(
    place: str, printed: Amount, counted: tuple[float, float]
) -> Iterator[Doubt]:
    """Yield the doubt that a number was printed wrongly, compared with others."""
    value, slack = counted
    if printed.is_near(value, slack=slack) and not printed.says(value, slack=slack):
        meaning = (
            f"printed as {printed.value:.6g}, but {value:.6g} by its counts: some "
            "versions of fio print fractions wrongly; the counts are used"
        )
        yield Doubt(kind="misprinted", place=place, meaning=meaning)


def _rates_differ(place: str, meaning: str) -> Doubt:
    return Doubt(kind="rates-differ", place=place, meaning=meaning, is_grave=True)

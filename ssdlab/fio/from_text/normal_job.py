"""One job entry of fio's normal text, from its lines."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from ssdlab.fio.document import (
    LATENCY_KINDS,
    SUM_ENTRY,
    Direction,
    Doubt,
    FioJob,
    FioLatency,
    FioSide,
    FioSync,
    LatencyKind,
    RateSummary,
)
from ssdlab.fio.from_text.definitions import BlockSizes
from ssdlab.fio.from_text.normal_lines import Line
from ssdlab.fio.from_text.normal_side import (
    Counts,
    Measured,
    PrintedRate,
    build_side,
    complete_mixed,
    parse_rate,
    parse_sampled_bw,
    parse_sampled_iops,
)
from ssdlab.fio.from_text.text_numbers import (
    NS_PER,
    parse_amount,
    parse_count,
    parse_real,
)
from ssdlab.stats.latency import LatencySummary

PrintedLatency = tuple[tuple[float, float, float, float] | None, dict[float, float]]

_PERCENTILE = re.compile(r"([0-9.]+)th=\[\s*([0-9]+)\]", re.ASCII)
_SIDES: tuple[Direction, ...] = ("read", "write", "trim")
_SYNC_COLUMN = 3
# No result depends on these lines: sampled rates, CPU time, fio's own rule.
_ASIDE = frozenset({"bandwidth", "iops", "cpu", "steadystate"})


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
            continue  # a foreign or damaged line does not end the percentiles
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
    """Return the doubt about a line that begins like fio's but cannot be read."""
    return Doubt(
        kind="unreadable-line",
        place=f"line {line.number}",
        meaning=f"not read, its numbers are not valid: {line.text.strip()[:80]!r}",
        is_grave=is_grave,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Issued:
    """The line ``issued``: IOs by direction, in fio's order."""

    total: tuple[int, ...]
    short: tuple[int, ...]
    dropped: tuple[int, ...]
    is_interim: bool

    def of(self, direction: Direction) -> Counts:
        """Return those of a direction; all of them for ``mixed``."""
        columns = slice(0, 3)
        if direction != "mixed":
            place = _SIDES.index(direction)
            columns = slice(place, place + 1)
        return Counts(
            total=sum(self.total[columns]),
            short=sum(self.short[columns]),
            dropped=sum(self.dropped[columns]) if self.dropped else None,
            is_interim=self.is_interim,
        )


def build_job(
    lines: Sequence[Line], *, sizes: BlockSizes, is_interim: bool, number: int
) -> tuple[FioJob | None, tuple[Doubt, ...]]:
    """Return the job entry from its ``lines``, or ``None`` if it is incomplete.

    The first line should be the entry's own. ``sizes`` are the block sizes of its
    group. ``is_interim``: the run was in progress, when fio counts IOs before it adds
    their bytes and latencies, so neither follows from the other. An entry is complete
    if it has its first line and the line with its IO counts.
    """
    doubts = [*_damages(lines)]
    issued = _issued(lines, is_interim=is_interim)
    if issued is None or lines[0].kind != "entry":
        meaning = "an entry is truncated at its beginning or end; left out"
        at = f"line {lines[0].number}"
        doubts.append(Doubt(kind="truncated", place=at, meaning=meaning, is_grave=True))
        return None, tuple(doubts)
    is_aggregate = _is_sum(lines[0])
    sides, of_sides = _sides(lines, issued, {} if is_aggregate else sizes)
    doubts += [
        replace(doubt, place=f"jobs[{number}].{doubt.place}")
        for doubt in (*of_sides, *_missing_sides(sides, issued))
    ]
    sync = _sync(lines, issued)
    return _job(lines, sides, sync), tuple(doubts)


def _job(
    lines: Sequence[Line], sides: Mapping[Direction, FioSide], sync: FioSync | None
) -> FioJob:
    name, group, members, error, process = lines[0].parts
    errors = _first(lines, "errors")
    usr, sys = (parse_real(text) for text in _first(lines, "cpu") or ("nan", "nan"))
    return FioJob(
        name=name,
        hostname="",
        group_id=int(group),
        error=int(error),
        total_errors=int(errors[0]) if errors else None,
        elapsed_s=None,
        usr_cpu_percent=math.nan if usr is None else usr,
        sys_cpu_percent=math.nan if sys is None else sys,
        options=(),
        sides=sides,
        is_aggregate=_is_sum(lines[0]),
        sync=sync,
        pid=parse_count(process.partition(":")[0]) or None,
        members=int(members),
    )


def parse_printed_s(entry: Line) -> float | None:
    """Return when an entry was printed: seconds in an unknown time zone."""
    text = entry.parts[-1].partition(": ")[2].strip()
    try:
        moment = datetime.strptime(text, "%a %b %d %H:%M:%S %Y")  # noqa: DTZ007
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC).timestamp()


def _is_sum(entry: Line) -> bool:
    """Tell whether an entry is a client's sum of its servers, without a process."""
    return entry.parts[0] == SUM_ENTRY and entry.parts[-1].startswith("0:")


def _first(lines: Sequence[Line], kind: str) -> tuple[str, ...] | None:
    return next((line.parts for line in lines if line.kind == kind), None)


def _damages(lines: Sequence[Line]) -> Iterator[Doubt]:
    for line in lines:
        at = f"line {line.number}"
        if line.kind == "damaged":
            meaning = f"not read, not in fio's format: {line.text.strip()[:80]!r}"
            is_grave = line.parts[0] not in _ASIDE
            yield Doubt(
                kind="unreadable-line", place=at, meaning=meaning, is_grave=is_grave
            )
        if line.kind == "steadystate":
            meaning = f"fio's steady-state result is not read: {line.parts[0]}"
            yield Doubt(kind="left-out", place=at, meaning=meaning)
    if _first(lines, "cpu") is None:
        meaning = "its line on CPU time is missing"
        at = f"line {lines[0].number}"
        yield Doubt(kind="missing", place=at, meaning=meaning, is_grave=True)


def _issued(lines: Sequence[Line], *, is_interim: bool) -> _Issued | None:
    """Return the counts; ``None`` without them, or if their line may be truncated."""
    parts = next((x.parts for x in lines if x.kind == "issued" and x.is_ended), None)
    if parts is None:
        return None
    width = len(parts) // 3
    columns = [
        tuple(int(text) for text in parts[start : start + width] if text)
        for start in range(0, len(parts), width)
    ]
    return _Issued(
        total=columns[0],
        short=columns[1],
        dropped=columns[2],
        is_interim=is_interim,
    )


def _segments(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines of each direction, the first of which begins it."""
    segments: list[list[Line]] = []
    for line in lines:
        if line.kind in {"side", "old-side"}:
            segments.append([line])
        elif segments:
            segments[-1].append(line)
    return segments


def _sides(
    lines: Sequence[Line], issued: _Issued, sizes: BlockSizes
) -> tuple[dict[Direction, FioSide], list[Doubt]]:
    """Return the directions, and the doubts about them, placed below the entry."""
    sides: dict[Direction, FioSide] = {}
    doubts: list[Doubt] = []
    step = 0.0
    for segment in _segments(lines):
        rate = parse_rate(segment[0])
        if rate is None or rate.direction in sides:
            doubts.append(unreadable_line(segment[0]))
            continue
        if rate.direction == "mixed":
            rate = complete_mixed(rate, [*sides.values()], step=step)
        counts = issued.of(rate.direction)
        measured, of_measured = _measured(
            segment, rate, None if issued.is_interim else counts.total
        )
        side, of_side = build_side(
            rate,
            measured,
            counts,
            block_bytes=sizes.get(rate.direction),
            place=rate.direction,
        )
        sides[rate.direction] = side
        if rate.io is not None and any(doubt.kind == "rounded" for doubt in of_side):
            step += rate.io.step
        doubts += [*of_measured, *of_side]
    return sides, doubts


def _measured(
    segment: Sequence[Line], rate: PrintedRate, count: int | None
) -> tuple[Measured, list[Doubt]]:
    found, doubts = parse_latencies(segment)
    bw: RateSummary | None = None
    iops: RateSummary | None = None
    for line in segment:
        if line.kind == "bandwidth":
            bw = parse_sampled_bw(line.parts, kilo=rate.kilo)
            doubts += [] if bw else [unreadable_line(line, is_grave=False)]
        elif line.kind == "iops":
            iops = parse_sampled_iops(line.parts)
            doubts += [] if iops else [unreadable_line(line, is_grave=False)]
    latencies: dict[LatencyKind, FioLatency] = {}
    for kind in LATENCY_KINDS:
        latency = build_latency(found.get(kind), count)
        if latency is not None:
            latencies[kind] = latency
    measured = Measured(
        latencies=latencies,
        sampled_iops=iops,
        sampled_bw=bw,
    )
    return measured, doubts


def _missing_sides(
    sides: Mapping[Direction, FioSide], issued: _Issued
) -> Iterator[Doubt]:
    for direction in _SIDES:
        total = issued.of(direction).total
        if total and direction not in sides and "mixed" not in sides:
            meaning = f"fio issued {total} IOs and printed nothing else about them"
            yield Doubt(
                kind="missing",
                place=direction,
                meaning=meaning,
                is_grave=True,
            )


def _sync(lines: Sequence[Line], issued: _Issued) -> FioSync | None:
    """Return the fsyncs; early 3.x does not count them."""
    found, _ = parse_latencies(lines)
    total = next(iter(issued.total[_SYNC_COLUMN:]), None)
    lat = build_latency(found.get("sync"), None if issued.is_interim else total)
    return FioSync(total_ios=total, lat=lat) if total or lat else None

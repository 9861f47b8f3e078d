"""One job entry of fio's normal text, from its lines."""

import math
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
from ssdlab.fio.from_text.normal_latency import (
    build_latency,
    parse_latencies,
    unreadable_line,
)
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
    parse_count,
    parse_real,
)

_SIDES: tuple[Direction, ...] = ("read", "write", "trim")
_SYNC_COLUMN = 3
# On these lines no result rests: rates that fio sampled, CPU time, fio's own rule.
_ASIDE = frozenset({"bandwidth", "iops", "cpu", "steadystate"})


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
    """Return the job entry that ``lines`` are, or ``None`` if it is not whole.

    The first line should be the entry's own. ``sizes`` are the block sizes of its
    group. ``is_interim`` while the run goes on, when fio counts IOs before it adds
    their bytes and latencies, so that neither follows from the other. An entry is whole
    when it begins and the line with its IO counts is there.
    """
    doubts = [*_damages(lines)]
    issued = _issued(lines, is_interim=is_interim)
    if issued is None or lines[0].kind != "entry":
        meaning = "an entry is cut short, at its beginning or its end; left out"
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
    """Return when an entry was printed: seconds on a clock of no known time zone."""
    text = entry.parts[-1].partition(": ")[2].strip()
    try:
        moment = datetime.strptime(text, "%a %b %d %H:%M:%S %Y")  # noqa: DTZ007
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC).timestamp()


def _is_sum(entry: Line) -> bool:
    """Tell whether an entry is a client's sum of its servers: no process did its IO."""
    return entry.parts[0] == SUM_ENTRY and entry.parts[-1].startswith("0:")


def _first(lines: Sequence[Line], kind: str) -> tuple[str, ...] | None:
    return next((line.parts for line in lines if line.kind == kind), None)


def _damages(lines: Sequence[Line]) -> Iterator[Doubt]:
    for line in lines:
        at = f"line {line.number}"
        if line.kind == "damaged":
            meaning = f"not read, its form is not fio's: {line.text.strip()[:80]!r}"
            is_grave = line.parts[0] not in _ASIDE
            yield Doubt(
                kind="unreadable-line", place=at, meaning=meaning, is_grave=is_grave
            )
        if line.kind == "steadystate":
            meaning = f"what fio's steady-state rule found is not read: {line.parts[0]}"
            yield Doubt(kind="left-out", place=at, meaning=meaning)
    if _first(lines, "cpu") is None:
        meaning = "its line on CPU time is missing"
        at = f"line {lines[0].number}"
        yield Doubt(kind="missing", place=at, meaning=meaning, is_grave=True)


def _issued(lines: Sequence[Line], *, is_interim: bool) -> _Issued | None:
    """Return the counts; ``None`` without them, or if their line may have been cut."""
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
            meaning = f"fio issued {total} IOs and printed nothing else of them"
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

r"""Aggregation of a block trace, as printed by blkparse, to steps of IO streams.

ssdlab experimental, not the RWSW standard. The form is the default one of
blkparse(1): ``"%D %2c %8s %5T.%9t %5p %2a %3d "`` and, for the actions used here,
``"%S + %n [%C]\n"``, such as::

      8,0    1        1     0.000000000   697  D   W 223490 + 8 [kjournald]

The samples of the tests were written by hand after that description; they are not the
output of a real blktrace.

- An IO is counted when it is dispatched (D) or, in a text without dispatches, when it
  is queued (Q). It is a read or a write of sectors of 512 B. Discards, flushes and
  events without sectors are left out.
- It is SEQ if it begins at the sector where the last IO of its direction ended, else
  RND; the first one of a direction is RND.
- The queue depth of a step is the mean over its time of the IOs that were dispatched
  (or queued, where that is counted) and not completed (C).
  - A dispatch that was requeued (R) is removed from its step and from the queue depth:
  the driver did not take it, and it will be dispatched again.

The text is read line by line. Only one step, the outstanding IOs and the finished
steps are kept, each of them limited.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Literal, NoReturn

from ssdlab.model.capture import CaptureStep, StreamCount
from ssdlab.model.errors import CaptureError
from ssdlab.model.spec import Access
from ssdlab.streams.extents import merge_steps

SECTOR_BYTES = 512
MOST_STEPS = 10_000
MOST_STREAMS = 4096  # of one step
MOST_OUTSTANDING = 65_536

_LONGEST_LINE = 4096
_SHORTEST_LAST_STEP = 0.1  # of a step; less is merged into the previous step
_EVENT = re.compile(
    rb"\s*(?P<device>\d{1,10},\d{1,10})\s+\d{1,10}\s+\d{1,20}"
    rb"\s+(?P<time>\d{1,12}\.\d{9})\s+\d{1,20}\s+(?P<action>[A-Za-z]{1,3})"
    rb"\s+(?P<kind>[A-Z]{1,12})(?:\s+(?P<rest>.*))?\s*"
)
_MESSAGE = re.compile(
    rb"\s*\d+,\d+\s+\d+\s+\d+\s+\d+\.\d+\s+\d+\s+m\s+N\s.*", re.DOTALL
)
_EXTENT = re.compile(rb"(?P<sector>\d{1,18}) \+ (?P<count>\d{1,9})(?:\s.*)?")
_SUMMARY = re.compile(rb"(?:CPU\s*\d|Total|Throughput|Events|Skips|Input file)")
_REMEDY = "Give the text that blkparse prints by default: blkparse -i TRACE > FILE."

Begin = Literal["D", "Q"]
_StreamKey = tuple[Access, int, bool]
_Place = tuple[bool, int]  # direction and first sector


@dataclass(frozen=True, kw_only=True, slots=True)
class BegunIo:
    """One IO: its extent, and how it was counted when it began.

    ``step`` is the step in which it was counted, from 0; ``before`` is the sector where
    the previous IO of its direction ended, ``None`` if it was the first. ``is_part``
    marks the rest of one that was partly completed.
    """

    is_read: bool
    sector: int
    sectors: int
    access: Access
    step: int
    before: int | None
    is_part: bool = False


@dataclass(slots=True)
class Outstanding:
    """IOs by direction, sector and length; equal extents are counted separately."""

    held: dict[_Place, list[BegunIo]] = field(default_factory=dict)
    count: int = 0

    def begin(self, io: BegunIo) -> None:
        """Add an IO."""
        self.held.setdefault((io.is_read, io.sector), []).append(io)
        self.count += 1

    def complete(self, is_read: bool, sector: int, sectors: int) -> None:  # noqa: FBT001 - three parts of one extent
        """Complete what an extent covers, the oldest of equal ones first.

        A request may be completed in parts, and one that was merged from several may
        be completed at once.
        """
        while sectors > 0:
            io = self._take((is_read, sector), sectors)
            if io is None:
                return
            if io.sectors > sectors:
                left = io.sectors - sectors
                rest = replace(io, sector=sector + sectors, sectors=left, is_part=True)
                self.begin(rest)
            sector, sectors = sector + io.sectors, sectors - io.sectors

    def requeue(self, is_read: bool, sector: int, sectors: int) -> BegunIo | None:  # noqa: FBT001 - three parts of one extent
        """Remove and return the newest IO of exactly that extent, if there is one."""
        held = self.held.get((is_read, sector), [])
        found = [io for io in held if io.sectors == sectors]
        if found:
            self._drop((is_read, sector), found[-1])
            return found[-1]
        return None

    def clear(self) -> None:
        """Forget all of them."""
        self.held.clear()
        self.count = 0

    def _take(self, place: _Place, sectors: int) -> BegunIo | None:
        held = self.held.get(place)
        if not held:
            return None
        exact = [io for io in held if io.sectors == sectors]
        io = (exact or held)[0]
        self._drop(place, io)
        return io

    def _drop(self, place: _Place, io: BegunIo) -> None:
        held = self.held[place]
        held.remove(io)
        if not held:
            del self.held[place]
        self.count -= 1


def is_blkparse(head: bytes) -> bool:
    """Tell whether the beginning of a file is output of blkparse."""
    lines = (line for line in head.split(b"\n") if line.strip())
    first = next(lines, b"")
    return bool(_EVENT.fullmatch(first) or _MESSAGE.fullmatch(first))


def read_blkparse(
    file: BinaryIO, *, source: str, step_seconds: float, device: str = ""
) -> tuple[CaptureStep, ...]:
    """Aggregate the IOs of a text to steps."""
    if not 0 < step_seconds < float("inf"):
        _refuse((source, 0), f"{step_seconds:g} s is not a valid step length")
    tally = _add_up(file, _Tally(source=source, step_s=step_seconds, begin="D"), device)
    if not tally.has_begun:
        tally = _add_up(file, replace(tally, begin="Q"), device)
    if not tally.has_begun:
        reason = "it has no dispatched (D) or queued (Q) read or write"
        _refuse((source, 0), reason)
    return tally.end()


def _add_up(file: BinaryIO, tally: "_Tally", device: str) -> "_Tally":
    file.seek(0)
    for event in _events(file, tally.source, device):
        tally.take(event)
    return tally


@dataclass(frozen=True, slots=True)
class _Event:
    line: int
    time_s: float
    action: str
    is_read: bool
    sector: int
    sectors: int


def _events(file: BinaryIO, source: str, device: str) -> Iterator[_Event]:
    """Yield the reads and writes of one device."""
    wanted = device.encode("ascii", "replace")
    for number, match in _lines(file, source):
        event = _event(number, match)
        if event is None:
            continue
        wanted = wanted or match["device"]
        if match["device"] == wanted:
            yield event
        elif not device:
            both = f"{wanted.decode()} and {match['device'].decode()}"
            reason = f"it has several devices, including {both}"
            _refuse((source, number), reason, "Name one of them: --device.")


def _lines(file: BinaryIO, source: str) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Yield the lines of events with their number, up to the summary at the end."""
    for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), 1):
        if _SUMMARY.match(line):
            return
        if not line.strip() or _MESSAGE.fullmatch(line):
            continue
        match = _EVENT.fullmatch(line)
        if match is None:
            _refuse((source, number), "the line is not output of blkparse")
        yield number, match


def _event(line: int, match: re.Match[bytes]) -> _Event | None:
    """Return the event of a read or write that begins, ends or is requeued."""
    if match["action"] not in {b"Q", b"D", b"C", b"R"}:
        return None
    extent = _EXTENT.fullmatch(match["rest"] or b"")
    kind = match["kind"].lstrip(b"F")[:1]
    if extent is None or kind not in {b"R", b"W"} or not int(extent["count"]):
        return None
    return _Event(
        line=line,
        time_s=float(match["time"]),
        action=match["action"].decode(),
        is_read=kind == b"R",
        sector=int(extent["sector"]),
        sectors=int(extent["count"]),
    )


@dataclass(slots=True)
class _Tally:
    """Adds events up; times are from the first IO that began."""

    source: str
    step_s: float
    begin: Begin
    first_s: float | None = None
    now_s: float = 0.0
    counts: Counter[_StreamKey] = field(default_factory=Counter)
    depth_s: float = 0.0
    outstanding: Outstanding = field(default_factory=Outstanding)
    ends: dict[bool, int] = field(default_factory=dict)
    has_completions: bool = False
    steps: list[CaptureStep] = field(default_factory=list)

    @property
    def has_begun(self) -> bool:
        return self.first_s is not None

    def take(self, event: _Event) -> None:
        """Add one event, in the order of the text."""
        if event.action == self.begin:
            if self.first_s is None:
                self.first_s = event.time_s
            self._advance(event)
            self._count(event)
        elif event.action == "C" and self.first_s is not None:
            self._advance(event)
            self.has_completions = True
            self.outstanding.complete(event.is_read, event.sector, event.sectors)
        elif event.action == "R" and self.begin == "D" and self.first_s is not None:
            self._advance(event)
            self._take_back(event)

    def _take_back(self, event: _Event) -> None:
        """Undo a dispatch, of this step or an earlier one."""
        io = self.outstanding.requeue(event.is_read, event.sector, event.sectors)
        if io is None or io.is_part:  # of a part, the rest was completed
            return
        if self.ends.get(io.is_read) == event.sector + event.sectors:
            self.ends[io.is_read] = -1 if io.before is None else io.before
        key = (io.access, io.sectors * SECTOR_BYTES, io.is_read)
        if io.step == len(self.steps):
            self.counts[key] -= 1
            return
        held = self.steps[io.step]
        self.steps[io.step] = replace(held, streams=_less_one(held.streams, key))

    def _count(self, event: _Event) -> None:
        before = self.ends.get(event.is_read)
        self.ends[event.is_read] = event.sector + event.sectors
        access: Access = "seq" if before == event.sector else "rnd"
        self.counts[access, event.sectors * SECTOR_BYTES, event.is_read] += 1
        self.outstanding.begin(
            BegunIo(
                is_read=event.is_read,
                sector=event.sector,
                sectors=event.sectors,
                access=access,
                step=len(self.steps),
                before=before,
            )
        )
        if len(self.counts) > MOST_STREAMS:
            reason = f"a step has more than {MOST_STREAMS:,} streams"
            _refuse((self.source, event.line), reason, "Take shorter steps.")
        if self.outstanding.count > MOST_OUTSTANDING and self.has_completions:
            reason = f"more than {MOST_OUTSTANDING:,} IOs are outstanding"
            remedy = "Completions are missing: trace again with larger buffers."
            _refuse((self.source, event.line), reason, remedy)
        if self.outstanding.count > MOST_OUTSTANDING:
            self.outstanding.clear()  # there are no completions to wait for

    def _advance(self, event: _Event) -> None:
        """Advance time to an event; lines of different CPUs may step back a little."""
        to_s = max(event.time_s - (self.first_s or 0.0), self.now_s)
        while to_s >= (len(self.steps) + 1) * self.step_s:
            if len(self.steps) >= MOST_STEPS:
                reason = f"there are more than {MOST_STEPS:,} steps"
                _refuse((self.source, event.line), reason, "Take longer steps.")
            self._close((len(self.steps) + 1) * self.step_s)
        self._spend(to_s)

    def _spend(self, to_s: float) -> None:
        self.depth_s += (to_s - self.now_s) * self.outstanding.count
        self.now_s = to_s

    def _close(self, end_s: float) -> None:
        """End the current step."""
        self._spend(end_s)
        start_s = len(self.steps) * self.step_s
        self.steps.append(self._step(start_s, end_s - start_s))
        self.counts, self.depth_s = Counter(), 0.0

    def _step(self, start_s: float, duration_s: float) -> CaptureStep:
        return CaptureStep(
            number=len(self.steps) + 1,
            start_s=start_s,
            duration_s=duration_s,
            queue_depth=self.depth_s / duration_s if duration_s else 0.0,
            streams=tuple(
                StreamCount(access=access, block_size_bytes=size, is_read=read, ios=ios)
                for (access, size, read), ios in sorted(self.counts.items())
                if ios
            ),
        )

    def end(self) -> tuple[CaptureStep, ...]:
        """Return all steps; the last one ends with the text."""
        start_s = len(self.steps) * self.step_s
        left_s = self.now_s - start_s
        rest = self._step(start_s, left_s)
        if not self.steps and not left_s:
            reason = "all of its IOs have the same time, so there is no step"
            _refuse((self.source, 0), reason, "Trace for longer.")
        if self.steps and left_s < self.step_s * _SHORTEST_LAST_STEP:
            self.steps[-1] = merge_steps((self.steps[-1], rest))
        else:
            self.steps.append(rest)
        if self.has_completions:
            return tuple(self.steps)
        return tuple(replace(step, queue_depth=None) for step in self.steps)


def _less_one(
    streams: tuple[StreamCount, ...], key: _StreamKey
) -> tuple[StreamCount, ...]:
    """Return streams with one of them reduced by one IO."""
    changed = (
        replace(one, ios=one.ios - 1)
        if (one.access, one.block_size_bytes, one.is_read) == key
        else one
        for one in streams
    )
    return tuple(one for one in changed if one.ios)


def _refuse(place: tuple[str, int], reason: str, remedy: str = _REMEDY) -> NoReturn:
    source, line = place  # line 0: no particular line
    raise CaptureError(source=source, line=line, reason=reason, remedy=remedy)

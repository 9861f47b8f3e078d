"""Captures of IO streams in files: ssdlab's table, or the output of blkparse.

ssdlab experimental, not the RWSW standard. The table is CSV in UTF-8 with the header
`COLUMNS`; one row is one stream in one step:

    step,start_s,duration_s,queue_depth,access,block_size_bytes,direction,ios
    1,0,300,5.5,rnd,4096,read,90000
    1,0,300,5.5,seq,65536,write,10000
    2,300,300,,,,,0

Steps are in order of time and do not overlap; the values of a step are equal in all of
its rows. ``queue_depth`` is the mean number of outstanding IOs; empty means unknown.
``access`` is rnd or seq, ``direction`` read or write, ``ios`` a count of IOs. An idle
step has one row without access, size and direction, and 0 IOs.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, cast

from ssdlab.model.capture import Capture, CaptureStep, StreamCount
from ssdlab.model.errors import CaptureError
from ssdlab.model.spec import Access
from ssdlab.streams.blkparse import is_blkparse, read_blkparse
from ssdlab.system.outputs import write_output

COLUMNS = (
    *("step", "start_s", "duration_s", "queue_depth"),
    *("access", "block_size_bytes", "direction", "ios"),
)
MOST_BYTES = 16 << 20
MOST_ROWS = 50_000
STEP_SECONDS = 300.0  # RWSW PTS: the reference captures have steps of 5 min

_NAME_LENGTH = 80
_SHOWN = 40
_WHOLE = re.compile(r"[0-9]{1,15}", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{0,15})?", re.ASCII)
_MOST_BLOCK_BYTES = 1 << 30
_TOLERANCE_S = 1e-6
_REMEDY = f"Write a CSV table with the header {','.join(COLUMNS)}, a stream per row."


def read_capture(
    path: str | Path, *, step_seconds: float = STEP_SECONDS, device: str = ""
) -> Capture:
    """Read a capture from a file of either format, recognised by its first line."""
    file, source = Path(path), str(path)
    try:
        with file.open("rb") as stream:
            head = stream.read(4096)
            if is_blkparse(head):
                stream.seek(0)
                steps = read_blkparse(
                    stream, source=source, step_seconds=step_seconds, device=device
                )
            else:
                text = _decode(head + stream.read(MOST_BYTES + 1), source)
                steps = parse_capture(text, source=source)
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or str(error)
        _refuse((source, 0), f"it cannot be read ({words})", "Name a file to read.")
    if not any(step.streams for step in steps):
        _refuse((source, 0), "none of its steps has IOs", "Use a capture with IOs.")
    return Capture(name=_name(file), steps=steps)


def write_capture(capture: Capture, path: Path) -> Path:
    """Write a capture as a table, atomically."""
    try:
        write_output(path, render_capture(capture).encode())
    except OSError as error:
        reason = f"it cannot be written ({error.strerror})"
        _refuse((str(path), 0), reason, "Name a file in a writable folder.")
    return path


def render_capture(capture: Capture) -> str:
    """Return a capture as the text of a table; `parse_capture` reads the same."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for step in capture.steps:
        depth = "" if step.queue_depth is None else f"{step.queue_depth:.6f}"
        begin = (step.number, _seconds(step.start_s), _seconds(step.duration_s), depth)
        if not step.streams:
            table.writerow((*begin, "", "", "", 0))
        for stream in step.streams:
            direction = "read" if stream.is_read else "write"
            size = stream.block_size_bytes
            table.writerow((*begin, stream.access, size, direction, stream.ios))
    return text.getvalue()


def parse_capture(text: str, *, source: str) -> tuple[CaptureStep, ...]:
    """Return the steps of a table."""
    steps: list[CaptureStep] = []
    for row in _rows(text, source):
        found = row.step()
        if steps and steps[-1].number == found.number:
            steps[-1] = _joined(steps[-1], found, row)
        else:
            _require_after(steps, found, row)
            steps.append(found)
    return tuple(steps)


@dataclass(frozen=True, slots=True)
class _Row:
    source: str
    line: int
    cells: tuple[str, ...]

    def step(self) -> CaptureStep:
        """Return the row as a step of one stream or none."""
        number, start_s, duration_s, depth = self.cells[:4]
        duration = self.number(duration_s, "duration_s")
        if duration <= 0:
            self.refuse("duration_s is 0; it must be positive")
        return CaptureStep(
            number=self.whole(number, "step"),
            start_s=self.number(start_s, "start_s"),
            duration_s=duration,
            queue_depth=self.number(depth, "queue_depth") if depth else None,
            streams=self.streams(),
        )

    def streams(self) -> tuple[StreamCount, ...]:
        """Return the stream of the row; none for an idle step."""
        access, size, direction, ios = self.cells[4:]
        count = self.whole(ios, "ios")
        if not any((access, size, direction)) and not count:
            return ()
        if access.lower() not in {"rnd", "seq"}:
            self.refuse(f"access is {_shown(access)}, neither rnd nor seq")
        if direction.lower() not in {"read", "write"}:
            self.refuse(f"direction is {_shown(direction)}, neither read nor write")
        size_bytes = self.whole(size, "block_size_bytes")
        if not 0 < size_bytes <= _MOST_BLOCK_BYTES:
            self.refuse(f"{size_bytes} B is not a valid block size")
        if not count:
            self.refuse("ios is 0; leave out a stream without IOs")
        return (
            StreamCount(
                access=cast("Access", access.lower()),
                block_size_bytes=size_bytes,
                is_read=direction.lower() == "read",
                ios=count,
            ),
        )

    def whole(self, text: str, name: str) -> int:
        """Return a whole number of the row."""
        if not _WHOLE.fullmatch(text):
            self.refuse(f"{name} is {_shown(text)}, not a whole number")
        return int(text)

    def number(self, text: str, name: str) -> float:
        """Return a number of the row."""
        if not _NUMBER.fullmatch(text):
            self.refuse(f"{name} is {_shown(text)}, not a number such as 12.5")
        return float(text)

    def refuse(self, reason: str) -> NoReturn:
        """Raise an error about the row."""
        _refuse((self.source, self.line), reason, _REMEDY)


def _rows(text: str, source: str) -> Iterator[_Row]:
    """Yield the rows below the header; blank lines are left out."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    has_header = False
    try:
        for count, cells in enumerate(reader):
            row = _Row(source, reader.line_num, tuple(cell.strip() for cell in cells))
            if not any(row.cells):
                continue
            if not has_header:
                _require_header(row)
                has_header = True
                continue
            if count > MOST_ROWS:
                row.refuse(f"there are more than {MOST_ROWS:,} rows")
            if len(row.cells) != len(COLUMNS):
                row.refuse(f"it has {len(row.cells)} cells instead of {len(COLUMNS)}")
            yield row
    except csv.Error as error:
        _refuse((source, reader.line_num), f"it is not CSV ({error})", _REMEDY)
    if not has_header:
        _refuse((source, 0), "it is empty", _REMEDY)


def _require_header(row: _Row) -> None:
    if tuple(cell.lower() for cell in row.cells) != COLUMNS:
        row.refuse("it is neither the header of a capture table nor output of blkparse")


def _joined(held: CaptureStep, found: CaptureStep, row: _Row) -> CaptureStep:
    """Return a step with one more of its streams."""
    for name in ("start_s", "duration_s", "queue_depth"):
        if getattr(held, name) != getattr(found, name):
            row.refuse(f"{name} differs from the other rows of step {held.number}")
    if not (held.streams and found.streams):
        row.refuse(f"step {held.number} has an idle row and other rows")
    (stream,) = found.streams
    if stream.label in {other.label for other in held.streams}:
        row.refuse(f"step {held.number} has {stream.label} twice; add the IOs up")
    return CaptureStep(
        number=held.number,
        start_s=held.start_s,
        duration_s=held.duration_s,
        queue_depth=held.queue_depth,
        streams=(*held.streams, stream),
    )


def _require_after(steps: Sequence[CaptureStep], found: CaptureStep, row: _Row) -> None:
    if not steps:
        return
    last = steps[-1]
    if found.number < last.number:
        row.refuse(f"step {found.number} comes after step {last.number}")
    if found.start_s < last.start_s + last.duration_s - _TOLERANCE_S:
        row.refuse(f"step {found.number} begins before step {last.number} ends")


def _decode(content: bytes, source: str) -> str:
    if len(content) > MOST_BYTES:
        reason = f"it is larger than {MOST_BYTES >> 20} MiB"
        _refuse((source, 0), reason, "Use longer or fewer steps.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        _refuse((source, line), "it is not text in UTF-8", _REMEDY)


def _name(path: Path) -> str:
    name = "".join(sign if sign.isprintable() else "�" for sign in path.stem)
    return name[:_NAME_LENGTH]


def _seconds(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")


def _shown(text: str) -> str:
    return ascii(text[:_SHOWN])


def _refuse(place: tuple[str, int], reason: str, remedy: str) -> NoReturn:
    source, line = place
    raise CaptureError(source=source, line=line, reason=reason, remedy=remedy)

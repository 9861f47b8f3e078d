"""Sum up a log under the layout that fits it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.logs.files import LOG_REMEDY, LogFile, OpenLog, Span, changed
from ssdlab.fio.logs.layout import LAYOUTS, LIMITS, MAX_COLUMNS, Layout, Role, roles_of
from ssdlab.fio.logs.lines import MAX_LINE_BYTES, VALUE, LineForm, read_line, read_lines
from ssdlab.fio.logs.scan import LogScanner, choose_scanner, run_over
from ssdlab.fio.logs.sums import LogSums, merge_sums
from ssdlab.model.errors import FioOutputError

NO_LOG: Final = "it is not a log of fio"
_EMPTY: Final[Layout] = ("time", "value", "direction")
_BLANKS: Final = b" \t\r\n"
_PROBE_BYTES: Final = 1 << 16
_PROBE_LINES: Final = 200
_SHOWN_BYTES: Final = 60


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AddedLog:
    """A log summed up by parts, and how it was read.

    ``others`` are layouts that fit it as well; ``rest`` is a last line without an end.
    """

    layout: Layout
    others: tuple[Layout, ...]
    scanner: LogScanner
    spans: tuple[Span, ...]
    row_counts: tuple[int, ...]
    sums: LogSums
    rest: bytes


PartSums = tuple[LogSums, int]  # and the end of the last complete line


class Adder(Protocol):
    """Sums up the parts of a log: in threads, or wherever that is done."""

    def spans(self, log: OpenLog, begin: int) -> Sequence[Span]:
        """Return the parts, from the first line on."""

    def add(
        self,
        log: OpenLog,
        scanner: LogScanner,
        spans: Sequence[Span],
        *,
        interval_ms: int,
    ) -> Sequence[PartSums]:
        """Return the sums of each part, in their order."""


class Threads:
    """Sums up the parts of a log in threads of this process."""

    def spans(self, log: OpenLog, begin: int) -> Sequence[Span]:
        """Return the parts, from the first line on."""
        return log.spans(begin)

    def add(
        self,
        log: OpenLog,
        scanner: LogScanner,
        spans: Sequence[Span],
        *,
        interval_ms: int,
    ) -> Sequence[PartSums]:
        """Return the sums of each part, in their order."""
        add = partial(scanner.add, log, interval_ms=interval_ms)
        return list(run_over(add, spans))


THREADS: Final = Threads()


def add_up(
    file: LogFile, *, scale: int, interval_ms: int, adder: Adder = THREADS
) -> AddedLog:
    """Sum up a log under the layout that leaves the fewest lines damaged.

    Values are multiplied by ``scale``; they must not overflow. A layout is that of the
    whole log: a part of it may look otherwise.
    """
    with file.open() as log:
        lines = _probe(log, file.begin)
        fits = _Fits(lines)
        layouts = _fitting(fits, scale=scale) if lines else [_EMPTY]
        spans = tuple(adder.spans(log, file.begin))
        found: list[AddedLog] = []
        for layout in layouts:
            scanner = choose_scanner(_form(layout, scale), size=log.size)
            parts = adder.add(log, scanner, spans, interval_ms=interval_ms)
            sums = merge_sums([part for part, _ in parts])
            added = AddedLog(
                layout=layout,
                others=(),
                scanner=scanner,
                spans=spans,
                row_counts=_row_counts(parts),
                sums=sums,
                rest=log.read(parts[-1][1], MAX_LINE_BYTES).strip(_BLANKS),
            )
            found.append(added)
            if not sums.damaged_count:
                break
    if not found or not _is_log(best := min(found, key=_damage)):
        raise FioOutputError(**_no_log(file.name, lines, is_damaged=bool(found)))
    worse = {added.layout for added in found if _damage(added) > _damage(best)}
    others = [layout for layout in layouts if layout not in worse]
    return replace(best, others=_others(best, others, fits))


def add_again(file: LogFile, added: AddedLog, *, interval_ms: int) -> LogSums:
    """Return the sums of a log by another interval."""
    with file.open() as log:
        parts = THREADS.add(log, added.scanner, added.spans, interval_ms=interval_ms)
    if _row_counts(parts) != added.row_counts:
        raise FioOutputError(**changed(file.name))
    return merge_sums([part for part, _ in parts])


def _form(layout: Layout, scale: int) -> LineForm:
    greatest_value = LIMITS[Role.NUMBER] // scale
    return LineForm(roles=roles_of(layout), greatest_value=greatest_value)


def _row_counts(parts: Sequence[PartSums]) -> tuple[int, ...]:
    return tuple(sums.row_count for sums, _ in parts)


def _damage(added: AddedLog) -> int:
    return added.sums.damaged_count


def _is_log(added: AddedLog) -> bool:
    """Tell whether most lines are of a log, or there are none."""
    sums = added.sums
    if sums.row_count:
        return sums.row_count >= sums.damaged_count
    return not sums.damaged_count and not added.rest


def _probe(log: OpenLog, begin: int) -> list[bytes]:
    """Return some complete non-blank lines from the beginning and the end."""
    head = log.read(begin, _PROBE_BYTES)
    lines = head.split(b"\n")[:-1]
    if log.size - begin > len(head):
        tail_begin = max(begin + len(head), log.size - _PROBE_BYTES)
        tail = log.read(tail_begin, _PROBE_BYTES).split(b"\n")[1:-1]
        lines = lines[:_PROBE_LINES] + tail
    filled = [line for line in lines if line.strip(_BLANKS)]
    return filled[:_PROBE_LINES] + filled[_PROBE_LINES:][-_PROBE_LINES:]


class _Fits:
    """How many of some lines fit a form; decimal numbers are read once."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        of_width: dict[int, list[bytes]] = {}
        for line in lines:
            of_width.setdefault(line.count(b",") + 1, []).append(line)
        self.widths = frozenset(of_width)
        self._read = {
            width: _read(some)
            for width, some in of_width.items()
            if width <= MAX_COLUMNS
        }

    def count(self, form: LineForm) -> int:
        """Return how many lines fit; a decimal number is no priority."""
        if len(form.roles) not in self._read:
            return 0
        decimals, others = self._read[len(form.roles)]
        fit = sum(read_line(line, form) is not None for line in others)
        if Role.PRIORITY in form.roles:
            return fit
        limits = [form.limit(column) for column in range(len(form.roles))]
        is_fit = (decimals <= limits).all(axis=1)
        for column, role in enumerate(form.roles):
            if role is Role.MAXIMUM:
                is_fit &= decimals[:, column] >= decimals[:, VALUE]
        return fit + int(is_fit.sum())


def _read(lines: Sequence[bytes]) -> tuple[NDArray[np.int64], list[bytes]]:
    """Return lines of decimal numbers as numbers, and the others."""
    roles = (Role.NUMBER,) * (lines[0].count(b",") + 1)
    form = LineForm(roles=roles, greatest_value=LIMITS[Role.NUMBER])
    read = read_lines(b"".join(line + b"\n" for line in lines), form)
    others = compress(lines, (~read.is_row).tolist())
    return read.numbers[read.is_row], list(others)


def _fitting(fits: _Fits, *, scale: int) -> list[Layout]:
    """Return the layouts that some lines fit, the best fitting first."""
    counts = {
        layout: fits.count(_form(layout, scale))
        for layout in LAYOUTS
        if len(layout) in fits.widths
    }
    ordered = sorted(filter(counts.get, counts), key=lambda layout: -counts[layout])
    return [layout for layout in ordered if len(layout) == len(ordered[0])]


def _others(
    added: AddedLog, layouts: Sequence[Layout], fits: _Fits
) -> tuple[Layout, ...]:
    """Return the layouts that are as likely as the chosen one.

    A flag that is 1 somewhere decides it: there is no offset of 1 byte.
    """
    if "priority flag" in added.layout:
        place = added.layout.index("priority flag")
        if added.sums.nonzero >> place & 1:
            return ()
    counts = {layout: fits.count(_form(layout, 1)) for layout in layouts}
    return tuple(
        layout
        for layout in layouts
        if layout != added.layout and counts[layout] >= counts[added.layout]
    )


def _no_log(name: str, lines: Sequence[bytes], *, is_damaged: bool) -> dict[str, str]:
    if not lines:
        reason = f"{NO_LOG} (it has no complete line)"
    elif is_damaged:
        reason = f"{NO_LOG} (most of its lines are damaged)"
    elif max(line.count(b",") for line in lines) >= MAX_COLUMNS:
        reason = f"{NO_LOG} (its lines have too many columns; is it a histogram log?)"
    else:
        first = lines[0][:_SHOWN_BYTES].decode(errors="replace")
        reason = f"{NO_LOG} (its first line is {first!r})"
    return {"source": name, "reason": reason, "remedy": f"{LOG_REMEDY}."}

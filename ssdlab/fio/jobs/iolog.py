"""fio's IO logs: read from a user's file, and written again for a replay on a target.

A log of version 3 has a line for each IO: its time in microseconds, its file, its
direction, offset and size; one of version 2 has no times. What fio replays is written
anew from what was read, so that nothing else of the file reaches fio.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Final, NoReturn

from ssdlab.model.errors import UserFileError

MOST_LOG_BYTES: Final = 256 << 20
_LARGEST_IO_BYTES: Final = 64 << 20
_LAST_BYTE: Final = 1 << 62
_LONGEST_US: Final = 7 * 24 * 3600 * 1_000_000
_HEADS: Final = {b"fio version 2 iolog": 2, b"fio version 3 iolog": 3}
_OF_FILES: Final = {b"add", b"open", b"close"}
_FLUSHES: Final = {b"sync", b"datasync"}
_MOVES: Final = (b"read", b"write", b"trim")
# fio takes no time of an IO whose predecessor has the time 0.
_FIRST_US: Final = 1
_BEGIN: Final = b"fio version 3 iolog\n1 log add\n1 log open\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class IoLog:
    """An IO log, as it is replayed.

    Flushes count as none of its IOs, which move ``io_bytes`` together. ``span_us`` is
    the time between its first and its last line, and ``pause_us`` the longest between
    two that follow each other; 0 without times. ``end_bytes`` is
    where its furthest IO ends, and each offset and size is a multiple of
    ``unit_bytes``. ``sizes_bytes`` ascend. ``sequential_ios`` begin where the one
    before ended. ``digest`` is the SHA-256 of ``content``.
    """

    reads: int
    writes: int
    trims: int
    io_bytes: int
    sequential_ios: int
    span_us: int
    pause_us: int
    end_bytes: int
    unit_bytes: int
    sizes_bytes: tuple[int, ...]
    digest: str
    content: bytes = field(repr=False)

    @property
    def ios(self) -> int:
        """Its reads, writes and trims."""
        return self.reads + self.writes + self.trims


ReadLog = Callable[[str], IoLog]


def read_iolog(content: bytes, *, source: str) -> IoLog:
    r"""Return an IO log of fio, version 2 or 3.

    Parameters
    ----------
    content : bytes
        The file.
    source : str
        Its name, for errors.

    Raises
    ------
    UserFileError
        If it is none, is of several files, or has what fio does not replay as written.

    Examples
    --------
    >>> text = b"fio version 3 iolog\n0 /dev/x add\n5 /dev/x read 4096 512\n"
    >>> found = read_iolog(text, source="a.log")
    >>> found.reads, found.end_bytes, found.content.splitlines()[-1]
    (1, 4608, b'1 log read 4096 512')
    """
    head, _, rest = content.partition(b"\n")
    version = _HEADS.get(head.rstrip(b"\r"))
    if version is None:
        _refuse(source, "it does not begin with 'fio version 2 iolog' or 3")
    made = _Made(source=source, is_timed=version == 3)
    for number, line in enumerate(BytesIO(rest), start=2):
        words = line.split()
        if words:
            made.add(number, words)
    return made.log()


@dataclass(kw_only=True, slots=True)
class _Made:
    """A log as far as it was read."""

    source: str
    is_timed: bool
    names: set[bytes] = field(default_factory=set)
    counts: dict[bytes, int] = field(default_factory=lambda: dict.fromkeys(_MOVES, 0))
    sizes: set[int] = field(default_factory=set)
    content: bytearray = field(default_factory=lambda: bytearray(_BEGIN))
    io_bytes: int = 0
    sequential_ios: int = 0
    first_us: int | None = None
    last_us: int = 0
    pause_us: int = 0
    end_bytes: int = 0
    before_bytes: int = -1
    unit_bytes: int = 0

    def add(self, number: int, words: list[bytes]) -> None:
        """Add a line."""
        at_us = self.last_us
        if self.is_timed:
            at_us, words = self._number(number, words[0]), words[1:]
        what = words[1] if len(words) > 1 else b""
        if what in _OF_FILES and len(words) == 2:
            return
        if len(words) != 4:
            self._refuse(number, "it is no line of an IO log")
        self.names.add(words[0])
        offset, size = (self._number(number, one) for one in words[2:])
        if what == b"wait":
            self._refuse(
                number,
                "fio's manual and fio disagree about 'wait'; record the log again with "
                "write_iolog, which writes the time of each IO",
            )
        if what not in _FLUSHES and what not in self.counts:
            known = b", ".join((*_MOVES, *sorted(_FLUSHES))).decode()
            self._refuse(number, f"{_shown(what)} is none of {known}")
        self._time(number, at_us)
        since_us = at_us - (self.first_us or 0) + _FIRST_US
        if what in _FLUSHES:
            self.content += b"%d log sync 0 0\n" % since_us
            return
        if not 0 < size <= _LARGEST_IO_BYTES or offset + size > _LAST_BYTE:
            self._refuse(number, f"an IO of {size} B at {offset} is not possible")
        self._count(what, offset, size)
        self.content += b"%d log %s %d %d\n" % (since_us, what, offset, size)

    def _time(self, number: int, at_us: int) -> None:
        if self.first_us is None:
            self.first_us = self.last_us = at_us
        if at_us < self.last_us:
            self._refuse(number, "its time is before that of the line above")
        if at_us - self.first_us > _LONGEST_US:
            self._refuse(number, "it is more than a week after the first")
        self.pause_us = max(self.pause_us, at_us - self.last_us)
        self.last_us = at_us

    def _count(self, what: bytes, offset: int, size: int) -> None:
        self.counts[what] += 1
        self.sizes.add(size)
        self.io_bytes += size
        self.sequential_ios += offset == self.before_bytes
        self.before_bytes = offset + size
        self.end_bytes = max(self.end_bytes, offset + size)
        self.unit_bytes = math.gcd(self.unit_bytes, offset, size)

    def _number(self, number: int, word: bytes) -> int:
        if not word.isdigit() or len(word) > 19:
            self._refuse(number, f"{_shown(word)} is not a whole number")
        return int(word)

    def _refuse(self, number: int, reason: str) -> NoReturn:
        _refuse(self.source, f"line {number}: {reason}")

    def log(self) -> IoLog:
        """Return what was read."""
        if not sum(self.counts.values()):
            _refuse(self.source, "it has no IO")
        if len(self.names) > 1:
            _refuse(self.source, f"it has IOs of {len(self.names)} files, not of one")
        content = bytes(self.content)
        reads, writes, trims = (self.counts[what] for what in _MOVES)
        return IoLog(
            reads=reads,
            writes=writes,
            trims=trims,
            io_bytes=self.io_bytes,
            sequential_ios=self.sequential_ios,
            span_us=self.last_us - (self.first_us or 0),
            pause_us=self.pause_us,
            end_bytes=self.end_bytes,
            unit_bytes=self.unit_bytes,
            sizes_bytes=tuple(sorted(self.sizes)),
            digest=hashlib.sha256(content).hexdigest(),
            content=content,
        )


def _shown(word: bytes) -> str:
    return repr(word[:30].decode("ascii", "replace"))


def _refuse(source: str, reason: str) -> NoReturn:
    raise UserFileError(source=source, reason=reason)

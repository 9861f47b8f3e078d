"""A log in parts: the sums of each in a small file, made wherever the log can be read.

All parts are asked for at once, by one file: which bytes of which log, and what its
columns are. Files are named by the digest of that, and hold it: a part of another log,
or of this one before it changed, is never taken. Sums are exact, so that those of all
parts are the sums of the log, in whatever order and by whomever they were made.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from ssdlab.fio.bins import BIN_COUNT
from ssdlab.fio.logs.choice import PartSums
from ssdlab.fio.logs.files import LogFile, OpenLog, Span, changed
from ssdlab.fio.logs.layout import Role
from ssdlab.fio.logs.lines import LineForm
from ssdlab.fio.logs.scan import choose_scanner
from ssdlab.fio.logs.sums import DIRECTIONS, RUN, LogSums, merge_sums
from ssdlab.model.errors import FioOutputError, RunFolderError
from ssdlab.system.folders import Folder

_FORMAT: Final = 1
_EDGE_BYTES: Final = 1 << 16
_STEP_BYTES: Final = 64 << 20  # after which a part tells how far it is
_MOST_BYTES: Final = 1 << 30
_LEAST_PART, _MOST_PART = 10**9, 4 * 10**9
_KEY_LENGTH: Final = 16
_SCALARS: Final = ("row_count", "line_count", "damaged_count", "nonzero", "back_count")
_LISTS: Final = ("damaged_places", "first_ms", "last_ms")


def count_parts(size: int, *, cores: int) -> int:
    """Return into how many parts a log is split: one a core, of 1 to 4 GB.

    Examples
    --------
    >>> [count_parts(gb * 10**9, cores=8) for gb in (0, 3, 20, 300)]
    [1, 3, 8, 75]
    """
    most = max(1, size // _LEAST_PART)
    return max(min(cores, most), -(-size // _MOST_PART))


def edges_sha256(log: OpenLog) -> str:
    """Return a digest of the first and the last 64 KiB of a log."""
    last = log.read(max(0, log.size - _EDGE_BYTES), _EDGE_BYTES)
    return hashlib.sha256(log.read(0, _EDGE_BYTES) + last).hexdigest()


@dataclass(frozen=True, kw_only=True)
class PartsAsked:
    """What is asked of every part of a log; the path is no part of its digest."""

    path: str
    size: int
    mtime_ns: int
    edges: str
    roles: tuple[int, ...]
    greatest_value: int
    interval_ms: int
    spans: tuple[Span, ...]
    version: int = _FORMAT

    @cached_property
    def sha256(self) -> str:
        """The digest that binds a part to its log and to what was asked."""
        facts = {name: value for name, value in asdict(self).items() if name != "path"}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    @property
    def key(self) -> str:
        """The beginning of the names of its files."""
        return self.sha256[:_KEY_LENGTH]

    @property
    def file_name(self) -> str:
        """The name of the file that asks for all parts."""
        return f"{self.key}.json"

    def part_name(self, place: int) -> str:
        """Return the name of the file of a part."""
        return f"{self.key}-{place:05}.part"


def write_asked(folder: Folder, asked: PartsAsked) -> None:
    """Write the file that asks for all parts of a log."""
    folder.write(asked.file_name, json.dumps(asdict(asked)).encode())


def read_asked(folder: Folder, key: str) -> PartsAsked:
    """Read the file that asks for all parts of a log."""
    name = f"{key}.json"
    try:
        found = json.loads(folder.read(name))
        spans = tuple((int(begin), int(end)) for begin, end in found.pop("spans"))
        roles = tuple(map(int, found.pop("roles")))
        asked = PartsAsked(**found, roles=roles, spans=spans)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise _no_file_of_parts(folder, name) from error
    if asked.key != key:
        raise _no_file_of_parts(folder, name)
    return asked


def _no_file_of_parts(folder: Folder, name: str) -> FioOutputError:
    return FioOutputError(
        source=str(folder.path / name),
        reason="it does not ask for parts of a log",
        remedy="Start ssdlab parse --summary again, with another --parts-folder.",
    )


def make_part(
    folder: Folder, asked: PartsAsked, place: int, *, tell: Callable[[int], object]
) -> None:
    """Sum up one part of a log and write its file; tell the bytes as they are read.

    Nothing is done where the file is there.
    """
    if read_part(folder, asked, place) is not None:
        return
    roles = tuple(map(Role, asked.roles))
    form = LineForm(roles=roles, greatest_value=asked.greatest_value)
    log_file = _find_again(asked)
    with log_file.open() as log:
        _require_same(asked, log)
        scanner = choose_scanner(form, size=log.size)
        sums: list[LogSums] = []
        done = begin = asked.spans[place][0]
        for span in _steps(log, asked.spans[place]):
            one, end = scanner.add(log, span, interval_ms=asked.interval_ms)
            sums = [merge_sums([*sums, one])]
            done = max(done, end)
            tell(span[1] - begin)
            begin = span[1]
        _require_same(asked, log)
    with log_file.open():
        pass  # it has not changed meanwhile
    content = _as_bytes(asked, place, (merge_sums(sums), done))
    folder.write(asked.part_name(place), content)


def _find_again(asked: PartsAsked) -> LogFile:
    path = Path(asked.path)
    return LogFile(
        name=path.name,
        path=path,
        content=b"",
        size=asked.size,
        mtime_ns=asked.mtime_ns,
    )


def _require_same(asked: PartsAsked, log: OpenLog) -> None:
    if edges_sha256(log) != asked.edges:
        raise FioOutputError(**changed(asked.path))


def _steps(log: OpenLog, span: Span) -> Iterator[Span]:
    """Yield a part in pieces that begin at lines, each about as long as a blink."""
    begin, end = span
    part = replace(log, size=end)
    begins = [one for one, _ in part.spans(begin, _STEP_BYTES)]
    yield from pairwise([*begins, end])


def read_part(folder: Folder, asked: PartsAsked, place: int) -> PartSums | None:
    """Return the sums of a part and the end of its last complete line.

    ``None`` if it has no file, or one that is damaged or of something else.
    """
    try:
        content = folder.read(asked.part_name(place), limit=_MOST_BYTES)
        return _from_bytes(asked, place, content)
    except (OSError, RunFolderError, ValueError, TypeError, LookupError):
        return None


def find_parts(
    folder: Folder, asked: PartsAsked, places: Iterable[int]
) -> tuple[dict[int, PartSums], list[int]]:
    """Return the parts at some places, and the places of those that have no file."""
    read = {place: read_part(folder, asked, place) for place in places}
    found = {place: part for place, part in read.items() if part is not None}
    return found, [place for place in read if place not in found]


def _as_bytes(asked: PartsAsked, place: int, part: PartSums) -> bytes:
    """Return a digest of the rest, a line of JSON, and the runs as they are."""
    sums, end = part
    counts = sums.counts.ravel()
    filled = np.flatnonzero(counts)
    facts = {
        "asked": asked.sha256,
        "place": place,
        "end": end,
        **{name: int(getattr(sums, name)) for name in _SCALARS},
        **{name: list(map(int, getattr(sums, name))) for name in _LISTS},
        "bins": filled.tolist(),
        "counts": counts[filled].tolist(),
    }
    rest = json.dumps(facts).encode() + b"\n" + sums.runs.tobytes()
    return hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def _from_bytes(asked: PartsAsked, place: int, content: bytes) -> PartSums | None:
    digest, _, rest = content.partition(b"\n")
    line, _, runs = rest.partition(b"\n")
    if hashlib.sha256(rest).hexdigest().encode() != digest:
        return None
    facts: Mapping[str, Any] = json.loads(line)
    if (facts["asked"], facts["place"]) != (asked.sha256, place):
        return None
    counts = np.zeros(len(DIRECTIONS) * BIN_COUNT, np.int64)
    counts[np.array(facts["bins"], np.int64)] = facts["counts"]
    found: dict[str, Any] = {name: int(facts[name]) for name in _SCALARS}
    found |= {name: tuple(map(int, facts[name])) for name in _LISTS}
    sums = LogSums(
        **found,
        counts=counts.reshape(len(DIRECTIONS), BIN_COUNT),
        runs=np.frombuffer(runs, RUN).copy(),
    )
    return sums, int(facts["end"])

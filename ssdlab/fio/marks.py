"""Marks that only fio writes, and their highest density: denser text is refused.

Each of these costs time to check. The shortest job entry that fio prints has 450 bytes,
so millions of them in a few MB were not printed by fio.
"""

from collections.abc import Iterator

from ssdlab.model.errors import FioOutputError

# Each output of fio contains one of these.
_MARKS = ('fio version"', 'fio version\\"', ": (groupid=", ": (g=", ";fio-", ";fio ")
TERSE_MARKS = frozenset({";fio-", ";fio "})
_LEAST_BYTES_PER_MARK = 300
_MOST_UNWEIGHED = 20_000  # this many take less than a second at any density


def holds_mark(text: str) -> bool:
    """Tell whether a text contains something that only fio writes."""
    return any(mark in text for mark in _MARKS)


def iterate_marks(text: str) -> Iterator[tuple[int, str]]:
    """Yield the positions of fio's marks, each with its mark, once per line."""
    for mark in _MARKS:
        at = text.find(mark)
        while at >= 0:
            yield at, mark
            end = text.find("\n", at)
            at = text.find(mark, end) if end >= 0 else -1


def require_plausible(text: str, source: str) -> None:
    """Require that no mark is more frequent than fio ever prints it."""
    most = max(_MOST_UNWEIGHED, len(text) // _LEAST_BYTES_PER_MARK)
    for mark in _MARKS:
        count = text.count(mark)
        if count > most:
            said = f"{mark!r} {count:,} times in {len(text):,} characters"
            raise FioOutputError(
                source=source,
                reason=f"it holds {said}, which fio never writes",
                remedy="Use output of fio, such as of --output-format=json+.",
            )

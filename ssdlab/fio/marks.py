"""What only fio writes, and how often it does: a text with far more is refused.

Each of these costs a look at what stands around it. Of what fio prints, the shortest
entry of a job takes 450 bytes, so millions of them in a few MB were not printed by fio.
"""

from collections.abc import Iterator

from ssdlab.model.errors import FioOutputError

# Something of these stands in each output of fio.
_MARKS = ('fio version"', 'fio version\\"', ": (groupid=", ": (g=", ";fio-", ";fio ")
TERSE_MARKS = frozenset({";fio-", ";fio "})
_LEAST_BYTES_PER_MARK = 300
_MOST_UNWEIGHED = 20_000  # so many take less than a second, however close they stand


def holds_mark(text: str) -> bool:
    """Tell whether something stands there that only fio writes."""
    return any(mark in text for mark in _MARKS)


def iterate_marks(text: str) -> Iterator[tuple[int, str]]:
    """Yield where marks of fio stand, each with its mark, once a line."""
    for mark in _MARKS:
        at = text.find(mark)
        while at >= 0:
            yield at, mark
            end = text.find("\n", at)
            at = text.find(mark, end) if end >= 0 else -1


def require_plausible(text: str, source: str) -> None:
    """See that no mark stands more often than fio ever prints it in so much text.

    Raises
    ------
    FioOutputError
        If one does.
    """
    most = max(_MOST_UNWEIGHED, len(text) // _LEAST_BYTES_PER_MARK)
    for mark in _MARKS:
        count = text.count(mark)
        if count > most:
            said = f"{mark!r} {count:,} times in {len(text):,} characters"
            raise FioOutputError(
                source=source,
                reason=f"it holds {said}, which fio never writes",
                remedy="Give what fio wrote, such as with --output-format=json+.",
            )

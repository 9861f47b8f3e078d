"""Refuse, before it is decoded, JSON that is denser than any that fio writes.

A few kB of an archive can hold millions of empty lists, objects or documents, each of
which costs many times its bytes once it is decoded. Of fio's own documents, packed as
tightly as JSON allows, the densest known has an object or list in 112 bytes, and the
smallest with a job takes 2 kB.
"""

import re
from itertools import pairwise

_START = re.compile(rb'\{\s*"fio version"\s*:')
_CLOSING = b"\n}"
_SMALL_BYTES = 1000
_MOST_SMALL = 10_000
_LEAST_BYTES_PER_OBJECT = 64
_LEAST_BYTES_PER_VALUE = 6
_MOST_UNWEIGHED = 1_000_000  # so many of either cost little, however dense they are


def find_excess(data: bytes) -> str | None:
    """Return in words what no output of fio has so much of; ``None`` if it may be."""
    starts = [match.start() for match in _START.finditer(data)]
    small = 0
    for start, following in pairwise([*starts, len(data)]):
        small += following - start < _SMALL_BYTES
        if small > _MOST_SMALL:
            return f"more than {_MOST_SMALL:,} documents without room for a job"
        if following - start > _MOST_UNWEIGHED and (
            excess := _excess_of(data, start, following)
        ):
            return excess
    return None


def _excess_of(data: bytes, start: int, following: int) -> str | None:
    closing = data.find(_CLOSING, start, following)
    end = closing if closing >= 0 else following
    objects = data.count(b"{", start, end) + data.count(b"[", start, end)
    values = data.count(b",", start, end)
    if objects > max(_MOST_UNWEIGHED, (end - start) // _LEAST_BYTES_PER_OBJECT):
        return f"{objects:,} objects and lists in {end - start:,} bytes of JSON"
    if values > max(_MOST_UNWEIGHED, (end - start) // _LEAST_BYTES_PER_VALUE):
        return f"{values:,} values in {end - start:,} bytes of JSON"
    return None

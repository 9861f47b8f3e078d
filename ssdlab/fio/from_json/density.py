"""Refuse JSON that is denser than fio's, before it is decoded.

A few kB of an archive can hold millions of empty lists, objects or documents, each of
which needs many times its bytes once decoded. Of fio's own documents, packed as tightly
as JSON allows, the densest known has an object or list per 112 bytes, and the smallest
with a job has 2 kB.
"""

from collections.abc import Mapping

import numpy as np

from ssdlab.fio.from_json.loose_json import ENTRY_LISTS
from ssdlab.model.errors import FioOutputError

_SMALL_BYTES = 1000
_MOST_SMALL = 10_000
_LEAST_BYTES_PER_OBJECT = 64
_LEAST_BYTES_PER_VALUE = 6
_MOST_UNWEIGHED = 1_000_000  # this many of either cost little at any density
_PIECE_BYTES = 1 << 17
# The two differ in one bit, which is set here: so both are counted in one pass.
_OPENING, _BIT = ord("{"), ord("{") ^ ord("[")


class Scale:
    """Checks the density of all JSON of one input, each part before it is decoded."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._bytes = self._objects = self._values = self._small = self._jobs = 0

    def count_document(self, size_bytes: int) -> None:
        """Count a document of this size."""
        self._small += size_bytes < _SMALL_BYTES
        if self._small > _MOST_SMALL:
            self._refuse(f"more than {_MOST_SMALL:,} documents without room for a job")

    def count_jobs(self, content: Mapping[str, object]) -> None:
        """Count the job entries of a decoded document: each takes time to read."""
        lists = [content.get(key) for key in ENTRY_LISTS]
        self._jobs += sum(len(found) for found in lists if isinstance(found, list))
        if self._jobs > max(_MOST_SMALL, self._bytes // _SMALL_BYTES):
            self._refuse(f"{self._jobs:,} jobs in {self._bytes:,} bytes of JSON")

    def put(self, data: bytes) -> None:
        """Check JSON that will be decoded next."""
        self._bytes += len(data)
        if self._bytes <= _MOST_UNWEIGHED:
            return
        objects, values = _count(data)
        self._objects += objects
        self._values += values
        within = f"in {self._bytes:,} bytes of JSON"
        if self._objects > max(_MOST_UNWEIGHED, self._bytes // _LEAST_BYTES_PER_OBJECT):
            self._refuse(f"{self._objects:,} objects and lists {within}")
        if self._values > max(_MOST_UNWEIGHED, self._bytes // _LEAST_BYTES_PER_VALUE):
            self._refuse(f"{self._values:,} values {within}")

    def _refuse(self, excess: str) -> None:
        raise FioOutputError(
            source=self._source,
            reason=f"it holds {excess}, which fio never writes",
            remedy="Use output of fio, such as of --output-format=json+.",
        )


def _count(data: bytes) -> tuple[int, int]:
    """Return how many objects and lists there are, and how many values follow others.

    Characters in strings are counted too: fio writes few of them there.
    """
    objects = values = 0
    for start in range(0, len(data), _PIECE_BYTES):
        piece = np.frombuffer(data[start : start + _PIECE_BYTES], np.uint8)
        objects += int(np.count_nonzero((piece | _BIT) == _OPENING))
        values += int(np.count_nonzero(piece == ord(",")))
    return objects, values

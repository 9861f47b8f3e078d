"""Extract the bins of fio's JSON before decoding: they are most of a document.

The kernel ``bins_scan.c`` does it; if it is not available, or refuses a document, the
decoder reads the bins as well, with the same result.
"""

import ctypes
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

from ssdlab.fio.document import DIRECTIONS, LATENCY_KINDS
from ssdlab.fio.from_json.loose_json import ENTRY_LISTS
from ssdlab.fio.from_json.values import parse_version
from ssdlab.fio.kernels import load_scanner

_NANOSECONDS_SINCE: Final = (2, 99)  # bins before that have other names
_KERNEL: Final = "from_json/bins_scan"
_KEY: Final = b'"bins"'
_SIDES: Final = (*DIRECTIONS, "sync")
_KINDS: Final = tuple(f"{kind}_ns" for kind in LATENCY_KINDS)
_SHORTEST_BIN: Final = 5
_SHORTEST_OBJECT: Final = 9
_LONGEST_NUMBER: Final = 12  # [k] in the place of {}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class TakenBins:
    """One object of bins: ascending names [ns], and their IOs, none of them 0."""

    lat_ns: NDArray[np.int64]
    counts: NDArray[np.int64]


def decode_without_bins(data: bytes) -> tuple[dict[str, object], bytes] | None:
    """Return a document whose bins are `TakenBins`, and its text without them.

    ``None`` means that it must be decoded normally.
    """
    taken = _take(data)
    if taken is None:
        return None
    text, bins = taken
    try:
        content = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(content, dict) or not _names_its_bins_in_ns(content):
        return None
    return (content, text) if _put_back(content, bins) else None


def prepare(work_bytes: int) -> None:
    """Build the kernel if so much output [bytes] is worth it."""
    if _scanner() is None and load_scanner(
        "from_json/bins_scan", work_bytes=work_bytes
    ):
        _scanner.cache_clear()


def _names_its_bins_in_ns(content: Mapping[str, object]) -> bool:
    return parse_version(str(content.get("fio version"))) >= _NANOSECONDS_SINCE


def _put_back(content: Mapping[str, object], bins: Sequence[TakenBins]) -> bool:
    """Put the bins back in place of their numbers; tell whether all were placed."""
    put = 0
    for table in _latencies(content):
        found = table.get("bins")
        if found == [put] and put < len(bins):
            table["bins"] = bins[put]
            put += 1
    return put == len(bins)


def _latencies(content: Mapping[str, object]) -> Iterator[dict[str, object]]:
    lists = (content.get(name) for name in ENTRY_LISTS)
    entries = chain.from_iterable(found for found in lists if isinstance(found, list))
    sides = chain.from_iterable(_objects_in(entry, _SIDES) for entry in entries)
    return chain.from_iterable(_objects_in(side, _KINDS) for side in sides)


def _objects_in(value: object, names: Sequence[str]) -> Iterator[dict[str, object]]:
    if isinstance(value, dict):
        for name in names:
            found = value.get(name)
            if isinstance(found, dict):
                yield found


def _take(data: bytes) -> tuple[bytes, list[TakenBins]] | None:
    scanner = _scanner()
    if scanner is None or _KEY not in data:
        return None
    size = len(data)
    text = np.empty(size + (size // _SHORTEST_OBJECT + 1) * _LONGEST_NUMBER, np.uint8)
    names = np.empty(size // _SHORTEST_BIN + 1, np.int64)
    counts = np.empty(size // _SHORTEST_BIN + 1, np.int64)
    ends = np.empty(size // _SHORTEST_OBJECT + 1, np.int64)
    objects = ctypes.c_int64()
    written = scanner.take_bins(
        data,
        ctypes.c_int64(size),
        *(ctypes.c_void_p(array.ctypes.data) for array in (text, names, counts, ends)),
        ctypes.byref(objects),
    )
    if written < 0:
        return None
    last = ends[: objects.value]
    total = int(last[-1]) if last.size else 0
    lat_ns, ios = names[:total].copy(), counts[:total].copy()
    bounds = [0, *last.tolist()]
    bins = [
        TakenBins(lat_ns=lat_ns[first:end], counts=ios[first:end])
        for first, end in pairwise(bounds)
    ]
    return text[:written].tobytes(), bins


@functools.cache
def _scanner() -> ctypes.CDLL | None:
    """Return the kernel if it is built: one document is not worth a build."""
    scanner = load_scanner(_KERNEL, work_bytes=0)
    if scanner is not None:
        scanner.take_bins.restype = ctypes.c_int64
    return scanner

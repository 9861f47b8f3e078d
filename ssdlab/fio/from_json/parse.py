"""fio's JSON and JSON+ output as documents: fio 2.1 to 3.4x, pure.

What differs between versions, and is made equal here:

- before 2.99 latencies are in microseconds under ``slat clat lat`` and ``io_bytes``
  counts KiB; since then nanoseconds under ``slat_ns clat_ns lat_ns`` and bytes,
- early 3.x and all 2.x give the data rate only as ``bw``, in KiB/s,
- early 2.x give no IO counts, and only late 3.x the count behind a latency, ``N``.
"""

from collections.abc import Mapping

from ssdlab.fio.document import FioDocument
from ssdlab.fio.from_json.disks import read_disks
from ssdlab.fio.from_json.entries import read_entries
from ssdlab.fio.from_json.loose_json import ENTRY_LISTS
from ssdlab.fio.from_json.options import read_options
from ssdlab.fio.from_json.scan import FoundJson, iterate_json
from ssdlab.fio.from_json.values import Place, parse_version, take_time
from ssdlab.model.errors import FioOutputError

_BYTE_ORDER_MARK = "\ufeff"


def parse_documents(
    data: bytes | str, *, source: str = "fio output"
) -> tuple[FioDocument, ...]:
    """Return every document in fio's output, oldest first.

    With ``status-interval`` values accumulate: the last document is the result.

    Raises
    ------
    FioOutputError
        If there is none, if one is cut short or lacks a number, or if there is more
        than fio ever writes in so many bytes; it names the key, the version of fio and
        ``source``.
    """
    data = _bytes(data)
    found = _require_json(data, source)
    return tuple(
        _require_whole(
            document_from_json(one, source=source, prefix=prefix, suffix=suffix)
        )
        for one, prefix, suffix in _with_texts(data, found)
    )


def parse_document(data: bytes | str, *, source: str = "fio output") -> FioDocument:
    """Return the result in fio's output: its last document.

    Raises
    ------
    FioOutputError
        If there is none, if one is cut short, if the last lacks a number, or if there
        is more than fio ever writes in so many bytes.
    """
    data = _bytes(data)
    found = _require_json(data, source)
    for one in found[:-1]:
        if not one.is_whole:
            _require_whole(document_from_json(one, source=source))
    one, prefix, suffix = _with_texts(data, found)[-1]
    return _require_whole(
        document_from_json(one, source=source, prefix=prefix, suffix=suffix)
    )


def document_from_json(
    found: FoundJson, *, source: str, prefix: str = "", suffix: str = ""
) -> FioDocument:
    """Return what a JSON document says; a grave doubt tells what it lacks.

    It never raises: a number that is missing or cannot be is ``None`` or NaN, and all
    else is read.
    """
    content = found.content
    version = str(content.get("fio version", ""))
    place = Place("", list(found.doubts), parse_version(version))
    aside = place.aside()
    return FioDocument(
        source=source,
        form="json",
        fio_version=version,
        timestamp_s=_timestamp_s(content, aside),
        global_options=read_options(content, "global options", aside),
        jobs=read_entries(content, place) if _has_entries(found) else (),
        disks=read_disks(content, place),
        prefix=prefix,
        suffix=suffix,
        is_whole=found.is_whole,
        doubts=tuple(place.doubts),
    )


def _has_entries(found: FoundJson) -> bool:
    """Tell whether entries can be asked for: those that were cut off cannot."""
    return found.is_whole or any(key in found.content for key in ENTRY_LISTS)


def _timestamp_s(content: Mapping[str, object], place: Place) -> float | None:
    if "timestamp_ms" in content:
        in_ms = take_time(content, "timestamp_ms", place)
        return None if in_ms is None else in_ms / 1000
    if "timestamp" in content:
        return take_time(content, "timestamp", place)
    return None


def _bytes(output: bytes | str) -> bytes:
    return output if isinstance(output, bytes) else output.encode("utf-8", "replace")


def _require_json(data: bytes, source: str) -> tuple[FoundJson, ...]:
    found = tuple(iterate_json(data, source=source))
    if not found:
        raise FioOutputError(
            source=source,
            reason="it holds no JSON of fio",
            remedy="Give what fio wrote with --output-format=json or json+.",
        )
    return found


def _with_texts(
    data: bytes, found: tuple[FoundJson, ...]
) -> list[tuple[FoundJson, str, str]]:
    """Return each document with the text before it, the last with what follows it."""
    ends = [0, *(one.end for one in found)]
    prefixes = [
        _text(data[end : one.start]) for end, one in zip(ends, found, strict=False)
    ]
    suffixes = [""] * (len(found) - 1) + [_text(data[ends[-1] :])]
    return list(zip(found, prefixes, suffixes, strict=True))


def _text(part: bytes) -> str:
    return part.decode("utf-8", "replace").strip().lstrip(_BYTE_ORDER_MARK)


def _require_whole(document: FioDocument) -> FioDocument:
    """Return the document if it is a whole measurement.

    Raises
    ------
    FioOutputError
        If it was cut short, or a number is missing or cannot be.
    """
    doubt = next((doubt for doubt in document.doubts if doubt.is_grave), None)
    if doubt is None:
        return document
    if document.is_whole:
        reason = f"{document.fio_version}: {doubt.place} {doubt.meaning}"
        remedy = "Nothing was read from it: a measurement is whole or absent."
    else:
        reason = f"{document.fio_version}: {doubt.place}: {doubt.meaning}"
        remedy = "fio ended before it had written its result: measure again."
    raise FioOutputError(source=document.source, reason=reason, remedy=remedy)

"""fio's JSON and JSON+ output as documents: fio 2.1 to 3.4x, pure.

Differences between versions that are normalised here:

- before 2.99 latencies are in microseconds under ``slat clat lat`` and ``io_bytes``
  counts KiB; since then nanoseconds under ``slat_ns clat_ns lat_ns`` and bytes,
- early 3.x and all 2.x give the data rate only as ``bw``, in KiB/s,
- early 2.x give no IO counts, and only late 3.x the number of IOs of a latency, ``N``.

The disks in fio's JSON: the kernel's counters over the run.

No result depends on them. Counters of the kernel may wrap, most often the time in
queue; fio subtracts the value before the run, so the difference is then negative.
"""

from collections.abc import Iterator, Mapping

from ssdlab.fio.document import FioDisk, FioDocument
from ssdlab.fio.from_json.entries import read_entries
from ssdlab.fio.from_json.loose_json import ENTRY_LISTS
from ssdlab.fio.from_json.options import read_options
from ssdlab.fio.from_json.scan import FoundJson, iterate_json
from ssdlab.fio.from_json.values import (
    Place,
    parse_version,
    take_amount,
    take_count,
    take_text,
    take_time,
)
from ssdlab.model.errors import FioOutputError

_KEY = "disk_util"
_OF_MEMBERS = "aggr_"
_BYTE_ORDER_MARK = "\ufeff"


def read_disks(content: Mapping[str, object], place: Place) -> tuple[FioDisk, ...]:
    """Return the disks; none if fio knows none, or disk statistics were disabled.

    A disk that is made of others, such as an md array, has two entries: its own
    counters, and those of its members as fio adds them up (``aggr_`` keys). In
    client/server runs each host has its own.
    """
    place = place.aside()
    if _KEY not in content:
        return ()
    printed = content[_KEY]
    if not isinstance(printed, list):
        place.refuse_value(content, _KEY, "which is not a list")
        return ()
    return tuple(
        disk
        for number, entry in enumerate(printed)
        for disk in _disks_of(entry, place.below(f"{_KEY}[{number}]"))
    )


def _disks_of(entry: object, place: Place) -> Iterator[FioDisk]:
    if not isinstance(entry, dict):
        place.refuse("is not a JSON object")
        return
    name = take_text(entry, "name", place)
    place = place.of("disk", name)
    yield _disk(name, entry, place)
    if any(key.startswith(_OF_MEMBERS) for key in entry):
        yield _disk(name, entry, place, prefix=_OF_MEMBERS)


def _disk(
    name: str, entry: Mapping[str, object], place: Place, *, prefix: str = ""
) -> FioDisk:
    misspelt = f"{prefix}write_merge"  # fio's spelling in the aggr_ keys
    write_merges = misspelt if misspelt in entry else f"{misspelt}s"
    return FioDisk(
        name=name,
        hostname=str(entry.get("hostname", "")),
        read_ios=take_count(entry, f"{prefix}read_ios", place),
        write_ios=take_count(entry, f"{prefix}write_ios", place),
        read_merges=take_count(entry, f"{prefix}read_merges", place),
        write_merges=take_count(entry, write_merges, place),
        read_ticks_ms=take_count(entry, f"{prefix}read_ticks", place),
        write_ticks_ms=take_count(entry, f"{prefix}write_ticks", place),
        in_queue_ms=take_count(entry, f"{prefix}in_queue", place),
        util_percent=take_amount(entry, f"{prefix}util", place),
        is_of_members=bool(prefix),
    )


def parse_documents(
    data: bytes | str, *, source: str = "fio output"
) -> tuple[FioDocument, ...]:
    """Return every document in fio's output, oldest first.

    With ``status-interval`` values are cumulative: the last document is the result.
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
    """Return the result in fio's output: its last document."""
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
    """Return the content of a JSON document; a grave doubt names what it lacks.

    It never raises: a missing or impossible number is ``None`` or NaN, and everything
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
    """Tell whether entries can be required: they may have been truncated."""
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
            reason="it has no JSON of fio",
            remedy="Use output of fio with --output-format=json or json+.",
        )
    return found


def _with_texts(
    data: bytes, found: tuple[FoundJson, ...]
) -> list[tuple[FoundJson, str, str]]:
    """Return each document with the text before it, the last also with that after."""
    ends = [0, *(one.end for one in found)]
    prefixes = [
        _text(data[end : one.start]) for end, one in zip(ends, found, strict=False)
    ]
    suffixes = [""] * (len(found) - 1) + [_text(data[ends[-1] :])]
    return list(zip(found, prefixes, suffixes, strict=True))


def _text(part: bytes) -> str:
    return part.decode("utf-8", "replace").strip().lstrip(_BYTE_ORDER_MARK)


def _require_whole(document: FioDocument) -> FioDocument:
    """Return the document if it is a complete measurement."""
    doubt = next((doubt for doubt in document.doubts if doubt.is_grave), None)
    if doubt is None:
        return document
    if document.is_whole:
        reason = f"{document.fio_version}: {doubt.place} {doubt.meaning}"
        remedy = "Nothing was read from it: a measurement is complete or absent."
    else:
        reason = f"{document.fio_version}: {doubt.place}: {doubt.meaning}"
        remedy = "fio ended before it wrote its result: measure again."
    raise FioOutputError(source=document.source, reason=reason, remedy=remedy)

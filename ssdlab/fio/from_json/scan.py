"""Find fio's JSON documents in any surrounding text.

fio may write text before, between and after its documents, writes several of them
with ``status-interval``, and ends in the middle of one when it is killed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

import orjson

from ssdlab.fio.document import Doubt
from ssdlab.fio.from_json.density import Scale
from ssdlab.fio.from_json.loose_json import read_loose, repeats_options
from ssdlab.fio.from_json.taken_bins import decode_without_bins
from ssdlab.model.errors import FioOutputError

_VERSION_KEY = "fio version"
_VERSION = re.compile(rb'"fio version"\s*:\s*"[^"\\{}\x00-\x1f]{0,200}"')
_OPENING = re.compile(rb"\s*\{")
_CLOSING = b"\n}"
_UNNAMED = "fio output"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FoundJson:
    """One JSON document and its position in the input.

    If not ``is_whole``, it was truncated or damaged: ``content`` has its complete
    values and job entries, and a doubt says what was lost. The end of such a document
    is unknown, so it extends to the next one.
    """

    content: dict[str, object]
    start: int
    end: int
    is_whole: bool
    doubts: tuple[Doubt, ...]


def iterate_json(data: bytes, *, source: str = _UNNAMED) -> Iterator[FoundJson]:
    """Yield every JSON document of fio in order; possibly none."""
    only = find_only_json(data)
    if only is not None:
        yield only
        return
    scale = Scale(source)
    for start, end in pairwise(chain(_starts(data), [len(data)])):
        scale.count_document(end - start)
        yield _document(data[start:end], start, scale)


def find_only_json(data: bytes) -> FoundJson | None:
    """Return the document if the input is exactly one complete document.

    JSON denser than fio's does not count.
    """
    if not _OPENING.match(data):
        return None
    scale = Scale(_UNNAMED)
    try:
        scale.put(data)
        content = _decode(data, scale)
    except FioOutputError:
        return None
    return None if content is None else _whole(content, 0, len(data))


def _decode(data: bytes, scale: Scale) -> dict[str, object] | None:
    """Return the document that is the whole input, or ``None`` if it is not one."""
    try:
        content, rest = decode_without_bins(data) or (orjson.loads(data), data)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(content, dict) or not isinstance(content.get(_VERSION_KEY), str):
        return None
    scale.count_jobs(content)
    if repeats_options(rest, content):
        return read_loose(data.decode().lstrip()).content
    return content


def _starts(data: bytes) -> Iterator[int]:
    """Yield the positions of braces before a version of fio, always the first key."""
    after = 0
    for match in _VERSION.finditer(data):
        start = data.rfind(b"{", after, match.start())
        if start >= 0 and not data[start + 1 : match.start()].strip():
            yield start
        after = match.end()


def _document(part: bytes, start: int, scale: Scale) -> FoundJson:
    """Return the document at the beginning of ``part``."""
    end = _end_as_fio_prints_it(part)
    scale.put(part[:end])
    content = _decode(part[:end], scale)
    if content is not None:
        return _whole(content, start, start + end)
    scale.put(part[end:])
    text = part.decode("utf-8", "surrogateescape")
    found = read_loose(text)
    scale.count_jobs(found.content)
    if found.lost is None:
        length = len(text[: found.end].encode("utf-8", "surrogateescape"))
        return _whole(found.content, start, start + length)
    meaning = f"the JSON is damaged or truncated at character {found.end}"
    return FoundJson(
        content=found.content,
        start=start,
        end=start + len(part),
        is_whole=False,
        doubts=(
            Doubt(kind="truncated", place=found.lost, meaning=meaning, is_grave=True),
        ),
    )


def _whole(content: dict[str, object], start: int, end: int) -> FoundJson:
    return FoundJson(content=content, start=start, end=end, is_whole=True, doubts=())


def _end_as_fio_prints_it(part: bytes) -> int:
    """Return the end of the first line that begins with the closing brace."""
    closing = part.find(_CLOSING)
    return closing + len(_CLOSING) if closing >= 0 else len(part)

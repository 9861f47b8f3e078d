"""Find fio's JSON documents in whatever stands around them; never raises.

fio may write text before, between and after its documents, writes several of them
with ``status-interval``, and ends in the middle of one when it is killed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import orjson

from ssdlab.fio.document import Doubt
from ssdlab.fio.from_json.loose_json import read_loose, repeats_options
from ssdlab.fio.from_json.taken_bins import decode_without_bins

_VERSION_KEY = "fio version"
_START = r'\{\s*"fio version"\s*:\s*"[^"\\{}\x00-\x1f]{0,200}"'
_START_OF_TEXT = re.compile(_START)
_START_OF_BYTES = re.compile(_START.encode())


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FoundJson:
    """One JSON document and where it stands in the text that was given.

    What is not ``is_whole`` was cut short or damaged: ``content`` has the values and
    job entries that are whole, and a doubt says what was lost. Nobody can tell where
    such a document ends, so it reaches to the next one.
    """

    content: dict[str, object]
    start: int
    end: int
    is_whole: bool
    doubts: tuple[Doubt, ...]


def find_json(text: bytes | str) -> tuple[FoundJson, ...]:
    """Return every JSON document of fio in ``text``, in its order; maybe none."""
    only = find_only_json(text)
    return tuple(_scan(text)) if only is None else (only,)


def find_only_json(text: bytes | str) -> FoundJson | None:
    """Return the document that ``text`` is, if it is one whole document alone."""
    content = _decode(text)
    return None if content is None else _whole(content, 0, len(text))


def _decode(text: bytes | str) -> dict[str, object] | None:
    """Return what the whole of ``text`` is, or ``None`` where it is no document."""
    taken = decode_without_bins(text) if isinstance(text, bytes) else None
    try:
        content, rest = taken or (orjson.loads(text), text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(content, dict) or not isinstance(content.get(_VERSION_KEY), str):
        return None
    if repeats_options(_as_bytes(rest), content):
        return read_loose(_as_text(text).lstrip()).content
    return content


def _scan(text: bytes | str) -> Iterator[FoundJson]:
    if isinstance(text, bytes):
        starts = [match.start() for match in _START_OF_BYTES.finditer(text)]
    else:
        starts = [match.start() for match in _START_OF_TEXT.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        yield _document(text[start:end], start)


def _document(part: bytes | str, start: int) -> FoundJson:
    """Return the document that ``part`` begins with."""
    end = _end_as_fio_prints_it(part)
    content = _decode(part[:end])
    if content is not None:
        return _whole(content, start, start + end)
    text = _as_text(part)
    found = read_loose(text)
    if found.lost is None:
        return _whole(found.content, start, start + _length_in(part, text[: found.end]))
    meaning = f"the JSON is damaged or cut short at its character {found.end}"
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


def _end_as_fio_prints_it(part: bytes | str) -> int:
    """Return where the first line ends that begins with the closing brace."""
    closing = part.find(b"\n}") if isinstance(part, bytes) else part.find("\n}")
    return closing + 2 if closing >= 0 else len(part)


def _as_bytes(text: bytes | str) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def _as_text(text: bytes | str) -> str:
    """Return text of which `_length_in` still knows the length in bytes."""
    return text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")


def _length_in(part: bytes | str, text: str) -> int:
    if isinstance(part, str):
        return len(text)
    return len(text.encode("utf-8", "surrogateescape"))

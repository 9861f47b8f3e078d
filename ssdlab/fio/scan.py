"""Find fio's JSON documents in whatever stands around them.

fio may write text before, between and after its documents, writes several of them
with ``status-interval``, and writes ``nan`` and ``inf`` as C does.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from ssdlab.model.errors import FioOutputError

_START = re.compile(r'\{\s*"fio version"\s*:')
_C_NUMBER = re.compile(r'(?<!\\)("\s*:\s*)(-?)(nan|inf)(?=\s*[,}\]])', re.IGNORECASE)
_NO_JSON = "it holds no JSON of fio"
_NO_JSON_REMEDY = "Give what fio wrote with --output-format=json or json+."
_DAMAGED_REMEDY = "fio ended before it had written its result: measure again."
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FoundJson:
    """One JSON document, and the text before and after it."""

    content: dict[str, object]
    prefix: str
    suffix: str


def find_json(data: bytes | str, *, source: str) -> tuple[FoundJson, ...]:
    """Return every JSON document of fio in ``data``, oldest first.

    Raises
    ------
    FioOutputError
        If there is none, or one is damaged or cut short.
    """
    try:
        content = orjson.loads(data)
    except orjson.JSONDecodeError:
        return tuple(_scan(_as_text(data), source))
    if not isinstance(content, dict) or "fio version" not in content:
        raise FioOutputError(source=source, reason=_NO_JSON, remedy=_NO_JSON_REMEDY)
    return (FoundJson(content=content, prefix="", suffix=""),)


def _as_text(data: bytes | str) -> str:
    return data if isinstance(data, str) else data.decode("utf-8", errors="replace")


def _scan(text: str, source: str) -> Iterator[FoundJson]:
    starts = [match.start() for match in _START.finditer(text)]
    if not starts:
        raise FioOutputError(source=source, reason=_NO_JSON, remedy=_NO_JSON_REMEDY)
    prefix = text[: starts[0]]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        content, rest = _decode(text[start:end], source)
        is_last = end == len(text)
        suffix = rest.strip() if is_last else ""
        yield FoundJson(content=content, prefix=prefix.strip(), suffix=suffix)
        prefix = rest


def _decode(text: str, source: str) -> tuple[dict[str, object], str]:
    """Return the document that ``text`` begins with, and what follows it.

    Raises
    ------
    FioOutputError
        If the document is damaged or cut short.
    """
    try:
        return orjson.loads(text), ""
    except orjson.JSONDecodeError:
        pass
    text = _C_NUMBER.sub(_as_json_number, text)
    try:
        content, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError) as error:
        raise FioOutputError(
            source=source,
            reason=f"its JSON is damaged or cut short ({error})",
            remedy=_DAMAGED_REMEDY,
        ) from error
    return content, text[end:]


def _as_json_number(match: re.Match[str]) -> str:
    name = "NaN" if match[3].lower() == "nan" else f"{match[2]}Infinity"
    return match[1] + name

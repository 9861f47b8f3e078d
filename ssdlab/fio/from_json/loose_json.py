"""Read JSON that a strict decoder refuses: C numbers, truncation, repeated keys.

fio prints ``nan`` and ``inf`` as C does, does not escape control characters in strings,
and repeats keys among its options. Truncated or damaged text is read up to the damage,
complete values only.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter

ENTRY_LISTS = ("jobs", "client_stats")

_SPACE = re.compile(r"[ \t\r\n]*")
_HAS_C_NUMBER = re.compile(r"[:,\[][ \t\r\n]*+[+-]?(?:nan|inf)", re.IGNORECASE)
# A string, complete or not, is matched first, so nothing in it is taken as a number.
_C_NUMBER = re.compile(
    r'"(?:[^"\\]++|\\.)*+"?|(?<![\w.])[+-]?(?:nan|inf(?:inity)?)(?!\w)',
    re.IGNORECASE | re.DOTALL,
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_OPTION_KEYS = ("global options", "job options")
_PLAIN_OBJECT = re.compile(rb"\s*:\s*\{([^{}\\]*)\}")
_AFTER_NUMBER = frozenset(" \t\r\n,]}")
_EXACT_DIGITS = 20  # of any number of 64 bits, with its sign
_QUOTES_PER_OPTION = 4


class RepeatedKeys(dict[str, object]):
    """A JSON object with repeated keys; ``pairs`` has them all."""

    __slots__ = ("pairs",)

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        self.pairs = tuple(pairs)


class _LostError(Exception):
    """Nothing complete can be read beyond this point."""

    def __init__(self, at: int, place: str = "") -> None:
        self.at, self.place = at, place
        super().__init__(f"{place} at {at}")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LooseObject:
    """The object at the beginning of a text, and its end.

    ``lost`` says what was truncated or damaged first, ``None`` if it is complete;
    ``end`` is then the position of the damage.
    """

    content: dict[str, object]
    end: int
    lost: str | None


def read_loose(text: str) -> LooseObject:
    """Return the object at the beginning of ``text``: complete values up to damage."""
    shifts: list[tuple[int, int]] = []
    if _HAS_C_NUMBER.search(text):
        text, shifts = _with_json_numbers(text)
    found = _read_object(text)
    place = bisect_right(shifts, found.end, key=itemgetter(0))
    shift = shifts[place - 1][1] if place else 0
    return LooseObject(content=found.content, end=found.end - shift, lost=found.lost)


def repeats_options(data: bytes, content: Mapping[str, object]) -> bool:
    """Tell whether options may be repeated that ``content`` has only once.

    An option has four quotes. If there are more, or other characters than in a plain
    object of options, the answer is yes.
    """
    tables = _option_tables(content)
    if not all(isinstance(table, dict) for table in tables):
        return True
    pairs = sum(len(table) for table in tables if isinstance(table, dict))
    plain = 0
    quotes = 0
    for key in _OPTION_KEYS:
        for at in _ends_of(data, b'"%b"' % key.encode()):
            if match := _PLAIN_OBJECT.match(data, at):
                plain += 1
                quotes += match[1].count(b'"')
    return plain != len(tables) or quotes != _QUOTES_PER_OPTION * pairs


def _option_tables(content: Mapping[str, object]) -> list[object]:
    holders = [content]
    for name in ENTRY_LISTS:
        entries = content.get(name)
        if isinstance(entries, list):
            holders += [entry for entry in entries if isinstance(entry, dict)]
    return [holder[key] for holder in holders for key in _OPTION_KEYS if key in holder]


def _ends_of(data: bytes, needle: bytes) -> Iterator[int]:
    at = data.find(needle)
    while at >= 0:
        at += len(needle)
        yield at
        at = data.find(needle, at)


def _with_json_numbers(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the text with JSON's names for C's numbers, and how much it grew.

    The growth is given by each place in the new text from which on it holds.
    """
    parts: list[str] = []
    shifts: list[tuple[int, int]] = []
    copied = size = 0
    for match in _C_NUMBER.finditer(text):
        if match[0][0] == '"':
            continue
        name = _json_name(match[0].lower())
        parts += [text[copied : match.start()], name]
        size += match.start() - copied + len(name)
        copied = match.end()
        shifts.append((size, size - copied))
    return "".join([*parts, text[copied:]]), shifts


def _json_name(printed: str) -> str:
    if "nan" in printed:
        return "NaN"
    return "-Infinity" if printed[0] == "-" else "Infinity"


def _read_object(text: str) -> LooseObject:
    content: dict[str, object] = {}
    at, lost = _skip_space(text, 1), "all"
    try:
        while text[at : at + 1] != "}":
            lost, at = _read_key(text, at)
            at = _read_item(text, at, (content, lost))
            lost = f"what follows {lost}"
            at = _next_item(text, at, "}")
    except _LostError as error:
        return LooseObject(
            content=content, end=max(at, error.at), lost=error.place or lost
        )
    return LooseObject(content=content, end=at + 1, lost=None)


def _read_item(text: str, at: int, into: tuple[dict[str, object], str]) -> int:
    """Read a value, or the complete part of a list of entries, and return its end."""
    content, key = into
    if key not in ENTRY_LISTS or text[at : at + 1] != "[":
        value, at = _read_value(text, at)
        content[key] = _clean(value)
        return at
    entries: list[object] = []
    content[key] = entries
    at = _skip_space(text, at + 1)
    try:
        while text[at : at + 1] != "]":
            entry, at = _read_value(text, at)
            entries.append(entry)
            at = _next_item(text, at, "]")
    except _LostError as error:
        raise _LostError(at, f"{key}[{len(entries)}]") from error
    return at + 1


def _read_key(text: str, at: int) -> tuple[str, int]:
    """Return a key and the position of its value."""
    key, end = _read_value(text, at)
    end = _skip_space(text, end)
    if not isinstance(key, str) or text[end : end + 1] != ":":
        raise _LostError(at)
    return key, _skip_space(text, end + 1)


def _read_value(text: str, at: int) -> tuple[object, int]:
    """Return the value at a position, and its end."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError) as error:
        raise _LostError(at) from error
    if isinstance(value, int | float) and text[end : end + 1] not in _AFTER_NUMBER:
        raise _LostError(at)
    return value, end


def _next_item(text: str, at: int, closing: str) -> int:
    """Return the position of the next item, the closing bracket or the text's end."""
    at = _skip_space(text, at)
    sign = text[at : at + 1]
    if sign == ",":
        return _skip_space(text, at + 1)
    if sign not in {closing, ""}:
        raise _LostError(at)
    return at


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _EXACT_DIGITS else float(digits)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    clean = [(_clean_text(key), _clean(value)) for key, value in pairs]
    content: dict[str, object] = dict(clean)
    return content if len(content) == len(clean) else RepeatedKeys(clean)


def _clean(value: object) -> object:
    return _clean_text(value) if isinstance(value, str) else value


def _clean_text(text: str) -> str:
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


_DECODER = json.JSONDecoder(strict=False, parse_int=_integer, object_pairs_hook=_object)

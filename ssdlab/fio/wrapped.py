"""Extract wrapped output of fio: prefixed lines, or JSON strings.

Container logs put a time or a name before every line, mail a ``>``; Ansible and Docker
keep the output of a program in JSON strings.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

from ssdlab.fio.document import Doubt
from ssdlab.fio.from_json.density import Scale
from ssdlab.fio.marks import TERSE_MARKS, holds_mark, iterate_marks, require_plausible

_STAMP = (
    r"\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?\]?(?:[ \t]|$)"
)
_SYSLOG = (
    r"[A-Z][a-z]{2} [ 0-9]?[0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:[ \t]|$)"
    r"(?:[\w.-]{1,255} [\w./-]{1,255}(?:\[[0-9]{1,9}\])?:(?:[ \t]|$))?"
)
_CLOCK = r"\[?[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?\]?(?:[ \t]|$)"
_SOURCE = r"\[[a-z]{1,20}/[\w./-]{1,255}\](?:[ \t]|$)"
_SERVICE = r"[A-Za-z0-9][\w.-]{0,255}[ \t]*\|(?:[ \t]|$)"
_STREAM = r"(?:stdout|stderr) [FP](?:[ \t]|$)"
_QUOTE = r"(?:>[ \t]?)+"
_NAMED = (_SERVICE, _SOURCE)
_KINDS = (_QUOTE, _STAMP, _SYSLOG, _CLOCK, *_NAMED, _STREAM)
_PREFIX = re.compile(f"(?:{'|'.join(_KINDS)})+", re.ASCII)
_NAME = re.compile("|".join(_NAMED), re.ASCII)
_RESULT = re.compile(
    r"\s*(?:(?:read|write|trim|mixed)\s*: (?:IOPS|io)=|\{\s*(?:$|\"fio v)|[2-5];)",
    re.ASCII,
)
_NEIGHBOURS = 4
_NEAR = 4096
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_QUOTED = re.compile(r'\\.|"')
_BEGINNING = re.compile(r"^\s*(?=[\[{])|=> (?=\{)", re.MULTILINE)
_LINE_KEYS = ("log", "MESSAGE", "message", "textPayload", "line")
_DECODER = json.JSONDecoder(strict=False)
_MOST_DEPTH = 50
_MOST_FAILURES = 200  # each may cost a scan of the whole text
_VERSION_KEY = "fio version"


def unwrap(text: str, *, source: str) -> tuple[str, tuple[Doubt, ...]]:
    """Return fio's output as fio wrote it, and doubts that say what was removed."""
    require_plausible(text, source)
    places = [*iterate_marks(text)]
    doubts: list[Doubt] = []
    if any(_is_quoted(text, at) for at, _ in places):
        Scale(source).put(_STRING.sub("", text).encode("utf-8", "replace"))
        said = _out_of_strings(text)
        if said is not None:
            require_plausible(said, source)
            meaning = "fio's output was extracted from JSON strings"
            doubts.append(Doubt(kind="in-json", place="file", meaning=meaning))
            text, places = said, [*iterate_marks(said)]
    prefix = next(filter(None, (_prefix(text, *place) for place in places)), None)
    if prefix is None:
        return text, tuple(doubts)
    text, count = _without_prefix(text, prefix)
    if count:
        meaning = f"prefixes of {count} lines were removed, such as a time"
        doubts.append(Doubt(kind="line-prefix", place="file", meaning=meaning))
    return text, tuple(doubts)


def is_wrapped(text: str) -> bool:
    """Tell whether fio's output is in a JSON string."""
    return any(_is_quoted(text, at) for at, _ in iterate_marks(text))


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _is_quoted(text: str, at: int) -> bool:
    """Tell whether the position is within a string of its line."""
    before = text[_line_start(text, at) : at]
    if '"' not in before:
        return False
    is_key = before.endswith('"') and not before.endswith('\\"')
    quotes = sum(1 for match in _QUOTED.finditer(before) if match[0] == '"')
    return (quotes - is_key) % 2 == 1


def _out_of_strings(text: str) -> str | None:
    """Return the text with each JSON value replaced by the output in its strings."""
    parts: list[str] = []
    end = seen = failures = 0
    for match in _BEGINNING.finditer(text):
        if match.end() < seen:
            continue
        if failures > _MOST_FAILURES:
            break
        try:
            value, value_end = _DECODER.raw_decode(text, match.end())
        except (ValueError, RecursionError):
            failures += 1
            continue
        said, seen = _said_in(value), value_end
        if said is not None:
            before = text[end : match.start()]
            parts += [before, "\n" if before.strip() else "", said]
            end = value_end
    return "".join([*parts, text[end:]]) if parts else None


def _said_in(value: object) -> str | None:
    """Return the output in the strings of a value, if there is any."""
    line = _line_of(value)
    if line is not None:
        return line
    return "\n".join(dict.fromkeys(_outputs(value))) or None


def _line_of(value: object) -> str | None:
    """Return the line of a log entry, if it is one."""
    if not isinstance(value, dict):
        return None
    lines = [value[key] for key in _LINE_KEYS if isinstance(value.get(key), str)]
    if not lines or "\n" in lines[0].rstrip("\r\n"):
        return None
    return str(lines[0]).rstrip("\r\n")


def _outputs(value: object, depth: int = 0) -> Iterator[str]:
    """Yield every string with output of fio; a list of lines counts as one."""
    if isinstance(value, str) and holds_mark(value):
        yield value.strip("\r\n") + "\n"
    elif depth < _MOST_DEPTH:
        for item in _items(value):
            yield from _outputs(item, depth + 1)


def _items(value: object) -> Sequence[object]:
    if isinstance(value, dict):
        return [] if _VERSION_KEY in value else [*value.values()]
    if not isinstance(value, list):
        return []
    lines = [item for item in value if isinstance(item, str)]
    return ["\n".join(lines)] if lines and len(lines) == len(value) else value


def _prefix(text: str, at: int, mark: str) -> re.Pattern[str] | None:
    """Return the prefix of each line around a mark, or ``None`` if there is none."""
    start = _line_start(text, at)
    if _PREFIX.match(text, start, at):
        return _PREFIX
    neighbours = [
        line
        for line in (
            *text[max(start - _NEAR, 0) : start].split("\n")[-_NEIGHBOURS - 1 : -1],
            *text[start : start + _NEAR].split("\n")[:_NEIGHBOURS],
        )
        if line.strip()
    ]
    found = _common_beginning([*neighbours, text[start:at]])
    is_sign = bool(found.strip()) and not found[-1].isalnum()
    if not is_sign or mark in TERSE_MARKS or len(neighbours) < _NEIGHBOURS:
        return None
    return re.compile(re.escape(found.rstrip()) + r"(?:[ \t]|$)?")


def _common_beginning(lines: Sequence[str]) -> str:
    pairs = zip(min(lines), max(lines), strict=False)
    return "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _without_prefix(text: str, prefix: re.Pattern[str]) -> tuple[str, int]:
    """Return the text without the prefixes of its lines, and their number.

    A stretch of such lines without a result is left as it is. Mixed lines of several
    sources are regrouped, one source after the other.
    """
    lines = [(line, prefix.match(line)) for line in text.split("\n")]
    kept: list[str] = []
    count = 0
    for is_prefixed, group in groupby(lines, key=_may_be_prefixed):
        stretch = [*group]
        bare = [
            (line[match.end() :], match[0]) if match else (line, "")
            for line, match in stretch
        ]
        if is_prefixed and any(_RESULT.match(line) for line, _ in bare):
            kept += _by_source(bare)
            count += len(bare)
        else:
            kept += [line for line, _ in stretch]
    return "\n".join(kept), count


def _may_be_prefixed(item: tuple[str, re.Match[str] | None]) -> bool:
    line, match = item
    return match is not None or not line.strip()


def _by_source(lines: Sequence[tuple[str, str]]) -> list[str]:
    sources: dict[str, list[str]] = {}
    for line, prefix in lines:
        name = _NAME.search(prefix)
        sources.setdefault(name[0].strip() if name else "", []).append(line)
    return [line for of_source in sources.values() for line in of_source]

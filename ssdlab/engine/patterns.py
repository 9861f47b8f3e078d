"""The pattern of file names: which step a file is the output of."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from ssdlab.model.units import parse_size

_FIELDS = MappingProxyType({
    "block_size": r"\d+(?:\.\d+)?[A-Za-z]*",
    "read_percent": r"\d+",
    "round": r"\d+",
    "access": r"[A-Za-z]+",
    "threads": r"\d+",
    "queue_depth": r"\d+",
    "label": r"[^/]+?",
})
_MAX_DIGITS = 9


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern with fields; ``*`` is any text."""
    literal, *rest = re.split(r"\{(\w*)\}", pattern)
    if any(brace in text for text in (literal, *rest[1::2]) for brace in "{}"):
        msg = f"the pattern {pattern} has an unmatched brace"
        raise ValueError(msg)
    shape = _literal(literal)
    for name, after in zip(rest[::2], rest[1::2], strict=True):
        if name not in _FIELDS:
            msg = f"unknown field {name!r} in the pattern; known: {', '.join(_FIELDS)}"
            raise ValueError(msg)
        if rest[::2].count(name) > 1:
            msg = f"the field {name!r} occurs twice in the pattern {pattern}"
            raise ValueError(msg)
        shape += f"(?P<{name}>{_FIELDS[name]}){_literal(after)}"
    return re.compile(shape)


def _literal(text: str) -> str:
    return re.sub(r"(?:\\\*)+", "[^/]*", re.escape(text))


def fields_of(match: re.Match[str]) -> Mapping[str, str]:
    """Return the fields found in a name."""
    said = match.groupdict()
    for name in ("read_percent", "round", "threads", "queue_depth"):
        if len(said.get(name, "")) > _MAX_DIGITS:
            msg = f"{said[name]} is too large for {name}"
            raise ValueError(msg)
    if int(said.get("read_percent", "0")) > 100:
        msg = f"{said['read_percent']} is not a valid percentage of reads"
        raise ValueError(msg)
    return said


def fio_size(text: str) -> int:
    """Return a size [B] as fio reads it: ``4k``, ``4KB`` and ``4KiB`` are the same.

    To the standard KB is 1000 B.
    """
    return parse_size(re.sub(r"(?i)i?b$", "", text.strip()))

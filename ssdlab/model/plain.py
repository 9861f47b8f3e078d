"""Conversion of frozen data to the plain values of a JSON file and back.

Where a field may be one of several dataclasses, its key ``type`` names which. A field
that an older file lacks takes its default; an unknown field and a value of another
type are refused.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NoReturn,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from ssdlab.model.fio_option import FioOption

_T = TypeVar("_T")
_Read = Callable[[Any], Any]
_WORDS = {
    str: "text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    date: "a date",
}
_UNKNOWN = "unknown field"
_TAG = "type"


def from_plain(kind: type[_T], data: Any) -> _T:
    """Return frozen data from the plain values that `to_plain` made."""
    try:
        return cast("_T", _reader(cast("Any", kind))(data))
    except _Refused as error:
        where, why = min(error.found, key=lambda one: not one[1].startswith(_UNKNOWN))
        msg = f"{where.removeprefix('.')}: {why}".removeprefix(": ")
        raise ValueError(msg) from error


def to_plain(value: object) -> Any:
    """Return plain values that JSON can hold."""
    return _plain(value, object)


def _plain(value: Any, kind: Any) -> Any:
    """Return the plain value of a field of that type."""
    if isinstance(value, FioOption):
        return list(value)
    if is_dataclass(value):
        hints = _hints(cast("Any", type(value)))
        own = {name: _plain(getattr(value, name), hints[name]) for name in hints}
        is_named = len(_dataclasses(kind)) > 1
        return own | {_TAG: type(value).__name__} if is_named else own
    parts = [get_args(one) for one in _members(kind) if get_origin(one) is not Literal]
    inner = [one for part in parts for one in part if one is not Ellipsis] or [object]
    if isinstance(value, tuple | list):
        kinds = inner if len(inner) == len(value) else inner * len(value)
        return [_plain(one, own) for one, own in zip(value, kinds, strict=False)]
    if isinstance(value, Mapping):
        return {name: _plain(one, inner[-1]) for name, one in value.items()}
    return value


class _Refused(ValueError):  # noqa: N818 - it is caught here, and words are made of it
    """What was found wrong: where, and why."""

    def __init__(self, found: Iterable[tuple[str, str]]) -> None:
        self.found = list(found)
        super().__init__(self.found)


def _fail(why: str) -> NoReturn:
    raise _Refused([("", why)])


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Return the fields of a dataclass with their types."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _members(kind: Any) -> tuple[Any, ...]:
    """Return what a field may hold besides nothing."""
    is_union = get_origin(kind) in {Union, UnionType}
    return tuple(one for one in get_args(kind) if one is not NoneType) * is_union or (
        kind,
    )


def _dataclasses(kind: Any) -> dict[str, type]:
    """Return the dataclasses that a field may hold, by name."""
    found = (one for one in _members(kind) if isinstance(one, type))
    return {one.__name__: one for one in found if is_dataclass(one)}


@cache
def _reader(kind: Any) -> _Read:
    """Return what reads values of a type."""
    make = _MAKERS.get(get_origin(kind) or kind)
    if make is None and is_dataclass(kind):
        make = _table_reader
    if make is None:
        msg = f"{kind} has no plain form"
        raise TypeError(msg)
    return make(kind)


def _scalar_reader(kind: Any) -> _Read:
    return lambda data: _exact(data, (kind,))


def _any_reader(_kind: Any) -> _Read:
    return lambda data: data


def _option_reader(_kind: Any) -> _Read:
    read = _tuple_reader(tuple[str, str])
    return lambda data: FioOption(*read(data))


def _literal_reader(kind: Any) -> _Read:
    return lambda data: _one_of(data, get_args(kind))


def _union_reader(kind: Any) -> _Read:
    kinds = _members(kind)
    if set(kinds) <= set(_WORDS):
        return lambda data: _exact(data, get_args(kind))
    named = _dataclasses(kind)
    read = _named_reader(named) if len(named) > 1 else _reader(*kinds)
    if NoneType not in get_args(kind):
        return read
    return lambda data: None if data is None else read(data)


def _named_reader(kinds: Mapping[str, type]) -> _Read:
    def read(data: Any) -> Any:
        rest = dict(_table(data))
        name = rest.pop(_TAG, _TAG)
        if not isinstance(name, str) or name not in kinds:
            _fail(f"{name!r} is missing or unknown")
        return _reader(kinds[name])(rest)

    return read


def _tuple_reader(kind: Any) -> _Read:
    inner = get_args(kind)
    is_any_length = inner[-1] is Ellipsis

    def read(data: Any) -> tuple[Any, ...]:
        if not isinstance(data, list | tuple):
            _fail(f"{data!r} is not a list")
        if not is_any_length and len(data) != len(inner):
            problem = "Not enough" if len(data) < len(inner) else "Too many"
            _fail(f"{problem} values in {data!r}")
        kinds = inner[:1] * len(data) if is_any_length else inner
        named = ((f"[{place}]", one) for place, one in enumerate(data))
        return tuple(_all_read(named, kinds).values())

    return read


def _mapping_reader(kind: Any) -> _Read:
    inner = get_args(kind)[1]

    def read(data: Any) -> dict[str, Any]:
        table = _table(data)
        for name in table:
            _exact(name, (str,))
        named = ((f"[{name!r}]", one) for name, one in table.items())
        found = _all_read(named, [inner] * len(table))
        return dict(zip(table, found.values(), strict=True))

    return read


def _table_reader(kind: type) -> _Read:
    hints = _hints(kind)
    needed = [
        field.name
        for field in fields(kind)
        if field.default is MISSING and field.default_factory is MISSING
    ]

    def read(data: Any) -> Any:
        table = _table(data)
        present = {name: one for name, one in hints.items() if name in table}
        wrong = [
            (f".{name}", f"{name!r} is missing or unknown")
            for name in needed
            if name not in table
        ]
        if unknown := table.keys() - hints.keys():
            wrong.append(("", f"{_UNKNOWN} {min(unknown)!r}"))
        named = ((f".{name}", table[name]) for name in present)
        values = _all_read(named, present.values(), wrong)
        try:
            return kind(**dict(zip(present, values.values(), strict=True)))
        except (ValueError, TypeError) as error:
            _fail(str(error))

    return read


def _all_read(
    named: Iterable[tuple[str, Any]],
    kinds: Iterable[Any],
    wrong: Iterable[tuple[str, str]] = (),
) -> dict[str, Any]:
    """Read values by their places; tell all that is wrong with them at once."""
    found = list(wrong)
    values = {}
    for (place, one), kind in zip(named, kinds, strict=True):
        try:
            values[place] = _reader(kind)(one)
        except _Refused as error:
            found += [(f"{place}{where}", why) for where, why in error.found]
    if found:
        raise _Refused(found)
    return values


def _table(data: Any) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        _fail(f"{data!r} is not a table")
    return data


def _exact(data: Any, kinds: tuple[Any, ...]) -> Any:
    is_other = isinstance(data, date) and date in kinds
    is_other |= type(data) is int and float in kinds
    if type(data) not in kinds and not is_other:
        words = " or ".join(_WORDS[one] for one in kinds if one is not NoneType)
        _fail(f"{data!r} is not {words}")
    if isinstance(data, float) and math.isinf(data):
        _fail("it is infinite")
    return data


def _one_of(data: Any, known: tuple[Any, ...]) -> Any:
    if data not in known:
        _fail(f"{data!r} is not one of {', '.join(map(repr, known))}")
    return data


_MAKERS: dict[Any, Callable[[Any], _Read]] = {
    **dict.fromkeys(_WORDS, _scalar_reader),
    **dict.fromkeys((object, Any), _any_reader),
    **dict.fromkeys((Union, UnionType), _union_reader),
    FioOption: _option_reader,
    Literal: _literal_reader,
    tuple: _tuple_reader,
    **dict.fromkeys((dict, Mapping), _mapping_reader),
}

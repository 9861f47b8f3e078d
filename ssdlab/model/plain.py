"""Frozen data from plain values: what a JSON file holds of a test, step or record."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NoReturn,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from ssdlab.model.fio_option import FioOption
from ssdlab.model.spec import PtsTest

TYPE_KEY = "type"

_T = TypeVar("_T")


def from_plain(kind: type[_T], data: Any) -> _T:
    """Return a dataclass from the plain values that ``asdict`` made of it.

    Tuples were lists in JSON. Where a field may be one of several dataclasses, the
    value says which in its key ``type``. A field that an older file does not have
    takes its default.

    Raises
    ------
    ValueError
        If the values are not those of the kind; it says where.
    """
    made: _T = _convert(kind, data, kind.__name__)
    return made


def _convert(kind: Any, data: Any, where: str) -> Any:
    origin = get_origin(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, data, where)
    if origin in {UnionType, Union}:
        return _union(get_args(kind), data, where)
    if origin is tuple:
        return _tuple(get_args(kind), data, where)
    if origin is Literal and data not in get_args(kind):
        _fail(where, f"{data!r} is none of {', '.join(map(repr, get_args(kind)))}")
    if origin is dict:
        return _require(dict, data, where)
    if origin is None and kind is not Any:
        return _require(kind, data, where)
    return data


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _dataclass(kind: type, data: Any, where: str) -> Any:
    if not isinstance(data, Mapping):
        _fail(where, f"{data!r} is no {kind.__name__}")
    known = {field.name: field for field in fields(kind)}
    unknown = set(data) - set(known) - {TYPE_KEY}
    if unknown:
        _fail(where, f"there is no {min(unknown)!r} in a {kind.__name__}")
    required = {
        name
        for name, field in known.items()
        if field.default is MISSING and field.default_factory is MISSING
    }
    if missing := required - set(data):
        _fail(where, f"{min(missing)!r} is missing")
    hints = _hints(kind)
    values = {
        name: _convert(hints[name], data[name], f"{where}.{name}")
        for name in known
        if name in data
    }
    return kind(**values)


def _union(kinds: tuple[Any, ...], data: Any, where: str) -> Any:
    if data is None and NoneType in kinds:
        return None
    shapes = [k for k in kinds if isinstance(k, type) and is_dataclass(k)]
    if shapes and isinstance(data, Mapping):
        named = data.get(TYPE_KEY, shapes[0].__name__ if len(shapes) == 1 else None)
        for kind in shapes:
            if kind.__name__ == named:
                return _convert(kind, data, where)
        _fail(where, f"there is no kind {named!r}" if named else "it has no type")
    for kind in kinds:
        if kind is not NoneType:
            return _convert(kind, data, where)
    return data


def _tuple(kinds: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(data, list | tuple):
        _fail(where, f"{data!r} is no list")
    if len(kinds) == 2 and kinds[1] is ...:
        kinds = (kinds[0],) * len(data)
    if len(kinds) != len(data):
        _fail(where, f"it has {len(data)} values and not {len(kinds)}")
    pairs = zip(kinds, data, strict=True)
    return tuple(_convert(k, v, f"{where}[{at}]") for at, (k, v) in enumerate(pairs))


def _fio_option(data: Any, where: str) -> FioOption:
    """Return an option of a published job; any other pair is refused."""
    name, value = _tuple((str, str), data, where)
    try:
        return FioOption(name, value)
    except ValueError as error:
        _fail(where, str(error))


def _require(kind: Any, data: Any, where: str) -> Any:
    if kind is FioOption:
        return _fio_option(data, where)
    allowed = (int, float) if kind is float else kind
    if not isinstance(data, allowed) or (isinstance(data, bool) and kind is not bool):
        _fail(where, f"{data!r} is no {kind.__name__}")
    if isinstance(data, float) and math.isinf(data):
        _fail(where, "it is infinite")
    return data


def _fail(where: str, why: str) -> NoReturn:
    msg = f"{where}: {why}"
    raise ValueError(msg)


def to_plain_tests(tests: Sequence[PtsTest]) -> list[dict[str, Any]]:
    """Return tests as plain values, as ``run.json`` keeps them."""
    return [
        asdict(test)
        | {
            name: [
                {TYPE_KEY: type(phase).__name__, **asdict(phase)}
                for phase in getattr(test, name)
            ]
            for name in ("phases", "fallback")
        }
        for test in tests
    ]

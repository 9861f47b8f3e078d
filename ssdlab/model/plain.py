"""Conversion of frozen data to the plain values of a JSON file and back.

Where a field may be one of several dataclasses, its key ``type`` names which. A field
that an older file lacks takes its default; an unknown field and a value of another
type are refused. A field that says ``is_recorded`` is false is in no file.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from types import NoneType
from typing import Any, Literal, NoReturn, TypeVar, get_args, get_origin

from cattrs import Converter, transform_error
from cattrs.errors import BaseValidationError, ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.strategies import configure_tagged_union

from ssdlab.model.asked import Asked
from ssdlab.model.fio_option import FioOption, JobOption
from ssdlab.model.spec import Phase

_T = TypeVar("_T")
_WORDS = {
    str: "text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    date: "a date",
}


def from_plain(kind: type[_T], data: Any) -> _T:
    """Return frozen data from the plain values that `to_plain` made."""
    try:
        return _CONVERTER.structure(data, kind)
    except (BaseValidationError, ValueError, TypeError) as error:
        found = transform_error(error, "", _reason)
        why, _, where = min(found, key=lambda one: _UNKNOWN not in one).rpartition("@ ")
        msg = f"{where.removeprefix('.')}: {why.rstrip()}".removeprefix(": ")
        raise ValueError(msg) from error


def to_plain(value: object) -> Any:
    """Return plain values that JSON can hold."""
    return _CONVERTER.unstructure(value)


_UNKNOWN = "unknown field"


def _reason(error: BaseException, _kind: type | None) -> str:
    if isinstance(error, ForbiddenExtraKeysError):
        return f"{_UNKNOWN} {min(error.extra_fields)!r}"
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is missing or unknown"
    return str(error)


def _is_of(origin: Any) -> Callable[[Any], bool]:
    return lambda kind: origin in {kind, get_origin(kind)}


def _is_of_values(kind: Any) -> bool:
    """Tell whether a field takes one of several plain types."""
    kinds = set(get_args(kind)) - {NoneType}
    return len(kinds) > 1 and kinds <= set(_WORDS)


def _exact(data: Any, kind: Any) -> Any:
    kinds = get_args(kind) or (kind,)
    is_other = isinstance(data, date) and date in kinds
    is_other |= type(data) is int and float in kinds
    if type(data) not in kinds and not is_other:
        words = " or ".join(_WORDS[one] for one in kinds if one is not NoneType)
        _fail(f"{data!r} is not {words}")
    if isinstance(data, float) and math.isinf(data):
        _fail("it is infinite")
    return data


def _one_of(data: Any, kind: Any) -> Any:
    if data not in get_args(kind):
        _fail(f"{data!r} is not one of {', '.join(map(repr, get_args(kind)))}")
    return data


def _from_list(data: Any, kind: Any) -> Any:
    if not isinstance(data, list | tuple):
        _fail(f"{data!r} is not a list")
    return _STRUCTURE_TUPLE(data, kind)


def _from_pair(data: Any, kind: Any) -> FioOption | JobOption:
    option: FioOption | JobOption = kind(*_from_list(data, tuple[str, str]))
    return option


def _from_table(kind: Any) -> Callable[[Any, Any], Any]:
    structure = make_dict_structure_fn(kind, _CONVERTER, **_unrecorded(kind))

    def from_table(data: Any, _kind: Any) -> Any:
        if not isinstance(data, Mapping):
            _fail(f"{data!r} is not a table")
        return structure(data, kind)

    return from_table


def _to_table(kind: Any) -> Callable[[Any], Any]:
    return make_dict_unstructure_fn(kind, _CONVERTER, **_unrecorded(kind))


def _unrecorded(kind: Any) -> dict[str, Any]:
    """Return cattrs' overrides for the fields that no record has."""
    return {
        one.name: override(omit=True)
        for one in fields(kind)
        if not one.metadata.get("is_recorded", True)
    }


def _fail(why: str) -> NoReturn:
    raise ValueError(why)


_CONVERTER = Converter(
    forbid_extra_keys=True, unstruct_collection_overrides={tuple: list}
)
_STRUCTURE_TUPLE = _CONVERTER.get_structure_hook(tuple)
for _plain in _WORDS:
    _CONVERTER.register_structure_hook(_plain, _exact)
_CONVERTER.register_structure_hook_func(_is_of_values, _exact)
_CONVERTER.register_structure_hook_func(_is_of(Literal), _one_of)
_CONVERTER.register_structure_hook_func(_is_of(tuple), _from_list)
_CONVERTER.register_structure_hook_func(_is_of(object), lambda data, _: data)
_CONVERTER.register_structure_hook_factory(is_dataclass, _from_table)
_CONVERTER.register_unstructure_hook_factory(is_dataclass, _to_table)
for _option in (FioOption, JobOption):
    _CONVERTER.register_structure_hook(_option, _from_pair)
    _CONVERTER.register_unstructure_hook(_option, list)
for _union in (Phase, Asked):
    configure_tagged_union(_union, _CONVERTER, tag_name="type")

"""Take single values out of fio's JSON, or say which one is missing or wrong."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from ssdlab.model.errors import FioOutputError

_VERSION = re.compile(r"(\d+)\.(\d+)")
_UNKNOWN_IS_NEW = (99, 0)
_LIMIT = 2**63


@dataclass(frozen=True, slots=True)
class Place:
    """Where in which output a value stands, for the text of an error."""

    source: str
    fio_version: str
    version: tuple[int, int]
    path: str = ""

    def below(self, key: str) -> "Place":
        """Return the place of a key in the object that stands here."""
        path = f"{self.path}.{key}" if self.path else key
        return Place(self.source, self.fio_version, self.version, path)

    def fail(self, reason: str) -> NoReturn:
        """Raise the error that the value here is missing or wrong.

        Raises
        ------
        FioOutputError
            Always.
        """
        raise FioOutputError(
            source=self.source,
            reason=f"{self.fio_version}: {self.path} {reason}",
            remedy="Nothing was read from it: a measurement is whole or absent.",
        )


def parse_version(version: str) -> tuple[int, int]:
    """Return ``(3, 33)`` for ``fio-3.33-12-gabc``; an unknown form counts as new."""
    match = _VERSION.search(version)
    return (int(match[1]), int(match[2])) if match else _UNKNOWN_IS_NEW


def is_known_version(version: str) -> bool:
    """Tell whether a version has a form that can be understood."""
    return _VERSION.search(version) is not None


def take(table: Mapping[str, object], key: str, place: Place) -> object:
    """Return the value of a key that must be there."""
    try:
        return table[key]
    except KeyError:
        place.below(key).fail("is missing")


def take_object(
    table: Mapping[str, object], key: str, place: Place
) -> dict[str, object]:
    """Return a JSON object that must be there."""
    value = take(table, key, place)
    if not isinstance(value, dict):
        place.below(key).fail("is not a JSON object")
    return value


def take_objects(
    table: Mapping[str, object], key: str, place: Place
) -> list[dict[str, object]]:
    """Return a list of JSON objects that must be there."""
    value = take(table, key, place)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        place.below(key).fail("is not a list of JSON objects")
    return value


def take_number(table: Mapping[str, object], key: str, place: Place) -> float:
    """Return a number that must be there; NaN if fio says so."""
    value = take(table, key, place)
    if isinstance(value, bool) or not isinstance(value, int | float):
        place.below(key).fail(f"is {value!r}, which is no number")
    if abs(value) >= _LIMIT and not math.isinf(value):
        place.below(key).fail("is greater than any number of fio")
    return float(value)


def take_integer(table: Mapping[str, object], key: str, place: Place) -> int:
    """Return a whole number that must be there."""
    value = take(table, key, place)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        place.below(key).fail(f"is {value!r}, which is no whole number")
    if abs(value) >= _LIMIT:
        place.below(key).fail("is greater than any number of fio")
    return value


def take_count(table: Mapping[str, object], key: str, place: Place) -> int:
    """Return a whole number, 0 or more, that must be there."""
    value = take_integer(table, key, place)
    if value < 0:
        place.below(key).fail(f"is {value}, which is no count")
    return value


def take_count_if_there(
    table: Mapping[str, object], key: str, place: Place
) -> int | None:
    """Return a count that not every version of fio gives, or ``None``."""
    return take_count(table, key, place) if key in table else None


def take_texts(table: Mapping[str, object], key: str, place: Place) -> dict[str, str]:
    """Return options as text; none where this version of fio gives none."""
    if key not in table:
        return {}
    options = take_object(table, key, place)
    return {name: str(value) for name, value in options.items()}

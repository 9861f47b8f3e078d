"""Read single values of fio's JSON; missing or impossible ones become doubts.

The weight of a doubt depends on what depends on the value: see `Place`.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from reprlib import Repr
from typing import NamedTuple

from ssdlab.fio.document import Doubt

_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})")
_UNKNOWN_IS_NEW = (99, 0)
_LIMIT = 2**63
_MOST_DOUBTS = 1000
_MORE = Doubt(
    kind="bad-value",
    place="from here on",
    meaning="more values are missing or wrong and are not listed",
)
_SHOWN = Repr()
_SHOWN.maxstring = _SHOWN.maxother = 60


class Place(NamedTuple):
    """The place of values, and the growing list of doubts about them.

    ``owner`` is their job or disk: which kind, and its name. Results depend on the
    values unless the place is `aside`: none depends on the kernel's disk counters, CPU
    time, sampled rates or names. A missing or impossible value is absent; the doubt
    about it is grave only if results depend on it. It is a tuple, as a document has
    dozens of them.
    """

    path: str
    doubts: list[Doubt]
    version: tuple[int, int] = _UNKNOWN_IS_NEW
    owner: tuple[str, str] | None = None
    is_result: bool = True

    def below(self, key: str) -> "Place":
        """Return the place of a key in the object here."""
        path = f"{self.path}.{key}" if self.path else key
        return Place(path, self.doubts, self.version, self.owner, self.is_result)

    def of(self, what: str, name: str) -> "Place":
        """Return this place as that of a job or a disk."""
        return Place(self.path, self.doubts, self.version, (what, name), self.is_result)

    def aside(self) -> "Place":
        """Return this place as one that no result depends on."""
        return Place(self.path, self.doubts, self.version, self.owner, is_result=False)

    def note(self, kind: str, meaning: str, *, is_grave: bool = False) -> None:
        """Note a doubt; their number is limited."""
        if len(self.doubts) < _MOST_DOUBTS:
            self.doubts.append(
                Doubt(kind=kind, place=self.path, meaning=meaning, is_grave=is_grave)
            )
        elif len(self.doubts) == _MOST_DOUBTS or (
            is_grave and not self.doubts[-1].is_grave
        ):
            self.doubts.append(replace(_MORE, is_grave=is_grave))

    def refuse(self, meaning: str, *, kind: str = "bad-value") -> None:
        """Note that the value here cannot be used."""
        if self.owner is not None:
            what, name = self.owner
            meaning += f" ({what} {_SHOWN.repr(name)})"
        self.note(kind, meaning, is_grave=self.is_result)

    def refuse_value(self, table: Mapping[str, object], key: str, why: str) -> None:
        """Note that the value of a key is missing, or why it is wrong."""
        at = self.below(key)
        if key in table:
            at.refuse(f"is {_SHOWN.repr(table[key])}, {why}")
        else:
            at.refuse("is missing", kind="missing-value")


def parse_version(version: str) -> tuple[int, int]:
    """Return ``(3, 33)`` for ``fio-3.33-12-gabc``; an unknown format counts as new."""
    match = _VERSION.search(version)
    return (int(match[1]), int(match[2])) if match else _UNKNOWN_IS_NEW


def is_known_version(version: str) -> bool:
    """Tell whether a version has a known format."""
    return _VERSION.search(version) is not None


def take_object(
    table: Mapping[str, object], key: str, place: Place
) -> dict[str, object] | None:
    """Return a required JSON object, or ``None``."""
    value = table.get(key)
    if isinstance(value, dict):
        return value
    place.refuse_value(table, key, "which is not a JSON object")
    return None


def take_list(
    table: Mapping[str, object], key: str, place: Place
) -> list[object] | None:
    """Return a required list, or ``None``."""
    value = table.get(key)
    if isinstance(value, list):
        return value
    place.refuse_value(table, key, "which is not a list")
    return None


def take_text(table: Mapping[str, object], key: str, place: Place) -> str:
    """Return a required text, or an empty one."""
    value = table.get(key)
    if isinstance(value, str):
        return value
    place.refuse_value(table, key, "which is not a text")
    return ""


def take_number(table: Mapping[str, object], key: str, place: Place) -> float:
    """Return a required number; NaN if it is missing, or fio has none."""
    value = table.get(key)
    if type(value) is float or type(value) is int:
        if -_LIMIT < value < _LIMIT:
            return float(value)
        if type(value) is float and not math.isfinite(value):
            meaning = f"fio prints {value}, so there is no number"
            place.below(key).note("no-number", meaning)
            return math.nan
        place.refuse_value(table, key, "which is greater than any number of fio")
    else:
        place.refuse_value(table, key, "which is not a number")
    return math.nan


def take_amount(table: Mapping[str, object], key: str, place: Place) -> float:
    """Return a required number that cannot be negative, or NaN."""
    value = table.get(key)
    if (type(value) is float or type(value) is int) and 0 <= value < _LIMIT:
        return float(value)  # the fast path for nearly all
    number = take_number(table, key, place)
    if number < 0:
        place.refuse_value(table, key, "which is negative")
        return math.nan
    return number


def take_time(table: Mapping[str, object], key: str, place: Place) -> float | None:
    """Return a required Unix time, or ``None``."""
    time = take_amount(table, key, place)
    return time if math.isfinite(time) else None


def take_integer(table: Mapping[str, object], key: str, place: Place) -> int | None:
    """Return a required whole number, or ``None``."""
    value = table.get(key)
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is not int:
        place.refuse_value(table, key, "which is not a whole number")
    elif abs(value) >= _LIMIT:
        place.refuse_value(table, key, "which is greater than any number of fio")
    else:
        return value
    return None


def take_count(table: Mapping[str, object], key: str, place: Place) -> int | None:
    """Return a required whole number, 0 or more, or ``None``."""
    value = table.get(key)
    if type(value) is int and 0 <= value < _LIMIT:
        return value  # the fast path for nearly all
    count = take_integer(table, key, place)
    if count is not None and count < 0:
        place.refuse_value(table, key, "which is not a count")
        return None
    return count


def take_count_if_there(
    table: Mapping[str, object], key: str, place: Place
) -> int | None:
    """Return an optional count, which not every version of fio prints, or ``None``."""
    return take_count(table, key, place) if key in table else None

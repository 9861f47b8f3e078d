"""The columns of a log of fio, deduced from its content, as nothing names them.

The forms are those of fio's ``iolog.c`` from its beginning on: a block size since
about 2.0, an offset with ``log_offset``, a priority always since about 3.2x (a flag, or
hexadecimal with ``log_prio``), and since about 3.40 a maximum with
``log_window_value=both`` and an issue time with ``log_issue_time``.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Final, Literal

LogColumn = Literal[
    "time",
    "value",
    "maximum",
    "direction",
    "block size",
    "offset",
    "priority flag",
    "priority",
    "issue time",
]
Layout = tuple[LogColumn, ...]


class Role(IntEnum):
    """What a column may contain; ``log_scan_sinks.c`` has the same numbers.

    A direction is 0 to 3, a flag 0 or 1, a priority hexadecimal of 16 bits, and a
    maximum at least the value.
    """

    NUMBER = 0
    DIRECTION = 1
    FLAG = 2
    PRIORITY = 3
    MAXIMUM = 4


LIMITS: Final[Mapping[Role, int]] = {
    Role.NUMBER: 2**63 - 1,
    Role.DIRECTION: 3,
    Role.FLAG: 1,
    Role.PRIORITY: 0xFFFF,
    Role.MAXIMUM: 2**63 - 1,
}
_ROLES: Final[Mapping[LogColumn, Role]] = {
    "maximum": Role.MAXIMUM,
    "direction": Role.DIRECTION,
    "priority flag": Role.FLAG,
    "priority": Role.PRIORITY,
}
MAX_COLUMNS: Final = 8

_START: Final[Layout] = ("time", "value", "direction")
_PLAIN: Final[Layout] = (*_START, "block size")
_BOTH: Final[Layout] = ("time", "value", "maximum", "direction", "block size")
# If several fit, the first one is used.
LAYOUTS: Final[tuple[Layout, ...]] = (
    _START,
    _PLAIN,
    (*_PLAIN, "priority flag"),
    (*_PLAIN, "priority"),
    (*_PLAIN, "offset"),
    (*_PLAIN, "offset", "priority flag"),
    (*_PLAIN, "offset", "priority"),
    (*_BOTH, "priority flag"),
    (*_BOTH, "priority"),
    (*_PLAIN, "priority flag", "issue time"),
    (*_PLAIN, "priority", "issue time"),
    (*_PLAIN, "offset", "priority flag", "issue time"),
    (*_PLAIN, "offset", "priority", "issue time"),
    (*_BOTH, "offset", "priority flag"),
    (*_BOTH, "offset", "priority"),
    (*_BOTH, "priority flag", "issue time"),
    (*_BOTH, "priority", "issue time"),
    (*_BOTH, "offset", "priority flag", "issue time"),
    (*_BOTH, "offset", "priority", "issue time"),
)

_ORDINALS: Final = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
)


def roles_of(layout: Layout) -> tuple[Role, ...]:
    """Return what each column may contain."""
    return tuple(_ROLES.get(column, Role.NUMBER) for column in layout)


def describe_choice(
    layout: Layout, *, is_zero: Sequence[bool], others: Sequence[Layout]
) -> str:
    """Explain the choice of the columns after the block size.

    ``is_zero`` marks columns that are 0 throughout; ``others`` would fit as well.
    """
    words = "; ".join(_reasons(layout, is_zero))
    if not others:
        return words
    readings = " or ".join(", ".join(other) for other in others)
    return f"{words}. The log might also be read as {readings}"


def _reasons(layout: Layout, is_zero: Sequence[bool]) -> Iterator[str]:
    for place, column in enumerate(layout):
        if column in {"maximum", *layout[layout.index("block size") + 1 :]}:
            reason = _reason(layout, place, is_zero=is_zero)
            yield f"the {_ORDINALS[place]} column is read as {column}: {reason}"


def _reason(layout: Layout, place: int, *, is_zero: Sequence[bool]) -> str:
    match layout[place]:
        case "maximum":
            return "a direction follows, and it is never less than the value"
        case "priority":
            return "it is hexadecimal"
        case "priority flag":
            return f"it is {'0' if is_zero[place] else '0 or 1'} throughout"
        case "issue time":
            return "it follows the priority"
        case _:
            is_last = place + 1 == len(layout)
            return "it goes beyond 1" if is_last else "the priority follows"

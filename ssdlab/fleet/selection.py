"""Which runs of a store a user means: conditions such as ``device_firmware=A``."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ssdlab.fleet.tables import FLEET_RUNS
from ssdlab.model.errors import (
    NoRunLeftError,
    ParameterError,
    StoreError,
    UnknownNameError,
)
from ssdlab.text.terminal import printable

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 8  # values that a column has


@dataclass(frozen=True, slots=True)
class Condition:
    """A column of ``runs`` and the pattern that its value must match."""

    column: str
    pattern: str

    @property
    def text(self) -> str:
        """The condition as it is written."""
        return f"{self.column}={self.pattern}"

    def holds(self, value: Any) -> bool:
        """Return whether a value matches; a missing one is an empty text."""
        return fnmatchcase(value_text(value), self.pattern)


def value_text(value: Any) -> str:
    """Return a value of ``runs`` as a condition writes it.

    >>> value_text(100.0), value_text(True), value_text(None), value_text("GX1")
    ('100', 'true', '', 'GX1')
    """
    if value is None or value != value or str(value) == "<NA>":  # noqa: PLR0124 - NaN
        return ""
    if str(value) in {"True", "False"}:
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def parse_conditions(texts: Iterable[str]) -> tuple[Condition, ...]:
    """Return conditions, all of which must hold.

    >>> parse_conditions(["device_firmware=GX1*"])
    (Condition(column='device_firmware', pattern='GX1*'),)

    Raises
    ------
    ParameterError
        If one is not written as COLUMN=VALUE.
    UnknownNameError
        If the table ``runs`` has no such column.
    """
    found = []
    for text in texts:
        column, is_one, pattern = text.partition("=")
        if not is_one:
            asked = "COLUMN=VALUE, such as device_firmware=GX1*"
            raise ParameterError(name="the condition", value=text, asked=asked)
        if column.strip() not in FLEET_RUNS.column_names:
            known = FLEET_RUNS.column_names
            raise UnknownNameError(kind="column", name=column.strip(), known=known)
        found.append(Condition(column.strip(), pattern.strip()))
    return tuple(found)


def select_runs(
    runs: "pd.DataFrame", conditions: Sequence[Condition], *, store: str
) -> "pd.DataFrame":
    """Return the runs for which all conditions hold; at least one run must be left.

    Raises
    ------
    NoRunLeftError
        If none is; the message names the values that the column has.
    """
    chosen = runs
    for one in conditions:
        if one.column not in chosen:
            raise StoreError(
                store=store,
                reason=f"its runs were added before there was a column {one.column}",
                remedy="Make it anew from the run folders: ssdlab store rebuild",
            )
        left = chosen[[one.holds(value) for value in chosen[one.column]]]
        if left.empty:
            known = sorted({value_text(value) for value in chosen[one.column]})
            shown = ", ".join(map(printable, known[:_SHOWN]))
            more = ", …" if len(known) > _SHOWN else ""
            raise NoRunLeftError(
                store=store,
                reason=f"no run has {one.text}",
                remedy=f"Values of {one.column}: {shown}{more}.",
            )
        chosen = left
    return chosen

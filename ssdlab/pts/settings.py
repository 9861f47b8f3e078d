"""Values of a profile that stand together, each with its meaning and its limits."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

from ssdlab.model.units import MIB

Kind = Literal[
    "seconds",
    "milliseconds",
    "size",
    "percent",
    "mix",
    "count",
    "number",
    "flag",
    "write cache",
    "io engine",
    "test",
    "tracking",
    "active range",
]
Fault = tuple[str, str, str]  # field, reason, remedy
UNITS: dict[Kind, str] = {
    "seconds": "s",
    "milliseconds": "ms",
    "size": "B, or with a unit",
    "percent": "% of the user capacity",
    "mix": "% reads",
}
THREADS, DEPTH = (1, 256), (1, 1024)
_LIMITS: dict[Kind, tuple[float, float]] = {
    "seconds": (0.1, 30 * 24 * 3600),
    "milliseconds": (0.001, 1e6),
    "size": (512, MIB),
    "percent": (1, 100),
    "mix": (0, 100),
    "count": (1, 100_000),
    "number": (0.01, 1000),
}
_KEY = "value"
NEVER_MISSING = object()


@dataclass(frozen=True, kw_only=True, slots=True)
class Value:
    """One value of a profile: what it is, and what it may be.

    ``section`` is that of PTS 2.0.2, empty if none. ``limits`` hold for each number.
    ``is_list`` says that it holds several, all different unless ``may_repeat``; a
    ``length`` of 0 is any but none. ``absent`` is the word that a file has where there
    is none.

    ``code`` is the finding of a value that is not the nominal one, and ``code_below``
    that of a smaller one if it is another. ``is_choice`` leaves it to the operator;
    ``allowed_to`` is the greatest that is no departure, and ``may_be_less`` allows any
    below the nominal one. ``before`` is the value of runs that were recorded before
    there was such a value, where it has one.
    """

    words: str
    section: str
    kind: Kind
    limits: tuple[float, float]
    is_list: bool = False
    may_repeat: bool = False
    length: int = 0
    absent: str = ""
    code: str = "profile-value"
    code_below: str = ""
    is_choice: bool = False
    allowed_to: float | None = None
    may_be_less: bool = False
    before: object = NEVER_MISSING

    @property
    def unit(self) -> str:
        """The unit in words, or nothing."""
        return UNITS.get(self.kind, "")


def describe(
    words: str,
    section: str,
    kind: Kind,
    *,
    limits: tuple[float, float] | None = None,
    **more: Any,
) -> Value:
    """Return a value of a kind, with the limits and the code of its kind."""
    if kind == "seconds":
        more = {"code": "time-scaled", **more}
    known = limits or _LIMITS.get(kind, (0.0, 0.0))
    return Value(words=words, section=section, kind=kind, limits=known, **more)


def setting(  # noqa: PLR0917 - a row of a table
    nominal: Any, words: str, section: str, kind: Kind, **more: Any
) -> Any:
    """Return a field of `Settings`: its value in PTS 2.0 enterprise, its meaning."""
    meant = describe(words, section, kind, **more)
    return field(default=nominal, metadata={_KEY: meant})


class Settings:
    """Values of a profile that stand together: of one test, or shared by several.

    A subclass is a frozen dataclass of `setting`. ``group`` is its name in a profile
    and the table of a file, ``prefix`` begins the keys of its values outside of that
    table. ``changes`` are the values of other profiles than ``pts-2.0-enterprise``,
    by the name of the profile. ``clause`` is the section of PTS 2.0.2 that asks for
    them, where it is not that of the tests.
    """

    group: ClassVar[str]
    prefix: ClassVar[str]
    changes: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    clause: ClassVar[str] = ""

    def faults(self) -> Iterator[Fault]:
        """Yield what does not go together: field, reason and remedy."""
        yield from ()


def values_of(kind: type[Settings]) -> dict[str, Value]:
    """Return what each field of a group is."""
    return {one.name: one.metadata[_KEY] for one in fields(kind)}  # type: ignore[arg-type] # it is a dataclass

"""A profile: every value that a run of the suite is made from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar, cast

from ssdlab.pts.settings import Settings, Value, values_of

_S = TypeVar("_S", bound=Settings)
_HEAD = ("name", "title", "spec_version", "nominal", "tests")


class Place(NamedTuple):
    """Where a value of a profile stands: its group, its field, and what it is."""

    kind: type[Settings]
    field: str
    value: Value


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """The values of a suite, by group; ``profile[Rounds].max_rounds`` is one of them.

    ``nominal`` names the profile whose values count as conformant; each value that
    differs from it is a departure. ``tests`` are those of ``all``.
    """

    name: str
    title: str
    spec_version: str
    nominal: str
    tests: tuple[str, ...]
    settings: Mapping[type[Settings], Settings]

    def __getitem__(self, kind: type[_S]) -> _S:
        """Return the values of a group."""
        return cast("_S", self.settings[kind])

    @property
    def places(self) -> dict[str, Place]:
        """Where each value stands, by its key in a file: ``hir_cycles``."""
        return {
            f"{kind.prefix}{name}": Place(kind, name, value)
            for kind in self.settings
            for name, value in values_of(kind).items()
        }

    def value(self, key: str) -> object:
        """Return the value of a key, or ``tests``."""
        if key in _HEAD:
            return getattr(self, key)
        place = self.places[key]
        return getattr(self.settings[place.kind], place.field)

    def having(self, **values: Any) -> "Profile":
        """Return the profile with other values, each by its key in a file."""
        head = {name: values.pop(name) for name in _HEAD if name in values}
        places, settings = self.places, dict(self.settings)
        for key, value in values.items():
            place = places[key]
            settings[place.kind] = replace(
                settings[place.kind],  # type: ignore[type-var] # it is a dataclass
                **{place.field: value},
            )
        return replace(self, settings=settings, **head)

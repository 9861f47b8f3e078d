"""What a run was requested to do: tests of the PTS, a procedure, or an import.

Each holds its tests as data, fitted to the target, so that no profile is needed to
open a run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ssdlab.model.drive import WriteCacheState
from ssdlab.model.io_engine import AUTO_ENGINE, parse_io_engine
from ssdlab.model.spec import PtsTest


@dataclass(frozen=True, kw_only=True, slots=True)
class Suite:
    """Tests of the PTS by a profile.

    ``settings`` are the values of the profile that a single test, or some, are made of,
    by group and name; `ssdlab.pts.profiles.profile_of` reads them. A profile of another
    version that cannot be read leaves its tests without phases.
    """

    name: str
    title: str
    spec_version: str
    nominal: str
    write_cache: WriteCacheState
    active_range_percent: float
    uses_random_map: bool
    max_idle_s: float
    settings: dict[str, dict[str, object]]
    tests: tuple[PtsTest, ...]
    io_engine: str = AUTO_ENGINE

    def __post_init__(self) -> None:
        """Refuse an engine that no run may have: the record may come from anybody."""
        parse_io_engine(self.io_engine)

    @property
    def details(self) -> dict[str, object]:
        """Values that may differ between two runs whose profiles have the same name.

        The IO engine is not among them: that of the jobs is a condition by itself.
        """
        return {
            "active_range_percent": self.active_range_percent,
            "uses_random_map": self.uses_random_map,
            "max_idle_s": self.max_idle_s,
            **{
                _detail(group, name): value
                for group, values in self.settings.items()
                for name, value in values.items()
            },
        }

    @property
    def tests_by_detail(self) -> dict[str, tuple[str, ...]]:
        """The tests that use a detail, where not all do."""
        return {
            _detail(group, name): tuple(
                test.test_id for test in self.tests if group in test.settings
            )
            for group, values in self.settings.items()
            for name in values
        }


def _detail(group: str, name: str) -> str:
    return name if group in name else f"{group}_{name}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Procedure:
    """A published procedure other than the PTS, made of the same phases.

    ``source`` is the document it comes from, ``notes`` what a reader of its report
    must know. ``given`` is whatever else its report needs, as plain JSON values.
    ``logs`` are what its jobs replay, by name: the record of a run does without them,
    as its folder keeps them.
    """

    name: str
    title: str
    source: str
    tests: tuple[PtsTest, ...]
    notes: tuple[str, ...] = ()
    max_idle_s: float = 5.0
    given: dict[str, object] = field(default_factory=dict)
    write_cache: WriteCacheState = "as found"
    active_range_percent: float = 100.0
    uses_random_map: bool = False
    logs: Mapping[str, bytes] = field(
        default_factory=dict,
        compare=False,
        repr=False,
        metadata={"is_recorded": False},
    )

    @property
    def spec_version(self) -> str:
        """The document in place of an edition of the PTS."""
        return self.source

    @property
    def io_engine(self) -> str:
        """The engine of the target, for jobs that name none."""
        return AUTO_ENGINE

    @property
    def details(self) -> dict[str, object]:
        """Values that may differ between two runs of the same procedure."""
        return {
            "active_range_percent": self.active_range_percent,
            "max_idle_s": self.max_idle_s,
            "notes": self.notes,
            "given": self.given,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Import:
    """Imported results, with their tests as far as the files reveal them."""

    title: str
    tool: Literal["fio", "tkperf"]
    spec_version: str
    write_cache: Literal["enabled", "disabled", "not known"]
    tests: tuple[PtsTest, ...]
    name: str = "imported"

    @property
    def active_range_percent(self) -> None:
        """The active range, which is unknown."""
        return

    @property
    def details(self) -> dict[str, object]:
        """Values that may differ between two imports."""
        return {"tool": self.tool}


Asked = Suite | Procedure | Import

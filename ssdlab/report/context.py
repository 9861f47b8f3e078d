"""What the sections share: the run, its frames as far as they exist, its criteria."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

import pandas as pd

from ssdlab.analysis.phases import group_name
from ssdlab.model.records import RunRecord
from ssdlab.model.spec import PTS_CRITERIA, SteadyStateCriteria
from ssdlab.model.units import KIB
from ssdlab.report.text import TEST_TITLES
from ssdlab.store.run import Run

_TABLES = (
    "runs",
    "steps",
    "measurements",
    "percentiles",
    "bins",
    "windows",
    "findings",
)


@dataclass(frozen=True, kw_only=True)
class Context:
    """One run as the sections see it.

    ``totals`` are the measurements of all directions merged.
    """

    run: Run
    record: RunRecord
    criteria: SteadyStateCriteria
    spec_version: str
    runs: pd.DataFrame
    steps: pd.DataFrame
    totals: pd.DataFrame
    percentiles: pd.DataFrame
    bins: pd.DataFrame
    windows: pd.DataFrame
    findings: pd.DataFrame

    @property
    def is_edition_1(self) -> bool:
        """Whether the profile follows PTS-E or PTS-C 1.x, whose plots differ."""
        return re.search(r"\d+", self.spec_version + " 0")[0] == "1"  # type: ignore[index] # there is a 0

    @property
    def is_imported(self) -> bool:
        """Whether others took the results, so that little but the numbers is known."""
        return self.record.is_imported

    @property
    def procedure(self) -> str:
        """The name of the procedure that the run follows; empty for the PTS."""
        return str(self.record.profile["name"]) if self.record.is_procedure else ""

    def title_of(self, test: str) -> str:
        """Return the title of a test, as the standard or the procedure calls it."""
        recorded = self.record.profile.get("tests", ())
        titles = {
            str(item["test_id"]): str(item["title"])
            for item in (recorded if isinstance(recorded, list) else ())
            if isinstance(item, Mapping)
        }
        return TEST_TITLES.get(test) or titles.get(test, test)

    def is_untracked(self, test: str, phase: str) -> bool:
        """Tell whether a block size of TP is not judged: TKperf tracks one of them."""
        tracked = self.record.profile.get("tp_tracked_sizes")
        if test != "tp" or not isinstance(tracked, list) or "-" not in phase:
            return False
        return phase.split("-")[1] not in {f"{size / KIB:g}KiB" for size in tracked}

    def asks_no_steady_state(self, test: str) -> bool:
        """Tell whether the profile judges no write saturation: TKperf's does not."""
        name = "wsat_sample_every_rounds"
        profile = self.record.profile
        return test.startswith("wsat") and profile.get(name, name) is None

    def totals_of(self, test: str, phase: str) -> pd.DataFrame:
        """Return the merged measurements of one phase of a test; see `is_of_phase`."""
        frame = self.totals
        return frame[(frame["test"] == test) & is_of_phase(frame["phase"], phase)]

    def final_windows(self, test: str, phase: str = "") -> pd.DataFrame:
        """Return the last judgement of each tracking variable of a test."""
        frame = self.windows
        chosen = (frame["test"] == test) & frame["is_final"].fillna(value=False)
        if phase:
            chosen &= is_of_phase(frame["phase"], phase)
        return frame[chosen]

    def round_groups(self, test: str) -> list[str]:
        """Return what is judged together in IOPS or LAT: each active range by itself.

        A test that has no round yet has one group.
        """
        steps = self.steps_of(test)
        phases = steps[steps["kind"] == "cell"]["phase"].unique()
        groups = dict.fromkeys(group_name(test, str(phase)) for phase in phases)
        return list(groups) or ["rounds"]

    def steps_of(self, test: str) -> pd.DataFrame:
        """Return the steps of a test, in the order of the run."""
        return self.steps[self.steps["test"] == test]


def is_of_phase(phases: "pd.Series[str]", name: str) -> "pd.Series[bool]":
    """Tell which phases are of that name, or of one cell of it: ``name-4KiB-r0``."""
    return (phases == name) | phases.str.startswith(f"{name}-").fillna(value=False)


def read_context(run: Run) -> Context:
    """Read the frames of a run.

    Raises
    ------
    RunFolderError
        If a table is missing, damaged or of another version.
    """
    frames: dict[str, pd.DataFrame] = {name: getattr(run, name) for name in _TABLES}
    measurements = frames.pop("measurements")
    totals = measurements[measurements["direction"] == "total"]
    version = str(run.record.profile.get("spec_version", "")) or "not recorded"
    return Context(
        run=run,
        record=run.record,
        criteria=_criteria(run.record.profile.get("window")),
        spec_version=version,
        totals=totals,
        **frames,
    )


def _criteria(recorded: object) -> SteadyStateCriteria:
    """Return the criteria that the profile recorded, or those of the PTS."""
    if not isinstance(recorded, Mapping):
        return PTS_CRITERIA
    known = {field.name for field in fields(SteadyStateCriteria)}
    if not set(recorded) <= known:
        return PTS_CRITERIA
    return SteadyStateCriteria(**recorded)

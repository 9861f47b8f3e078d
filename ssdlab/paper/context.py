"""What the sections share: the run, its frames as far as they exist, its criteria."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import pandas as pd

from ssdlab.model.editions import edition_of
from ssdlab.model.records import RunRecord
from ssdlab.model.spec import (
    PTS_CRITERIA,
    PtsTest,
    Purge,
    Rounds,
    SteadyStateCriteria,
    Stimulus,
)
from ssdlab.stats.judged import JudgedWindow, read_final_windows
from ssdlab.stats.phases import group_name
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

_OF_A_TEST = ("steps", "totals", "percentiles", "bins", "windows")


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
        return edition_of(self.spec_version) == 1

    @property
    def is_imported(self) -> bool:
        """Whether the results are imported, so that little but the numbers is known."""
        return self.record.is_imported

    @property
    def procedure(self) -> str:
        """The name of the procedure that the run follows; empty for the PTS."""
        return self.record.asked.name if self.record.is_procedure else ""

    def test(self, test_id: str) -> PtsTest:
        """Return a test with what was to be done."""
        (found,) = (one for one in self.record.asked.tests if one.test_id == test_id)
        return found

    def title_of(self, test: str) -> str:
        """Return the title of a test, as the standard or the procedure calls it."""
        return self.test(test).title

    def name_of(self, test: str) -> str:
        """Return the short name of a test: of the PTS, as it abbreviates it."""
        return self.title_of(test) if self.record.is_procedure else test.upper()

    def asks_steady_state(self, test: str) -> bool:
        """Tell whether a test has a steady state to reach, as far as is known."""
        asked = self.test(test)
        return bool(asked.judged_phases) or not asked.phases

    def is_judged(self, test: str, phase: str) -> bool:
        """Tell whether a phase is to become steady; true if unknown."""
        asked = self.test(test)
        judged = {one.phase_id for one in asked.judged_phases}
        return phase in judged or all(
            one.phase_id != phase for one in asked.possible_phases
        )

    def begun_rounds(self, test: str) -> list[str]:
        """Return the phases of a test that were started and are to become steady.

        Of a test without a steady state to reach it is all that have rounds.
        """
        steps = self.steps_of(test)
        phases = map(str, steps[steps["kind"] == "cell"]["phase"].unique())
        is_asked = self.asks_steady_state(test)
        return [one for one in phases if not is_asked or self.is_judged(test, one)]

    def is_first(self, test: str, phase: str) -> bool:
        """Tell whether a phase begins on a device as it left the purge: FOB."""
        asked = self.test(test).phases
        before = [p for p, then in pairwise(asked) if then.phase_id == phase]
        return bool(before) and isinstance(before[0], Purge)

    def of_test(self, test: str) -> "Context":
        """Return the run as the pages of one test see it: with the rows of that test.

        What a page selects from is then a part of the tables, split once for all tests.
        """
        return self._by_test.get(test) or self._narrowed(test, {})

    @cached_property
    def _by_test(self) -> dict[str, "Context"]:
        tests = self.steps.set_index("step_id")["test"]
        frames = {name: getattr(self, name) for name in _OF_A_TEST}
        named = {
            name: frame["test"] if "test" in frame else frame["step_id"].map(tests)
            for name, frame in frames.items()
        }
        parts = {
            name: dict(iter(frame.groupby(named[name].to_numpy(), sort=False)))
            for name, frame in frames.items()
        }
        return {test: self._narrowed(test, parts) for test in tests.unique()}

    def _narrowed(
        self, test: str, parts: Mapping[str, Mapping[str, pd.DataFrame]]
    ) -> "Context":
        own = {
            name: parts.get(name, {}).get(test, getattr(self, name).iloc[:0])
            for name in _OF_A_TEST
        }
        return replace(self, **own)

    def totals_of(self, test: str, phase: str) -> pd.DataFrame:
        """Return the merged measurements of one phase of a test; see `is_of_phase`."""
        frame = self.totals
        return frame[(frame["test"] == test) & is_of_phase(frame["phase"], phase)]

    @cached_property
    def job_totals(self) -> pd.DataFrame:
        """The jobs of steps that ran a job file, all directions merged."""
        jobs = self.run.jobs
        return jobs[jobs["direction"] == "total"]

    def rounds_of(self, window: JudgedWindow) -> pd.DataFrame:
        """Return the measurements of what a window judged, oldest first."""
        return window.rounds_of(self.totals if window.job is None else self.job_totals)

    @cached_property
    def _final_windows(self) -> tuple[JudgedWindow, ...]:
        return read_final_windows(self.windows)

    def final_windows(self, test: str, phase: str = "") -> tuple[JudgedWindow, ...]:
        """Return the last judgement of each tracking variable of a test.

        Of a ``phase`` those of its cells are, too, where they were taken one by one.
        """
        return tuple(
            one
            for one in self._final_windows
            if one.test == test
            and (not phase or one.phase == phase or one.phase.startswith(f"{phase}-"))
        )

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
        return self._steps_by_test.get(test, self.steps.iloc[:0])

    @cached_property
    def _steps_by_test(self) -> dict[str, pd.DataFrame]:
        groups = self.steps.groupby("test", sort=False)
        return {str(test): own for test, own in groups}


def is_of_phase(phases: "pd.Series[str]", name: str) -> "pd.Series[bool]":
    """Tell which phases are of that name, or of one cell of it: ``name-4KiB-r0``."""
    return (phases == name) | phases.str.startswith(f"{name}-").fillna(value=False)


def read_context(run: Run) -> Context:
    """Read the frames of a run."""
    frames: dict[str, pd.DataFrame] = {name: getattr(run, name) for name in _TABLES}
    measurements = frames.pop("measurements")
    totals = measurements[measurements["direction"] == "total"]
    return Context(
        run=run,
        record=run.record,
        criteria=_criteria(run.record.asked.tests),
        spec_version=run.record.asked.spec_version,
        totals=totals,
        **frames,
    )


def _criteria(tests: Iterable[PtsTest]) -> SteadyStateCriteria:
    """Return the criteria that the tests were judged by; else those of the PTS."""
    phases = (phase for test in tests for phase in test.phases)
    asked = (one.criteria for one in phases if isinstance(one, Rounds | Stimulus))
    return next(asked, PTS_CRITERIA)

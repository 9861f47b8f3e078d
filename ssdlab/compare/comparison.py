"""Several runs, and what a comparison of them finds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import pandas as pd

from ssdlab.compare.cells import rows_of, tabulate_window_cells
from ssdlab.compare.merged_levels import summarise_merged_levels
from ssdlab.compare.pairs import compare_cells, compare_repeats
from ssdlab.compare.power import parse_watts, tabulate_power
from ssdlab.compare.scatter import find_cell_outliers, summarise_variance
from ssdlab.compare.score import ScoreTerm, score_sides
from ssdlab.compare.side_cells import (
    SideCell,
    find_cells,
    summarise_sides,
)
from ssdlab.compare.verdicts import Rules
from ssdlab.plots.names import brief_texts
from ssdlab.procedures.jobs.spec import JOBS
from ssdlab.pts.compared import BY_IOPS_AND_LATENCY, Compared
from ssdlab.pts.suite import COMPARED
from ssdlab.reference.storage_classes import read_storage_classes
from ssdlab.store.run import Run
from ssdlab.telemetry.amplification import ALL_PHASES, summarise_amplification
from ssdlab.telemetry.energy import summarise_energy

if TYPE_CHECKING:
    from ssdlab.classes.runs import ClassRun
    from ssdlab.plots.looks import RunLook

_SHORT_NAME = 20  # letters, in the heading of a column or in a verdict


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Several runs, and what a comparison of them finds; frames are computed on demand.

    Attributes
    ----------
    runs : tuple of Run
        The runs.
    rules : Rules
        What a difference must exceed, and which conditions count as equal.
    terms : tuple of ScoreTerm
        The terms of the score; empty without one.
    watts_text : str
        The power of each side, as it was given.
    include_virtual : bool
        Whether models and files are in the score.
    conditions : pandas.DataFrame
        What each run was measured under.
    sides : pandas.DataFrame
        Which runs are repetitions of one drive.
    left_out : tuple of str
        Runs in the folders that cannot be read, each with the reason.
    which : str
        Which folder was opened where that was left open, and why.
    """

    runs: tuple[Run, ...]
    rules: Rules
    terms: tuple[ScoreTerm, ...]
    watts_text: str
    include_virtual: bool
    conditions: pd.DataFrame
    sides: pd.DataFrame
    left_out: tuple[str, ...] = ()
    which: str = ""

    def frame(self, name: str) -> pd.DataFrame:
        """Return a table of all runs, one after the other."""
        frames: list[pd.DataFrame] = [getattr(run, name) for run in self.runs]
        return pd.concat(frames, ignore_index=True)

    @cached_property
    def totals(self) -> pd.DataFrame:
        """The measurements of all runs, directions merged."""
        rows = self.frame("measurements")
        totals: pd.DataFrame = rows[rows["direction"] == "total"]
        return totals.reset_index(drop=True)

    @cached_property
    def steps(self) -> pd.DataFrame:
        """The steps of all runs."""
        return self.frame("steps")

    @cached_property
    def windows(self) -> pd.DataFrame:
        """The steady-state judgements of all runs."""
        return self.frame("windows")

    @cached_property
    def percentiles(self) -> pd.DataFrame:
        """The percentiles of all runs."""
        return self.frame("percentiles")

    @cached_property
    def bins(self) -> pd.DataFrame:
        """The latency histograms of all runs, directions merged."""
        rows = self.frame("bins")
        return rows[rows["direction"] == "total"].reset_index(drop=True)

    @cached_property
    def findings(self) -> pd.DataFrame:
        """What departs from the PTS, of all runs."""
        return self.frame("findings")

    @cached_property
    def compared(self) -> dict[str, Compared]:
        """By test what its cells are compared by."""
        return COMPARED | {
            test.test_id: BY_IOPS_AND_LATENCY
            for record in (run.record for run in self.runs)
            if record.is_procedure and record.asked.name == JOBS
            for test in record.asked.tests
        }

    @cached_property
    def cells(self) -> pd.DataFrame:
        """Every round of every cell that runs are compared by."""
        return tabulate_window_cells(
            self.totals,
            self.windows,
            bins=self.bins,
            steps=self.frame("steps"),
            compared=self.compared,
        )

    @cached_property
    def found(self) -> dict[tuple[str, str, str], dict[str, SideCell]]:
        """Every cell of every side."""
        return find_cells(self.cells, self.sides, findings=self.findings)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """The value of every cell of every side, with its interval."""
        return summarise_sides(self.found)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Every pair of sides in every cell, with its verdict."""
        return compare_cells(
            self.found, self.sides, conditions=self.conditions, rules=self.rules
        )

    @cached_property
    def variance(self) -> pd.DataFrame:
        """Drive-to-drive against run-to-run."""
        return summarise_variance(self.found, self.differences)

    def merged_levels(
        self, test: str, kind: Literal["cell", "histogram"], levels: Sequence[float]
    ) -> pd.DataFrame:
        """Return percentiles of all IOs of the loads of a test, with intervals."""
        return summarise_merged_levels(
            self.totals, self.bins, self.windows, test=test, kind=kind, levels=levels
        )

    @cached_property
    def repeats(self) -> pd.DataFrame:
        """How much the runs of one drive differ from each other."""
        return compare_repeats(self.found)

    @cached_property
    def outliers(self) -> pd.DataFrame:
        """Runs and rounds far from the others."""
        return find_cell_outliers(self.cells, self.sides)

    @cached_property
    def scored_sides(self) -> pd.DataFrame:
        """The sides of the score: models and files only if that was asked for."""
        is_scored = ~self.sides["is_model"].astype(bool) | self.include_virtual
        return self.sides[is_scored]

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The score of each side that is in it, and its parts."""
        return score_sides(self.found, self.scored_sides, terms=self.terms)

    @cached_property
    def watts(self) -> dict[str, float]:
        """By side its power, as a user stated it [W]."""
        return parse_watts(self.watts_text, self.names_of_sides)

    @cached_property
    def metered(self) -> pd.DataFrame:
        """The power of each side in each cell, where a meter recorded it."""
        found = [
            summarise_energy(
                run.telemetry, run.steps, run.measurements, run.windows
            ).assign(run_id=run.record.run_id)
            for run in self.runs
        ]
        return tabulate_power(pd.concat(found, ignore_index=True), self.sides)

    @cached_property
    def amplification(self) -> pd.DataFrame:
        """The write amplification of each test of each run whose drive tells it."""
        found = [
            summarise_amplification(run.telemetry, run.steps).assign(
                run_id=run.record.run_id
            )
            for run in self.runs
        ]
        rows = pd.concat(found, ignore_index=True)
        return rows[rows["phase"] == ALL_PHASES].drop(columns="phase")

    @cached_property
    def classes(self) -> pd.DataFrame:
        """The published storage classes."""
        return read_storage_classes()

    @cached_property
    def class_runs(self) -> tuple["ClassRun", ...]:
        """Each run in the columns of the storage classes."""
        from ssdlab.classes.runs import read_class_runs  # noqa: PLC0415 - plotly is slow

        order = [run_by_id(self.runs, look.run_id) for look in self.run_looks]
        return read_class_runs(order, self.classes)

    @cached_property
    def run_looks(self) -> tuple["RunLook", ...]:
        """Each run as figures show it."""
        from ssdlab.compare.looks import make_compared_looks  # noqa: PLC0415 - plotly

        return make_compared_looks(self.sides)

    @cached_property
    def looks_by_run(self) -> dict[str, "RunLook"]:
        """By run how figures show it."""
        return {look.run_id: look for look in self.run_looks}

    @cached_property
    def side_looks(self) -> dict[str, "RunLook"]:
        """By side how figures show it."""
        from ssdlab.compare.looks import make_side_looks  # noqa: PLC0415 - plotly is slow

        return make_side_looks(self.sides)

    @cached_property
    def names_of_sides(self) -> dict[str, list[str]]:
        """By side its other names: model, serial number, label and folder."""
        names: dict[str, list[str]] = {name: [] for name in self.side_names}
        for row in rows_of(self.sides):
            run = run_by_id(self.runs, row.run_id)
            target, label = run.record.target, run.record.label
            own = (target.model, target.serial, label, run.record.run_id, run.path.name)
            names[str(row.side)] += filter(None, own)
        return names

    @property
    def side_names(self) -> list[str]:
        """The sides, in their order."""
        return [str(name) for name in dict.fromkeys(self.sides["side"])]

    @cached_property
    def short_names(self) -> dict[str, str]:
        """By side its short name, which is unique."""
        return brief_texts(self.side_names, longest=_SHORT_NAME)


def run_by_id(runs: Iterable[Run], run_id: str) -> Run:
    """Return the run of that name."""
    return next(run for run in runs if run.record.run_id == run_id)

"""An open run: its record, its progress and its frames."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ssdlab.model.answers import Answers, find_answers
from ssdlab.model.errors import RunFolderError
from ssdlab.model.finding import read_findings
from ssdlab.model.records import RunRecord
from ssdlab.model.report_fields import ReportFields
from ssdlab.model.schema import TABLES
from ssdlab.store.places import find_here_or_above
from ssdlab.store.records import RunState, read_record, read_state
from ssdlab.store.report_fields import read_given
from ssdlab.system.folders import Folder

if TYPE_CHECKING:
    import pandas as pd

_JOB_LINE = re.compile(r"^(\w+)=(.*)$", re.MULTILINE)
_ENDED = {
    "running": "The run was cut off and no process works on it: use ssdlab resume.",
    "finished": "The run has finished.",
    "failed": "The run failed. {why}",
    "interrupted": "The run was interrupted. {why}",
}


@dataclass(frozen=True)
class Run:
    """A run folder with its frames, each read when first used.

    Attributes
    ----------
    path : Path
        The run folder.
    record : RunRecord
        What was requested, of which target, on which host.
    state : RunState
        Running, finished, failed or interrupted, and each session.
    is_going_on : bool
        Whether a process was working on it when it was opened.
    make : callable or None
        Makes the frames of a run without complete tables; None if they are read.
    """

    path: Path
    record: RunRecord
    state: RunState
    is_going_on: bool = False
    make: Callable[[], "Mapping[str, pd.DataFrame]"] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def folder(self) -> Folder:
        """The run folder, for access to its files."""
        return Folder(self.path)

    @property
    def standing(self) -> str:
        """The progress of the run, in a sentence or two."""
        if not self.is_going_on:
            return _ENDED[self.state.status].format(why=self.state.message).strip()
        if self.steps.empty:
            return "The run is in progress; no step is finished yet."
        last = self.steps.iloc[-1]
        where = f"{last['test']}, {last['phase']}"
        if str(last["round"]) != "<NA>":
            where += f", round {last['round']}"
        return (
            f"The run is in progress: {len(self.steps)} steps are finished, the last "
            f"of {where}. Open it again to see more."
        )

    @cached_property
    def runs(self) -> "pd.DataFrame":
        """The run itself, one row."""
        return self.read("runs")

    @cached_property
    def steps(self) -> "pd.DataFrame":
        """One row per step: times, idle gap before it, bytes."""
        return self.read("steps")

    @cached_property
    def measurements(self) -> "pd.DataFrame":
        """One row per fio step and direction: IOPS, data rate, latency."""
        return self.read("measurements")

    @cached_property
    def percentiles(self) -> "pd.DataFrame":
        """One row per percentile of a step and direction."""
        return self.read("percentiles")

    @cached_property
    def bins(self) -> "pd.DataFrame":
        """One row per bin of a latency histogram."""
        return self.read("bins")

    @cached_property
    def jobs(self) -> "pd.DataFrame":
        """One row per job of a step that ran a job file, and direction."""
        return self.read("jobs")

    @cached_property
    def job_bins(self) -> "pd.DataFrame":
        """One row per bin of a latency histogram of such a job."""
        return self.read("job_bins")

    @cached_property
    def series(self) -> "pd.DataFrame":
        """One row per interval, where a test requires a log."""
        return self.read("series")

    @cached_property
    def windows(self) -> "pd.DataFrame":
        """One row per steady-state judgement."""
        return self.read("windows")

    @cached_property
    def telemetry(self) -> "pd.DataFrame":
        """One row per reading of a sensor or counter."""
        return self.read("telemetry")

    @cached_property
    def findings(self) -> "pd.DataFrame":
        """One row per finding: a departure from the PTS or a doubt about numbers."""
        return self.read("findings")

    @cached_property
    def report_fields(self) -> ReportFields:
        """What a report must name besides its results, as far as it is known."""
        return self.record.report_fields.with_given(read_given(self.path))

    @cached_property
    def answers(self) -> Answers:
        """Whether the procedure conforms, tests got steady, and numbers are doubtful.

        Without tables it is what the record says.
        """
        return find_answers(
            read_findings(self.findings.to_dict("records")),
            self.windows,
            tests=self.record.tests,
            edition=self.record.asked.spec_version,
            is_over=self.state.status == "finished" and not self.is_going_on,
        )

    def job_file(self, step_id: str) -> str:
        """Return the fio job file of a step, or an empty text for a step without."""
        return self._step(step_id).find_text("job.fio")

    @cached_property
    def cell_options(self) -> dict[str, str]:
        """The options of the fio job of the first cell that is kept, by name."""
        cells = self.steps[self.steps["kind"] == "cell"]["step_id"]
        jobs = (self.job_file(str(step)) for step in cells)
        return dict(_JOB_LINE.findall(next(filter(None, jobs), "")))

    def command(self, step_id: str) -> str:
        """Return the fio command line of a step, or an empty text."""
        return self._step(step_id).find_text("command.txt").strip()

    def purge_record(self, step_id: str) -> str:
        """Return what a purge did and found, a fact per line, or an empty text."""
        return self._step(step_id).find_text("purge.txt").strip()

    def raw_output(self, step_id: str) -> bytes:
        """Return the output of fio in a step, unchanged.

        Raises
        ------
        RunFolderError
            If the step has no fio output, or it is damaged.
        """
        try:
            return self._step(step_id).unpack("fio.json.gz")
        except OSError as error:
            raise RunFolderError(
                folder=str(self.path),
                reason=f"step {step_id!r} has no complete fio output ({error})",
                remedy="Name a fio step (see the table of steps); if it is damaged, "
                "restore it from a copy.",
            ) from error

    def _step(self, step_id: str) -> Folder:
        return self.folder / "steps" / step_id

    @cached_property
    def _made(self) -> "Mapping[str, pd.DataFrame]":
        return self.make() if self.make is not None else {}

    def read(self, name: str, columns: Sequence[str] | None = None) -> "pd.DataFrame":
        """Read a table, or some of its columns, without keeping it.

        Parameters
        ----------
        name : str
            The table.
        columns : sequence of str, optional
            The columns to read; all by default.

        Returns
        -------
        pandas.DataFrame
            Its rows, with the types of the schema.
        """
        if self.make is not None:
            made = self._made[name]
            return made if columns is None else made[list(columns)]
        from ssdlab.store.swap import find_tables  # noqa: PLC0415 - pyarrow is slow
        from ssdlab.store.tables import read_table  # noqa: PLC0415 - pandas is slow

        return read_table(find_tables(self.path), TABLES[name], columns)


def open_tables(path: str | Path) -> Run:
    """Open a run folder whose tables are written; `ssdlab.open_run` opens any."""
    folder = find_here_or_above(path)
    return Run(path=folder, record=read_record(folder), state=read_state(folder))

"""One run, opened: what was asked, how it stands, and its frames."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ssdlab.analysis.findings.answers import Answers, find_answers
from ssdlab.analysis.findings.finding import read_findings
from ssdlab.model.errors import RunFolderError
from ssdlab.model.records import RunRecord
from ssdlab.model.report_fields import ReportFields
from ssdlab.model.schema import TABLES
from ssdlab.pts.conformance import find_recorded_findings
from ssdlab.store.places import find_here_or_above
from ssdlab.store.records import RunState, read_record, read_state
from ssdlab.store.report_fields import read_given
from ssdlab.system.folders import Folder

if TYPE_CHECKING:
    import pandas as pd

_ENDED = {
    "running": "The run was broken off, and nobody works on it: ssdlab resume goes on.",
    "finished": "The run has finished.",
    "failed": "The run failed. {why}",
    "interrupted": "The run was interrupted. {why}",
}


@dataclass(frozen=True)
class Run:
    """A run folder with its frames, each read when first asked for.

    Attributes
    ----------
    path : Path
        The run folder.
    record : RunRecord
        What was asked, of which target, on which host.
    state : RunState
        Running, finished, failed or interrupted, and each session.
    is_going_on : bool
        Whether a process worked on it when it was opened.
    make : callable or None
        Makes the frames of a run that has no whole tables; None where they are read.
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
        """The run folder, as the way to its files."""
        return Folder(self.path)

    @property
    def standing(self) -> str:
        """How far the run is, in a sentence or two."""
        if not self.is_going_on:
            return _ENDED[self.state.status].format(why=self.state.message).strip()
        if self.steps.empty:
            return "The run is going on; no step is finished yet."
        last = self.steps.iloc[-1]
        where = f"{last['test']}, {last['phase']}"
        if str(last["round"]) != "<NA>":
            where += f", round {last['round']}"
        return (
            f"The run is going on: {len(self.steps)} steps are finished, the last of "
            f"{where}. Open it again for a later look."
        )

    @cached_property
    def runs(self) -> "pd.DataFrame":
        """The run itself, one row."""
        return self.read("runs")

    @cached_property
    def steps(self) -> "pd.DataFrame":
        """One row a step: times, idle gap before it, bytes."""
        return self.read("steps")

    @cached_property
    def measurements(self) -> "pd.DataFrame":
        """One row a fio step and direction: IOPS, data rate, latency."""
        return self.read("measurements")

    @cached_property
    def percentiles(self) -> "pd.DataFrame":
        """One row a percentile of a step and direction."""
        return self.read("percentiles")

    @cached_property
    def bins(self) -> "pd.DataFrame":
        """One row a bin of a latency histogram."""
        return self.read("bins")

    @cached_property
    def series(self) -> "pd.DataFrame":
        """One row an interval, where a test asked for a log."""
        return self.read("series")

    @cached_property
    def windows(self) -> "pd.DataFrame":
        """One row a steady-state judgement."""
        return self.read("windows")

    @cached_property
    def telemetry(self) -> "pd.DataFrame":
        """One row a reading of a sensor or counter."""
        return self.read("telemetry")

    @cached_property
    def findings(self) -> "pd.DataFrame":
        """One row a finding: what departs from the PTS, or makes numbers doubtful."""
        return self.read("findings")

    @cached_property
    def report_fields(self) -> ReportFields:
        """What a report has to name besides its results, as far as anybody said it."""
        return self.record.report_fields.with_given(read_given(self.path))

    @cached_property
    def answers(self) -> Answers:
        """Whether the procedure conforms, the tests got steady, numbers are doubtful.

        Of a run without tables there is what its record says.
        """
        found = read_findings(self.findings.to_dict("records"))
        return find_answers(
            found or find_recorded_findings(self.record),
            self.windows,
            tests=self.record.tests,
            edition=self.record.asked.spec_version,
            is_over=self.state.status == "finished" and not self.is_going_on,
        )

    def job_file(self, step_id: str) -> str:
        """Return the fio job file of a step, or an empty text for a step without."""
        return self._step(step_id).find_text("job.fio")

    def command(self, step_id: str) -> str:
        """Return the fio command line of a step, or an empty text."""
        return self._step(step_id).find_text("command.txt").strip()

    def purge_record(self, step_id: str) -> str:
        """Return what a purge did and found, a fact a line, or an empty text."""
        return self._step(step_id).find_text("purge.txt").strip()

    def raw_output(self, step_id: str) -> bytes:
        """Return what fio said in a step, as it said it.

        Raises
        ------
        RunFolderError
            If the step has no output of fio, or it is damaged.
        """
        try:
            return self._step(step_id).unpack("fio.json.gz")
        except OSError as error:
            raise RunFolderError(
                folder=str(self.path),
                reason=f"there is no whole fio output of step {step_id!r} ({error})",
                remedy="Name a step of fio's (see the steps table); if it is damaged, "
                "restore it from a copy.",
            ) from error

    def _step(self, step_id: str) -> Folder:
        return self.folder / "steps" / step_id

    @cached_property
    def _made(self) -> "Mapping[str, pd.DataFrame]":
        return self.make() if self.make is not None else {}

    def read(self, name: str, columns: Sequence[str] | None = None) -> "pd.DataFrame":
        """Read a table, or some of its columns, and do not keep it.

        Parameters
        ----------
        name : str
            The table.
        columns : sequence of str, optional
            Which of its columns; without it all.

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
    """Open a run folder whose tables are written; `ssdlab.open_run` opens any.

    Parameters
    ----------
    path : str or Path
        The run folder. A relative one that is not here is looked for in the folders
        above, as notebooks lie in a folder of their own.

    Returns
    -------
    Run
        The run, with its frames.

    Raises
    ------
    RunFolderError
        If the folder is no run, is damaged, or was made by another version.
    """
    folder = find_here_or_above(path)
    return Run(path=folder, record=read_record(folder), state=read_state(folder))

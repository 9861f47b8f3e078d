"""One run, opened: what was asked, how it stands, and its frames."""

import gzip
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ssdlab.model.errors import RunFolderError
from ssdlab.model.records import RunRecord
from ssdlab.model.schema import TABLES
from ssdlab.store.places import find_here_or_above
from ssdlab.store.records import RunState, read_record, read_state

if TYPE_CHECKING:
    import pandas as pd


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
    """

    path: Path
    record: RunRecord
    state: RunState

    @cached_property
    def runs(self) -> "pd.DataFrame":
        """The run itself, one row."""
        return self._read("runs")

    @cached_property
    def steps(self) -> "pd.DataFrame":
        """One row a step: times, idle gap before it, bytes."""
        return self._read("steps")

    @cached_property
    def measurements(self) -> "pd.DataFrame":
        """One row a fio step and direction: IOPS, data rate, latency."""
        return self._read("measurements")

    @cached_property
    def percentiles(self) -> "pd.DataFrame":
        """One row a percentile of a step and direction."""
        return self._read("percentiles")

    @cached_property
    def bins(self) -> "pd.DataFrame":
        """One row a bin of a latency histogram."""
        return self._read("bins")

    @cached_property
    def series(self) -> "pd.DataFrame":
        """One row an interval, where a test asked for a log."""
        return self._read("series")

    @cached_property
    def windows(self) -> "pd.DataFrame":
        """One row a steady-state judgement."""
        return self._read("windows")

    @cached_property
    def telemetry(self) -> "pd.DataFrame":
        """One row a reading of a sensor or counter."""
        return self._read("telemetry")

    @cached_property
    def findings(self) -> "pd.DataFrame":
        """One row a finding: what departs from the PTS, or makes numbers doubtful."""
        return self._read("findings")

    def job_file(self, step_id: str) -> str:
        """Return the fio job file of a step, or an empty text for a step without."""
        path = self.path / "steps" / step_id / "job.fio"
        return path.read_text("utf-8") if path.is_file() else ""

    def command(self, step_id: str) -> str:
        """Return the fio command line of a step, or an empty text."""
        path = self.path / "steps" / step_id / "command.txt"
        return path.read_text("utf-8").strip() if path.is_file() else ""

    def purge_record(self, step_id: str) -> str:
        """Return what a purge did and found, a fact a line, or an empty text."""
        path = self.path / "steps" / step_id / "purge.txt"
        return path.read_text("utf-8").strip() if path.is_file() else ""

    def raw_output(self, step_id: str) -> bytes:
        """Return what fio said in a step, as it said it.

        Raises
        ------
        RunFolderError
            If the step has no output of fio, or it is damaged.
        """
        path = self.path / "steps" / step_id / "fio.json.gz"
        try:
            return gzip.decompress(path.read_bytes())
        except (OSError, EOFError, zlib.error) as error:
            raise RunFolderError(
                folder=str(self.path),
                reason=f"there is no whole fio output of step {step_id!r} ({error})",
                remedy="Name a step of fio's (see the steps table); if it is damaged, "
                "restore it from a copy.",
            ) from error

    def _read(self, name: str) -> "pd.DataFrame":
        from ssdlab.store.tables import read_table  # noqa: PLC0415 - pandas is slow

        return read_table(self.path / "tables", TABLES[name])


def open_run(path: str | Path) -> Run:
    """Open a run folder.

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

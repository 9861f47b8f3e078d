"""Open any run, including one under way; opening writes nothing."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ssdlab.model.schema import TABLES
from ssdlab.store.lock import read_holder
from ssdlab.store.run import Run, open_tables
from ssdlab.store.swap import find_tables
from ssdlab.store.tables import columns_to_frame

if TYPE_CHECKING:
    import pandas as pd

_WRITTEN_LAST = "runs.parquet"


def open_run(path: str | Path) -> Run:
    """Open a run folder, including that of a run under way.

    While a process works on a run, or if it left no complete tables, the frames are
    built from the raw output of the finished steps, in memory and each time again:
    nothing is written into the folder, and the run is not disturbed.

    Parameters
    ----------
    path : str or Path
        The run folder. A relative one that is not here is searched in the folders
        above, as notebooks have a folder of their own.

    Returns
    -------
    Run
        The run, with its frames; ``standing`` says how far it has come.

    Raises
    ------
    RunFolderError
        If the folder is not a run, is damaged, or was written by another version.

    Examples
    --------
    >>> run = open_run("data/samples/virtual-b")
    >>> run.record.target.kind, run.record.tests
    ('virtual', ('iops', 'tp', 'lat', 'wsat'))
    """
    run = open_tables(path)
    is_going_on = read_holder(run.path) is not None
    is_written = find_tables(run.path).has_file(_WRITTEN_LAST)
    if is_written and not is_going_on and run.state.status != "running":
        return run
    return replace(run, is_going_on=is_going_on, make=partial(_make_frames, run.path))


def _make_frames(folder: Path) -> Mapping[str, "pd.DataFrame"]:
    """Return the frames of what is finished so far."""
    from ssdlab.ingest.ingest import build_tables  # noqa: PLC0415 - slow to load

    return {
        name: columns_to_frame(TABLES[name], columns)
        for name, columns in build_tables(folder).items()
    }

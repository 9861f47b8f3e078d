"""Open any run, including one under way; opening writes nothing."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ssdlab.model.schema import TABLES
from ssdlab.store.catalog import find_run
from ssdlab.store.lock import read_holder
from ssdlab.store.run import Run, open_tables
from ssdlab.store.swap import find_tables

if TYPE_CHECKING:
    import pandas as pd

_WRITTEN_LAST = "runs.parquet"


def open_run(
    path: str | Path, *, runs: str | Path | None = None, or_sample: bool = False
) -> Run:
    """Open a run folder, including that of a run under way.

    While a process works on a run, or if it left no complete tables, the frames are
    built from the raw output of the finished steps, in memory and each time again:
    nothing is written into the folder, and the run is not disturbed.

    Parameters
    ----------
    path : str or Path
        The run folder; or as text the id of a run, a beginning that only one has, or
        ``latest``, which is the newest finished run. A relative path that is not here
        is searched in the folders above, as notebooks have a folder of their own.
    runs : str or Path, optional
        The folder of runs that is searched, ``data/runs`` by default.
    or_sample : bool, optional
        Whether ``latest`` is a sample run where there is no finished run.

    Returns
    -------
    Run
        The run, with its frames; ``standing`` says how far it has come.

    Raises
    ------
    RunFolderError
        If the folder is not a run, is damaged, or was written by another version, or
        no run has this name.

    Examples
    --------
    >>> run = open_run("data/samples/virtual-b")
    >>> run.record.target.kind, run.record.tests
    ('virtual', ('iops', 'tp', 'lat', 'wsat'))
    """
    run = open_tables(find_run(path, runs=runs, or_sample=or_sample))
    is_going_on = read_holder(run.path) is not None
    is_written = find_tables(run.path).has_file(_WRITTEN_LAST)
    if is_written and not is_going_on and run.state.status != "running":
        return run
    return replace(run, is_going_on=is_going_on, make=partial(_make_frames, run.path))


def _make_frames(folder: Path) -> Mapping[str, "pd.DataFrame"]:
    """Return the frames of what is finished so far."""
    from ssdlab.ingest.ingest import build_tables  # noqa: PLC0415 - seldom needed
    from ssdlab.store.tables import columns_to_frame  # noqa: PLC0415 - as above

    return {
        name: columns_to_frame(TABLES[name], columns)
        for name, columns in build_tables(folder).items()
    }

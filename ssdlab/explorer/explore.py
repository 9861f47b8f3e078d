"""The function that makes an explorer."""

import math
from collections.abc import Sequence
from pathlib import Path

from ssdlab.explorer.panel import Explorer
from ssdlab.explorer.run_cache import RunCache
from ssdlab.explorer.selection import Selection
from ssdlab.explorer.validation import require_known
from ssdlab.model.errors import ParameterError
from ssdlab.store.catalog import LATEST, SAMPLES, list_runs
from ssdlab.store.places import find_here_or_above


def _find_runs() -> Path:
    """Return the folder of runs, or that of the samples where it has none."""
    entries = list_runs()
    return Path(entries[0].path).parent if entries else find_here_or_above(SAMPLES)


def explore(
    runs: str | Path | Sequence[str | Path] = "",
    *,
    run: str = "",
    test: str = "",
    metric: str = "iops",
    refresh_s: float = 2.0,
) -> Explorer:
    """Explore runs interactively: select, click, follow a running one, export figures.

    Parameters
    ----------
    runs : str, Path or sequence of them, default ""
        A folder of runs, the folders of single runs, or a store of runs: ``STORE``, or
        some of its runs, such as ``STORE:device_firmware=A``. By default ``data/runs``,
        or the sample runs where it has none.
    run : str, optional
        The run shown first: its folder, the name of the folder, or ``latest``, the
        newest that has finished. By default the newest.
    test : str, optional
        The test shown first. By default the first of that run.
    metric : str, default "iops"
        The metric shown first.
    refresh_s : float, default 2.0
        How often a running run is read [s].

    Returns
    -------
    Explorer
        A widget for JupyterLab and Voilà.

    Raises
    ------
    RunFolderError
        If the folder of runs does not exist.
    UnknownNameError
        If the run or metric is unknown, or the run does not have the test.
    ParameterError
        If ``refresh_s`` is not above 0.

    Examples
    --------
    >>> ssdlab.explore("data/samples")  # doctest: +SKIP
    """
    if not 0 < refresh_s < math.inf:
        raise ParameterError(name="refresh_s", value=refresh_s, asked="above 0")
    run_cache = RunCache(runs or _find_runs())
    names = tuple(run_cache.listed)
    if run == LATEST:
        run = run_cache.latest
    run = run if run in names else Path(run).name
    first = (run,) if run else names[:1]
    wanted = Selection(runs=first, run=run, test=test, metric=metric)
    require_known(wanted, ("metric", "run", "test"), run_cache.listed)
    return Explorer(run_cache, wanted, refresh_s=refresh_s)

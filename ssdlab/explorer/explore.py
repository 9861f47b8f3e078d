"""The function by which an explorer is made."""

import math
from collections.abc import Sequence
from pathlib import Path

from ssdlab.explorer.asking import require_known
from ssdlab.explorer.panel import Explorer
from ssdlab.explorer.selection import Selection
from ssdlab.explorer.shelf import Shelf
from ssdlab.model.errors import ParameterError


def explore(
    runs: str | Path | Sequence[str | Path] = "data/runs",
    *,
    run: str = "",
    test: str = "",
    metric: str = "iops",
    refresh_s: float = 2.0,
) -> Explorer:
    """Look at runs by hand: pick, click, watch one that goes on, take figures away.

    Parameters
    ----------
    runs : str, Path or sequence of them, default "data/runs"
        A folder of runs, or the folders of single runs.
    run : str, optional
        The run that is shown first: its folder, or the name of it; without it the
        newest.
    test : str, optional
        The test that is shown first; without it the first of that run.
    metric : str, default "iops"
        The metric that is shown first.
    refresh_s : float, default 2.0
        How often a run that goes on is looked at [s].

    Returns
    -------
    Explorer
        A widget that shows itself in JupyterLab and in Voilà.

    Raises
    ------
    RunFolderError
        If the folder of runs is not there.
    UnknownNameError
        If there is no such run in it, no such metric, or if the run has no such test.
    ParameterError
        If ``refresh_s`` is not above 0.

    Examples
    --------
    >>> ssdlab.explore("data/samples")  # doctest: +SKIP
    """
    if not 0 < refresh_s < math.inf:
        raise ParameterError(name="refresh_s", value=refresh_s, asked="above 0")
    shelf = Shelf(runs)
    names = tuple(shelf.listed)
    run = run if run in names else Path(run).name
    first = (run,) if run else names[:1]
    wanted = Selection(runs=first, run=run, test=test, metric=metric)
    require_known(wanted, ("metric", "run", "test"), shelf.listed)
    return Explorer(shelf, wanted, refresh_s=refresh_s)

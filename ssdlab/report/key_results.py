"""The key results of a run as a frame: those that its report begins with."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from ssdlab.ingest.opening import open_run
from ssdlab.paper.context import read_context
from ssdlab.pts.shared.headlines import Headline
from ssdlab.report.view import headlines_of
from ssdlab.store.catalog import LATEST
from ssdlab.store.run import Run

if TYPE_CHECKING:
    import pandas as pd

_WHOLE = ("block_size_bytes", "read_percent", "threads", "queue_depth")


def summarise_results(run: "str | Path | Run" = LATEST) -> "pd.DataFrame":
    """Return the key results of a run: the numbers that its report begins with.

    Parameters
    ----------
    run : str, Path or Run, default "latest"
        The run, as `ssdlab.open_run` takes it. It may still be running.

    Returns
    -------
    pandas.DataFrame
        One row per result: ``test``, ``name`` and ``load`` in words; ``metric``, and
        ``value`` with the 95 % interval from ``low`` to ``high`` in its stored unit,
        missing where unknown or unbounded; ``access``, ``block_size_bytes``,
        ``read_percent``, ``threads``, ``queue_depth`` and ``part`` of the test;
        ``first_round`` and ``last_round``, ``is_steady``, missing where nothing was
        judged; and ``fresh``, the first round on a purged drive.

    Raises
    ------
    RunFolderError
        If there is no such run.

    Examples
    --------
    >>> import ssdlab
    >>> found = ssdlab.summarise_results("data/samples/virtual-b")
    >>> second = found.iloc[1]
    >>> second["name"], second["load"], round(second["value"])
    ('Random write', '4 KiB T2/Q16', 4533)
    """
    import pandas as pd  # noqa: PLC0415 - slow

    opened = run if isinstance(run, Run) else open_run(run)
    facts = [one.as_dict() for one in headlines_of(read_context(opened))]
    ends = [row["rounds"] or (pd.NA, pd.NA) for row in facts]
    names = ["name", "load", *(field.name for field in fields(Headline))]
    found = pd.DataFrame(facts, columns=names).drop(columns=["rounds", "series"])
    whole = dict.fromkeys(("first_round", "last_round", *_WHOLE), "Int64")
    found["first_round"] = [first for first, _ in ends]
    found["last_round"] = [last for _, last in ends]
    found = found.astype(whole | {"is_steady": "boolean"})
    return found[["test", *(name for name in found if name != "test")]]

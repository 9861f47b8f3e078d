"""The rounds of a run that is far off, read from its folder if that is still there."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np
import pandas as pd

from ssdlab.fleet.population import Choice
from ssdlab.ingest.opening import open_run
from ssdlab.model.errors import SsdlabError
from ssdlab.qos.loads import workload_label
from ssdlab.stats.matrix import mark_window
from ssdlab.stats.outliers import LEAST_VALUES, find_outliers
from ssdlab.store.run import Run

_T = TypeVar("_T")

MOST_READ: Final = 12  # folders of a page: each takes a part of a second
OF_ROUNDS: Final = ("iops", "bw", "mean")  # the metrics that every round has


def find_odd_rounds(runs: pd.DataFrame, choice: Choice) -> pd.DataFrame:
    """Return which rounds of some runs are far from the others of their window.

    One row per run, with the number of ``rounds`` and those that are ``odd``; both are
    missing of a run whose folder cannot be read, or is another's, and of a metric that
    rounds do not have.
    """
    rows = [
        {"run_id": run_id, "folder": folder, **_rounds_of(run_id, folder, choice)}
        for run_id, folder in zip(runs["run_id"], runs["folder"], strict=True)
    ]
    return pd.DataFrame(rows, columns=["run_id", "folder", "rounds", "odd"])


def _rounds_of(run_id: str, folder: str, choice: Choice) -> dict[str, Any]:
    if choice.metric.name not in OF_ROUNDS:
        return {}
    values = read_stored(run_id, folder, partial(rounds_of_run, choice=choice))
    if values is None:
        return {}
    known = values[values > 0]
    if len(known) < LEAST_VALUES:
        return {"rounds": len(known), "odd": ()}
    far = find_outliers(np.log(known.to_numpy(float)))
    return {"rounds": len(known), "odd": tuple(map(int, known.index[far]))}


def read_stored(run_id: str, folder: str, read: Callable[[Run], _T]) -> _T | None:
    """Return what is read of a stored run; None if its folder is gone or another's."""
    try:
        run = open_run(folder)
        return read(run) if run.record.run_id == run_id else None
    except (SsdlabError, OSError):
        return None


def rounds_of_run(run: Run, choice: Choice) -> "pd.Series[float]":
    """Return the metric of a cell in each round of the final window, by round."""
    own = run.measurements
    for name in ("test", "phase", "kind", "direction"):
        own = own[own[name] == getattr(choice, name)]
    marked = mark_window(own, run.windows)
    inside = marked[marked["is_in_window"].fillna(value=False).astype(bool)]
    is_own = [workload_label(row) == choice.workload for _, row in inside.iterrows()]
    found = inside[np.array(is_own, bool)].set_index("round")[choice.metric.column]
    return found.dropna().astype(float)

"""The result of a run that a budget is of: its value and its rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.fleet.contrast import METRICS, FleetMetric
from ssdlab.fleet.population import find_metric
from ssdlab.fleet.tables import LEVELS
from ssdlab.model.errors import UnknownNameError
from ssdlab.qos.load import Load
from ssdlab.qos.loads import select_loads, workload_label
from ssdlab.stats.binned import bin_rounds
from ssdlab.stats.cells import named_like
from ssdlab.stats.claims import LevelClaim, claim_of_level
from ssdlab.stats.latency import places_reached
from ssdlab.stats.matrix import mark_window
from ssdlab.store.run import Run

_USUAL_TEST, _USUAL_WORKLOAD = "iops", "RND 4 KiB 0/100"
_LEVELS: Final = {f"lat_{name}_ns": level for name, level in LEVELS.items()}


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """A steady-state result: the metric of a workload in its measurement window.

    ``rounds`` is the metric of each sampled round, empty where there are none, and
    ``steps`` their rows of ``measurements``. ``claim`` is the interval of a percentile
    and ``bin_width`` that of its bin [ns].
    """

    test: str
    phase: str
    kind: str
    workload: str
    direction: str
    metric: FleetMetric
    value: float
    rounds: npt.NDArray[np.float64]
    steps: pd.DataFrame
    is_steady: bool | None
    claim: LevelClaim | None = None
    bin_width: float = np.nan

    @property
    def cell(self) -> str:
        """The cell as a store of runs names it."""
        names = (self.test, self.phase, self.kind, self.workload, self.direction)
        return " ".join(names)


def choose_result(
    run: Run, *, cell: str = "", test: str = "", metric: str = "", direction: str
) -> Result:
    """Choose a result of a run; by default random writes of 4 KiB of the IOPS test."""
    known = [one.name for one in METRICS.values() if not one.is_derived]
    if metric and metric not in known:
        raise UnknownNameError(kind="metric", name=metric, known=known)
    if metric and METRICS[metric].column in _LEVELS:
        return _percentile(
            run, METRICS[metric], cell=cell, test=test, direction=direction
        )
    own = run.measurements
    cells = own[(own["kind"] == "cell") & own["round"].notna()]
    cells = cells[cells["direction"] == _known("direction", direction, cells)]
    usual = _USUAL_TEST if (cells["test"] == _USUAL_TEST).any() else ""
    cells = cells[cells["test"] == _known("test", test or usual, cells)]
    cells = cells.assign(workload=[workload_label(r) for _, r in cells.iterrows()])
    names = list(dict.fromkeys(cells["workload"]))
    wanted = cell or (
        _USUAL_WORKLOAD if any(named_like(names, _USUAL_WORKLOAD)) else ""
    )
    fitting = list(compress(names, named_like(names, wanted)))
    if not fitting:
        raise UnknownNameError(kind="workload", name=cell, known=names)
    cells = cells[cells["workload"] == fitting[0]]
    cells = cells[cells["phase"] == cells["phase"].iloc[0]]
    return _of_rounds(run, cells, find_metric(metric, str(cells["test"].iloc[0])))


def _known(column: str, wanted: str, cells: pd.DataFrame) -> str:
    """Return a name that the cells have; the first if none is wanted."""
    known = list(map(str, dict.fromkeys(cells[column])))
    if (wanted and wanted not in known) or not known:
        raise UnknownNameError(kind=column, name=wanted, known=known)
    return wanted or known[0]


def _of_rounds(run: Run, cells: pd.DataFrame, metric: FleetMetric) -> Result:
    marked = mark_window(cells, run.windows)
    is_sampled = marked["is_sampled"].fillna(value=False).astype(bool)
    steps = marked[is_sampled].sort_values("round").reset_index(drop=True)
    rounds = steps[metric.column].to_numpy(np.float64, na_value=np.nan)
    rounds = np.asarray(rounds[~np.isnan(rounds)], np.float64)
    first = cells.iloc[0]
    return Result(
        test=str(first["test"]),
        phase=str(first["phase"]),
        kind=str(first["kind"]),
        workload=str(first["workload"]),
        direction=str(first["direction"]),
        metric=metric,
        value=float(rounds.mean()) if rounds.size else np.nan,
        rounds=rounds,
        steps=steps,
        is_steady=_is_steady(run, str(first["test"])),
    )


def _percentile(
    run: Run, metric: FleetMetric, *, cell: str, test: str, direction: str
) -> Result:
    loads = select_loads(
        run.measurements, run.bins, run.windows, test=test, workload=cell,
        direction=direction,
    )  # fmt: skip
    is_usual = named_like([one.workload for one in loads], cell or _USUAL_WORKLOAD)
    load = next(compress(loads, is_usual), loads[0])
    level = _LEVELS[metric.column]
    claim = claim_of_level(load.binned, level)
    binned = load.binned
    place = places_reached(binned.reached, [level])[0]
    rounds = _levels_of_rounds(load, level) if load.kind == "cell" else []
    return Result(
        test=load.test,
        phase=load.phase,
        kind=load.kind,
        workload=load.workload,
        direction=load.direction,
        metric=metric,
        value=claim.interval.estimate,
        rounds=np.array(rounds, float),
        steps=load.steps,
        is_steady=_is_steady(run, load.test),
        claim=claim,
        bin_width=float(binned.upper[place] - binned.lower[place]),
    )


def _levels_of_rounds(load: Load, level: float) -> Sequence[float]:
    binned = bin_rounds(load.steps, load.bins)
    reached = np.cumsum(binned.counts, axis=1)
    return [float(binned.names[places_reached(one, [level])[0]]) for one in reached]


def _is_steady(run: Run, test: str) -> bool | None:
    """Return whether all phases of a test were steady; None if none was judged."""
    windows: Any = run.windows
    final = windows[windows["is_final"].fillna(value=False).astype(bool)]
    own = final[final["test"] == test]["is_round_steady"]
    return bool(own.fillna(value=False).all()) if len(own) else None

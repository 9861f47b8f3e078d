"""What the interval of an average or rate is based on: rounds, or batches of a log."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ssdlab.qos.load import Load
from ssdlab.stats.claims import BETWEEN_ROUNDS
from ssdlab.stats.clusters import FEWEST_ROUNDS
from ssdlab.stats.means import FEWEST_VALUES, FloatArray, batch_means

BATCHES_OF_LOG = "batches of the log"
NOTHING = ""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Parts:
    """The values to average, and their weights: rounds, or batches of a log."""

    values: FloatArray
    weights: FloatArray
    claimed: str

    @property
    def is_known(self) -> bool:
        """Whether they show a spread."""
        return self.values.size > 1


def parts_of_mean(load: Load, series: pd.DataFrame | None, column: str) -> Parts:
    """Return the parts of the mean of a column: rounds, or batches of one run's log."""
    own = mean_of(load, column)
    log = _log_of(load, series, column)
    if len(load.steps) >= FEWEST_ROUNDS:
        source, claimed = load.steps, BETWEEN_ROUNDS
    elif len(log) >= FEWEST_VALUES:
        source, claimed = log, BATCHES_OF_LOG
    else:
        return Parts(values=np.array([own]), weights=np.ones(1), claimed=NOTHING)
    values, weights = source[column].to_numpy(float), _weights_of(source, column)
    if values.size >= FEWEST_VALUES:
        values, weights = batch_means(values, weights)
    off = own - np.average(values, weights=weights)  # a log may lack its last entries
    return Parts(values=values + off, weights=weights, claimed=claimed)


def mean_of(load: Load, column: str) -> float:
    """Return the mean of a column over all steps: of all IOs, or a rate of the steps.

    Rounds have equal weight in a rate, as in the averages of the PTS.
    """
    values = load.steps[column].to_numpy(float)
    return float(np.average(values, weights=_weights_of(load.steps, column)))


def _weights_of(source: pd.DataFrame, column: str) -> FloatArray:
    """Return IOs for a latency; rounds or log intervals weigh equally in a rate."""
    if column != "lat_mean_ns":
        return np.ones(len(source))
    is_log = "total_ios" not in source
    weights = source["iops" if is_log else "total_ios"].astype(float).to_numpy()
    is_known = bool(np.isfinite(weights).all())
    return np.asarray(weights if is_known else np.ones(len(source)), float)


def _log_of(load: Load, series: pd.DataFrame | None, column: str) -> pd.DataFrame:
    """Return the log of the one step of a load, without intervals that lack it."""
    if series is None or len(load.steps) != 1:
        return pd.DataFrame({"iops": [], "lat_mean_ns": []}, dtype=float)
    is_own = series["step_id"] == load.steps["step_id"].iloc[0]
    rows: pd.DataFrame = series[is_own & (series["direction"] == load.direction)]
    return rows.dropna(subset=list({column, "iops"})).sort_values("time_s")

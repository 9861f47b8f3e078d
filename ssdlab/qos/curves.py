"""The distribution of a load: its rates, its curve, its reads and writes."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ssdlab.model.errors import NoHistogramError
from ssdlab.qos.averages import mean_of
from ssdlab.qos.load import Load
from ssdlab.qos.loads import select_load


def summarise_load(load: Load) -> dict[str, float]:
    """Return the rates of a load, and how many IOs it did."""
    means = ("iops", "bw_bytes_per_s", "lat_mean_ns")
    return {
        **{column: mean_of(load, column) for column in means},
        "lat_max_ns": load.greatest_ns,
        "total_ios": float(load.bins["count"].sum()),
    }


def summarise_curve(*loads: Load, confidence_percent: float = 95.0) -> pd.DataFrame:
    """Return the counts of loads, and the share of IOs up to each bin and beyond it.

    Parameters
    ----------
    *loads : Load
        The loads, such as the reads and the writes of one mix.
    confidence_percent : float, default 95
        The confidence that determines how many IOs are needed [%].

    Returns
    -------
    pandas.DataFrame
        One row per load and bin, by ascending latency: ``load``, ``direction``,
        ``lat_ns``, ``lat_lower_ns``, ``lat_upper_ns`` [ns], ``count``,
        ``confidence_percent`` (IOs in this bin and below) [%], ``exceedance_ratio``
        (IOs above it), ``total_ios``, and ``is_supported``: a percentile there has an
        upper end, ``is_censored``: latencies in the bin are not resolved.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> tables = (run.measurements, run.bins)
    >>> load = ssdlab.analysis.select_loads(*tables, test="lat")[0]
    >>> curve = summarise_curve(load)
    >>> len(curve) > 10
    True
    """
    frames = [_curve(load, confidence_percent) for load in loads]
    return pd.concat(frames, ignore_index=True)


def _curve(load: Load, confidence_percent: float) -> pd.DataFrame:
    bins = load.binned
    reached = np.cumsum(bins.merged)
    total = bins.total
    return pd.DataFrame({
        "load": load.label,
        "direction": load.direction,
        "lat_ns": bins.names,
        "lat_lower_ns": bins.lower,
        "lat_upper_ns": bins.upper,
        "count": bins.merged,
        "confidence_percent": 100 * reached / total,
        "exceedance_ratio": (total - reached) / total,
        "total_ios": total,
        "is_censored": _is_censored(load, bins.names),
        "is_supported": _is_bounded(reached / total, total, confidence_percent),
    })


def _is_censored(load: Load, names: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.asarray(load.is_censored & (names == names[-1]))


def _is_bounded(
    share: NDArray[np.float64], total: int, confidence_percent: float
) -> NDArray[np.bool_]:
    tail = (1 - confidence_percent / 100) / 2
    return np.asarray(share <= tail ** (1 / total))


def select_directions(
    load: Load, measurements: pd.DataFrame, bins: pd.DataFrame
) -> tuple[Load, ...]:
    """Return the reads and the writes of a load as separate loads."""
    steps = load.steps["step_id"]
    own = measurements[measurements["step_id"].isin(steps)]
    held = bins[bins["step_id"].isin(steps)]
    found = []
    for direction in ("read", "write"):
        try:
            found.append(select_load(own, held, direction=direction))
        except NoHistogramError:
            continue
    return tuple(found) or (load,)

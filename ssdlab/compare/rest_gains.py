"""The gain from rest, with its interval: accesses after it over those without."""

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from ssdlab.pts.hir.summary import select_compared_accesses
from ssdlab.stats.autocorrelation import estimate_dependence
from ssdlab.stats.differences import compare_levels
from ssdlab.stats.levels import estimate_level

_COLUMNS = ["run_id", "wait_state", "iops_ratio_low", "iops_ratio_high"]
_FEWEST = 2


def summarise_rest_gains(accesses: pd.DataFrame) -> pd.DataFrame:
    """Return the interval of the gain of each wait state.

    Notes
    -----
    Successive accesses of a wait state may be correlated. Their autocorrelation is
    estimated over all wait states of a run and widens the interval. It holds for this
    run only.
    """
    rows = [row for _, own in accesses.groupby("run_id") for row in _rows_of_run(own)]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _rows_of_run(accesses: pd.DataFrame) -> Iterator[dict[str, Any]]:
    series = {
        key: [part["iops"].to_numpy(float) for part in select_compared_accesses(group)]
        for key, group in accesses.groupby(["run_id", "wait_state"])
    }
    found = estimate_dependence([one for pair in series.values() for one in pair])
    known = 0.0 if math.isnan(found) else found
    for (run_id, state), pair in series.items():
        if min(map(len, pair)) < _FEWEST:
            continue
        rested, baseline = (estimate_level(one, dependence=known) for one in pair)
        ratio = compare_levels(rested, baseline).ratio
        values = (run_id, state, ratio.low, ratio.high)
        yield dict(zip(_COLUMNS, values, strict=True))

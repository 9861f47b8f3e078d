"""How much runs of one drive differ: what rounds of a single run do not hold."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd

from ssdlab.analysis.comparison.side_cells import SideCell
from ssdlab.analysis.comparison.verdicts import SIGNIFICANCE
from ssdlab.analysis.inference.differences import compare_levels
from ssdlab.analysis.inference.multiplicity import adjust_by_holm

_COLUMNS = ["side", "n_runs", "n_cells", "n_differing", "median_percent", "max_percent"]


def compare_repeats(
    found: Mapping[tuple[str, str, str], Mapping[str, SideCell]],
) -> pd.DataFrame:
    """Compare the runs of each drive with each other, by their rounds.

    Returns
    -------
    pandas.DataFrame
        One row a side with several runs: ``side``, ``n_runs``, ``n_cells`` that two of
        its runs measured round by round, ``n_differing`` of them, in which two runs
        differ by more than their rounds explain (Holm over all cells, 5 %), and
        ``median_percent`` and ``max_percent``, the greatest of a cell's runs by the
        least, over the cells [%].

    Notes
    -----
    The drive is the same, so each such cell is one in which a verdict by rounds would
    have named a winner that is none.
    """
    rows = [
        {"side": side, "p": _p_of_any_pair(one), "spread": _spread_percent(one)}
        | {"n_runs": len(one.run_levels)}
        for own in found.values()
        for side, one in own.items()
        if len(one.run_levels) > 1
    ]
    table = pd.DataFrame(rows, columns=["side", "p", "spread", "n_runs"])
    table["differs"] = adjust_by_holm(table["p"].to_numpy(dtype=float)) < SIGNIFICANCE
    summary = table.groupby("side", as_index=False, sort=False).agg(
        n_runs=("n_runs", "max"),
        n_cells=("p", "size"),
        n_differing=("differs", "sum"),
        median_percent=("spread", "median"),
        max_percent=("spread", "max"),
    )
    return summary.reindex(columns=_COLUMNS)


def _p_of_any_pair(one: SideCell) -> float:
    """Return the p-value that any two runs differ, after Bonferroni."""
    pairs = list(combinations(one.run_levels, 2))
    least = np.nanmin([[compare_levels(a, b).p_value for a, b in pairs] + [1.0]])
    return float(min(1.0, len(pairs) * least))


def _spread_percent(one: SideCell) -> float:
    means = one.means[: len(one.run_levels)]
    return 100 * (max(means) / min(means) - 1)

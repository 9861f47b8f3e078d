"""The mean of a cell over its rounds, or the one that others printed instead."""

from collections.abc import Sequence

import pandas as pd


def average_cells(
    cells: pd.DataFrame, keys: Sequence[str], metric: str
) -> pd.DataFrame:
    """Average a metric over the rounds of each cell.

    Returns
    -------
    pandas.DataFrame
        One row a cell that has a value: the keys, the metric, and ``n_rounds``, the
        rounds that were averaged. It is missing where the value is the mean that
        others printed; the rounds go before it where both are known.
    """
    is_mean = cells["kind"] == "mean"
    split = cells[[*keys]].assign(
        by_round=cells[metric].mask(is_mean), printed=cells[metric].where(is_mean)
    )
    groups = split.groupby([*keys])
    means = groups[["by_round", "printed"]].mean()
    counts = groups["by_round"].count().astype("Int64")
    table = means.assign(
        **{metric: means["by_round"].fillna(means["printed"])},
        n_rounds=counts.mask(counts == 0),
    ).reset_index()
    found = table[table[metric].notna()].reset_index(drop=True)
    return found[[*keys, metric, "n_rounds"]]

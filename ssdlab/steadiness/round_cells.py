"""The cells of a test that were measured round by round, and which it tracks."""

from collections.abc import Hashable
from typing import Any

import pandas as pd

from ssdlab.stats.cells import cell_stimulus, named_like
from ssdlab.stats.matrix import select_cells

_OF_TEST = {"tp": "bw_bytes_per_s", "xsr": "bw_bytes_per_s", "lat": "lat_mean_ns"}
_CELL = ["phase", "cell", "access", "block_size_bytes", "read_percent"]
_QUEUES = ["threads", "queue_depth"]


def list_round_series(
    measurements: pd.DataFrame, windows: pd.DataFrame, *, test: str
) -> pd.DataFrame:
    """List the cells of a test that were measured round by round."""
    cells = select_cells(measurements, test)
    of_cells = windows[(windows["test"] == test) & windows["job"].isna()]
    tracked = of_cells.drop_duplicates(["phase", "tracking"], keep="last")
    names = [*_CELL, *_QUEUES]
    distinct = cells.groupby(names, dropna=False, sort=False, as_index=False)
    counted = distinct.agg(rounds=("round", "nunique"))
    variables = [row for _, row in tracked.iterrows()]
    are_of = [
        (counted["phase"] == row["phase"]) & (counted["cell"] == row["cell"])
        for row in variables
    ]
    rows = [
        _listed(
            test,
            row.to_dict(),
            beside=[one for one in variables if one["phase"] == row["phase"]],
            of_cell=[
                one for one, are in zip(variables, are_of, strict=True) if are[place]
            ],
        )
        for place, row in counted.iterrows()
    ]
    frame = pd.DataFrame(rows)
    same = frame.duplicated(["phase", "tracking"], keep=False)
    for place in frame.index[same & ~frame["is_tracked"]]:
        row = frame.loc[place]
        queues = f"T{row['threads']}/Q{row['queue_depth']}"
        frame.loc[place, "tracking"] = f"{row['tracking']} {queues}"
    return frame.sort_values("is_tracked", ascending=False, kind="stable").reset_index(
        drop=True
    )


def is_named(listed: pd.DataFrame, tracking: str) -> list[bool]:
    """Return which cells a text names."""
    queues = [
        f"{name} T{threads}/Q{depth}"
        for name, threads, depth in zip(
            listed["tracking"], listed["threads"], listed["queue_depth"], strict=True
        )
    ]
    short = named_like(listed["tracking"], tracking)
    return short if any(short) else named_like(queues, tracking)


def _listed(
    test: str,
    cell: dict[Hashable, Any],
    *,
    beside: list["pd.Series[Any]"],
    of_cell: list["pd.Series[Any]"],
) -> dict[Hashable, Any]:
    """Return a cell with its name, and the row of its verdict if it is tracked.

    ``beside`` are the verdicts of its phase, and ``of_cell`` those of the cell.
    """
    label = cell_stimulus(
        cell["access"], cell["block_size_bytes"], cell["read_percent"]
    )
    row: dict[Hashable, Any] = (
        {"test": test}
        | cell
        | {
            "tracking": of_cell[0]["tracking"] if of_cell else label,
            "metric": of_cell[0]["metric"] if of_cell else _OF_TEST.get(test, "iops"),
            "is_tracked": bool(of_cell),
        }
    )
    judged = of_cell or beside
    names = ("window_first_round", "window_last_round")
    bounds = [int(judged[0][name]) if judged else 0 for name in names]
    row["is_round_steady"] = bool(judged and judged[0]["is_round_steady"])
    return row | dict(zip(names, bounds, strict=True))

"""All tracking variables of a test, each relative to the average of its window."""

from typing import Any

import pandas as pd

from ssdlab.steadiness.round_cells import list_round_series
from ssdlab.steadiness.series import RoundSeries, take_listed_series


def summarise_tracked(
    measurements: pd.DataFrame,
    windows: pd.DataFrame,
    steps: pd.DataFrame,
    *,
    test: str,
) -> pd.DataFrame:
    """Return every tracking variable of a test over the rounds.

    Parameters
    ----------
    measurements, windows, steps : pandas.DataFrame
        The tables of one run.
    test : str
        The test.

    Returns
    -------
    pandas.DataFrame
        One row per variable and round: ``tracking``, ``metric``, ``round``, ``value``,
        ``share``, the value divided by the average of the variable's own reported
        window, and ``is_in_window``, whether it is part of that average. No rows if no
        window was judged.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> frames = (run.measurements, run.windows, run.steps)
    >>> tracked = summarise_tracked(*frames, test="iops")
    >>> tracked["tracking"].unique().tolist()
    ['RND 1024 KiB 100/0', 'RND 64 KiB 65/35', 'RND 4 KiB 0/100']
    """
    listed = list_round_series(measurements, windows, test=test)
    tracked = take_listed_series(measurements, steps, listed[listed["is_tracked"]])
    rows = [row for series in tracked for row in _rows(series)]
    return pd.DataFrame(rows, columns=_COLUMNS)


_COLUMNS = ["tracking", "metric", "round", "value", "share", "is_in_window"]


def _rows(series: RoundSeries) -> list[dict[str, Any]]:
    first, last = series.window or (1, 0)
    samples = {series.rounds[place] for place in series.samples()}
    inside = [first <= at <= last and at in samples for at in series.rounds]
    values = pd.Series(series.measured)
    average = float(values[inside].mean())
    return [
        {
            "tracking": series.tracking,
            "metric": series.metric,
            "round": at,
            "value": value,
            "share": value / average,
            "is_in_window": is_inside,
        }
        for at, value, is_inside in zip(
            series.rounds, series.measured, inside, strict=True
        )
    ]

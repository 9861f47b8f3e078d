"""The intervals of the steps of a test, on one axis of time."""

import numpy as np
import pandas as pd

from ssdlab.model.spec import Direction


def join_series(
    series: pd.DataFrame,
    steps: pd.DataFrame,
    *,
    test: str,
    metric: str,
    direction: Direction = "total",
) -> pd.DataFrame:
    """Join the intervals of a test's steps on one axis of time.

    Parameters
    ----------
    series : pandas.DataFrame
        The table ``series`` of one run.
    steps : pandas.DataFrame
        The table ``steps`` of the run.
    test : str
        The test.
    metric : {"iops", "bw_bytes_per_s", "lat_mean_ns"}
        The column that is taken.
    direction : {"total", "read", "write", "trim"}, default "total"
        All directions together, or one of them.

    Returns
    -------
    pandas.DataFrame
        ``time_s``, since the first step that has intervals [s], ascending, and the
        metric. Between two steps stands a row without a value: nothing was measured
        there.

    Raises
    ------
    ValueError
        If a series has no such column.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> joined = join_series(run.series, run.steps, test="wsat", metric="iops")
    >>> len(joined) > 0
    True
    """
    if metric not in {"iops", "bw_bytes_per_s", "lat_mean_ns"}:
        msg = f"{metric!r} has no series; choose iops, bw_bytes_per_s or lat_mean_ns"
        raise ValueError(msg)
    begun = steps[steps["test"] == test].set_index("step_id")["started_s"].dropna()
    rows = series[(series["direction"] == direction) & series[metric].notna()]
    codes, names = pd.factorize(rows["step_id"])
    starts = begun.reindex(names).to_numpy(dtype=np.float64, na_value=np.nan)
    at_s = starts[codes] + rows["time_s"].to_numpy(dtype=np.float64)
    values = rows[metric].to_numpy(dtype=np.float64)
    known = ~np.isnan(at_s)
    at_s, values, codes = at_s[known], values[known], codes[known]
    order = np.argsort(at_s, kind="stable")
    at_s, values, codes = at_s[order], values[order], codes[order]
    breaks = np.flatnonzero(np.diff(codes)) + 1
    at_s = np.insert(at_s, breaks, at_s[breaks - 1])
    values = np.insert(values, breaks, np.nan)
    return pd.DataFrame({
        "time_s": at_s - (at_s[0] if at_s.size else 0),
        metric: values,
    })

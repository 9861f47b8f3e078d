"""The line through the window that a rule reports, and what it is worth."""

import numpy as np
import pandas as pd

from ssdlab.analysis.inference.trend import fit_line, line_design
from ssdlab.analysis.steadiness.rules import PTS_RULE, find_steady_rule
from ssdlab.analysis.steadiness.series import RoundSeries
from ssdlab.analysis.steadiness.windows import (
    find_reported_window,
    judge_windows_by_rule,
    take_rule_numbers,
)


def summarise_fit(series: RoundSeries, rule: str = PTS_RULE) -> pd.DataFrame:
    """Return the reported window's values, its fitted line and what the line is worth.

    Parameters
    ----------
    series : RoundSeries
        The series.
    rule : {"pts-2.0.2", "tkperf", "each-value"}, default "pts-2.0.2"
        The rule that chooses the window.

    Returns
    -------
    pandas.DataFrame
        One row a round of the window, none without a window: ``round``, ``value``,
        ``average``, ``fit`` on the least-squares line, ``fit_low`` and ``fit_high``,
        the 95 % interval of the true line about it, ``residual``.

    Notes
    -----
    The line is the one of the rule; its interval allows for autocorrelation.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> frames = (run.measurements, run.windows, run.steps)
    >>> series = ssdlab.analysis.take_round_series(*frames, test="iops")
    >>> fit = summarise_fit(series)
    >>> fit["round"].tolist()
    [3, 4, 5, 6, 7]
    """
    chosen = find_steady_rule(rule)
    judged = judge_windows_by_rule(series, chosen)
    if not judged:
        return pd.DataFrame(columns=_FIT_COLUMNS)
    places, verdict = judged[find_reported_window(series, judged, chosen)]
    values = take_rule_numbers(series, chosen)[places]
    line = np.linspace(verdict.fit_first, verdict.fit_last, len(places))
    mixture = fit_line(values).combine(line_design(len(places)))
    return pd.DataFrame({
        "round": [series.rounds[place] for place in places],
        "value": values,
        "average": verdict.average,
        "fit": line,
        "fit_low": mixture.quantile(0.025),
        "fit_high": mixture.quantile(0.975),
        "residual": values - line,
    })[_FIT_COLUMNS]


_FIT_COLUMNS = ["round", "value", "average", "fit", "fit_low", "fit_high", "residual"]

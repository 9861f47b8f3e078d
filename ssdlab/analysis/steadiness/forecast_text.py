"""What a forecast says at its end, in words."""

import math
from collections.abc import Sequence

import pandas as pd

from ssdlab.analysis.steadiness.forecast import find_first_steady
from ssdlab.analysis.steadiness.rules import PTS_RULE
from ssdlab.analysis.steadiness.series import RoundSeries

# What the interval was shown to hold of, by the cases of the page of coverage.
TESTED_DECAYS = ("one decay", "two decays at once", "a power law", "an overshoot")
FORECAST_CLAIM = (
    f"The 95 % hold for {', '.join(TESTED_DECAYS[:-1])} or {TESTED_DECAYS[-1]}; "
    "nothing is claimed of a level that swings"
)


def forecast_text(
    tracked: Sequence[RoundSeries], forecast: pd.DataFrame, rule: str = PTS_RULE
) -> str:
    """Say how many rounds are still needed, or that the test is steady.

    Parameters
    ----------
    tracked : sequence of RoundSeries
        The tracking variables that were foretold.
    forecast : pandas.DataFrame
        What `forecast_steady_state` returned of them.
    rule : {"pts-2.0.2", "tkperf", "each-value"}, default "pts-2.0.2"
        The rule that was asked.

    Returns
    -------
    str
        A sentence or two.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> frames = (run.measurements, run.windows, run.steps)
    >>> series = ssdlab.analysis.take_round_series(*frames, test="iops")
    >>> forecast = ssdlab.analysis.forecast_steady_state(series)
    >>> forecast_text([series], forecast).partition(".")[0]
    'Steady after round 7'
    """
    last = min(series.rounds[-1] if series.rounds else 0 for series in tracked)
    who = f", all {len(tracked)} tracking variables at once" if tracked[1:] else ""
    came = find_first_steady(tracked, rule)
    if came is not None:
        return f"Steady after round {came}{who}. Nothing is left to foretell."
    if forecast.empty:
        return f"Not steady after round {last}; four rounds are needed to foretell."
    row, every = forecast.iloc[-1], max(one.sample_every for one in tracked)
    said = (
        f"Not steady after round {row['after_round']}. Rounds still needed: "
        f"{_rounds(row['more_rounds'])} (95 %: {_rounds(row['more_low'])} to "
        f"{_rounds(row['more_high'])}); the chance of {_span(every)} is "
        f"{100 * row['chance_within_5']:.0f} %."
    )
    if len(tracked) > 1:
        said += f" It waits longest for {row['waits_for']}."
    said += f" {FORECAST_CLAIM}."
    return said if row["is_supported"] else f"{said} Do not rely on it: {row['note']}."


def _span(every: int) -> str:
    return "five" if every == 1 else f"five samples ({5 * every} rounds)"


def _rounds(number: float) -> str:
    return f"{number:.0f}" if math.isfinite(number) else "no end in sight"

"""The phases of a series between change points: fresh, in transition, steady."""

import numpy as np
import pandas as pd

from ssdlab.stats.pelt import segment_series
from ssdlab.stats.trend import estimate_nonnegative_mean
from ssdlab.steadiness.series import RoundSeries

FOB, TRANSITION, STEADY, UNSETTLED = "FOB", "transition", "steady", "not settled"
_FEWEST_STEADY = 5
_STEADY_SHARE = 0.25  # least share of all rounds in the last segment if it is steady


def summarise_phases(series: RoundSeries) -> pd.DataFrame:
    """Split a series where its level changes, and name the segments."""
    values = np.array(series.measured)
    if not len(values):
        return pd.DataFrame(columns=_PHASE_COLUMNS)
    cut = segment_series(values)
    last = len(cut.bounds) - 1
    rows = []
    for place, (start, end) in enumerate(cut.bounds):
        level = estimate_nonnegative_mean(values[start:end])
        phase = TRANSITION
        if place == last:
            phase = STEADY if is_long_enough(end - start, len(values)) else UNSETTLED
        elif place == 0 and series.starts_fresh:
            phase = FOB
        rows.append((
            phase,
            series.rounds[start],
            series.rounds[end - 1],
            end - start,
            level.estimate,
            level.low,
            level.high,
            level.note,
        ))
    return pd.DataFrame(rows, columns=_PHASE_COLUMNS)


_PHASE_COLUMNS = [
    "phase",
    "first_round",
    "last_round",
    "rounds",
    "level",
    "level_low",
    "level_high",
    "note",
]


def is_long_enough(rounds: int, total: int) -> bool:
    """Return whether the last segment of a series is long enough to be steady."""
    return rounds >= max(_FEWEST_STEADY, _STEADY_SHARE * total)

"""How many rounds a run still needs, foretold after each round it has done."""

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.analysis.inference.change_points import segment_series
from ssdlab.analysis.inference.forecast import (
    FEWEST_TO_FORECAST,
    draw_futures,
    first_time,
)
from ssdlab.analysis.steadiness.fit import judge_windows_by_rule
from ssdlab.analysis.steadiness.rules import PTS_RULE, SteadyRule, find_steady_rule
from ssdlab.analysis.steadiness.series import RoundSeries
from ssdlab.analysis.steady_state import assess_series

_HORIZON = 25  # rounds ahead, in samples where only samples count
_COLUMNS = [
    "after_round",
    "more_rounds",
    "more_low",
    "more_high",
    "chance_within_5",
    "came_after",
    "is_supported",
    "note",
]
_FRESH = "the drive is still fresh: the fall to come cannot be foretold"


def forecast_steady_state(
    series: RoundSeries, rule: str = PTS_RULE, *, horizon: int = _HORIZON
) -> pd.DataFrame:
    """Foretell after each round how many more a series needs until it is steady.

    Parameters
    ----------
    series : RoundSeries
        The series, of a run that is going on or of one that has ended.
    rule : {"pts-2.0.2", "tkperf", "each-value"}, default "pts-2.0.2"
        The rule that ends the test; TKperf's is asked of the numbers as measured.
    horizon : int, default 25
        How many samples ahead futures are drawn.

    Returns
    -------
    pandas.DataFrame
        One row a round (where only samples count, a sample) from the fourth until the
        series is steady: ``after_round``,
        ``more_rounds`` with ``more_low`` and ``more_high`` (95 %; infinite beyond the
        horizon), ``chance_within_5`` more samples, ``came_after``, the round after
        which it was steady if it was, and ``note``. Of this cell alone: a test ends
        when all its tracking variables are steady at once.

    Notes
    -----
    The forecast takes the series for a decay to a level. The fall of a fresh drive
    after many even rounds is beyond it: until it is seen, the forecast of a write
    saturation is not supported, and after it the fresh rounds are left out.
    """
    chosen = find_steady_rule(rule)
    places = _since_gap(series)
    came = _came_after(series, chosen)
    rows = []
    samples = set(series.samples().tolist())
    for end in range(FEWEST_TO_FORECAST, len(places) + 1):
        after = series.rounds[places[end - 1]]
        if came is not None and after >= came:
            break
        if int(places[end - 1]) not in samples and end < len(places):
            continue
        row = _foretell(series, places[:end], chosen, horizon=horizon)
        rows.append({"after_round": after, "came_after": came} | row)
    return pd.DataFrame(rows, columns=_COLUMNS)


def _since_gap(series: RoundSeries) -> npt.NDArray[np.int64]:
    """Return the places of the rounds after the last gap, or the last missing one."""
    start = max(series.segment_starts, default=1)
    rounds = np.array(series.rounds, dtype=np.int64)
    apart = np.flatnonzero(np.diff(rounds) != 1) + 1
    first = max(int((rounds < start).sum()), int(apart[-1]) if len(apart) else 0)
    return np.arange(first, len(rounds))


def _came_after(series: RoundSeries, rule: SteadyRule) -> int | None:
    judged = judge_windows_by_rule(series, rule)
    steady = [places for places, verdict in judged if verdict.is_steady]
    return series.rounds[steady[0][-1]] if steady else None


def _foretell(
    series: RoundSeries,
    places: npt.NDArray[np.int64],
    rule: SteadyRule,
    *,
    horizon: int,
) -> dict[str, object]:
    """Draw futures and ask the rule of each, round by round."""
    every, width = series.sample_every, rule.criteria.window_rounds
    measured = np.array(series.measured)[places]
    fresh = _fresh_rounds(measured) if series.starts_fresh else 0
    is_supported = fresh < len(measured)
    settling = measured[fresh if is_supported else 0 :]
    if len(settling) < FEWEST_TO_FORECAST:
        is_supported, settling = False, measured
    futures = draw_futures(settling, horizon * every)
    draws = len(futures)
    whole = np.concatenate([np.tile(measured, (draws, 1)), futures], axis=1)
    first = series.rounds[places[0]]
    rounds = np.arange(first, first + whole.shape[1])
    is_sample = ((rounds - series.first_sample) % every == 0) & (
        rounds >= series.first_sample
    )
    sampled = whole[:, is_sample]
    steady = assess_series(sampled.ravel(), rule.criteria).is_steady
    is_steady = steady.reshape(sampled.shape)
    is_steady[:, : width - 1] = False  # these windows hold samples of two futures
    ahead = rounds[is_sample] - rounds[len(measured) - 1]
    is_steady = is_steady[:, ahead > 0]
    when = first_time(is_steady)
    counts = ahead[ahead > 0]
    more = [_rounds_ahead(counts, end) for end in (when.estimate, when.low, when.high)]
    return {
        "more_rounds": more[0],
        "more_low": more[1],
        "more_high": more[2],
        "chance_within_5": float(is_steady[:, :5].any(axis=1).mean()),
        "is_supported": is_supported,
        "note": when.note if is_supported else _FRESH,
    }


def _fresh_rounds(measured: npt.NDArray[np.float64]) -> int:
    """Return how many rounds pass before the first change of level."""
    starts = segment_series(measured).starts
    return starts[1] if len(starts) > 1 else len(measured)


def _rounds_ahead(counts: npt.NDArray[np.int64], samples: float) -> float:
    return float(counts[int(samples) - 1]) if np.isfinite(samples) else np.inf

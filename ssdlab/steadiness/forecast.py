"""How many rounds a run still needs, forecast after each round it has done."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.stats.forecast import (
    FEWEST_TO_FORECAST,
    draw_futures,
    first_time,
)
from ssdlab.stats.pelt import segment_series
from ssdlab.stats.steady_state import assess_series
from ssdlab.steadiness.rules import PTS_RULE, SteadyRule, find_steady_rule
from ssdlab.steadiness.series import RoundSeries
from ssdlab.steadiness.windows import judge_windows_by_rule

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

_HORIZON = 25  # rounds ahead; samples, if only these count
_COLUMNS = [
    "after_round",
    "more_rounds",
    "more_low",
    "more_high",
    "chance_within_5",
    "waits_for",
    "came_after",
    "is_supported",
    "note",
]
_NOT_JUDGED = (
    "the run has judged no window of these rounds, so it is unknown which count"
)
_FRESH = "the drive is still fresh: its coming drop cannot be forecast"
# For these the interval was shown to hold, by the cases of the page of coverage.
TESTED_DECAYS = ("one decay", "two decays at once", "a power law", "an overshoot")
FORECAST_CLAIM = (
    f"The 95 % hold for {', '.join(TESTED_DECAYS[:-1])} or {TESTED_DECAYS[-1]}; "
    "nothing is claimed for a level that oscillates"
)


def forecast_steady_state(
    tracked: RoundSeries | Sequence[RoundSeries],
    rule: str = PTS_RULE,
    *,
    horizon: int = _HORIZON,
    after: int | None = None,
) -> pd.DataFrame:
    """Forecast after each round how many more a test needs until it is steady."""
    variables = [tracked] if isinstance(tracked, RoundSeries) else list(tracked)
    chosen = find_steady_rule(rule)
    series = variables[0]
    rounds = _common_rounds(variables)
    came = find_first_steady(variables, rule)
    samples = {series.rounds[place] for place in series.samples()}
    rows = []
    for end in range(FEWEST_TO_FORECAST, len(rounds) + 1):
        done = int(rounds[end - 1])
        if came is not None and done >= came:
            break
        if after not in {None, done} or (done not in samples and end < len(rounds)):
            continue
        row = _forecast_row(variables, rounds[:end], chosen, horizon=horizon)
        rows.append({"after_round": done, "came_after": came} | row)
    return pd.DataFrame(rows, columns=_COLUMNS)


def find_first_steady(
    tracked: Sequence[RoundSeries], rule: str = PTS_RULE
) -> int | None:
    """Return the round after which all series are steady in the same window.

    This is the last round of their first steady window, if there is one.
    """
    chosen = find_steady_rule(rule)
    ends = [
        {
            series.rounds[places[-1]]
            for places, verdict in judge_windows_by_rule(series, chosen)
            if verdict.is_steady
        }
        for series in tracked
    ]
    return min(set.intersection(*ends), default=None)


def _common_rounds(variables: Sequence[RoundSeries]) -> IntArray:
    """Return the rounds common to all after the last gap or missing round."""
    common = set.intersection(*(set(series.rounds) for series in variables))
    start = max(max(series.segment_starts, default=1) for series in variables)
    rounds = np.array(sorted(n for n in common if n >= start), dtype=np.int64)
    apart = np.flatnonzero(np.diff(rounds) != 1) + 1
    return rounds[int(apart[-1]) if len(apart) else 0 :]


def _forecast_row(
    variables: Sequence[RoundSeries],
    rounds: IntArray,
    rule: SteadyRule,
    *,
    horizon: int,
) -> dict[str, object]:
    """Simulate futures after each round, and find when all variables are steady."""
    every = variables[0].sample_every
    ahead = np.arange(rounds[-1] + 1, rounds[-1] + 1 + horizon * every)
    is_sample = variables[0].is_sample(ahead)
    drawn = [
        _draw_steady(series, rounds, rule, ahead=ahead, seed=seed)
        for seed, series in enumerate(variables)
    ]
    is_steady = np.logical_and.reduce([steady for steady, _ in drawn])
    when = first_time(is_steady)
    settled = [steady.any(axis=1).mean() + steady.mean() for steady, _ in drawn]
    counts = (ahead - rounds[-1])[is_sample]
    more = [_rounds_ahead(counts, end) for end in (when.estimate, when.low, when.high)]
    is_judged = all(series.is_judged for series in variables)
    is_supported = is_judged and all(supported for _, supported in drawn)
    doubt = _FRESH if is_judged else _NOT_JUDGED
    return {
        "more_rounds": more[0],
        "more_low": more[1],
        "more_high": more[2],
        "chance_within_5": float(is_steady[:, :5].any(axis=1).mean()),
        "waits_for": variables[int(np.argmin(settled))].tracking,
        "is_supported": is_supported,
        "note": _late_words(is_steady, int(counts[-1])) if is_supported else doubt,
    }


def _late_words(is_steady: BoolArray, rounds: int) -> str:
    """Return in words the share of futures that are not steady within the horizon."""
    late = 1 - float(is_steady.any(axis=1).mean())
    share = f"{100 * late:.0f} %" if late >= 0.005 else "fewer than 1 %"
    return f"{share} of the futures need more than {rounds} rounds" if late else ""


def _draw_steady(
    series: RoundSeries,
    rounds: IntArray,
    rule: SteadyRule,
    *,
    ahead: IntArray,
    seed: int,
) -> tuple[BoolArray, bool]:
    """Return in which samples ahead each future is steady, and whether it is supported.

    A drive that is still fresh is continued as if it were not.
    """
    by_round = dict(zip(series.rounds, series.measured, strict=True))
    measured = np.array([by_round[int(number)] for number in rounds])
    fresh = _fresh_rounds(measured) if series.starts_fresh else 0
    settling = measured[fresh:]
    is_supported = len(settling) >= FEWEST_TO_FORECAST
    futures = draw_futures(
        settling if is_supported else measured, len(ahead), seed=seed
    )
    known = np.tile(measured, (len(futures), 1))
    whole = np.concatenate([known, futures], axis=1)
    is_sample = series.is_sample(np.concatenate([rounds, ahead]))
    sampled = whole[:, is_sample]
    steady = assess_series(sampled.ravel(), rule.criteria).is_steady
    is_steady = steady.reshape(sampled.shape)
    # These windows hold samples of two futures.
    is_steady[:, : rule.criteria.window_rounds - 1] = False
    return is_steady[:, int(is_sample[: len(rounds)].sum()) :], is_supported


def _fresh_rounds(measured: npt.NDArray[np.float64]) -> int:
    """Return how many rounds pass before the first change of level."""
    starts = segment_series(measured).starts
    return starts[1] if len(starts) > 1 else len(measured)


def _rounds_ahead(counts: IntArray, samples: float) -> float:
    return float(counts[int(samples) - 1]) if np.isfinite(samples) else np.inf


def forecast_text(
    tracked: Sequence[RoundSeries], forecast: pd.DataFrame, rule: str = PTS_RULE
) -> str:
    """Return how many rounds are still needed, or that the test is steady, in words."""
    last = min(series.rounds[-1] if series.rounds else 0 for series in tracked)
    who = f", all {len(tracked)} tracking variables at once" if tracked[1:] else ""
    came = find_first_steady(tracked, rule)
    if came is not None:
        return f"Steady after round {came}{who}. No forecast is needed."
    if forecast.empty:
        return f"Not steady after round {last}; a forecast needs four rounds."
    row, every = forecast.iloc[-1], max(one.sample_every for one in tracked)
    said = (
        f"Not steady after round {row['after_round']}. Rounds still needed: "
        f"{_rounds(row['more_rounds'])} (95 %: {_rounds(row['more_low'])} to "
        f"{_rounds(row['more_high'])}); the chance of {_span(every)} is "
        f"{100 * row['chance_within_5']:.0f} %."
    )
    if len(tracked) > 1:
        said += f" The last to become steady: {row['waits_for']}."
    said += f" {FORECAST_CLAIM}."
    return said if row["is_supported"] else f"{said} Do not rely on it: {row['note']}."


def _span(every: int) -> str:
    return "five" if every == 1 else f"five samples ({5 * every} rounds)"


def _rounds(number: float) -> str:
    return f"{number:.0f}" if math.isfinite(number) else "no end in sight"

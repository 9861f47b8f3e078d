"""Where the rules disagree on when the cells of a test became steady."""

import pandas as pd

from ssdlab.steadiness.forecast import find_first_steady
from ssdlab.steadiness.round_cells import list_round_series
from ssdlab.steadiness.rules import STEADY_RULES
from ssdlab.steadiness.series import RoundSeries, take_listed_series

_NEVER, _NOT_ASKED = "never", "not asked"


def summarise_rule_differences(
    measurements: pd.DataFrame,
    windows: pd.DataFrame,
    steps: pd.DataFrame,
    *,
    test: str,
    metric: str = "",
) -> pd.DataFrame:
    """Apply every rule to every cell of a test, each cell by itself."""
    listed = list_round_series(measurements, windows, test=test)
    rows = []
    for series in take_listed_series(measurements, steps, listed, metric=metric):
        after = _first_steady_by_rule(series)
        row = {"tracking": series.tracking, "is_tracked": series.is_tracked}
        row |= {"rounds": len(series.rounds), **after}
        asked = set(after.values()) - {_NOT_ASKED}
        rows.append(row | {"is_differing": len(asked) > 1})
    names = ["tracking", "is_tracked", "rounds", *STEADY_RULES, "is_differing"]
    return pd.DataFrame(rows, columns=names)


def _first_steady_by_rule(series: RoundSeries) -> dict[str, str]:
    """Return by rule when it was first steady, in words."""
    found = {}
    for rule in STEADY_RULES.values():
        after = find_first_steady([series], rule.name)
        is_asked = bool(series.as_tkperf) or not rule.takes_tkperf_numbers
        said = _NEVER if after is None else str(after)
        found[rule.name] = said if is_asked else _NOT_ASKED
    return found

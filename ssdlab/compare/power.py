"""Efficiency: what a drive does per watt, where its power is given."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from ssdlab.model.errors import RepeatedNameError, SeriesError, UnknownNameError
from ssdlab.model.telemetry import POWER
from ssdlab.pts.compared import METRICS


def parse_watts(text: str, names: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return the watts that a user gives for each side.

    Notes
    -----
    The name of a side depends on the other sides. So a side is named by any of its
    names, else by a part of what it is called here, else by words that are all in its
    names: the first of these that matches any side must match only one.

    >>> names = {"Model A": ["S5H9"], "Model B": ["S001"]}
    >>> parse_watts("A: 6.5, S001: 5", names)
    {'Model A': 6.5, 'Model B': 5.0}
    """
    watts: dict[str, float] = {}
    for part in (part.strip() for part in text.split(",") if part.strip()):
        name, _, value = (piece.strip() for piece in part.rpartition(":"))
        held = _named(name, names)
        if len(held) > 1:
            raise SeriesError(
                source=f"watts {text!r}",
                reason=f"{name!r} may name {', '.join(held)}",
                remedy="Write enough of a name to identify one drive, or the folder "
                "of its run.",
            )
        if not held:
            raise UnknownNameError(kind="drive", name=name or part, known=[*names])
        if held[0] in watts:
            raise RepeatedNameError(kind="drive", name=held[0], text=text)
        try:
            watts[held[0]] = float(value)
        except ValueError:
            watts[held[0]] = 0.0
        if not 0 < watts[held[0]] < float("inf"):
            raise SeriesError(
                source=f"watts {text!r}",
                reason=f"{value!r} is not a number of watts above zero",
                remedy="Write it as 'Model A: 6.5, Model B: 5'.",
            )
    return watts


def _named(name: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the sides that a name may mean."""
    words = name.split()
    if not words:
        return []
    ways: tuple[Callable[[str, Sequence[str]], bool], ...] = (
        lambda side, own: name in {side, *own},
        lambda side, _: name in side,
        lambda side, own: all(word in " ".join([side, *own]) for word in words),
    )
    held = ([side for side, own in names.items() if way(side, own)] for way in ways)
    return next(filter(None, held), [])


def find_watts(telemetry: pd.DataFrame, sides: pd.DataFrame) -> dict[str, float]:
    """Return the mean power of each side, where readings of it were recorded.

    By side the mean over its readings [W]; a side without any is omitted.
    """
    readings = telemetry[telemetry["name"] == POWER]
    joined = readings.merge(sides[["run_id", "side"]], on="run_id")
    means = joined.groupby("side")["value"].mean()
    return {str(side): float(value) for side, value in means.items() if value > 0}


def summarise_efficiency(
    summary: pd.DataFrame, watts: Mapping[str, float]
) -> pd.DataFrame:
    """Return rates per watt of the sides whose power is known."""
    rates = [name for name, metric in METRICS.items() if metric.is_more_better]
    own = summary[summary["metric"].isin(rates) & summary["side"].isin(list(watts))]
    power = own["side"].map(dict(watts)).astype(float)
    scaled = {name: own[name] / power for name in ("value", "low", "high")}
    return own.assign(watts=power, **scaled).reset_index(drop=True)

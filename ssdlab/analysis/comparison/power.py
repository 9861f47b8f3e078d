"""Efficiency: what a drive does per watt, where its power is given."""

from collections.abc import Mapping, Sequence

import pandas as pd

from ssdlab.analysis.comparison.metrics import METRICS
from ssdlab.model.errors import SeriesError, UnknownNameError

POWER_READING = "power_watts"


def parse_watts(text: str, known: Sequence[str]) -> dict[str, float]:
    """Return the watts that a user gives for each side.

    Parameters
    ----------
    text : str
        Such as ``Model A: 6.5, Model B: 5``: the begin of the name of a side, or any
        part of it that no other has, and its mean power while it was measured [W].
    known : sequence of str
        The names of the sides.

    Returns
    -------
    dict of str to float
        By side its watts.

    Raises
    ------
    UnknownNameError
        If a name is that of no side.
    SeriesError
        If it is that of several, or the watts are no number above zero.

    Examples
    --------
    >>> parse_watts("A: 6.5", ["Model A", "Model B"])
    {'Model A': 6.5}
    """
    watts = {}
    for part in (part.strip() for part in text.split(",") if part.strip()):
        name, _, value = (piece.strip() for piece in part.rpartition(":"))
        held = [side for side in known if name and name in side]
        held = [side for side in held if side == name] or held
        if len(held) > 1:
            raise SeriesError(
                source=f"watts {text!r}",
                reason=f"{name!r} is part of the name of {', '.join(held)}",
                remedy="Write as much of a name as tells one drive.",
            )
        if not held:
            raise UnknownNameError(kind="drive", name=name or part, known=known)
        try:
            watts[held[0]] = float(value)
        except ValueError:
            watts[held[0]] = 0.0
        if not 0 < watts[held[0]] < float("inf"):
            raise SeriesError(
                source=f"watts {text!r}",
                reason=f"{value!r} is no number of watts above zero",
                remedy="Write it as 'Model A: 6.5, Model B: 5'.",
            )
    return watts


def find_watts(telemetry: pd.DataFrame, sides: pd.DataFrame) -> dict[str, float]:
    """Return the mean power of each side, where readings of it were recorded.

    Parameters
    ----------
    telemetry : pandas.DataFrame
        The table ``telemetry`` of all runs: readings named ``power_watts``.
    sides : pandas.DataFrame
        What `tabulate_sides` returned.

    Returns
    -------
    dict of str to float
        By side the mean over its readings [W]; a side without any is not in it.
    """
    readings = telemetry[telemetry["name"] == POWER_READING]
    joined = readings.merge(sides[["run_id", "side"]], on="run_id")
    means = joined.groupby("side")["value"].mean()
    return {str(side): float(value) for side, value in means.items() if value > 0}


def summarise_efficiency(
    summary: pd.DataFrame, watts: Mapping[str, float]
) -> pd.DataFrame:
    """Return rates per watt of the sides whose power is known.

    Parameters
    ----------
    summary : pandas.DataFrame
        What `summarise_sides` returned.
    watts : mapping of str to float
        By side its mean power [W].

    Returns
    -------
    pandas.DataFrame
        The rows of rates with ``watts`` [W], and ``value``, ``low`` and ``high`` by
        it: 1/s/W or B/s/W. The power counts as exact: its error is not in the interval.
    """
    rates = [name for name, metric in METRICS.items() if metric.is_more_better]
    own = summary[summary["metric"].isin(rates) & summary["side"].isin(list(watts))]
    power = own["side"].map(dict(watts)).astype(float)
    scaled = {name: own[name] / power for name in ("value", "low", "high")}
    return own.assign(watts=power, **scaled).reset_index(drop=True)

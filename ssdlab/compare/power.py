"""Efficiency: what a drive does per watt, where its power is given."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from ssdlab.model.errors import RepeatedNameError, SeriesError, UnknownNameError
from ssdlab.pts.compared import METRICS
from ssdlab.stats.cells import cell_stimulus


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


def tabulate_power(energy: pd.DataFrame, sides: pd.DataFrame) -> pd.DataFrame:
    """Return the power of each side in each cell, where a meter recorded it.

    Parameters
    ----------
    energy : pandas.DataFrame
        `ssdlab.telemetry.energy.summarise_energy` of each run, with its ``run_id``.
    sides : pandas.DataFrame
        The side of each run.

    Returns
    -------
    pandas.DataFrame
        ``side``, ``test``, ``cell`` and ``watts``, the energy of all its runs over
        their time [W].
    """
    joined = energy[energy["kind"] == "cell"].merge(sides[["run_id", "side"]])
    stimulus = ("access", "block_size_bytes", "read_percent")
    joined["cell"] = [
        cell_stimulus(*values)
        for values in zip(*(joined[name] for name in stimulus), strict=True)
    ]
    sums = joined.groupby(["side", "test", "cell"])[["joules", "seconds"]].sum()
    sums["watts"] = sums["joules"] / sums["seconds"]
    return sums.reset_index()[["side", "test", "cell", "watts"]]


def summarise_efficiency(
    summary: pd.DataFrame, stated: Mapping[str, float], metered: pd.DataFrame
) -> pd.DataFrame:
    """Return rates per watt of the sides whose power is known.

    What a user states of a side comes before what a meter recorded of a cell.
    """
    rates = [name for name, metric in METRICS.items() if metric.is_more_better]
    own = summary[summary["metric"].isin(rates)]
    own = own.merge(metered, on=["side", "test", "cell"], how="left")
    power = (
        own["side"].map(dict(stated)).astype(float).fillna(own["watts"].astype(float))
    )
    scaled = {name: own[name] / power for name in ("value", "low", "high")}
    known = own.assign(watts=power, **scaled)
    return known[known["watts"] > 0].reset_index(drop=True)

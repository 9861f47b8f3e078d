"""How many drives, runs and rounds a comparison takes, from pilot runs in a store.

Rounds are nested in runs, and runs in drives. Components of variance come from the
pilot, and costs from the times of its steps. What a level costs and how it scatters
gives the repetitions within the next one (`ssdlab.stats.repetitions`), and what is to
be shown the number of drives.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np
import pandas as pd

from ssdlab.fleet.drives import summarise_drives
from ssdlab.fleet.pilot import Pilot, read_pilot, require_confidence
from ssdlab.fleet.population import Choice
from ssdlab.fleet.rounds import OF_ROUNDS, read_stored, rounds_of_run
from ssdlab.fleet.store import Store
from ssdlab.model.errors import ParameterError
from ssdlab.model.spec import PTS_CRITERIA
from ssdlab.stats.anova import Components, analyse_nested
from ssdlab.stats.repetitions import (
    Aim,
    Purpose,
    best_count,
    count_for_median,
    needed_count,
)
from ssdlab.store.run import Run

Reason = Literal[
    "", "no-runs", "one-drive", "no-repeats", "no-scatter", "no-costs", "too-small",
    "too-few-drives",
]  # fmt: skip

LEAST_ROUNDS: Final = PTS_CRITERIA.window_rounds
HOUR_S: Final = 3600.0
_MOST_READ: Final = 60  # folders: each takes a part of a second
_USUAL_RUNS: Final = (1, 2, 3, 4)  # of a drive, shown next to what is planned
_MOST_RUNS: Final = 50  # of a drive


@dataclass(frozen=True, kw_only=True, slots=True)
class Costs:
    """What one more of each level costs besides what is repeated within it [s].

    A run costs purge, preconditioning and what else of the test is not one of its
    rounds in the window. None is not known. ``recorded_runs`` is the number of runs
    whose times were read.
    """

    round_s: float | None = None
    run_s: float | None = None
    drive_s: float = 0.0
    recorded_runs: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """One way to show it: so many drives a side, runs of a drive and rounds of a run.

    ``drives`` are enough with the assurance that was asked for, ``drives_as_estimated``
    if the pilot's estimates were the truth; None if 10,000 were not enough. ``rounds``
    is None where they are as many as in the pilot. ``cost_s`` is the time of all runs
    of all sides.
    """

    runs: int
    rounds: int | None
    drives: int | None
    drives_as_estimated: int | None
    cost_s: float | None


@dataclass(frozen=True, kw_only=True)
class Repetitions:
    """How many repetitions a comparison takes, as `find_repetitions` returns it.

    Attributes
    ----------
    pilot : Pilot
        The runs that it rests on.
    aim : Aim
        What is to be shown.
    assurance_percent : float
        How certainly the planned number of drives is enough.
    costs : Costs
        What each level costs.
    components : Components or None
        Variances of the logarithm: ``drive``, ``run``, and ``round`` where rounds could
        be read; without those, that of runs holds the variance of their rounds.
    rounds_by_run : pandas.DataFrame
        What was read of rounds: ``drive``, ``run_id``, ``round``, ``log``.
    planned : Way or None
        What the costs and the variances give.
    ways : tuple of Way
        With other numbers of runs of a drive.
    reason : str
        Why nothing is planned; empty if something is.
    drives_by_median : int or None
        How many drives bound their median as narrowly, without a distribution.
    """

    pilot: Pilot
    aim: Aim
    assurance_percent: float
    costs: Costs
    components: Components | None
    rounds_by_run: pd.DataFrame
    planned: Way | None = None
    ways: tuple[Way, ...] = ()
    reason: Reason = ""
    drives_by_median: int | None = None

    @property
    def has_rounds(self) -> bool:
        """Whether the variances of rounds and of runs are separate."""
        return self.components is not None and "round" in self.components.names


def find_repetitions(  # noqa: PLR0913 - each is a choice of a user
    store: Store | str | Path,
    *,
    purpose: Purpose = "difference",
    percent: float = 5.0,
    cell: str = "",
    test: str = "",
    metric: str = "",
    direction: str = "total",
    where: Iterable[str] = (),
    accept: str = "",
    confidence_percent: float = 95.0,
    power_percent: float = 80.0,
    assurance_percent: float = 80.0,
    round_s: float | None = None,
    run_s: float | None = None,
    drive_s: float = 0.0,
    most_drives: int | None = None,
) -> Repetitions:
    """Return how many drives, runs and rounds it takes to show a difference.

    Parameters
    ----------
    store : Store, str or Path
        A store with pilot runs: two drives at least, one of them run twice.
    purpose : {"difference", "change", "half-width"}, default "difference"
        A difference of two populations of drives, a change of the same drives measured
        twice, or half of the interval of one population.
    percent : float, default 5
        How great it is [%].
    cell, test, metric, direction : str
        What is looked at, as of `ssdlab.summarise_fleet`.
    where : iterable of str, default ()
        Conditions on the pilot runs, such as ``device_firmware=1.1``.
    accept : str, default ""
        Conditions that may differ, as of `ssdlab.summarise_fleet`.
    confidence_percent : float, default 95
        Of the test or the interval, on both sides [%].
    power_percent : float, default 80
        How often a true difference is to be found [%].
    assurance_percent : float, default 80
        How certainly the drives are enough, as the pilot knows variances roughly [%].
    round_s, run_s : float, optional
        What a round costs, and a run besides its rounds in the window [s]; by default
        as recorded by the pilot runs.
    drive_s : float, default 0
        What one more drive costs besides its runs [s].
    most_drives : int, optional
        How many drives a side there are.

    Returns
    -------
    Repetitions
        What is planned, and other ways; or ``reason``, why that is unknown.

    Raises
    ------
    UnknownNameError
        If there is no such workload, test, metric or condition.
    ParameterError
        If a number is out of its range.
    StoreError
        If the store is empty, or no run is as asked for.

    Examples
    --------
    >>> import ssdlab
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     store = ssdlab.open_store(f"{folder}/store", create=True)
    ...     store = store.add("data/samples/virtual-b")
    ...     ssdlab.find_repetitions(store, percent=3).reason
    'one-drive'
    """
    aim = Aim(
        purpose=purpose,
        percent=percent,
        confidence_percent=confidence_percent,
        power_percent=power_percent,
    )
    given = Costs(round_s=round_s, run_s=run_s, drive_s=drive_s)
    _require_numbers(
        aim, given, assurance_percent=assurance_percent, most_drives=most_drives
    )
    pilot = read_pilot(
        store, cell=cell, test=test, metric=metric, direction=direction, where=where,
        accept=accept,
    )  # fmt: skip
    rounds, recorded = read_rounds(pilot)
    costs = replace(
        recorded,
        round_s=recorded.round_s if round_s is None else round_s,
        run_s=recorded.run_s if run_s is None else run_s,
        drive_s=drive_s,
    )
    levels = summarise_drives(pilot.kept)["value"]
    found = Repetitions(
        pilot=pilot,
        aim=aim,
        assurance_percent=assurance_percent,
        costs=costs,
        components=_components(pilot.kept, rounds),
        rounds_by_run=rounds,
        drives_by_median=count_for_median(
            levels, within_ratio=percent / 100, confidence_percent=confidence_percent
        ),
    )
    return plan_ways(found, most_drives=most_drives)


def _require_numbers(
    aim: Aim, costs: Costs, *, assurance_percent: float, most_drives: int | None
) -> None:
    if aim.purpose not in get_args(Purpose):
        asked = " or ".join(get_args(Purpose))
        raise ParameterError(name="purpose", value=aim.purpose, asked=asked)
    shares = {
        "confidence_percent": aim.confidence_percent,
        "power_percent": aim.power_percent,
        "assurance_percent": assurance_percent,
    }
    for name, value in shares.items():
        require_confidence(name, value)
    numbers = {
        "percent": (aim.percent, 1e-6),
        **{
            name: (getattr(costs, name), 0.0)
            for name in ("round_s", "run_s", "drive_s")
        },
        "most_drives": (most_drives, 2.0),
    }
    for name, (number, least) in numbers.items():
        if number is not None and not least <= number < np.inf:
            raise ParameterError(name=name, value=number, asked=f"{least:g} or more")


def read_rounds(pilot: Pilot) -> tuple[pd.DataFrame, Costs]:
    """Return the rounds of the window of pilot runs, and what rounds and runs cost.

    They are read from the run folders that are still there: of 60 runs at most, the
    drives with the most runs first.
    """
    runs = pilot.kept.assign(n=pilot.kept.groupby("drive")["log"].transform("size"))
    order = runs.sort_values(["n", "drive"], ascending=[False, True], kind="stable")
    rows: list[dict[str, Any]] = []
    costs: list[tuple[float, float]] = []
    for run in order.head(_MOST_READ).to_dict("records"):
        read = partial(_rounds_and_cost, choice=pilot.choice)
        found = read_stored(run["run_id"], run["folder"], read)
        if found is None:
            continue
        values, cost = found
        costs += [cost] if cost else []
        names = {"drive": run["drive"], "run_id": run["run_id"]}
        rows += [
            names | {"round": int(number), "log": float(np.log(value))}
            for number, value in zip(values.index, values, strict=True)
        ]
    known = np.median(np.array(costs), axis=0).tolist() if costs else [None, None]
    return (
        pd.DataFrame(rows, columns=["drive", "run_id", "round", "log"]),
        Costs(round_s=known[0], run_s=known[1], recorded_runs=len(costs)),
    )


def _rounds_and_cost(
    run: Run, choice: Choice
) -> tuple["pd.Series[float]", tuple[float, float] | None]:
    if choice.metric.name in OF_ROUNDS:
        values = rounds_of_run(run, choice)
        numbers = values.index
    else:
        values = pd.Series(dtype=float)
        own = replace(choice, metric=replace(choice.metric, column="iops"))
        numbers = rounds_of_run(run, own).index
    return values[values > 0], cost_of_run(run.steps, choice, numbers)


def cost_of_run(
    steps: pd.DataFrame, choice: Choice, rounds: Iterable[Any]
) -> tuple[float, float] | None:
    """Return the mean time of a round, and that of the rest of the test [s].

    ``rounds`` are those of the window; without any a round takes 0 s, and the rest is
    all. None where times are not known.
    """
    own = steps[steps["test"] == choice.test]
    times = own["duration_s"].astype(float) + own["idle_before_s"].fillna(0.0)
    wanted = set(map(int, rounds))
    whole = float(times.sum(skipna=False))
    is_inside = own["phase"].eq(choice.phase) & own["round"].isin(wanted)
    inside = float(times[is_inside].sum())
    if not whole > inside or (wanted and not inside):
        return None
    return inside / max(1, len(wanted)), whole - inside


def _components(kept: pd.DataFrame, rounds: pd.DataFrame) -> Components | None:
    """Return the components of rounds, or else of whole runs; None if they lack some.

    Rounds are taken where they tell drives from runs too.
    """
    names = {"drive": rounds["drive"].tolist(), "run": rounds["run_id"].tolist()}
    if len(rounds):
        found = analyse_nested(rounds["log"], names, rest="round")
        if len(found) == 3:
            return Components(rows=found)
    if kept.empty:
        return None
    runs = analyse_nested(kept["log"], {"drive": kept["drive"].tolist()}, rest="run")
    return Components(rows=runs) if len(runs) == 2 else None


def plan_ways(found: Repetitions, *, most_drives: int | None = None) -> Repetitions:
    """Return what the variances and costs of a pilot give, or why that is unknown."""
    reason, known = _find_reason(found), found.components
    if known is None or reason not in {"", "no-costs"}:
        return replace(found, planned=None, ways=(), reason=reason)
    rounds = _best_rounds(found, known.estimates)
    most = _best_runs(found, known.estimates, rounds)
    nearest = [
        _way(found, known, (n, rounds)) for n in range(max(1, most - 1), most + 1)
    ]
    best = min(nearest, key=_cost_or_infinity)
    runs = best.runs
    planned: Way | None = best
    if not reason and best.drives is None:
        reason = "too-small"
    if not reason and most_drives is not None:
        ways = (_way(found, known, (n, rounds)) for n in range(runs, _MOST_RUNS + 1))
        fitting = (way for way in ways if way.drives and way.drives <= most_drives)
        planned = next(fitting, None)
        reason = "" if planned else "too-few-drives"
    numbers = sorted({*_USUAL_RUNS, runs, planned.runs if planned else runs})
    return replace(
        found,
        planned=None if reason else planned,
        ways=tuple(_way(found, known, (n, rounds)) for n in numbers),
        reason=reason,
    )


def _cost_or_infinity(way: Way) -> float:
    return np.inf if way.cost_s is None else way.cost_s


def _find_reason(found: Repetitions) -> Reason:
    """Return what a pilot lacks, if anything."""
    costs, known = found.costs, found.components
    lacks: Mapping[Reason, bool] = {
        "no-runs": found.pilot.kept.empty,
        "one-drive": found.pilot.drives < 2,
        "no-repeats": known is None,
        "no-scatter": known is not None and not any(known.estimates.values()),
        "no-costs": costs.run_s is None or costs.round_s is None,
    }
    return next((reason for reason, holds in lacks.items() if holds), "")


def _best_rounds(found: Repetitions, known: Mapping[str, float]) -> int | None:
    """Return the rounds of a run: as many as cost least, but a whole window."""
    if "round" not in known or not found.costs.round_s or not found.costs.run_s:
        return None
    best = best_count(
        own_cost=found.costs.round_s,
        outer_cost=found.costs.run_s,
        own_variance=known["round"],
        outer_variance=known["run"],
    )
    if best is None:
        sizes = found.rounds_by_run.groupby("run_id").size()
        best = int(sizes.median())
    return max(best, LEAST_ROUNDS)


def _best_runs(
    found: Repetitions, known: Mapping[str, float], rounds: int | None
) -> int:
    """Return the runs of a drive that cost least; one where drives do not scatter."""
    between = 0.0 if found.aim.purpose == "change" else known["drive"]
    best = best_count(
        own_cost=_run_cost_s(found.costs, rounds or LEAST_ROUNDS),
        outer_cost=found.costs.drive_s,
        own_variance=known["run"] + known.get("round", 0.0) / (rounds or 1),
        outer_variance=between,
    )
    return min(best or 1, _MOST_RUNS)


def _run_cost_s(costs: Costs, rounds: int) -> float:
    return (costs.run_s or 0.0) + rounds * (costs.round_s or 0.0)


def _way(found: Repetitions, known: Components, counts: tuple[int, int | None]) -> Way:
    runs, rounds = counts
    variance = partial(
        variance_of_drive, runs=runs, rounds=rounds or 1,
        is_same=found.aim.purpose == "change",
    )  # fmt: skip
    bound = known.bound(variance, confidence_percent=found.assurance_percent)
    drives = needed_count(bound, found.aim)
    costs, aim = found.costs, found.aim
    cost = None
    if drives is not None and costs.run_s is not None and costs.round_s is not None:
        of_runs = aim.times * runs * _run_cost_s(costs, rounds or LEAST_ROUNDS)
        cost = drives * (aim.sides * costs.drive_s + of_runs)
    return Way(
        runs=runs,
        rounds=rounds,
        drives=drives,
        drives_as_estimated=needed_count(float(variance(known.estimates)), found.aim),
        cost_s=cost,
    )


def variance_of_drive(
    known: Mapping[str, Any], *, runs: int, rounds: int, is_same: bool = False
) -> Any:
    """Return the variance of the mean of so many runs of one drive.

    Without that of drives where the same ones are measured twice.

    >>> variance_of_drive({"drive": 4.0, "run": 2.0, "round": 6.0}, runs=2, rounds=3)
    6.0
    """
    between = 0.0 if is_same else known["drive"]
    return between + (known["run"] + known.get("round", 0.0) / rounds) / runs

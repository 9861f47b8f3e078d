"""Two populations of drives in each cell: their ratio, and what is known of it.

The drives are the sample, and the runs of a drive are repeats within it: the mean of
the logarithms of its runs is its one value. Where both populations are the same drives,
such as before and after an update, each drive is compared with itself.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from ssdlab.fleet.tables import LEVELS
from ssdlab.stats.differences import Difference, Limits, compare_levels
from ssdlab.stats.levels import (
    LevelEstimate,
    RunScatter,
    estimate_log_level,
    join_freedoms,
    level_reaches,
    pool_scatter,
)
from ssdlab.stats.states import more_runs_needed

Reason = Literal["", "too few drives", "percentile not bounded", "no scatter"]
Scatters = tuple[RunScatter | None, RunScatter | None, RunScatter | None]

POWER: Final = 0.8
NAMES: Final = ["cell", "test", "phase", "kind", "workload", "direction"]
_MOST_DRIVES = 500  # a side: who needs more has asked for too small a difference


@dataclass(frozen=True, kw_only=True, slots=True)
class FleetMetric:
    """A metric of the cells of a store; ``supported`` is the column that bounds it.

    ``is_derived`` metrics are not in the tables of a run, nor told of single rounds.
    """

    name: str
    column: str
    words: str
    is_more_better: bool = False
    supported: str = ""
    is_derived: bool = False


METRICS: Final = MappingProxyType({
    one.name: one
    for one in (
        FleetMetric(name="iops", column="iops", words="IOPS", is_more_better=True),
        FleetMetric(
            name="bw", column="bw_bytes_per_s", words="throughput", is_more_better=True
        ),
        FleetMetric(name="mean", column="lat_mean_ns", words="mean latency"),
        *(
            FleetMetric(
                name=f"p{level:g}",
                column=f"lat_{name}_ns",
                words=f"{level:g} % latency",
                supported=f"is_{name}_supported",
            )
            for name, level in LEVELS.items()
        ),
        FleetMetric(
            name="waf",
            column="write_amplification",
            words="write amplification",
            is_derived=True,
        ),
        FleetMetric(
            name="cpu",
            column="cpu_us_per_io",
            words="processor time per IO",
            is_derived=True,
        ),
        FleetMetric(name="watts", column="watts", words="power", is_derived=True),
        FleetMetric(
            name="energy",
            column="joules_per_io",
            words="energy per IO",
            is_derived=True,
        ),
    )
})


@dataclass(frozen=True, kw_only=True, slots=True)
class DriveValues:
    """What the drives of a population measured in a cell and metric.

    ``by_drive`` is the geometric mean of the runs of each drive, by its name, and
    ``runs`` the number of all of them. ``is_bounded`` is false if any of them is a
    percentile that nothing bounds from above.
    """

    by_drive: Mapping[str, float]
    runs: int
    is_bounded: bool = True

    def level(self, scatter: RunScatter | None) -> LevelEstimate:
        """Return the mean of the logarithms of the drives."""
        return estimate_log_level(list(self.by_drive.values()), scatter=scatter)

    def over(self, other: "DriveValues") -> list[float]:
        """Return the ratio of each drive to itself; empty if the drives differ."""
        if self.by_drive.keys() != other.by_drive.keys():
            return []
        return [value / other.by_drive[name] for name, value in self.by_drive.items()]


@dataclass(frozen=True, kw_only=True, slots=True)
class Population:
    """One side of a contrast: so many drives and runs, and their level."""

    drives: int
    runs: int
    level: LevelEstimate

    @property
    def interval(self) -> tuple[float, float, float]:
        """The geometric mean of the drives and its 95 % interval; NaN if unknown."""
        below, above = level_reaches(self.level)
        middle = self.level.log_mean
        return math.exp(middle), math.exp(middle - below), math.exp(middle + above)


@dataclass(frozen=True, kw_only=True, slots=True)
class Contrast:
    """Two populations of drives in one cell and metric.

    ``names`` identify the cell: cell, test, phase, kind, workload and direction.
    ``pairs`` is the level of candidate over baseline where both are the same drives.
    With a ``reason`` nothing is claimed of the drives.
    """

    names: Mapping[str, str]
    metric: FleetMetric
    baseline: Population
    candidate: Population
    pairs: LevelEstimate | None
    reason: Reason = ""

    def difference(self, limits: Limits | None = None) -> Difference:
        """Return candidate over baseline, as `compare_levels` judges it."""
        levels = (self.candidate.level, self.baseline.level)
        if self.pairs:
            levels = (self.pairs, _ONE)
        return compare_levels(*levels, limits=limits or Limits())

    def drives_needed(self, ratio: float, *, tail: float = 0.025) -> int | None:
        """Return how many more drives it takes to find a difference.

        The sum of both sides, or the drives where they are the same: so that a true
        ``ratio``, or its inverse, is found in 80 % of such experiments by a test with
        the error ``tail`` to its side, if drives scatter as these do. None if their
        scatter is not known, or more than 500 a side would be needed.
        """
        sides = (
            (self.pairs, _ONE)
            if self.pairs
            else (self.baseline.level, self.candidate.level)
        )
        variances = [one.variance * one.n_values for one in sides]
        known = [one for one in variances if not math.isnan(one)]
        if (self.pairs and math.isnan(self.pairs.variance)) or not known:
            return None
        scatter = [known[0] if math.isnan(one) else one for one in variances]
        drives = (self.baseline.drives, self.candidate.drives)
        return _more_drives(
            scatter,
            drives,
            distance=abs(math.log(ratio)),
            tail=tail,
            are_pairs=self.pairs is not None,
        )


_ONE = LevelEstimate(log_mean=0.0, variance=0.0, freedom=math.inf, n_values=1)


def _more_drives(
    scatter: Sequence[float],
    drives: tuple[int, int],
    *,
    distance: float,
    tail: float,
    are_pairs: bool,
) -> int | None:
    """Return the drives to add, each where it makes the error smaller."""
    from ssdlab.stats.special import stdtrit  # noqa: PLC0415 - loads scipy

    more = more_runs_needed(*drives, pairs=1)
    a, b = (max(2, have + own) for have, own in zip(drives, more, strict=True))
    while max(a, b) <= _MOST_DRIVES:
        parts = (scatter[0] / a, scatter[1] / b)
        if not any(parts):
            break
        freedom = join_freedoms(parts, (a - 1, b - 1))
        reach = float(stdtrit(freedom, 1 - tail)) + float(stdtrit(freedom, POWER))
        if reach * math.sqrt(sum(parts)) <= distance:
            break
        adds_first = (parts[0], -a) >= (parts[1], -b)
        a, b = a + (are_pairs or adds_first), b + (are_pairs or not adds_first)
    else:
        return None
    return a - drives[0] + (0 if are_pairs else b - drives[1])


def contrast_drives(
    baseline: DriveValues,
    candidate: DriveValues,
    *,
    names: Mapping[str, str] = MappingProxyType({}),
    metric: FleetMetric = METRICS["iops"],
    scatters: Scatters = (None, None, None),
) -> Contrast:
    """Contrast two populations by the value of each drive.

    ``scatters`` is how drives of the baseline, those of the candidate, and the ratios
    of the same drives scatter over the cells of the metric.

    Notes
    -----
    Drives of two populations are compared after Welch, on the logarithm; the same
    drives on both sides by Student's t of the logarithms of their ratios. A variance is
    never less than that over the cells of the metric. With so few drives that two equal
    populations often separate nothing is claimed (decision 77).

    >>> old = DriveValues(by_drive={"a": 100.0, "b": 102.0, "c": 98.0}, runs=3)
    >>> new = DriveValues(by_drive={"d": 51.0, "e": 49.0, "f": 50.0}, runs=3)
    >>> ratio = contrast_drives(old, new).difference().ratio
    >>> round(ratio.estimate, 3), round(ratio.low, 3), round(ratio.high, 3)
    (0.5, 0.478, 0.523)
    """
    first, second = (
        Population(drives=len(one.by_drive), runs=one.runs, level=one.level(scatter))
        for one, scatter in zip((baseline, candidate), scatters[:2], strict=True)
    )
    ratios = candidate.over(baseline)
    found = Contrast(
        names=names,
        metric=metric,
        baseline=first,
        candidate=second,
        pairs=estimate_log_level(ratios, scatter=scatters[2]) if ratios else None,
    )
    drives = (first.drives, second.drives)
    reason: Reason = ""
    if min(drives) < 2 or any(more_runs_needed(*drives, pairs=1)):
        reason = "too few drives"
    elif not (baseline.is_bounded and candidate.is_bounded):
        reason = "percentile not bounded"
    elif math.isnan(found.difference().p_value):
        reason = "no scatter"
    return replace(found, reason=reason)


def find_contrasts(
    baseline: pd.DataFrame,
    candidate: pd.DataFrame,
    *,
    metrics: Sequence[FleetMetric],
) -> tuple[Contrast, ...]:
    """Contrast two populations in each cell that both measured.

    Both are rows of ``cells`` of a store. How drives scatter is pooled over the cells
    of a metric of a test.
    """
    found: list[Contrast] = []
    for metric in metrics:
        first, second = (dict(_values(one, metric)) for one in (baseline, candidate))
        shared = [cell for cell in first if cell in second]
        for _, cells in groupby(shared, key=lambda cell: cell[1]):
            pairs = {cell: (first[cell], second[cell]) for cell in cells}
            scatters = _pool(list(pairs.values()))
            found += [
                contrast_drives(
                    *pair,
                    names=dict(zip(NAMES, cell, strict=True)),
                    metric=metric,
                    scatters=scatters,
                )
                for cell, pair in pairs.items()
            ]
    return tuple(found)


def _values(
    rows: pd.DataFrame, metric: FleetMetric
) -> Iterator[tuple[tuple[str, ...], DriveValues]]:
    """Yield what the drives measured in each cell, ordered by test."""
    known = rows[rows[metric.column] > 0]
    is_bounded = (
        known[metric.supported].fillna(value=False) if metric.supported else True
    )
    columns = known[NAMES].assign(
        drive=drive_names(known),
        log=np.log(known[metric.column].to_numpy(float)),
        is_bounded=is_bounded,
    )
    drives = columns.groupby([*NAMES, "drive"], as_index=False).agg(
        log=("log", "mean"), runs=("log", "size"), is_bounded=("is_bounded", "all")
    )
    drives["log"] = np.exp(drives["log"])
    ordered = drives.sort_values(["test", "cell", "drive"], kind="stable")
    rows_of = ordered.astype(object).itertuples(index=False, name=None)
    for cell, own in groupby(rows_of, key=lambda row: row[: len(NAMES)]):
        names, values, runs, bounded = zip(
            *(row[len(NAMES) :] for row in own), strict=True
        )
        yield (
            tuple(map(str, cell)),
            DriveValues(
                by_drive=dict(zip(names, values, strict=True)),
                runs=sum(runs),
                is_bounded=all(bounded),
            ),
        )


def drive_names(rows: pd.DataFrame) -> "pd.Series[str]":
    """Return the drive of each row: model and serial number.

    Drives without a serial number cannot be told apart, and count as one.
    """
    model, serial = (
        rows[f"device_{name}"].fillna("").astype(str) for name in ("model", "serial")
    )
    return (model + " " + serial).str.strip()


def _pool(pairs: Sequence[tuple[DriveValues, DriveValues]]) -> Scatters:
    """Return how the drives of either side, and their ratios, scatter over cells."""
    known = [pair for pair in pairs if all(one.is_bounded for one in pair)]
    return (
        pool_scatter(list(first.by_drive.values()) for first, _ in known),
        pool_scatter(list(second.by_drive.values()) for _, second in known),
        pool_scatter(second.over(first) for first, second in known),
    )


def summarise_contrasts(
    contrasts: Iterable[Contrast], *, wanted_percent: float = 5.0
) -> pd.DataFrame:
    """Return a row for each contrast.

    The names of the cell, ``metric``, and for ``baseline`` and ``candidate`` the
    geometric mean of drives with its 95 % interval and the numbers of drives and runs;
    ``is_paired``; ``ratio`` of candidate to baseline with its interval; ``p_value``
    that they differ, of this cell alone; ``drives_needed``, how many more a difference
    of ``wanted_percent`` takes; ``reason``, why nothing is claimed of the drives. What
    is not claimed is missing.
    """
    rows = [_row(one, 1 + wanted_percent / 100) for one in contrasts]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _row(one: Contrast, wanted: float) -> dict[str, Any]:
    row: dict[str, Any] = {**one.names, "metric": one.metric.name}
    for name, side in (("baseline", one.baseline), ("candidate", one.candidate)):
        value, low, high = side.interval
        row |= {name: value, f"{name}_low": low, f"{name}_high": high}
        row |= {f"{name}_drives": side.drives, f"{name}_runs": side.runs}
    difference = one.difference()
    row |= {
        "is_paired": one.pairs is not None,
        "ratio": difference.ratio.estimate,
        "drives_needed": one.drives_needed(wanted),
        "reason": one.reason,
    }
    if one.reason:
        return row
    ratio = difference.ratio
    return row | {"low": ratio.low, "high": ratio.high, "p_value": difference.p_value}


_SIDE = ("", "_low", "_high", "_drives", "_runs")
_COLUMNS = [
    *NAMES,
    "metric",
    *(f"{name}{part}" for name in ("baseline", "candidate") for part in _SIDE),
    *("is_paired", "ratio", "low", "high", "p_value", "drives_needed", "reason"),
]

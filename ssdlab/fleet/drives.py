"""The drives of a fleet: the level of each, how groups scatter, and who is far off.

Levels are geometric means of runs, and all scatter is that of logarithms. Drives are
the sample; the runs of a drive are its repeats.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.stats.levels import pool_scatter
from ssdlab.stats.outliers import LEAST_VALUES, outlier_distances, outlier_limit
from ssdlab.stats.quantiles import find_ranks
from ssdlab.stats.variance import estimate_variance_components

FALSE_ALARMS: Final = 0.05  # chance of any outlier in a fleet without one
FEWEST_RUNS: Final = 3  # of a drive: of two, nobody can tell which is far off

FloatArray = npt.NDArray[np.float64]


def summarise_drives(kept: pd.DataFrame) -> pd.DataFrame:
    """Return the level of each drive in each group, with its 95 % interval.

    ``basis`` is ``runs`` where the interval has the scatter from run to run, pooled
    over the drives of the group; ``rounds`` where no drive of the group was repeated,
    and it is that of the rounds of the one run; empty without any.
    """
    rows: list[dict[str, Any]] = []
    for group, own in kept.groupby("group", sort=True):
        reach = _reach_of_one_run([
            part.to_numpy() for _, part in own.groupby("drive")["value"]
        ])
        for drive, runs in own.groupby("drive", sort=True):
            count, last = len(runs), runs.iloc[-1]
            level = math.exp(float(np.log(runs["value"]).mean()))
            low, high, basis = float(last["low"]), float(last["high"]), "rounds"
            if not math.isnan(reach):
                factor = math.exp(reach / math.sqrt(count))
                low, high, basis = level / factor, level * factor, "runs"
            rows.append({
                "group": str(group),
                "drive": str(drive),
                "model": last["model"],
                "serial": last["serial"],
                "firmware": ", ".join(dict.fromkeys(runs["firmware"])),
                "runs": count,
                "value": level,
                "low": low,
                "high": high,
                "basis": "" if math.isnan(low) and math.isnan(high) else basis,
                "run_id": last["run_id"],
                "folder": last["folder"],
            })
    columns = ["group", "drive", "model", "serial", "firmware", "runs", "value"]
    columns += ["low", "high", "basis", "run_id", "folder"]
    return pd.DataFrame(rows, columns=columns)


def _reach_of_one_run(drives: Sequence[FloatArray]) -> float:
    """Return how far the interval of one run reaches; NaN if nothing is repeated."""
    from ssdlab.stats.special import stdtrit  # noqa: PLC0415 - loads scipy

    scatter = pool_scatter(drives)
    if scatter is None:
        return math.nan
    freedom = sum(len(runs) - 1 for runs in drives)
    return float(stdtrit(freedom, 0.975)) * math.sqrt(scatter.variance)


def summarise_groups(kept: pd.DataFrame, drives: pd.DataFrame) -> pd.DataFrame:
    """Return the median over the drives of each group, and how drives and runs scatter.

    The interval of the median is between two drives by rank, at 95 % or more, and
    missing with fewer than six. ``between_percent`` is the standard deviation of
    drives, ``within_percent`` that of the runs of a drive, both missing where no drive
    was repeated; ``spread_percent`` is that of the levels as they are.
    """
    rows = []
    for group, own in drives.groupby("group", sort=True):
        levels = np.sort(own["value"].to_numpy())
        low, high = find_ranks(50, levels.size)
        is_bounded = low >= 1 and high <= levels.size
        runs = kept[kept["group"] == group]
        logs = [np.log(part.to_numpy()) for _, part in runs.groupby("drive")["value"]]
        parts = estimate_variance_components(logs)
        rows.append({
            "group": group,
            "drives": levels.size,
            "runs": len(runs),
            "median": float(np.median(levels)),
            "median_low": levels[low - 1] if is_bounded else math.nan,
            "median_high": levels[high - 1] if is_bounded else math.nan,
            "least": levels[0],
            "most": levels[-1],
            "spread_percent": _percent(np.log(levels).var(ddof=1))
            if levels.size > 1
            else math.nan,
            "between_percent": _percent(parts.between) if parts else math.nan,
            "within_percent": _percent(parts.within.estimate) if parts else math.nan,
        })
    return pd.DataFrame(rows)


def _percent(variance: float) -> float:
    return 100 * math.sqrt(variance)


def find_odd_ones(kept: pd.DataFrame, drives: pd.DataFrame) -> pd.DataFrame:
    """Return how far each drive is from the median of its group, and each run.

    ``of`` is ``drive``, told with its last run, or ``run`` for a run of a drive that
    has three or more, about the level of that drive. ``z`` is in robust standard
    deviations of the logarithm, and is missing in a sample that cannot be judged;
    ``limit`` is that of its sample.

    Notes
    -----
    Each of the k samples that are judged gets a k-th of the error rate (Bonferroni), so
    one fleet in 20 without any outlier has one. A level of few runs scatters more than
    one of many: a distance is the lesser of that with equal weights and that with
    weights by runs, each in its own robust standard deviations.
    """
    samples = list(_samples(kept, drives))
    judged = sum(len(one) >= LEAST_VALUES for one in samples)
    frames = []
    for own in samples:
        limit = outlier_limit(len(own), alarm_ratio=FALSE_ALARMS / max(1, judged))
        z = robust_distances(own["log"].to_numpy(), own["weight"].to_numpy())
        with np.errstate(invalid="ignore"):
            is_outlier = np.abs(z) > limit
        frames.append(own.assign(z=z, limit=limit, is_outlier=is_outlier))
    columns = ["of", "group", "drive", "run_id", "folder", "value", "middle"]
    columns += ["ratio", "z", "limit", "is_outlier"]
    if not frames:
        return pd.DataFrame(columns=columns)
    return pd.concat(frames, ignore_index=True)[columns]


def _samples(kept: pd.DataFrame, drives: pd.DataFrame) -> Iterator[pd.DataFrame]:
    for _, own in drives.groupby("group", sort=True):
        middle = float(np.median(own["value"]))
        log = np.log(own["value"] / middle)
        yield own.assign(
            of="drive", middle=middle, ratio=own["value"] / middle,
            log=log, weight=np.sqrt(own["runs"].astype(float)),
        )  # fmt: skip
    levels = drives.set_index(["group", "drive"])
    for _, own in kept.groupby("group", sort=True):
        keys = pd.MultiIndex.from_frame(own[["group", "drive"]])
        counts = levels["runs"].reindex(keys).to_numpy()
        repeated = own[counts >= FEWEST_RUNS]
        if repeated.empty:
            continue
        counts = counts[counts >= FEWEST_RUNS].astype(float)
        keys = pd.MultiIndex.from_frame(repeated[["group", "drive"]])
        own_levels = levels["value"].reindex(keys).to_numpy()
        ratio = repeated["value"] / own_levels
        log = np.log(ratio) * np.sqrt(counts / (counts - 1))
        yield repeated.assign(
            of="run", middle=own_levels, ratio=ratio, log=log, weight=1.0
        )


def robust_distances(logs: FloatArray, weights: FloatArray) -> FloatArray:
    """Return how far logarithms are from their median, each the lesser of two ways.

    In robust standard deviations of all with equal weights, and with those given.

    >>> found = robust_distances(np.array([-1.0, 0, 0, 1, 4]), np.array([1.0] * 5))
    >>> [round(float(one), 2) for one in found]
    [-0.67, 0.0, 0.0, 0.67, 2.7]
    """
    away = logs - np.median(logs)
    parts = (outlier_distances(logs), outlier_distances(away * weights))
    return np.asarray(np.sign(away) * np.minimum(*parts))

"""How often studies of few drives, runs and hosts hold the truth.

Components of variance are known: hosts, drives, runs and rounds are drawn at random.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ssdlab.budget.entries import drift_entry, mean_entry, population_entries
from ssdlab.fleet.gauge import PARTS, Gauge, study_runs
from ssdlab.fleet.repetitions import variance_of_drive
from ssdlab.stats.anova import Components, analyse_nested
from ssdlab.stats.repetitions import Aim, needed_count
from ssdlab.stats.special import stdtrit
from ssdlab.stats.uncertainty import combine_contributions
from tools.coverage_cases.case import CoverageCase, draw_noise

_DIFFER = {"host": 0.5, "drive": 1.0, "both": 0.09, "run": 0.25}  # variances
_ALIKE = {"host": 0.0, "drive": 1.0, "both": 0.0, "run": 0.25}
_NESTED = {"host": 0.5, "drive": 1.0, "run": 0.25}
_PILOT = {"drive": 0.02**2, "run": 0.01**2, "round": 0.02**2}


def draw_study(
    rng: np.random.Generator,
    truth: Mapping[str, float],
    shape: tuple[int, int, int],
    *,
    lost: int,
) -> Gauge:
    """Draw a study of hosts, drives and runs; without ``both`` drives are nested."""
    scale = {name: math.sqrt(one) for name, one in truth.items()}
    host, drive = np.indices(shape)[:2].reshape(2, -1)
    of_pairs = rng.standard_normal(shape[:2])[host, drive]
    log = scale["host"] * rng.standard_normal(shape[0])[host]
    log += scale["run"] * rng.standard_normal(host.size)
    names = [f"{d}" for d in drive]
    if "both" in truth:
        log += scale["drive"] * rng.standard_normal(shape[1])[drive]
        log += scale["both"] * of_pairs
    else:
        log += scale["drive"] * of_pairs
        names = [f"{h}-{d}" for h, d in zip(host, drive, strict=True)]
    kept = rng.permutation(host.size)[lost:]
    runs = pd.DataFrame({"host": host.astype(str), "drive": names, "log": log})
    none: Any = None
    return study_runs(none, runs.iloc[kept].reset_index(drop=True))


def _parts_held(found: Gauge, truth: Mapping[str, float]) -> list[bool]:
    held = []
    for part in found.parts:
        one = found.scatter(part)
        scatter = 100 * math.sqrt(sum(truth.get(name, 0) for name in PARTS[part]))
        held.append(one.low <= scatter <= one.high)
    return held


def _share_held(found: Gauge, truth: Mapping[str, float]) -> bool:
    share = found.gauge_share
    gauge = sum(one for name, one in truth.items() if name != "drive")
    return share.low <= 100 * math.sqrt(gauge / sum(truth.values())) <= share.high


def _gauge(
    rng: np.random.Generator,
    truth: Mapping[str, float],
    shape: tuple[int, int, int],
    *,
    lost: int,
    of: str,
) -> float | None:
    found = draw_study(rng, truth, shape, lost=lost)
    if found.reason:
        return None
    if of == "share":
        return float(_share_held(found, truth))
    held = _parts_held(found, truth)
    return float(np.mean(held)) if of == "each" else float(all(held))


def draw_pilot(
    rng: np.random.Generator, shape: tuple[int, int, int]
) -> tuple[list[float], dict[str, list[int]]]:
    """Draw logarithms of the rounds of runs of drives, and their labels."""
    scales = [math.sqrt(_PILOT[name]) for name in ("drive", "run", "round")]
    log = np.zeros(shape)
    for depth, scale in enumerate(scales, start=1):
        log += scale * rng.standard_normal(shape[:depth] + (1,) * (3 - depth))
    at = np.indices(shape).reshape(3, -1)
    return log.ravel().tolist(), {"drive": at[0].tolist(), "run": at[1].tolist()}


def _is_enough(rng: np.random.Generator, shape: tuple[int, int, int]) -> float:
    """Tell whether drives planned from a pilot are as many as it takes."""
    aim = Aim(purpose="difference", percent=1.5)
    variance = partial(variance_of_drive, runs=1, rounds=5)
    values, labels = draw_pilot(rng, shape)
    known = Components(rows=analyse_nested(values, labels, rest="round"))
    planned = needed_count(known.bound(variance, confidence_percent=80), aim)
    needed = needed_count(float(variance(_PILOT)), aim)
    return float(needed is not None and (planned is None or planned >= needed))


def _is_found(rng: np.random.Generator, percent: float, runs: int) -> float:
    """Tell whether planned drives, runs and rounds show a difference."""
    aim = Aim(purpose="difference", percent=percent)
    drives = needed_count(variance_of_drive(_PILOT, runs=runs, rounds=5), aim) or 0
    sides = []
    for _ in range(2):
        values, _labels = draw_pilot(rng, (drives, runs, 5))
        sides.append(np.reshape(values, (drives, -1)).mean(axis=1))
    shift = float(sides[0].mean() - sides[1].mean()) + aim.distance
    variance = float(sum(side.var(ddof=1) for side in sides)) / drives
    return float(abs(shift) > stdtrit(2 * drives - 2, 0.975) * math.sqrt(variance))


def _budget_of_run(
    rng: np.random.Generator, autocorrelation: float, drift: float
) -> float:
    """Tell whether a budget of a run alone holds its level at a time of the window."""
    place = np.arange(5) / 4 - 0.5
    noise = draw_noise(rng, 5, autocorrelation)
    rounds = 100 * (1 + drift * place + 0.01 * noise)
    parts = [mean_entry(rounds), drift_entry(rounds)]
    combined = combine_contributions([p.contribution for p in parts if p.contribution])
    truth = 100 * (1 + drift * rng.uniform(-0.5, 0.5))
    return float(
        combined is not None and abs(rounds.mean() - truth) <= combined.expanded
    )


def _budget_of_drives(
    rng: np.random.Generator, scatters: Sequence[float], drives: int
) -> float:
    """Tell whether a budget by a store with two runs of each drive holds the truth."""
    of_drives, of_runs, of_rounds = scatters
    spread = math.hypot(of_runs, of_rounds / math.sqrt(5))
    log = np.repeat(of_drives * rng.standard_normal(drives), 2)
    log += spread * rng.standard_normal(2 * drives)
    runs = pd.DataFrame({"drive": np.repeat(np.arange(drives), 2), "log": log})
    own = math.hypot(of_drives, of_runs) * rng.standard_normal()
    rounds = np.exp(own + of_rounds * rng.standard_normal(5))
    value = float(rounds.mean())
    parts = [mean_entry(rounds), drift_entry(rounds), *population_entries(value, runs)]
    combined = combine_contributions([p.contribution for p in parts if p.contribution])
    return float(combined is not None and abs(value - 1) <= combined.expanded)


_CAUTIOUS = "conservative: sources that scatter the rounds too are counted twice"
_CROSSED = "3 hosts, 6 drives, 2 runs"
_DESIGNS = (
    (f"{_CROSSED}, 8 of 36 lost", _DIFFER, (3, 6, 2), 8),
    (f"{_CROSSED}, hosts equal", _ALIKE, (3, 6, 2), 0),
    ("3 hosts with 4 drives each, 2 runs, 6 of 24 lost", _NESTED, (3, 4, 2), 6),
)
_OF_GAUGE: tuple[tuple[str, str, float, float, str], ...] = (
    ("parts of a gauge R&R study", "each", 0.93, 0.97, ""),
    ("%GRR of a gauge R&R study", "share", 0.93, 1.0, "bounded by 0 and 100 %"),
    ("all parts of a gauge R&R study at once", "all", 0.72, 0.9,
     "each interval is of 95 % by itself"),
)  # fmt: skip

CASES = (
    *(
        CoverageCase(
            statistic=statistic,
            case=words,
            n=math.prod(shape) - lost,
            trial=partial(_gauge, truth=truth, shape=shape, lost=lost, of=of),
            low=low,
            high=high,
            note=note,
        )
        for statistic, of, low, high, note in _OF_GAUGE
        for words, truth, shape, lost in _DESIGNS
    ),
    *(
        CoverageCase(
            statistic="planned drives are enough",
            case=f"a pilot of {drives} drives, 2 runs, 5 rounds",
            n=drives,
            trial=partial(_is_enough, shape=(drives, 2, 5)),
            nominal=0.8,
            low=0.78,
            high=0.95,
            note="conservative: drives are whole, and no component is below 0",
        )
        for drives in (3, 6)
    ),
    *(
        CoverageCase(
            statistic="planned repetitions find the difference",
            case=f"{percent:g} %, {runs} runs of 5 rounds, components known",
            n=runs,
            trial=partial(_is_found, percent=percent, runs=runs),
            nominal=0.8,
            low=0.77,
            high=0.88,
            note="drives are whole",
        )
        for percent, runs in ((5, 1), (2, 2))
    ),
    *(
        CoverageCase(
            statistic="expanded uncertainty of a run",
            case=f"autocorrelation {alike:g}, drift {drift:.0%}".replace("%", " %"),
            n=5,
            trial=partial(_budget_of_run, autocorrelation=alike, drift=drift),
            high=1.0,
            note=_CAUTIOUS,
        )
        for alike, drift in ((0, 0), (0.8, 0), (0, 0.05), (0.5, 0.1))
    ),
    *(
        CoverageCase(
            statistic="expanded uncertainty of drives",
            case="drives, runs, rounds scatter by "
            + ", ".join(f"{100 * one:g}" for one in scatters)
            + " %",
            n=drives,
            trial=partial(_budget_of_drives, scatters=scatters, drives=drives),
            high=1.0,
            note=_CAUTIOUS,
        )
        for drives in (3, 6)
        for scatters in ((0.03, 0.01, 0.01), (0.0, 0.02, 0.01), (0.02, 0.0, 0.03))
    ),
)

"""How often the confidence of a verdict on a QoS target is right.

The limit of the target is set to the truth, so it is just met. A confidence of more
than 95 % that it is met must then occur in at most one of 20 runs, and so must one of
more than 95 % that it is missed.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from ssdlab.qos.load import Load
from ssdlab.qos.target import QosTarget
from ssdlab.qos.verdict import QosVerdict, assess_qos
from tools.coverage_cases.case import CoverageCase
from tools.coverage_cases.qos import Drive, Floats

_MEDIAN_NS = 250_000.0
_CLAIMED = 0.95
_LEVELS = (99.0, 99.9)
_FEW, _MANY = 5, 20  # rounds with a rate
_RATE, _RATE_SPREAD = 20_000.0, 600.0
_Generator = np.random.Generator
_Wrong = Callable[[QosVerdict], bool]

_DRIVES = (
    Drive(name="independent IOs", rounds=1, ios=20_000),
    Drive(name="rounds differ", rounds=5, ios=4000, round_spread=0.1),
    Drive(name="rounds differ, slow bursts", rounds=10, ios=4000, round_spread=0.1,
          order="bursts"),
)  # fmt: skip


def made_load(values: Floats, rates: Floats) -> Load:
    """Return log latencies relative to the median as a load with 1 ns bins."""
    lat_ns = np.maximum(1, _MEDIAN_NS * np.exp(values)).astype(np.int64)
    names = pd.Index([f"s{number}" for number in range(len(lat_ns))])
    counted = [np.unique(row, return_counts=True) for row in lat_ns]
    places, counts = (np.concatenate(parts) for parts in zip(*counted, strict=True))
    rows = np.repeat(np.arange(len(names)), [found.size for found, _ in counted])
    bins = pd.DataFrame({
        "step_id": pd.Categorical.from_codes(rows, names),
        "lat_ns": places,
        "count": counts,
    })
    steps = pd.DataFrame({
        "step_id": names,
        "iops": rates,
        "runtime_s": 1.0,
        "total_ios": [row.size for row in lat_ns],
        "lat_mean_ns": lat_ns.mean(axis=1),
        "lat_max_ns": lat_ns.max(axis=1).astype(float),
    })
    return Load(
        test="lat",
        phase="rounds",
        workload="made",
        direction="total",
        kind="cell",
        steps=steps,
        bins=bins.assign(lat_lower_ns=bins["lat_ns"], lat_upper_ns=bins["lat_ns"] + 1),
    )


def claims_met(verdict: QosVerdict) -> bool:
    """Return whether it is called met with more than the tested confidence."""
    rate = verdict.rate.met_chance if verdict.rate else 1.0
    return min(verdict.latency.met_chance, rate) > _CLAIMED


def claims_missed(verdict: QosVerdict) -> bool:
    """Return whether it is called missed with more than the tested confidence."""
    rate = verdict.rate.missed_chance if verdict.rate else 0.0
    return max(verdict.latency.missed_chance, rate) > _CLAIMED


def _trial(rng: _Generator, *, drive: Drive, level: float, is_wrong: _Wrong) -> bool:
    limit_ns = _MEDIAN_NS * math.exp(drive.quantile(level))
    target = QosTarget(statistic="percentile", percentile=level, limit_ns=limit_ns)
    values = drive.draw(rng)
    return not is_wrong(assess_qos(made_load(values, np.ones(len(values))), target))


def _rate_trial(rng: _Generator, *, rounds: int, is_wrong: _Wrong) -> bool:
    target = QosTarget(
        statistic="percentile", percentile=50, limit_ns=1e9, least_iops=_RATE
    )
    rates = rng.normal(_RATE, _RATE_SPREAD, rounds)
    return not is_wrong(assess_qos(made_load(np.zeros((rounds, 100)), rates), target))


@dataclass(frozen=True, kw_only=True)
class _Side:
    """A verdict that is wrong if the truth is the limit."""

    statistic: str
    is_wrong: _Wrong


_SIDES = (
    _Side(statistic="target called met, 95 % certain", is_wrong=claims_met),
    _Side(statistic="target called not met, 95 % certain", is_wrong=claims_missed),
)

CASES = (
    *(
        CoverageCase(
            statistic=side.statistic,
            case=f"p{level:g}, {drive.case}",
            n=drive.rounds * drive.ios,
            trial=partial(_trial, drive=drive, level=level, is_wrong=side.is_wrong),
            high=1.0,
            note="at the limit, the hardest case; conservative because of whole ranks",
        )
        for side in _SIDES
        for drive in _DRIVES
        for level in _LEVELS
    ),
    *(
        CoverageCase(
            statistic=side.statistic,
            case="IOPS of rounds",
            n=rounds,
            trial=partial(_rate_trial, rounds=rounds, is_wrong=side.is_wrong),
        )
        for side in _SIDES
        for rounds in (_FEW, _MANY)
    ),
)

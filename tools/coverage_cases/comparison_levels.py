"""Coverage of intervals of the ratio of two percentiles, and false winners.

Both sides are the same drive; each percentile is that of the merged bins of its rounds.
If the rounds do not bound one towards the other there is no interval, and the series
does not count; in a table it counts as a comparison that shows no difference.
"""

from functools import partial

import numpy as np

from ssdlab.compare.cells import level_of_percentile
from ssdlab.stats.claims import claim_of_level
from ssdlab.stats.differences import Difference, compare_levels
from ssdlab.stats.holm import adjust_by_holm
from ssdlab.stats.levels import LevelEstimate
from ssdlab.stats.quantiles import BinnedRounds
from tools.coverage_cases.case import CoverageCase
from tools.coverage_cases.qos import Drive, count_each

Generator = np.random.Generator

_MEDIAN_US = 250.0  # in whole microseconds: fewer bins, and accurate enough
_LEVEL_PERCENT = 99.9
_CELLS = 9
_ERROR = 0.05
_ALIKE = Drive(name="rounds alike", rounds=5, ios=4000)
_APART = Drive(name="rounds differ", rounds=5, ios=4000, round_spread=0.1)
_FAR_APART = Drive(name="rounds differ much", rounds=5, ios=4000, round_spread=0.3)
_BURSTS = Drive(
    name="rounds differ, slow bursts",
    rounds=5,
    ios=4000,
    round_spread=0.1,
    order="bursts",
)


def _level(rng: Generator, drive: Drive) -> LevelEstimate:
    lat_us = np.rint(_MEDIAN_US * np.exp(drive.draw(rng))).astype(np.int64)
    names, counts = count_each(lat_us)
    edges = names.astype(np.float64)
    bins = BinnedRounds(names=names, lower=edges, upper=edges, counts=counts)
    return level_of_percentile(bins, claim_of_level(bins, _LEVEL_PERCENT))


def _compare(rng: Generator, drive: Drive) -> Difference:
    return compare_levels(_level(rng, drive), _level(rng, drive))


def _ratio_trial(rng: Generator, *, drive: Drive) -> bool | None:
    found = _compare(rng, drive)
    if np.isnan(found.p_value):
        return None
    return found.ratio.low <= 1 <= found.ratio.high


def _family_trial(rng: Generator, *, drive: Drive) -> bool:
    p_values = [_compare(rng, drive).p_value for _ in range(_CELLS)]
    return not (adjust_by_holm(np.nan_to_num(p_values, nan=1.0)) < _ERROR).any()


CASES = (
    *(
        CoverageCase(
            statistic="ratio of two percentiles, by rounds",
            case=f"p{_LEVEL_PERCENT:g}, {drive.case}",
            n=drive.rounds,
            trial=partial(_ratio_trial, drive=drive),
            high=1.0,
            note="conservative because of whole ranks and few rounds",
        )
        for drive in (_ALIKE, _APART, _BURSTS)
    ),
    *(
        CoverageCase(
            statistic="no winner among equal drives",
            case=f"p{_LEVEL_PERCENT:g} of {_CELLS} cells, {drive.case}",
            n=drive.rounds,
            trial=partial(_family_trial, drive=drive),
            low=0.95,
            high=1.0,
            note="of whole tables: at most one in 20 may be wrong",
        )
        for drive in (_APART, _FAR_APART, _BURSTS)
    ),
)

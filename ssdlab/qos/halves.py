"""The halves of a target, latency and rate: what is known of each, and how certain."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from ssdlab.qos.averages import Parts, parts_of_mean
from ssdlab.qos.load import Load
from ssdlab.qos.percentiles import RECORDED, join_notes
from ssdlab.qos.target import QosTarget
from ssdlab.stats.claims import (
    BETWEEN_ROUNDS,
    QOS_LEVELS_PERCENT,
    LevelClaim,
    claim_levels,
    order_ends,
)
from ssdlab.stats.means import chance_mean_below, mean_interval
from ssdlab.stats.quantiles import (
    BinnedRounds,
    chance_below,
    share_interval,
)
from ssdlab.stats.unseen import unseen_text

Verdict = Literal["met", "not met", "cannot be told"]

_ROUNDING = 1e-9
_ONE_RUN = "if its IOs are independent: one run does not show how rounds differ"
_TOO_FEW = "too few IOs support the level to bound it from above"


@dataclass(frozen=True, kw_only=True, slots=True)
class QosPart:
    """One half of a target: a value with its interval, and what follows from it.

    ``met_chance`` and ``missed_chance`` are confidences: of the one-sided interval
    that just reaches the limit. They need not add up to 1, as a bin may hold it.
    """

    value: float
    low: float
    high: float
    verdict: Verdict
    met_chance: float
    missed_chance: float
    claimed: str
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Question:
    """What is asked, of which load, and how certain the answer has to be."""

    load: Load
    bins: BinnedRounds
    target: QosTarget
    series: pd.DataFrame | None
    confidence_percent: float


def latency_part(question: Question) -> QosPart:
    """Return what is known of the latency in question."""
    match question.target.statistic:
        case "percentile":
            return _percentile_part(question)
        case "mean":
            return _mean_part(question)
        case "max":
            return _maximum_part(question)


def _percentile_part(question: Question) -> QosPart:
    bins, target = question.bins, question.target
    confidence_percent = question.confidence_percent
    level = target.percentile
    levels = sorted({*QOS_LEVELS_PERCENT, level})
    claims = claim_levels(bins, levels, confidence_percent=confidence_percent)
    met, missed = _chances_within(bins, target, claims)[level]
    claim = claims[levels.index(level)]
    found = claim.interval
    verdict = _decide(met, missed, confidence_percent)
    return QosPart(
        value=found.estimate,
        low=found.low,
        high=found.high,
        verdict=verdict,
        met_chance=met,
        missed_chance=missed,
        claimed=claim.claimed,
        note=_percentile_note(claim, verdict),
    )


def _chances_within(
    bins: BinnedRounds, target: QosTarget, claims: Sequence[LevelClaim]
) -> Mapping[float, tuple[float, float]]:
    """Return the chances that each percentile is within or beyond the limit.

    A higher level that is within the limit implies the lower ones, and a lower one that
    is beyond it the higher ones, as with the intervals.
    """
    limit = target.limit_ns
    # Latencies are whole nanoseconds: a bin ends one before its upper edge.
    last = np.maximum(bins.lower, np.ceil(bins.upper) - 1)
    is_within = last < limit if target.is_strict else last <= limit
    is_reached = bins.lower < limit if target.is_strict else bins.lower <= limit
    within, reached = (int(bins.merged[one].sum()) for one in (is_within, is_reached))
    levels, own = [claim.level for claim in claims], []
    for claim in claims:
        scale = claim.count / bins.total
        low = math.floor(within * scale + _ROUNDING)
        high = math.ceil(reached * scale - _ROUNDING)
        met = chance_below(claim.level, low, claim.count)
        missed = 1 - chance_below(claim.level, high + 1, claim.count)
        own.append((met, 0.0 if high >= claim.count else missed))
    met_chances = -order_ends(levels, [-met for met, _ in own], end="high")
    missed_chances = order_ends(levels, [missed for _, missed in own], end="low")
    pairs = zip(met_chances.tolist(), missed_chances.tolist(), strict=True)
    return dict(zip(levels, pairs, strict=True))


def _percentile_note(claim: LevelClaim, verdict: Verdict) -> str:
    is_short = verdict == "cannot be told" and not claim.is_supported
    bounded = unseen_text(claim.rounds) if claim.is_of_rounds else _ONE_RUN
    return join_notes(bounded, _TOO_FEW if is_short else "")


def _decide(met: float, missed: float, confidence_percent: float) -> Verdict:
    wanted = 0.5 + confidence_percent / 200 - _ROUNDING
    if met >= wanted:
        return "met"
    return "not met" if missed >= wanted else "cannot be told"


def _maximum_part(question: Question) -> QosPart:
    bins, target = question.bins, question.target
    greatest = question.load.greatest_ns
    if not math.isfinite(greatest):
        greatest = float(bins.lower[-1])
    is_broken = greatest > target.limit_ns or (
        target.is_strict and greatest == target.limit_ns
    )
    confidence = question.confidence_percent
    beyond = share_interval(0, bins.total, confidence_percent=confidence)
    words = (
        f"none of {bins.total:,} IOs was slower; if they are independent at most 1 in "
        f"{math.floor(1 / beyond.high):,} is"
    )
    return QosPart(
        value=greatest,
        low=greatest,
        high=math.inf,
        verdict="not met" if is_broken else "cannot be told",
        met_chance=0.0 if is_broken else math.nan,
        missed_chance=1.0 if is_broken else math.nan,
        claimed=RECORDED,
        note="" if is_broken else words,
    )


def _mean_part(question: Question) -> QosPart:
    parts = parts_of_mean(question.load, question.series, "lat_mean_ns")
    met = _chance_below(parts, question.target.limit_ns)
    return _part_of_mean(question, parts, (met, 1 - met))


def rate_part(question: Question) -> QosPart:
    """Return what is known of the rate in question."""
    parts = parts_of_mean(question.load, question.series, "iops")
    missed = _chance_below(parts, question.target.least_iops)
    return _part_of_mean(question, parts, (1 - missed, missed))


def _chance_below(parts: Parts, limit: float) -> float:
    if not parts.is_known:
        return math.nan
    return chance_mean_below(parts.values, limit, parts.weights)


def _part_of_mean(
    question: Question, parts: Parts, chances: tuple[float, float]
) -> QosPart:
    confidence_percent = question.confidence_percent
    found = mean_interval(
        parts.values, parts.weights, confidence_percent=confidence_percent
    )
    met, missed = chances
    is_of_rounds = parts.claimed == BETWEEN_ROUNDS
    unseen = unseen_text(len(question.load.steps)) if is_of_rounds else ""
    return QosPart(
        value=found.estimate,
        low=found.low,
        high=found.high,
        verdict=_decide(met, missed, confidence_percent),
        met_chance=met,
        missed_chance=missed,
        claimed=parts.claimed,
        note=join_notes(found.note, unseen),
    )

"""Whether a load keeps a target, and how sure that is."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from ssdlab.analysis.inference.means import chance_mean_below, mean_interval
from ssdlab.analysis.inference.quantiles import (
    BinnedRounds,
    chance_below,
    share_interval,
)
from ssdlab.analysis.qos.loads import Load
from ssdlab.analysis.qos.percentiles import (
    RECORDED,
    LevelClaim,
    Parts,
    claim_of_level,
    join_notes,
    parts_of_mean,
)
from ssdlab.analysis.qos.target import QosTarget

Verdict = Literal["met", "not met", "cannot be told"]

_ROUNDING = 1e-9
_ONE_RUN = "if its IOs are independent: one run does not tell how rounds differ"
_TOO_FEW = "too few IOs stand behind the level to bound it from above"


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


@dataclass(frozen=True, kw_only=True, slots=True)
class QosVerdict:
    """Whether a load keeps a target.

    Attributes
    ----------
    load : str
        What was run.
    target : str
        What was asked.
    verdict : {"met", "not met", "cannot be told"}
        Met when the whole interval is within the limit, not met when it is beyond.
    certainty_percent : float
        Of that verdict; where it cannot be told, of being met [%].
    latency : QosPart
        In nanoseconds.
    rate : QosPart or None
        In IOPS; None if the target asks for none.
    total_ios : int
        Behind it.
    words : str
        The verdict in words.
    """

    load: str
    target: str
    verdict: Verdict
    certainty_percent: float
    latency: QosPart
    rate: QosPart | None
    total_ios: int
    words: str


def assess_qos(
    load: Load,
    target: QosTarget,
    *,
    series: pd.DataFrame | None = None,
    confidence_percent: float = 95.0,
) -> QosVerdict:
    """Tell whether a load keeps a target, and with what certainty.

    Parameters
    ----------
    load : Load
        What was run, as `select_load` returns it.
    target : QosTarget
        What is asked, as `parse_qos_target` returns it.
    series : pandas.DataFrame, optional
        The table ``series``: it bounds average and IOPS of one long run.
    confidence_percent : float, default 95
        The confidence of the intervals that decide [%].

    Returns
    -------
    QosVerdict
        Both halves of a target must be met in the same load. One of them not met is
        enough for the whole not to be.

    Notes
    -----
    A percentile is within a limit if the share of IOs up to the limit is at least the
    level: the certainty comes from the binomial distribution of the IOs beyond it, with
    as many independent IOs as the rounds are worth. A maximum that was recorded never
    shows that a greater one does not come: such a target is not met, or cannot be told.
    """
    bins = load.binned()
    question = _Question(
        load=load,
        bins=bins,
        target=target,
        series=series,
        confidence_percent=confidence_percent,
    )
    latency = _latency_part(question)
    rate = _rate_part(question) if target.least_iops else None
    parts = [latency] if rate is None else [latency, rate]
    verdict = _verdict_of(parts)
    certainty = 100 * _certainty_of(parts, verdict)
    return QosVerdict(
        load=load.label,
        target=target.text,
        verdict=verdict,
        certainty_percent=certainty,
        latency=latency,
        rate=rate,
        total_ios=bins.total,
        words=_words(verdict, certainty, parts),
    )


def assess_loads(
    loads: Iterable[Load],
    target: QosTarget,
    *,
    series: pd.DataFrame | None = None,
    confidence_percent: float = 95.0,
) -> list[QosVerdict]:
    """Tell of each load by itself whether it keeps a target: see `assess_qos`.

    Parameters
    ----------
    loads : iterable of Load
        What was run.
    target : QosTarget
        What is asked.
    series : pandas.DataFrame, optional
        The table ``series``.
    confidence_percent : float, default 95
        The confidence of the intervals that decide [%].

    Returns
    -------
    list of QosVerdict
        One a load, in their order.
    """
    return [
        assess_qos(load, target, series=series, confidence_percent=confidence_percent)
        for load in loads
    ]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Question:
    """What is asked, of what, and how sure the answer is to be."""

    load: Load
    bins: BinnedRounds
    target: QosTarget
    series: pd.DataFrame | None
    confidence_percent: float


def _latency_part(question: _Question) -> QosPart:
    match question.target.statistic:
        case "percentile":
            return _percentile_part(question)
        case "mean":
            return _mean_part(question)
        case "max":
            return _maximum_part(question)


def _percentile_part(question: _Question) -> QosPart:
    bins, target = question.bins, question.target
    confidence_percent = question.confidence_percent
    level, limit = target.percentile, target.limit_ns
    claim = claim_of_level(bins, level, confidence_percent=confidence_percent)
    found = claim.interval
    # Latencies are whole nanoseconds: a bin ends one before its upper edge.
    last = np.maximum(bins.lower, np.ceil(bins.upper) - 1)
    is_within = last < limit if target.is_strict else last <= limit
    is_reached = bins.lower < limit if target.is_strict else bins.lower <= limit
    scale = claim.count / bins.total
    within = math.floor(int(bins.merged[is_within].sum()) * scale + _ROUNDING)
    reached = math.ceil(int(bins.merged[is_reached].sum()) * scale - _ROUNDING)
    met = chance_below(level, within, claim.count)
    missed = 1 - chance_below(level, reached + 1, claim.count)
    if reached >= claim.count:
        missed = 0.0
    return QosPart(
        value=found.estimate,
        low=found.low,
        high=found.high,
        verdict=_decide(met, missed, confidence_percent),
        met_chance=met,
        missed_chance=missed,
        claimed=claim.claimed,
        note=_percentile_note(claim),
    )


def _percentile_note(claim: LevelClaim) -> str:
    alone = "" if claim.is_of_rounds else _ONE_RUN
    few = "" if math.isfinite(claim.interval.high) else _TOO_FEW
    return join_notes(alone, few)


def _decide(met: float, missed: float, confidence_percent: float) -> Verdict:
    wanted = 0.5 + confidence_percent / 200 - _ROUNDING
    if met >= wanted:
        return "met"
    return "not met" if missed >= wanted else "cannot be told"


def _maximum_part(question: _Question) -> QosPart:
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


def _mean_part(question: _Question) -> QosPart:
    parts = parts_of_mean(question.load, question.series, "lat_mean_ns")
    met = _chance_below(parts, question.target.limit_ns)
    return _part_of_mean(question, parts, (met, 1 - met))


def _rate_part(question: _Question) -> QosPart:
    parts = parts_of_mean(question.load, question.series, "iops")
    missed = _chance_below(parts, question.target.least_iops)
    return _part_of_mean(question, parts, (1 - missed, missed))


def _chance_below(parts: Parts, limit: float) -> float:
    if not parts.is_known:
        return math.nan
    return chance_mean_below(parts.values, limit, parts.weights)


def _part_of_mean(
    question: _Question, parts: Parts, chances: tuple[float, float]
) -> QosPart:
    confidence_percent = question.confidence_percent
    found = mean_interval(
        parts.values, parts.weights, confidence_percent=confidence_percent
    )
    met, missed = chances
    return QosPart(
        value=found.estimate,
        low=found.low,
        high=found.high,
        verdict=_decide(met, missed, confidence_percent),
        met_chance=met,
        missed_chance=missed,
        claimed=parts.claimed,
        note=found.note,
    )


def _verdict_of(parts: list[QosPart]) -> Verdict:
    verdicts = {part.verdict for part in parts}
    if "not met" in verdicts:
        return "not met"
    return "met" if verdicts == {"met"} else "cannot be told"


def _certainty_of(parts: list[QosPart], verdict: Verdict) -> float:
    if verdict == "not met":
        missed = [part.missed_chance for part in parts if part.verdict == "not met"]
        return max(missed)
    chances = [part.met_chance for part in parts]
    return math.nan if any(map(math.isnan, chances)) else min(chances)


def _words(verdict: Verdict, certainty: float, parts: list[QosPart]) -> str:
    notes = [part.note for part in parts if part.note]
    if math.isnan(certainty):
        head = str(verdict)
    elif verdict == "cannot be told":
        head = f"cannot be told: met with a certainty of {certainty_text(certainty)}"
    else:
        head = f"{verdict}, with a certainty of {certainty_text(certainty)}"
    return "; ".join([head, *notes])


def certainty_text(percent: float) -> str:
    """Return a certainty without claiming that it is whole.

    Parameters
    ----------
    percent : float
        The certainty [%].

    Returns
    -------
    str
        Such as ``98.3 %``, or ``more than 99.9 %``.

    Examples
    --------
    >>> certainty_text(98.34), certainty_text(99.99), certainty_text(0.01)
    ('98.3 %', 'more than 99.9 %', 'less than 0.1 %')
    """
    if percent > 99.9:
        return "more than 99.9 %"
    return "less than 0.1 %" if percent < 0.1 else f"{percent:.1f} %"

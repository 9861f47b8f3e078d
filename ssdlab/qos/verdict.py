"""Whether a load meets a target, and with what certainty."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from ssdlab.qos.halves import (
    QosPart,
    Question,
    Verdict,
    latency_part,
    rate_part,
)
from ssdlab.qos.load import Load
from ssdlab.qos.target import QosTarget


@dataclass(frozen=True, kw_only=True, slots=True)
class QosVerdict:
    """Whether a load meets a target.

    Attributes
    ----------
    load : str
        What was run.
    target : str
        What was asked.
    verdict : {"met", "not met", "cannot be told"}
        Met when the whole interval is within the limit, not met when it is beyond.
    certainty_percent : float
        Of that verdict; if it cannot be told, of being met [%].
    latency : QosPart
        In nanoseconds.
    rate : QosPart or None
        In IOPS; None if the target asks for none.
    total_ios : int
        The IOs that it is based on.
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
    """Assess whether a load meets a target, and with what certainty.

    Both halves of a target must be met in the same load; if one is not met, neither is
    the target.

    Notes
    -----
    A percentile is within a limit if the share of IOs up to the limit is at least the
    level: the certainty comes from the binomial distribution of the IOs beyond it, with
    the effective sample size of the rounds. A recorded maximum never shows that no
    greater one follows: such a target is not met, or cannot be told.
    """
    bins = load.binned
    question = Question(
        load=load,
        bins=bins,
        target=target,
        series=series,
        confidence_percent=confidence_percent,
    )
    latency = latency_part(question)
    rate = rate_part(question) if target.least_iops else None
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
    """Assess each single load against a target: see `assess_qos`.

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
        One per load, in their order.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> tables = (run.measurements, run.bins)
    >>> load = ssdlab.analysis.select_loads(*tables, test="lat")[0]
    >>> target = ssdlab.analysis.parse_qos_target("p99 <= 10 ms")
    >>> [one.verdict for one in assess_loads([load], target)]
    ['met']
    """
    return [
        assess_qos(load, target, series=series, confidence_percent=confidence_percent)
        for load in loads
    ]


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
    notes = dict.fromkeys(part.note for part in parts if part.note)
    if math.isnan(certainty):
        head = "inconclusive" if verdict == "cannot be told" else str(verdict)
    elif verdict == "cannot be told":
        head = f"inconclusive ({certainty_text(certainty)} confidence that it is met)"
    else:
        head = f"{verdict} ({certainty_text(certainty)} confidence)"
    return "; ".join([head, *notes])


def certainty_text(percent: float) -> str:
    """Return a certainty in words, never as 0 or 100 %.

    >>> certainty_text(98.34), certainty_text(99.99), certainty_text(0.01)
    ('98.3 %', 'more than 99.9 %', 'less than 0.1 %')
    """
    if percent > 99.9:
        return "more than 99.9 %"
    return "less than 0.1 %" if percent < 0.1 else f"{percent:.1f} %"
